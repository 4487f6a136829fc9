package schema

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// quickSchemas are plain in every way that quick knows, and in some that it
// must leave alone.
var quickSchemas = []string{
	`{"type":"object","properties":{"i":{"type":"integer","minimum":-3,"maximum":100},"n":{"type":"number"},"s":{"type":"string","minLength":1,"maxLength":3},"e":{"type":"string","enum":["a","b"]},"b":{"type":"boolean","default":true}},"required":["i"],"additionalProperties":false}`,
	`{"type":"object","properties":{"i":{"type":"integer"},"s":{"type":"string","default":"x"}},"additionalProperties":true}`,
	`{"type":"object","properties":{"i":{"type":"integer","multipleOf":2},"s":{"type":"string","pattern":"^a"},"o":{"type":"object","properties":{"d":{"default":1}}},"l":{"type":["string","null"]}}}`,
	`{"type":"object","properties":{"i":{"type":"integer","minimum":1.5,"maximum":1e2},"n":{"type":"number","maximum":3},"e":{"enum":["a"]},"s":{"type":"string","enum":["a",null]}}}`,
	`{"type":"object","properties":{"i":{"type":"integer"}},"patternProperties":{"^x":{"type":"integer"}}}`,
	`{"type":"object","properties":{"i":false,"s":true}}`,
	`{"type":"object","properties":{"i":{"type":"integer","default":7.50},"s":{"type":"string","default":null},"b":{"type":"boolean","default":"x"}}}`,
	`{"type":"object","properties":{"i":{"type":"integer","default":7.0},"s":{"type":"string","default":"é"},"b":{"type":"boolean","default":false}}}`,
	`{"type":"object","properties":{"i":{"type":"integer","default":[]},"s":{"type":"string"}}}`,
	`{"type":"object","properties":{"s":{"type":"string","minLength":2,"maxLength":1}},"required":["s","z"]}`,
	`{"type":"object","properties":{"i":{"type":["integer","null"],"minimum":1,"default":3},"n":{"type":["null","number"]},"s":{"type":["string","null"],"maxLength":2},"e":{"type":["string","null"],"enum":["a",null]}},"required":["i"]}`,
	`{"type":"object","properties":{"i":{"type":["integer","null"]},"n":{"type":["integer","number"]},"e":{"type":["string","null"],"enum":["a","b"]},"s":{"type":"string","enum":["a",null]},"b":{"type":["boolean"]}},"required":["i"],"additionalProperties":false}`,
}

func quickly(t testing.TB) []*Schema {
	t.Helper()
	var out []*Schema
	for _, raw := range quickSchemas {
		s, err := Compile(json.RawMessage(raw))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// slow is the schema without its quick look.
func (s *Schema) slow() *Schema {
	own, slow := *s, *s.body()
	slow.quick = nil
	own.body = func() *body { return &slow }
	return &own
}

// FuzzQuick: with a quick look before them, checks, casts and defaults give what
// they give without.
func FuzzQuick(f *testing.F) {
	for _, raw := range []string{
		`{"i":1}`, `{"i":"1"}`, `{"i":1.0}`, `{"i":-0}`, `{"i":-4,"s":"äöü"}`, `{"i":101,"b":true,"e":"a"}`, `{"i":1,"n":1e400}`, `{"i":1,"zz":"y"}`,
		`{"i":1,"zz":{"a":1.0}}`, `{"i":99999999999999999999}`, `{"i":1,"s":"abcd","e":"c"}`, `{"i":null}`, `{"s":"a","o":{},"l":null}`, `{"i":007}`, `{"xx":"a","i":2}`,
		`{"i":null,"n":null,"s":null,"e":null,"b":null}`, `{"i":2,"n":1.5,"s":"ab","e":"a","b":true}`, `{"i":0,"e":"b"}`,
	} {
		f.Add([]byte(raw))
	}
	schemas := quickly(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, s := range schemas {
			args, err := s.Normalise(raw)
			if err != nil {
				continue
			}
			before := asJSON(t, args)
			quick, slow := s.Defaults(args), s.slow().Defaults(args)
			if diff := cmp.Diff(slow, quick); diff != "" {
				t.Errorf("defaults of %s differ:\n%s", raw, diff)
			}
			if diff := cmp.Diff(s.slow().Cast(slow), s.Cast(quick)); diff != "" {
				t.Errorf("casts of %s differ:\n%s", raw, diff)
			}
			if a, b := s.slow().Validate(args), s.Validate(args); (a == nil) != (b == nil) || a != nil && a.Error() != b.Error() {
				t.Errorf("%s: %v, quickly %v", raw, a, b)
			}
			if asJSON(t, args) != before {
				t.Error("the input changed")
			}
		}
	})
}

// TestQuickIsUsed: the plain schemas of most tools do not reach the validator.
func TestQuickIsUsed(t *testing.T) {
	t.Parallel()
	all := quickly(t)
	for i, raw := range []string{`{"i":5,"n":2,"s":"ab","e":"b"}`, `{"i":5,"more":"text"}`, 10: `{"n":1,"e":null}`} {
		if raw == "" {
			continue
		}
		args, err := all[i].Normalise(json.RawMessage(raw))
		filled, ok := all[i].body().quick.fill(args)
		if err != nil || !ok || len(filled) != len(args)+1 || !all[i].body().quick.fits(filled) {
			t.Errorf("%s is left to the validator (%v)", raw, err)
		}
	}
}

// FuzzRead: what is read quickly is what the decoder reads.
func FuzzRead(f *testing.F) {
	for _, raw := range []string{
		`{"a": [1, -2.50e3, "x\"\\\u00e9\n", true, false, null], "b": {}, "": []}`, ` 7 `, `"t"`, `[[],[{}]]`, `{"a":1,"a":2}`, `[1,]`, `{"a":1e99999}`, `"\ud83d\ude00"`, `nul`, `{"a":{"a":{"a":1}},"b":[{"b":[1 , 2]}]}`,
	} {
		f.Add([]byte(raw))
	}
	most := argsBounds()
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !utf8.Valid(raw) || scan(raw, most) != nil {
			return // refused before
		}
		quick, ok := read(raw, most)
		slow, p := decodeSlowly(raw, most)
		if ok && p != nil {
			t.Fatalf("%q is read, and refused by the decoder: %v", raw, p)
		}
		if diff := cmp.Diff(slow, quick); ok && diff != "" {
			t.Errorf("%q is read otherwise (-decoder +reader):\n%s", raw, diff)
		}
	})
}
