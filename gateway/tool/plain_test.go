package tool

import (
	"encoding/json"
	"math"
	"testing"
	"time"
)

// TestPlain: results that are written by hand are what encoding/json writes, and
// what is not plain is left to it.
func TestPlain(t *testing.T) {
	t.Parallel()
	texts := []string{
		"", "hello", `a "quoted" \ text`, "two\nlines\n", "<b>&</b>", "grün 漢字 🙂 \uFFFD", "\x7f",
		"a\ttab", "\r\n", "\x00", "bad \xff", "half \xc3", "sep \u2028", "sep \u2029",
	}
	times := []time.Duration{0, time.Microsecond, 1500 * time.Microsecond, time.Hour, 999 * time.Nanosecond, math.MaxInt64}
	for i, text := range texts {
		for _, took := range times {
			r := Result{CallID: "call_1", Tool: "echo", Status: StatusOK, Output: Output{Content: []Content{{Type: ContentText, Text: text}}}, Duration: took}
			checkPlain(t, &r, i < 7)
			r.Output.Content = append(r.Output.Content, r.Output.Content[0])
			checkPlain(t, &r, i < 7)
			r.Tool = text
			checkPlain(t, &r, i < 7)
		}
	}
	checkPlain(t, &Result{}, true)
	checkPlain(t, &Result{Output: Output{Structured: json.RawMessage(`[1]`)}}, true)
	checkPlain(t, &Result{Output: Output{Structured: json.RawMessage(`{"a": 1}`)}}, false)
	checkPlain(t, &Result{Output: Output{Content: []Content{{Type: ContentImage, Data: []byte{1}}}}}, false)
	checkPlain(t, &Result{Error: Errorf(Internal, "no")}, false)
}

func checkPlain(t *testing.T, r *Result, plain bool) {
	t.Helper()
	want, err := r.encode()
	if err != nil {
		t.Fatal(err)
	}
	got, ok := r.plain()
	if ok != plain || ok && string(got) != string(want) {
		t.Errorf("got %s, %v\nwant %s, %v", got, ok, want, plain)
	}
	if got, err = r.MarshalJSON(); err != nil || string(got) != string(want) {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}
