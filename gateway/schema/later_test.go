package schema_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/schema"
)

// counted gives a text and counts how often it is asked for.
func counted(text string) (func() json.RawMessage, *atomic.Int32) {
	var calls atomic.Int32
	return func() json.RawMessage {
		calls.Add(1)
		return json.RawMessage(text)
	}, &calls
}

const laterText = `{"type":"object","properties":{"id":{"type":"integer"},"limit":{"type":["integer","null"],"default":5},
	"pet":{"$ref":"#/$defs/pet"}},"required":["id"],"additionalProperties":false,
	"$defs":{"pet":{"type":"object","properties":{"parent":{"$ref":"#/$defs/pet"},"age":{"type":"integer"}}}}}`

// TestLaterNeedsNoText asks a schema for everything that is asked for before a
// call.
func TestLaterNeedsNoText(t *testing.T) {
	t.Parallel()
	text, calls := counted(laterText)
	s := schema.Later([]string{"id", "limit", "pet"}, []string{"id"}, true, text)
	names, closed := s.Properties()
	if diff := cmp.Diff([]string{"id", "limit", "pet"}, names); diff != "" || !closed {
		t.Errorf("closed %t, names\n%s", closed, diff)
	}
	if !s.SpeaksOfOthers() || s.DefaultMistake() != nil || s.Misspelt() != nil {
		t.Error("speaks of more than its outline")
	}
	if !s.Names("pet") || s.Names("toolcall_reason") {
		t.Error("names others than its properties")
	}
	args, err := s.Normalise(json.RawMessage(`{"arguments":{"id":1}}`))
	if diff := cmp.Diff(map[string]any{"id": json.Number("1")}, args); err != nil || diff != "" {
		t.Errorf("normalised: %v\n%s", err, diff)
	}
	if _, err := s.Normalise(json.RawMessage(`[]`)); err == nil || !strings.Contains(err.Error(), `{"id": …, "limit": …, "pet": …}`) {
		t.Errorf("of a list: %v", err)
	}
	if diff := cmp.Diff(args, s.Defaults(args)); diff != "" {
		t.Errorf("a default was filled in\n%s", diff)
	}
	if got := s.Defaults(nil); got == nil || len(got) != 0 {
		t.Errorf("defaults of nothing: %v", got)
	}
	if n := calls.Load(); n != 0 {
		t.Errorf("the text was made %d times", n)
	}
}

// TestLaterChecks checks and casts as a schema does that was compiled before, with
// one text for all.
func TestLaterChecks(t *testing.T) {
	t.Parallel()
	text, calls := counted(laterText)
	later := schema.Later([]string{"id", "limit", "pet"}, []string{"id"}, true, text)
	now, err := schema.Compile(json.RawMessage(laterText))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for _, raw := range []string{
		`{"id":1}`, `{}`, `{"id":"7"}`, `{"id":1,"limit":null}`, `{"id":1,"limit":"x"}`, `{"id":1,"other":2}`,
		`{"id":1,"pet":{"parent":{"age":"3"}}}`, `{"id":1,"pet":{"parent":{"age":"old"}}}`,
	} {
		all.Go(func() {
			args, err := now.Normalise(json.RawMessage(raw))
			if err != nil {
				t.Error(err)
				return
			}
			want, got := now.Cast(args), later.Cast(args)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s is cast to\n%s", raw, diff)
			}
			if w, g := now.Validate(want), later.Validate(got); wording(w) != wording(g) {
				t.Errorf("%s: %v, compiled before: %v", raw, g, w)
			}
		})
	}
	all.Wait()
	if n := calls.Load(); n != 1 {
		t.Errorf("the text was made %d times", n)
	}
}

// TestLaterTakesLargeTexts takes more than a schema in a file may hold.
func TestLaterTakesLargeTexts(t *testing.T) {
	t.Parallel()
	long := `{"type":"object","properties":{"a":{"enum":[` + strings.Repeat(`"`+strings.Repeat("x", 100)+`",`, 30_000) + `"y"]}}}`
	text, _ := counted(strings.ReplaceAll(long, "{\"enum\":[\"x", "{\"enum\":[\"z"))
	s := schema.Later([]string{"a"}, nil, false, text)
	if err := s.Validate(map[string]any{"a": "n"}); err == nil {
		t.Error("took a value that is not listed")
	} else if _, ok := errors.AsType[*schema.Error](err); !ok {
		t.Error(err)
	}
}

