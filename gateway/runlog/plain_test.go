package runlog

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// TestEncodePlain holds the quick way against the library, and that it is taken
// where it should be.
func TestEncodePlain(t *testing.T) {
	full := Record{
		CallID: "c", Parent: "p", Request: "r", Time: noon, Tool: "pay", Caller: Caller{ID: "1", Name: "ann", Kind: tool.KindMCP}, Chat: "x",
		Via: tool.ViaBatch, ReadOnly: true, Arguments: json.RawMessage(`{ "a": [1, 2.50, "<é>"] }`), Result: `{"a": "b\\c"}` + "\nsecond",
		Decision: "allow", Rule: "r", Reason: "because", CallReason: "why", Code: tool.Timeout, Error: "e", Cause: "<c> & d", Duration: 1234567 * time.Microsecond,
	}
	for name, c := range map[string]struct {
		change func(*Record)
		plain  bool
	}{
		"full":              {func(*Record) {}, true},
		"little":            {func(r *Record) { *r = Record{CallID: "c", Time: noon, Tool: "t"} }, true},
		"a microsecond":     {func(r *Record) { r.Duration = time.Microsecond }, true},
		"a century":         {func(r *Record) { r.Duration = 100 * 365 * 24 * time.Hour }, true},
		"less than nothing": {func(r *Record) { r.Duration = -time.Second }, false},
		"no JSON":           {func(r *Record) { r.Arguments = json.RawMessage(`{"a":`) }, false},
		"notes":             {func(r *Record) { r.Notes = []string{"n"} }, false},
		"not ASCII":         {func(r *Record) { r.Error = "é" }, false},
		"control":           {func(r *Record) { r.Result = "a\tb" }, false},
		"delete":            {func(r *Record) { r.Cause = "\x7f" }, false},
		"broken UTF-8":      {func(r *Record) { r.Tool = "\xff" }, false},
	} {
		rec := full
		c.change(&rec)
		quick, slow := newLine(kindEnd, &rec), newLine(kindEnd, &rec)
		var got, want bytes.Buffer
		got.WriteString("before")
		if plain := encodePlain(&got, &quick); plain != c.plain {
			t.Errorf("%s: plain %v", name, plain)
		}
		must(t, encodeAny(&want, &slow))
		if text := got.String(); c.plain && text != "before"+want.String() || !c.plain && text != "before" {
			t.Errorf("%s: %s\nwant %s", name, text, &want)
		}
	}
}
