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
// each of them becomes an argument, the names are legal and different, and the
// schemas of the operation compile where that of the body does.
func FuzzArrange(f *testing.F) {
	f.Add("path id\nquery id\nheader id", object("id", "id[]"), uint64(0))
	f.Add("query $a\nquery a\nquery a[]\nquery query_a\nquery query_a_2", `{"$ref":"#/$defs/d0"}`, uint64(1))
	f.Add("query body\nheader body\nquery request_body", `{"type":"array"}`, uint64(2))
	f.Add("query toolcall_reason\nquery "+strings.Repeat("é", 99), object("toolcall_reason", "", "ü"), uint64(3))
	f.Add("x", `{"allOf":[{"properties":{"a":{}}},{"properties":{"a":{}},"required":["b"]}]}`, uint64(4))
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
		if len(all) <= len(op.Parameters) {
			t.Errorf("the body is no argument: %q", all)
		}
		full, outline := b.Full(op), b.Outline(op)
		shown := []json.RawMessage{b.Shown(op, 0), b.Shown(op, len(full)/2), b.Shown(op, argument.DefaultBudget)}
		if len(outline.Names) != len(all) {
			t.Errorf("the outline has %q of %q", outline.Names, all)
		}
		if !selfContained(body) || !stands(body, r) {
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

// stands reports whether a schema compiles with the definitions, and what it says
// of properties is what it says for all drafts.
func stands(body string, r *random) bool {
	if !json.Valid([]byte(body)) {
		return false
	}
	_, err := schema.Compile(json.RawMessage(`{"type":"object","properties":{"x":` + body + `},"$defs":` + string(encode(r.definitions)) + `}`))
	return err == nil
}