// TestLaterThatDoesNotCompile says so at the call, and never panics.
func TestLaterThatDoesNotCompile(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":   {``, "not valid JSON"},
		"no JSON":   {`{"type":`, "not valid JSON"},
		"a list":    {`[]`, "must be a schema"},
		"a text":    {`{"type":"string"}`, `must be "object"`},
		"dangling":  {`{"type":"object","properties":{"a":{"$ref":"#/$defs/gone"}}}`, `refers to "#/$defs/gone", which is not there`},
		"endless":   {`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"}]}}}`, "refers to itself without end"},
		"a pattern": {`{"type":"object","properties":{"a":{"pattern":"["}}}`, "is not a regular expression"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, _ := counted(tt.text)
			s := schema.Later([]string{"a"}, nil, true, text)
			args := map[string]any{"a": "1"}
			err := s.Validate(args)
			if err == nil || !strings.Contains(err.Error(), "the tool's own schema does not compile") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if _, ok := errors.AsType[*schema.Error](err); ok {
				t.Error("blames the arguments")
			}
			if diff := cmp.Diff(args, s.Cast(args)); diff != "" {
				t.Errorf("was cast to\n%s", diff)
			}
		})
	}
}

func wording(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestFillingAndHiding fills in what it is told, and takes names out of what is
// known and of what is checked.
func TestFillingAndHiding(t *testing.T) {
	t.Parallel()
	text, calls := counted(laterText)
	s := schema.Later([]string{"id", "limit", "pet"}, []string{"id"}, true, text).Filling(map[string]any{"limit": json.Number("7"), "pet": map[string]any{}})
	sent := map[string]any{"id": json.Number("1"), "pet": map[string]any{"age": json.Number("2")}}
	want := map[string]any{"id": json.Number("1"), "pet": map[string]any{"age": json.Number("2")}, "limit": json.Number("7")}
	if diff := cmp.Diff(want, s.Defaults(sent)); diff != "" || len(sent) != 2 {
		t.Errorf("filled, of %d sent:\n%s", len(sent), diff)
	}
	hidden := s.Hiding([]string{"id"})
	names, closed := hidden.Properties()
	if diff := cmp.Diff([]string{"limit", "pet"}, names); diff != "" || !closed || hidden.Names("id") {
		t.Errorf("closed %t, names\n%s", closed, diff)
	}
	if n := calls.Load(); n != 0 {
		t.Errorf("the text was made %d times", n)
	}
	if err := hidden.Validate(map[string]any{"limit": json.Number("1")}); err != nil {
		t.Error(err)
	}
	if err := hidden.Validate(map[string]any{"id": json.Number("1")}); err == nil {
		t.Error("takes what is hidden")
	}
	if err := s.Validate(map[string]any{"limit": json.Number("1")}); err == nil {
		t.Error("the first schema has changed")
	}
	now, err := schema.Compile(json.RawMessage(laterText))
	if err != nil || now.Hiding([]string{"id"}) != nil {
		t.Error("hides in a schema of another kind", err)
	}
}

// TestWithDefaults puts defaults in what is shown.
func TestWithDefaults(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"default":1}},"required":["a","b"]}`: `{"type":"object","properties":{"a":{"type":"string","default":"x"},"b":{"default":2}}}`,
		`{"type":"object","properties":{"a":true,"c":{}},"required":["a","c"]}`:                         `{"type":"object","properties":{"a":true,"c":{}},"required":["c"]}`,
		`{"type":"object"}`: `{"type":"object"}`,
	} {
		got, err := schema.WithDefaults(json.RawMessage(raw), map[string]json.RawMessage{"a": json.RawMessage(`"x"`), "b": json.RawMessage(`2`)})
		if err != nil || string(got) != want {
			t.Errorf("%s\nbecomes %s, %v\nwant    %s", raw, got, err, want)
		}
	}
}
