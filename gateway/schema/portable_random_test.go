package schema

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// schemaMaker makes random schemas out of all keywords, small enough that random
// arguments often fit.
type schemaMaker struct{ *rand.Rand }

func (m schemaMaker) one(of ...string) string { return of[m.IntN(len(of))] }

func (m schemaMaker) name() string { return m.one("a", "b", "c") }

func (m schemaMaker) names() string {
	return m.one(`["a"]`, `["b"]`, `["a","b"]`, `["c","a"]`, `[]`)
}

// list is a JSON list of one to three schemas.
func (m schemaMaker) list(depth int) string {
	var out []string
	for range 1 + m.IntN(3) {
		out = append(out, m.schema(depth))
	}
	return "[" + strings.Join(out, ",") + "]"
}

// named are one or two members that are schemas.
func (m schemaMaker) named(depth int, names ...string) string {
	out := map[string]json.RawMessage{}
	for range 1 + m.IntN(2) {
		out[m.one(names...)] = json.RawMessage(m.schema(depth))
	}
	return string(encoded(out))
}

// schema is a random schema with so many levels below it.
func (m schemaMaker) schema(depth int) string {
	if depth <= 0 || m.IntN(12) == 0 {
		return m.one(`true`, `{}`, `{"type":"string"}`, `{"type":"integer"}`, `{"const":1}`, `{"$ref":"#/$defs/d"}`, `{"$ref":"#"}`, `{"enum":["x","y",1]}`, `{"minimum":2}`)
	}
	out := map[string]json.RawMessage{}
	for range 1 + m.IntN(3) {
		keyword, value := m.keyword(depth - 1)
		out[keyword] = json.RawMessage(value)
	}
	return string(encoded(out))
}

func (m schemaMaker) keyword(depth int) (name, value string) {
	switch name = m.one("type", "type", "properties", "properties", "required", "additionalProperties", "patternProperties", "items", "prefixItems",
		"anyOf", "oneOf", "allOf", "not", "if", "then", "else", "const", "enum", "$ref", "bound", "dependentRequired", "dependentSchemas",
		"unevaluatedProperties", "propertyNames", "contains"); name {
	case "type":
		return name, m.one(`"string"`, `"integer"`, `"number"`, `"object"`, `"array"`, `["string","null"]`, `["integer","object"]`, `["object"]`)
	case "properties":
		return name, m.named(depth, "a", "b", "c")
	case "dependentSchemas":
		return name, m.named(depth, "a", "b")
	case "patternProperties":
		return name, m.named(depth, "^a", "b|c")
	case "required":
		return name, m.names()
	case "dependentRequired":
		return name, fmt.Sprintf(`{%q:%s}`, m.name(), m.names())
	case "additionalProperties", "items", "unevaluatedProperties":
		return name, m.one(`false`, m.schema(depth))
	case "prefixItems", "anyOf", "oneOf", "allOf":
		return name, m.list(depth)
	case "const":
		return name, m.value(1)
	case "enum":
		return name, fmt.Sprintf(`[%s,%s]`, m.value(1), m.value(0))
	case "$ref":
		return name, m.one(`"#"`, `"#/$defs/d"`, `"#/$defs/e"`)
	case "bound":
		return m.one("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), m.one("0", "1", "2", "1.5", "-1")
	}
	return name, m.schema(depth)
}

// value is a random value.
func (m schemaMaker) value(depth int) string {
	if depth > 0 && m.IntN(2) == 0 {
		if m.IntN(3) == 0 {
			return fmt.Sprintf(`[%s,%s]`, m.value(depth-1), m.value(depth-1))
		}
		return m.object(depth)
	}
	return m.one(`1`, `2`, `0`, `1.5`, `"x"`, `"a"`, `null`, `true`)
}

func (m schemaMaker) object(depth int) string {
	out := map[string]json.RawMessage{}
	for range m.IntN(4) {
		out[m.one("a", "b", "c", "d")] = json.RawMessage(m.value(depth - 1))
	}
	return string(encoded(out))
}

// TestPortableRandom: what fits a random schema fits its portable form.
func TestPortableRandom(t *testing.T) {
	t.Parallel()
	const schemas, values = 2000, 12
	tried := 0
	for seed := range uint64(schemas) {
		m := schemaMaker{rand.New(rand.NewPCG(seed, 5))}
		keywords, _ := membersOf(json.RawMessage(m.schema(3)))
		keywords.drop("type", "$defs")
		keywords.set("$defs", json.RawMessage(fmt.Sprintf(`{"d":%s,"e":%s}`, m.schema(2), m.schema(2))))
		raw := keywords.encode()
		s, err := Compile(raw)
		if err != nil {
			continue // one without an end
		}
		out, err := Portable(raw)
		if err != nil {
			t.Fatal(err)
		}
		holdsPortable(t, raw, out)
		for range values {
			args := json.RawMessage(m.object(2))
			v, _ := decode(args, argsBounds())
			if s.Validate(members(v)) == nil {
				tried++
				mustStayValid(t, string(raw), out, args)
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d values", tried)
	if tried < 5_000 {
		t.Errorf("only %d values were valid", tried)
	}
}
