package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/openapi/document"
)

// TestMeaning checks values against schemas that were converted: what they accept is
// what their authors meant.
func TestMeaning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, doc        string
		version          Version
		side             Side
		accepts, refuses []string
	}{
		{
			name: "composition", version: V30, // fixture 027
			doc: `
in: {type: object, required: [pet], properties: {pet: {$ref: '#/components/schemas/Pet'}}}
components:
  schemas:
    Pet:
      oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
      discriminator: {propertyName: kind, mapping: {cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog'}}
    Base: {type: object, required: [kind], properties: {kind: {type: string}}}
    Cat: {allOf: [{$ref: '#/components/schemas/Base'}, {type: object, required: [claws], properties: {claws: {type: integer}}}]}
    Dog: {allOf: [{$ref: '#/components/schemas/Base'}, {type: object, properties: {bark: {type: boolean}}}]}`,
			accepts: []string{`{"pet":{"kind":"cat","claws":9}}`, `{"pet":{"kind":"dog","bark":true}}`},
			refuses: []string{`{}`, `{"pet":{"claws":9}}`, `{"pet":{"kind":"cat"}}`, `{"pet":{"kind":"dog","bark":1}}`},
		},
		{
			name: "variants that are allOf their base", version: V30,
			doc: `
in: {$ref: '#/components/schemas/Pet'}
components:
  schemas:
    Pet:
      type: object
      required: [kind]
      properties: {kind: {type: string}, mate: {$ref: '#/components/schemas/Pet'}}
      oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
      discriminator: {propertyName: kind}
    Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {required: [claws]}]}
    Dog: {allOf: [{$ref: '#/components/schemas/Pet'}, {required: [bark]}]}`,
			accepts: []string{`{"kind":"Cat","claws":1}`, `{"kind":"Dog","bark":1,"mate":{"kind":"Cat","claws":2}}`},
			refuses: []string{`{"kind":"Cat","bark":1}`, `{"kind":"Dog"}`, `{"claws":1}`, `{"kind":"Dog","bark":1,"mate":{"kind":"Cat"}}`, `{"kind":7,"claws":1}`},
		},
		{
			name: "readOnly", version: V30, // fixture 034
			doc:     user,
			accepts: []string{`{"name":"n","password":"p","profile":{"bio":"b"}}`},
			refuses: []string{`{"name":"n"}`},
		},
		{
			name: "writeOnly", version: V30, side: Output,
			doc:     user,
			accepts: []string{`{"id":1,"name":"n"}`},
			refuses: []string{`{"name":"n"}`},
		},
		{
			name: "recursion", version: V30, // fixture 035
			doc: `
in: {$ref: '#/components/schemas/Node'}
components:
  schemas:
    Node:
      type: object
      required: [v]
      properties: {v: {type: integer}, kids: {type: array, items: {$ref: '#/components/schemas/Node'}}, up: {$ref: '#/components/schemas/Up'}}
    Up: {allOf: [{$ref: '#/components/schemas/Node'}]}`,
			accepts: []string{`{"v":1,"kids":[{"v":2,"kids":[{"v":3}]}],"up":{"v":4}}`},
			refuses: []string{`{"v":1,"kids":[{"v":"x"}]}`, `{"v":1,"up":{}}`},
		},
		{
			name: "keywords of 3.0", version: V30, // fixture 036
			doc: `
in:
  type: object
  properties:
    a: {type: string, nullable: true}
    b: {type: string, nullable: true, enum: [x, y]}
    c: {type: integer, minimum: 3, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false}
    e: {type: object, nullable: true, allOf: [{type: object, properties: {z: {type: string}}}]}`,
			accepts: []string{`{"a":null}`, `{"b":null}`, `{"b":"x"}`, `{"c":4}`, `{"c":9}`, `{"e":null}`, `{"e":{"z":"1"}}`},
			refuses: []string{`{"a":1}`, `{"b":"z"}`, `{"c":3}`, `{"c":10}`, `{"c":null}`, `{"e":{"z":1}}`},
		},
		{
			name: "odd names", version: V30, // fixture 038
			doc: `
in: {$ref: '#/components/schemas/Page%3CPet~1Dog%3E'}
components:
  schemas:
    'Page<Pet/Dog>': {type: object, properties: {items: {type: array, items: {$ref: '#/components/schemas/io.k8s.api.v1.Pod'}}}}
    io.k8s.api.v1.Pod: {type: object, required: [n], properties: {n: {type: integer}}}`,
			accepts: []string{`{"items":[{"n":1}]}`},
			refuses: []string{`{"items":[{}]}`},
		},
		{
			name: "branches told apart by what is hidden", version: V30,
			doc: `
in: {oneOf: [{$ref: '#/components/schemas/Old'}, {$ref: '#/components/schemas/New'}]}
components:
  schemas:
    Old: {type: object, required: [id], properties: {id: {type: integer, readOnly: true}, name: {type: string}}}
    New: {type: object, properties: {name: {type: string}}}`,
			accepts: []string{`{"name":"n"}`},
			refuses: []string{`{"name":7}`},
		},
		{
			name: "a branch that is lost", version: V30,
			doc:     `in: {type: object, oneOf: [{$ref: '#/components/schemas/Gone'}, {required: [a]}]}`,
			accepts: []string{`{"a":1}`, `{"b":1}`},
		},
		{
			name: "enum without quotes", version: V31,
			doc:     `in: {type: object, properties: {version: {type: string, enum: [1.10, 2, true, yes]}}}`,
			accepts: []string{`{"version":"1.10"}`, `{"version":"2"}`, `{"version":"true"}`, `{"version":"yes"}`},
			refuses: []string{`{"version":"1.1"}`, `{"version":2}`},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := parse(t, "api.yaml", "openapi: 3.0.3"+"\n"+c.doc)
			conv := New(oneFile{}, c.version, c.side)
			whole := wrap(conv, conv.Schema(file, file.Root.Get("in")))
			s, err := schema.Compile(whole)
			if err != nil {
				t.Fatalf("%v\n%s", err, whole)
			}
			for _, value := range c.accepts {
				if err := verdict(t, s, value); err != nil {
					t.Errorf("%s is refused: %v\n%s", value, err, whole)
				}
			}
			for _, value := range c.refuses {
				if verdict(t, s, value) == nil {
					t.Errorf("%s is accepted\n%s", value, whole)
				}
			}
		})
	}
}

