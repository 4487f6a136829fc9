package dialect

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/toolgate/toolgate/gateway/schema"
)

// sane writes a schema of JSON Schema 2020-12, at most so many levels deep.
func (w *weaver) sane(levels int) {
	if w.IntN(25) == 0 {
		w.b.WriteString(w.one("true", "false", "{}"))
		return
	}
	w.b.WriteByte('{')
	seen := map[string]bool{}
	for range 1 + w.IntN(3) {
		name := w.one("type", "type", "enum", "const", "minimum", "exclusiveMaximum", "maxLength", "minProperties", "required", "$ref", "$ref",
			"properties", "properties", "items", "prefixItems", "additionalProperties", "not", "if", "then", "else", "allOf", "anyOf", "oneOf",
			"dependentSchemas", "dependentRequired", "unevaluatedProperties", "contains", "patternProperties")
		if seen[name] {
			continue
		}
		if len(seen) > 0 {
			w.b.WriteByte(',')
		}
		seen[name] = true
		w.b.WriteString(strconv.Quote(name) + ":")
		w.saneValue(name, levels)
	}
	w.b.WriteByte('}')
}

func (w *weaver) saneValue(name string, levels int) {
	switch name {
	case "type":
		w.b.WriteString(w.one(`"string"`, `"object"`, `"object"`, `"array"`, `"integer"`, `["string","null"]`, `["object","integer"]`))
	case "enum":
		w.b.WriteString(w.one(`["a","b"]`, `[1,null,{"a":1}]`, `[2,3]`))
	case "const":
		w.b.WriteString(w.one(`"a"`, "null", "2.0"))
	case "minimum", "exclusiveMaximum", "maxLength", "minProperties":
		w.b.WriteString(w.one("1", "2"))
	case "required":
		w.b.WriteString(w.one(`["a"]`, `["a","b"]`))
	case "dependentRequired":
		w.b.WriteString(`{"a":["b"]}`)
	case "$ref":
		w.b.WriteString(`"#/components/schemas/S` + strconv.Itoa(w.IntN(woven)) + `"`)
	case "properties", "patternProperties", "dependentSchemas":
		w.b.WriteString(`{"a":`)
		w.saner(levels)
		w.b.WriteString(`,"b":`)
		w.saner(levels)
		w.b.WriteString(`}`)
	case "allOf", "anyOf", "oneOf", "prefixItems":
		w.b.WriteByte('[')
		w.saner(levels)
		w.b.WriteByte(',')
		w.saner(levels)
		w.b.WriteByte(']')
	default:
		w.saner(levels)
	}
}

func (w *weaver) saner(levels int) {
	if levels == 0 {
		w.b.WriteString(w.one(`{"type":"string"}`, `{"type":"integer"}`, `{"$ref":"#/components/schemas/S0"}`))
		return
	}
	w.sane(levels - 1)
}

// thing is a value at random, as JSON.
func (w *weaver) thing(levels int) string {
	if levels == 0 || w.IntN(3) == 0 {
		return w.one(`"a"`, `"ccc"`, "1", "2", "2.5", "null", "true", "{}", "[]")
	}
	switch w.IntN(3) {
	case 0:
		return "[" + w.thing(levels-1) + "," + w.thing(levels-1) + "]"
	case 1:
		return `{"a":` + w.thing(levels-1) + `}`
	}
	return `{"a":` + w.thing(levels-1) + `,"b":` + w.thing(levels-1) + `}`
}

// TestSame converts schemas made at random that are JSON Schema already: the verdict
// on every value stays what it was.
func TestSame(t *testing.T) {
	t.Parallel()
	tried, refused, rings := 0, 0, 0
	seeds, enough := uint64(1200), 10_000
	if raced {
		seeds, enough = seeds/10, enough/10
	}
	for seed := range seeds {
		w := &weaver{Rand: rand.New(rand.NewPCG(seed, 8))} //nolint:gosec // a test
		w.sane(3)
		in := w.b.String()
		w.b.Reset()
		for i := range woven {
			if i > 0 {
				w.b.WriteByte(',')
			}
			w.b.WriteString(`"S` + strconv.Itoa(i) + `":`)
			w.sane(2)
		}
		parts := `"components":{"schemas":{` + w.b.String() + `}}`
		before, err := schema.Compile(json.RawMessage(`{"type":"object","properties":{"x":` + in + `},` + parts + `}`))
		if err != nil {
			rings++ // it refers to itself without end
			continue
		}
		file := parse(t, "api.json", `{"openapi":"3.1.0","in":`+in+`,`+parts+`}`)
		c := New(oneFile{}, V31, Input)
		whole := wrap(c, c.Schema(file, file.Root.Get("in")))
		after, err := schema.Compile(whole)
		if err != nil {
			t.Fatalf("%v\n%s", err, whole)
		}
		for range 30 {
			value := w.thing(3)
			was, is := verdict(t, before, value), verdict(t, after, value)
			if tried++; was != nil {
				refused++
			}
			if (was == nil) != (is == nil) {
				t.Fatalf("seed %d: %s: was %v, is %v\n%s %s\n%s", seed, value, was, is, in, parts, whole)
			}
		}
	}
	t.Logf("%d values tried, %d of them refused; %d schemas left out", tried, refused, rings)
	if tried < enough || refused < enough/5 || refused > tried*9/10 {
		t.Errorf("%d values tried, %d of them refused: too few to tell", tried, refused)
	}
}
