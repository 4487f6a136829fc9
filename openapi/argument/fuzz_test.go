package argument_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/openapi/argument"
	"github.com/toolgate/toolgate/openapi/spec"
)

// FuzzArrange gives operations parameters of any name and a body of any schema:
// each of them becomes an argument, but for a body that can hold nothing; the names are legal and different, and the
// schemas of the operation compile where that of the body does.
func FuzzArrange(f *testing.F) {
	f.Add("path id\nquery id\nheader id", object("id", "id[]"), uint64(0))
	f.Add("query $a\nquery a\nquery a[]\nquery query_a\nquery query_a_2", `{"$ref":"#/$defs/d0"}`, uint64(1))
	f.Add("query body\nheader body\nquery request_body", `{"type":"array"}`, uint64(2))
	f.Add("query toolcall_reason\nquery "+strings.Repeat("é", 99), object("toolcall_reason", "", "ü"), uint64(3))
	f.Add("x", `{"allOf":[{"properties":{"a":{}}},{"properties":{"a":{}},"required":["b"]}]}`, uint64(4))
	f.Add("x", `{"type":"object","additionalProperties":false}`, uint64(6))
	f.Add("x", `{"properties":{"a":{"oneOf":[true,{"not":{}}]}},"additionalProperties":{"type":"string"}}`, uint64(5))
	legal := regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
	f.Fuzz(func(t *testing.T, list, body string, seed uint64) {
		r := newRandom(seed)
		op := &spec.Operation{Parameters: parameters(strings.Split(list, "\n")...), Body: jsonBody(body)}
		op.Body.Required = seed%2 == 0
		b := argument.New(r.inputs())
		b.Arrange(op)
		seen := map[string]bool{"toolcall_reason": true}
		all := names(op)
		for _, name := range all {
			if !legal.MatchString(name) || seen[name] {
				t.Errorf("a name that is not legal or not the only one: %q of %q", name, all)
			}
			seen[name] = true
		}
		own := alone(body, r)
		if len(all) <= len(op.Parameters) && own != nil && own.Validate(map[string]any{"x": map[string]any{"a": true}}) == nil {
			t.Errorf("the body is no argument: %q", all)
		}
		full, outline := b.Full(op), b.Outline(op)
		shown := []json.RawMessage{b.Shown(op, 0), b.Shown(op, len(full)/2), b.Shown(op, argument.DefaultBudget)}
		if len(outline.Names) != len(all) {
			t.Errorf("the outline has %q of %q", outline.Names, all)
		}
		if !selfContained(body) || own == nil {
			return
		}
		for _, text := range append(shown, full) {
			compiles(t, text)
		}
	})
}

// selfContained reports whether a schema holds only what a converted one may.
func selfContained(body string) bool {
	rest := strings.NewReplacer(`"#/$defs/d0"`, "", `"#/$defs/d1"`, "", `"$ref"`, "").Replace(body)
	return !strings.ContainsAny(rest, `$#\`) && !strings.Contains(rest, "definitions") && !strings.Contains(rest, "id\"")
}

// alone is the schema of an object whose x is what a schema with the definitions
// says; nil where it does not compile.
func alone(body string, r *random) *schema.Schema {
	if !json.Valid([]byte(body)) {
		return nil
	}
	s, err := schema.Compile(json.RawMessage(`{"type":"object","properties":{"x":` + body + `},"$defs":` + string(encode(r.definitions)) + `}`))
	if err != nil {
		return nil
	}
	return s
}