const user = `
in: {$ref: '#/components/schemas/User'}
components:
  schemas:
    User:
      type: object
      required: [id, name, password]
      properties:
        id: {type: integer, readOnly: true}
        name: {type: string}
        password: {type: string, writeOnly: true}
        profile: {type: object, required: [created], properties: {created: {type: string, readOnly: true}, bio: {type: string}}}`

// verdict checks a value of x.
func verdict(t *testing.T, s *schema.Schema, value string) error {
	t.Helper()
	args, err := s.Normalise(json.RawMessage(`{"x":` + value + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(args)
}

// TestDeep converts schemas that are nested deeper than package schema takes: the
// deeper ones become definitions.
func TestDeep(t *testing.T) {
	t.Parallel()
	const levels = 150
	for name, part := range map[string][2]string{
		"properties": {`{"type":"object","properties":{"a":`, `}}`},
		"items":      {`{"type":"array","items":`, `}`},
		"allOf":      {`{"allOf":[`, `]}`},
		"oneOf":      {`{"oneOf":[`, `]}`},
	} {
		file := parse(t, "api.json", `{"in":`+strings.Repeat(part[0], levels)+`{"type":"string","enum":["end"]}`+strings.Repeat(part[1], levels)+`}`)
		c := New(oneFile{}, V31, Input)
		whole := wrap(c, c.Schema(file, file.Root.Get("in")))
		if err := holds(whole); err != nil {
			t.Errorf("%s: %v\n%s", name, err, whole)
		}
		if !strings.Contains(string(whole), `"end"`) {
			t.Errorf("%s: the end is lost: %s", name, whole)
		}
	}
}

// TestLongChains converts chains of references that are longer than any stack
// should be deep.
func TestLongChains(t *testing.T) {
	t.Parallel()
	const length = 20_000
	for _, shape := range []string{`{"allOf":[{"$ref":"#/components/schemas/S%d"}]}`, `{"properties":{"next":{"$ref":"#/components/schemas/S%d"}}}`} {
		var b strings.Builder
		b.WriteString(`{"in":{"$ref":"#/components/schemas/S0"},"components":{"schemas":{`)
		for i := range length {
			fmt.Fprintf(&b, `"S%d":`+shape+`,`, i, i+1)
		}
		fmt.Fprintf(&b, `"S%d":{"type":"string"}}}}`, length)
		file := parse(t, "api.json", b.String())
		c := New(indexed{}, V30, Input)
		c.Schema(file, file.Root.Get("in"))
		if last := c.Definitions()[fmt.Sprintf("S%d", length)]; string(last) != `{"type":"string"}` {
			t.Errorf("%s: the end of the chain is %s", shape, last)
		}
	}
}

// indexed finds the components of the documents of TestLongChains in no time.
type indexed struct{}

func (indexed) Find(from *document.File, ref string) (*document.File, *document.Node, error) {
	list := from.Root.Get("components").Get("schemas")
	var i int
	if _, err := fmt.Sscanf(ref, "#/components/schemas/S%d", &i); err != nil {
		return nil, nil, err
	}
	return from, &list.Members[i].Value, nil
}

// TestOnce converts what is used in many places, and asked for often, once, always in
// the same way.
func TestOnce(t *testing.T) {
	t.Parallel()
	file := parse(t, "api.json", `{"a":{"$ref":"#/s/A"},"b":{"items":{"$ref":"#/s/A"}},"s":{"A":{"properties":{"a":{"$ref":"#/s/A"},"gone":{"$ref":"#/s/Gone"}}}}}`)
	var first string
	for range 3 {
		c := New(oneFile{}, V31, Input)
		if got := c.Schema(file, nil); string(got) != "{}" {
			t.Errorf("nothing became %s", got)
		}
		text := ""
		for range 2 {
			text += string(c.Schema(file, file.Root.Get("a"))) + string(c.Schema(file, file.Root.Get("b"))) + string(c.Schema(file, file.Root.Get("s").Get("A")))
		}
		if len(c.Definitions()) != 1 || len(c.Problems()) != 1 {
			t.Errorf("%d definitions, problems %v", len(c.Definitions()), c.Problems())
		}
		if first == "" {
			first = text
		}
		if diff := cmp.Diff(first, text); diff != "" {
			t.Error(diff)
		}
	}
}

// TestSource converts without changing what is converted.
func TestSource(t *testing.T) {
	t.Parallel()
	for _, e := range readExamples(t) {
		file := parse(t, "api.json", `{"in":`+e.in+`}`)
		before := string(file.Root.JSON())
		New(oneFile{}, V30, Input).Schema(file, file.Root.Get("in"))
		if diff := cmp.Diff(before, string(file.Root.JSON())); diff != "" {
			t.Errorf("%s: %s", e.name, diff)
		}
	}
}

func TestReachable(t *testing.T) {
	t.Parallel()
	raw := json.RawMessage(`{"a":{"$ref":"#/$defs/B"},"b":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/B"}],"description":"\"$ref\":\"#/$defs/X\""}`)
	if diff := cmp.Diff([]string{"B", "A"}, References(raw)); diff != "" {
		t.Error(diff)
	}
	if keys := References(json.RawMessage(`{"$ref":"#/$defs/`)); keys != nil {
		t.Errorf("a text that ends early refers to %v", keys)
	}
	defs := map[string]json.RawMessage{
		"A": json.RawMessage(`{"$ref":"#/$defs/C"}`), "B": json.RawMessage(`{}`), "D": json.RawMessage(`{"$ref":"#/$defs/A"}`),
		"C": json.RawMessage(`{"items":{"$ref":"#/$defs/A"},"not":{"$ref":"#/$defs/Gone"}}`),
	}
	if diff := cmp.Diff([]string{"A", "B", "C"}, Reachable(defs, raw)); diff != "" {
		t.Error(diff)
	}
	if keys := Reachable(defs); len(keys) > 0 {
		t.Errorf("nothing refers to %v", slices.Clone(keys))
	}
}
