package argument_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/openapi/argument"
	"github.com/toolgate/toolgate/openapi/spec"
)

// TestManyRequired has an optional body of 2,000 properties that are all needed. Its
// schema grows with their number, and not with its square.
func TestManyRequired(t *testing.T) {
	t.Parallel()
	const many, most = 2000, 200 << 10
	var names, properties []string
	args := map[string]any{}
	for i := range many {
		name := fmt.Sprintf("property_%04d", i)
		names, properties = append(names, fmt.Sprintf("%q", name)), append(properties, fmt.Sprintf(`%q:{}`, name))
		args[name] = i
	}
	op := spec.Operation{Body: optional(jsonBody(`{"type":"object","required":[` + strings.Join(names, ",") + `],"properties":{` + strings.Join(properties, ",") + `}}`))}
	b := argument.New(nil)
	b.Arrange(&op)
	if full := b.Full(&op); len(full) > most {
		t.Errorf("the schema has %d bytes", len(full))
	}
	s := later(b, &op)
	if err := s.Validate(map[string]any{}); err != nil {
		t.Error(err)
	}
	if err := s.Validate(args); err != nil {
		t.Error(err)
	}
	delete(args, "property_0007")
	delete(args, "property_0009")
	err := s.Validate(args)
	if err == nil {
		t.Fatal("what is needed is missing, and the schema takes it")
	}
	for _, want := range []string{"property_0007: is required", "property_0009: is required"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

// TestManyNames has parameters and properties in a script of which no name keeps a
// letter: all want the same name.
func TestManyNames(t *testing.T) {
	t.Parallel()
	const many = 20000
	op := spec.Operation{}
	properties := map[string]any{}
	var required []string
	for i := range many {
		name := strings.Repeat("я", i%50+1) + string(rune(0x4e00+i))
		op.Parameters = append(op.Parameters, spec.Parameter{Name: name, In: spec.InQuery, Schema: json.RawMessage(`{}`)})
		properties[name], required = map[string]any{}, append(required, name)
	}
	op.Body = jsonBody(string(encode(map[string]any{"type": "object", "properties": properties, "required": required})))
	b := argument.New(nil)
	b.Arrange(&op)
	seen := map[string]bool{}
	for _, name := range b.Outline(&op).Names {
		seen[name] = true
	}
	if len(seen) != 2*many {
		t.Errorf("there are %d names", len(seen))
	}
	if n := len(b.Outline(&op).Required); n != many {
		t.Errorf("%d are required", n)
	}
}
