package dialect

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/openapi/document"
)

// weaver writes schemas at random, of the keywords and values that real documents
// have and of some that make no sense.
type weaver struct {
	*rand.Rand
	b strings.Builder
}

const woven = 4 // components that a woven document has

func (w *weaver) one(of ...string) string { return of[w.IntN(len(of))] }

// schema writes a schema, at most so many levels deep.
func (w *weaver) schema(levels int) {
	if w.IntN(20) == 0 {
		w.b.WriteString(w.one("true", "false", "null", `"x"`, "[]", "{}"))
		return
	}
	w.b.WriteByte('{')
	seen := map[string]bool{}
	for range w.IntN(5) {
		name := w.one(
			"type", "type", "format", "enum", "const", "default", "pattern", "nullable", "x-nullable", "readOnly", "writeOnly", "description",
			"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf", "minLength", "required",
			"$ref", "$ref", "$ref", "$recursiveRef", "$dynamicRef", "$dynamicAnchor", "contentMediaType", "contentEncoding", "discriminator",
			"properties", "properties", "patternProperties", "dependentSchemas", "dependencies", "$defs",
			"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties",
			"allOf", "allOf", "oneOf", "oneOf", "anyOf", "prefixItems",
		)
		if seen[name] {
			continue
		}
		if len(seen) > 0 {
			w.b.WriteByte(',')
		}
		seen[name] = true
		w.b.WriteString(strconv.Quote(name) + ":")
		w.value(name, levels)
	}
	w.b.WriteByte('}')
}

// value writes what stands under a keyword, which now and then is something else.
func (w *weaver) value(name string, levels int) {
	if w.IntN(25) == 0 {
		w.b.WriteString(w.one("null", "true", `"7"`, "-1", "1e9999", `{"a":1}`, `[1,"a",null]`, "[]", "{}"))
		return
	}
	switch name {
	case "properties", "patternProperties", "dependentSchemas", "dependencies", "$defs":
		w.list(levels, "{", "}", `"a":`, `"b":`, `"kind":`, `"(":`)
	case "allOf", "oneOf", "anyOf", "prefixItems":
		w.list(levels, "[", "]", "", "", "")
	case "type":
		w.b.WriteString(w.one(`"string"`, `"object"`, `"array"`, `"integer"`, `"file"`, `"any"`, `["string","null"]`, `"int"`))
	case "format", "contentMediaType", "contentEncoding":
		w.b.WriteString(w.one(`"binary"`, `"byte"`, `"date-time"`, `"image/png"`, `"text/plain"`, `"base64"`))
	case "enum":
		w.b.WriteString(w.one(`["a","b"]`, `[1,"1",true,null]`, `[{"$ref":"#/x"}]`, `"a"`, `["kind"]`))
	case "pattern":
		w.b.WriteString(w.one(`"^a"`, `"("`, `"^(?!a)"`))
	case "nullable", "x-nullable", "readOnly", "writeOnly":
		w.b.WriteString("true")
	case "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf", "minLength":
		w.b.WriteString(w.one("1", "true", "0", "2.50", `"3"`, "1e400"))
	case "required":
		w.b.WriteString(w.one(`["a"]`, `["a","b"]`, "true", `["kind"]`))
	case "discriminator":
		w.b.WriteString(w.one(`{"propertyName":"kind"}`, `{"propertyName":"kind","mapping":{"a":"S1","b":"#/components/schemas/S2"}}`, `"kind"`))
	case "$ref":
		w.b.WriteString(w.one(`"#/components/schemas/S`+strconv.Itoa(w.IntN(woven+1))+`"`, `"#/components/schemas/S0/properties/a"`, `"#/components/schemas/S1/allOf/0"`, `"#/$defs/a"`, `"#"`, `"http://e.com/x"`))
	case "$recursiveRef", "$dynamicRef":
		w.b.WriteString(w.one(`"#"`, `"#a"`))
	case "description", "$dynamicAnchor", "const", "default":
		w.b.WriteString(`"a"`)
	default:
		w.deeper(levels)
	}
}

// list writes schemas between brackets, each after one of the names.
func (w *weaver) list(levels int, open, end string, names ...string) {
	w.b.WriteString(open)
	for i, name := range names[:w.IntN(len(names)+1)] {
		if i > 0 {
			w.b.WriteByte(',')
		}
		w.b.WriteString(name)
		w.deeper(levels)
	}
	w.b.WriteString(end)
}

func (w *weaver) deeper(levels int) {
	if levels == 0 {
		w.b.WriteString("{}")
		return
	}
	w.schema(levels - 1)
}

// weave writes a document: a schema in and the components it refers to.
func weave(seed uint64) string {
	w := &weaver{Rand: rand.New(rand.NewPCG(seed, 7))} //nolint:gosec // a test
	w.b.WriteString(`{"openapi":"3.1.0","in":`)
	w.schema(4)
	w.b.WriteString(`,"components":{"schemas":{`)
	for i := range woven {
		if i > 0 {
			w.b.WriteByte(',')
		}
		w.b.WriteString(`"S` + strconv.Itoa(i) + `":`)
		w.schema(4)
	}
	w.b.WriteString(`}}}`)
	return w.b.String()
}

// check converts the schema under "in" in each dialect for each side.
func check(t *testing.T, text string) {
	t.Helper()
	root, err := document.Parse("api.json", []byte(text))
	if err != nil {
		return
	}
	file := &document.File{Name: "api.json", Root: root}
	for _, version := range []Version{V20, V30, V31} {
		for _, side := range []Side{Input, Output} {
			c := New(oneFile{}, version, side)
			whole := wrap(c, c.Schema(file, root.Get("in")))
			const most = 30_000 // more could hold more values than a schema may
			if !json.Valid(whole) {
				t.Fatalf("no JSON: %s\nof %s", whole, text)
			}
			if err := holds(whole); err != nil && len(whole) < most {
				t.Fatalf("dialect %d, side %d: %v\n%s\nof %s", version, side, err, whole, text)
			}
		}
	}
}

// TestWoven converts schemas that are made at random: what comes out always
// compiles.
func TestWoven(t *testing.T) {
	t.Parallel()
	seeds := uint64(1500)
	if raced {
		seeds /= 10
	}
	for seed := range seeds {
		check(t, weave(seed))
	}
}

// FuzzSchema converts a document, and one made at random.
func FuzzSchema(f *testing.F) {
	f.Add(`{"in":{"$ref":"#/components/schemas/A"},"components":{"schemas":{"A":{"oneOf":[{"$ref":"#/components/schemas/B"}]},"B":{"allOf":[{"$ref":"#/components/schemas/A"}]}}}}`, uint64(1))
	f.Add(`{"in":{"type":"string","pattern":"(","nullable":true,"not":{"if":{}}}}`, uint64(2))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		check(t, text)
		check(t, weave(seed))
	})
}
