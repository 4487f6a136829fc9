package schema

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fuzzSchemas are compiled once for the fuzz targets of arguments.
func fuzzSchemas(f *testing.F) []*Schema {
	f.Helper()
	var out []*Schema
	for _, raw := range []string{
		`{}`, order, binary,
		`{"properties":{"n":{"type":"number"},"i":{"type":"integer"},"b":{"type":"boolean"},"s":{"type":"string"},"l":{"items":{"type":["integer","boolean","null"]}}},"additionalProperties":{"type":"string"}}`,
		`{"properties":{"u":{"anyOf":[{"type":"integer"},{"type":"boolean"},{"type":"object","properties":{"x":{"type":"number"}}}]}},"if":{"required":["k"]},"then":{"properties":{"v":{"type":"integer"}}},"else":{"properties":{"v":{"type":"string"}}}}`,
		`{"type":"object","additionalProperties":false}`,
	} {
		out = append(out, mustCompile(f, raw))
	}
	return out
}

func addArgs(f *testing.F) {
	f.Helper()
	for _, raw := range []string{
		``, `null`, `""`, `{}`, `[1]`, `"{\"a\":1}"`, `{"arguments":{"n":"1"}}`, `{"arguments":"{}"}`,
		goodOrder, castOrder, badOrder, nested(4), `{"n":"1e5","i":"1e5","b":"YES","s":1.10,"l":["1","true",null],"x":5}`,
		`{"u":{"x":"5"},"k":1,"v":"7"}`, `{"a":1,"a":2}`, `{"a":"\ud83d"}`, `{"n":1e1000001}`, `{"i":"-0","n":"1E+2"}`, `{"a":`,
	} {
		f.Add([]byte(raw))
	}
}

// FuzzNormalise: what comes out is an object that holds what went in, or an
// *Error of sentences.
func FuzzNormalise(f *testing.F) {
	addArgs(f)
	schemas := fuzzSchemas(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, s := range schemas {
			args, err := s.Normalise(raw)
			if err != nil {
				if told(t, err)[0] == "" {
					t.Error("an empty sentence")
				}
				continue
			}
			again, err := s.Normalise(json.RawMessage(asJSON(t, args)))
			if _, wrapped := args[wrapper]; wrapped {
				continue
			}
			if diff := cmp.Diff(args, again); diff != "" || err != nil {
				t.Errorf("read again it differs (%v):\n%s", err, diff)
			}
		}
	})
}

// FuzzCast: a cast changes nothing that is valid, invents nothing, and never
// touches its input; after it everything has its words.
func FuzzCast(f *testing.F) {
	addArgs(f)
	f.Add([]byte(`{"i":0.0}`)) // one of the words for false, once it is an integer
	schemas := fuzzSchemas(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, s := range schemas {
			args, err := s.Normalise(raw)
			if err != nil {
				continue
			}
			before := asJSON(t, args)
			out := s.Cast(args)
			if asJSON(t, args) != before {
				t.Error("the input changed")
			}
			if s.Validate(args) == nil {
				if asJSON(t, spelled(out)) != asJSON(t, spelled(args)) {
					t.Errorf("valid arguments %s became %s", before, asJSON(t, out))
				}
				if err := s.Validate(out); err != nil {
					t.Errorf("valid arguments %s became %s: %v", before, asJSON(t, out), err)
				}
			}
			sameText(t, args, out)
			if err := s.Validate(s.Defaults(out)); err != nil {
				told(t, err)
			}
		}
	})
}

// spelled writes every number that is whole as an integer, whatever its type.
func spelled(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			out[name] = spelled(member)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = spelled(item)
		}
		return out
	case json.Number:
		n, _ := respelled(v)
		return n
	}
	return v
}

// sameText checks that a cast kept the shape of a value and the text of every
// scalar in it.
func sameText(t *testing.T, in, out any) {
	t.Helper()
	switch in := in.(type) {
	case map[string]any:
		got, _ := out.(map[string]any)
		if len(got) != len(in) {
			t.Fatalf("%v became %v", in, out)
		}
		for name, v := range in {
			sameText(t, v, got[name])
		}
	case []any:
		got, _ := out.([]any)
		if len(got) != len(in) {
			t.Fatalf("%v became %v", in, out)
		}
		for i, v := range in {
			sameText(t, v, got[i])
		}
	default:
		if plain(in) != plain(out) {
			t.Errorf("%#v became %#v", in, out)
		}
	}
}

// plain is the text of a scalar; the words for true and false are one each,
// whichever type they have.
func plain(v any) string {
	switch v := v.(type) {
	case bool:
		if v {
			return "true"
		}
		return "false"
	case string:
		if n, ok := readNumber(v); ok {
			n, _ = respelled(n)
			v = n.String()
		}
		switch strings.ToLower(v) {
		case "true", "yes", "1":
			return "true"
		case "false", "no", "0":
			return "false"
		}
		return v
	case json.Number:
		return plain(v.String())
	}
	return "null"
}

// FuzzCompile: a document compiles or has one Mistake with words; what
// compiles can be used.
func FuzzCompile(f *testing.F) {
	for _, raw := range []string{
		`{}`, order, binary, `{"type":"strng"}`, `{"required":"id"}`, `{"$ref":"#"}`, `{"$ref":"x.json"}`, `{"$id":"a","$defs":{"x":{"$id":"b"}}}`,
		`{"properties":{"a":{"pattern":"(?!x)"}},"propertyNames":{"maxLength":3}}`, `{"$schema":"http://json-schema.org/draft-04/schema#","id":"#a"}`,
		`{"allOf":[{"$ref":"#/allOf/0"}]}`, `{"$dynamicRef":"#a","$dynamicAnchor":"a"}`, `{"patternProperties":{"(":{}}}`, `{"properties":{"a":{"default":{}}},"unevaluatedProperties":false}`,
	} {
		f.Add([]byte(raw), []byte(`{"a":"1","items":[{}]}`))
	}
	f.Fuzz(func(t *testing.T, raw, args []byte) {
		s, err := Compile(raw)
		if err != nil {
			if m, ok := errors.AsType[*Mistake](err); !ok || m.Text == "" {
				t.Errorf("got %v, want a *Mistake with words", err)
			}
			return
		}
		s.Properties()
		if in, err := s.Normalise(args); err == nil {
			_ = s.Validate(s.Cast(s.Defaults(in)))
		}
	})
}
