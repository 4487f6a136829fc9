package runlog

import (
	"bytes"
	"encoding/json"
	"reflect"
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

// TestEncodePlainMembers sets one member of a line after the other, those that come
// later too, so that none is forgotten in the quick way.
func TestEncodePlainMembers(t *testing.T) {
	var members func(v reflect.Value, try func(name string))
	members = func(v reflect.Value, try func(name string)) {
		for i := range v.NumField() {
			f, name := v.Field(i), v.Type().Field(i).Name
			switch f.Kind() {
			case reflect.Struct:
				members(f, try)
				continue
			case reflect.Pointer:
				f.Set(reflect.New(f.Type().Elem()))
			case reflect.String:
				f.SetString(`a "text"`)
			case reflect.Bool:
				f.SetBool(true)
			case reflect.Float64:
				f.SetFloat(1.5)
			case reflect.Slice:
				if f.Type() == reflect.TypeFor[json.RawMessage]() {
					f.SetBytes([]byte(`{"a": 1}`))
				} else {
					f.Set(reflect.MakeSlice(f.Type(), 1, 1))
				}
			default:
				t.Fatalf("%s: a %v cannot be set yet", name, f.Kind())
			}
			try(name)
			f.SetZero()
		}
	}
	var l line
	members(reflect.ValueOf(&l).Elem(), func(name string) {
		quick, slow := l, l
		var got, want bytes.Buffer
		must(t, encodeAny(&want, &slow))
		rare := name == "Notes" || name == "Approval"
		if encodePlain(&got, &quick) == rare || !rare && got.String() != want.String() {
			t.Errorf("%s: %s\nwant %s", name, &got, &want)
		}
	})
}

// FuzzEncodePlain holds the quick way against the library with texts, arguments and
// times of any kind.
func FuzzEncodePlain(f *testing.F) {
	f.Add("call", "a\n\"b\\", []byte(`{ "a": ["<&>\u2028", 1e5] }`), int64(1234567))
	f.Add("", "\x7f\xff", []byte(`{"a":`), int64(-1))
	f.Fuzz(func(t *testing.T, name, text string, args []byte, microseconds int64) {
		l := line{Kind: kindEnd, CallID: name, Tool: text, Caller: Caller{Name: text}, Arguments: args, Result: text, DurationMS: float64(microseconds) / 1000}
		slow := l
		var got, want bytes.Buffer
		plain := encodePlain(&got, &l)
		err := encodeAny(&want, &slow)
		if plain && (err != nil || got.String() != want.String()) || !plain && got.Len() > 0 {
			t.Errorf("%s\nwant %s (%v)", &got, &want, err)
		}
	})
}
