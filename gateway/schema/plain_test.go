package schema

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// FuzzPlain: a schema that is taken for one that surely compiles does, and what
// is told of it before is what it tells compiled.
func FuzzPlain(f *testing.F) {
	for _, suite := range suites {
		files, err := filepath.Glob(filepath.Join("testdata", suite.folder, "*.json"))
		if err != nil || len(files) == 0 {
			f.Fatal("no suite files:", err)
		}
		for _, file := range files {
			for _, group := range readSuite(f, file) {
				f.Add([]byte(group.Schema))
			}
		}
	}
	for _, raw := range append(quickSchemas, order, `{"type":"object","properties":{"$ref":{"type":"string"},"\u0061":{},"b":{"enum":[1,"}",null],"default":{"$id":"x"}} , "c": {"items":{"pattern":"["}}},"required":["z","b"],"additionalProperties":false}`) {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, p := decode(raw, schemaBounds())
		if p != nil || objectRule(doc) != nil || !isPlain(doc) {
			return
		}
		whole, err := compile(raw, doc, nil)
		if err != nil {
			t.Fatalf("%s is taken for plain: %v", raw, err)
		}
		if p := whole.body().endless(); p != nil {
			t.Fatalf("%s is taken for plain: %s", raw, p.sentence())
		}
		if found := misspelt(nil, doc); found != nil {
			t.Errorf("%s is taken for plain: %v", raw, found[0])
		}
		later := planned(raw, doc)
		if diff := cmp.Diff(whole.outline, later.outline, cmp.AllowUnexported(outline{}), cmpopts.IgnoreTypes(suspects{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-compiled +before):\n%s", raw, diff)
		}
	})
}

// TestPlain: what most tools have is plain; what the compiler might refuse, or
// follow elsewhere, is not.
func TestPlain(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]bool{
		`{}`: true, order: false,
		`{"type":"object","properties":{"a":{"type":["string","null"],"pattern":"^a+$","format":"date"}},"additionalProperties":{"type":"integer","multipleOf":2}}`: true,
		`{"properties":{"a":{"anyOf":[{"type":"string"},{"const":{"$ref":"#/x"}}]},"l":{"items":{"exclusiveMinimum":1.5}}}}`:                                        true,
		`{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{}}}`:                                                                                                false,
		`{"properties":{"a":{"pattern":"("}}}`:                 false,
		`{"properties":{"a":{"type":"text"}}}`:                 false,
		`{"properties":{"a":{"type":["string","string"]}}}`:    false,
		`{"properties":{"a":{"minLength":-1}}}`:                false,
		`{"properties":{"a":{"multipleOf":0}}}`:                false,
		`{"properties":{"a":{"enum":"x"}}}`:                    false,
		`{"properties":{"a":{"items":[{}]}}}`:                  false,
		`{"properties":{"a":{"anyOf":[]}}}`:                    false,
		`{"properties":{"a":{"unheard":1}}}`:                   false,
		`{"required":["a","a"]}`:                               false,
		`{"required":true}`:                                    false,
		`{"allOf":[{"properties":{"a":{}}}]}`:                  false,
		`{"$schema":"http://json-schema.org/draft-04/schema"}`: false,
		`{"properties":{"$id":{"type":"string"}}}`:             false,
		`{"properties":{"a":{"description":1}}}`:               false,
	} {
		doc, p := decode(json.RawMessage(raw), schemaBounds())
		if p != nil {
			t.Fatal(p.sentence())
		}
		if got := isPlain(doc); got != want {
			t.Errorf("%s: plain is %v, want %v", raw, got, want)
		}
	}
}

// TestLaterIsCompiledOnce: many that need a schema for the first time at once
// compile it once.
func TestLaterIsCompiledOnce(t *testing.T) {
	t.Parallel()
	s := mustCompile(t, `{"type":"object","properties":{"a":{"type":"string"}}}`)
	first := make(chan *body)
	for range 8 {
		go func() { first <- s.body() }()
	}
	one := <-first
	for range 7 {
		if other := <-first; other != one {
			t.Error("two bodies")
		}
	}
}
