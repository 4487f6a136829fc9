package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/schema"
)

func TestWithout(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{
			"order and text stay",
			`{"type":"object","properties":{"z": {"type":"number","maximum":1.50},"user":{"type":"string"},"a":{}},"required":["user","z"],"additionalProperties":false}`,
			`{"type":"object","properties":{"z":{"type":"number","maximum":1.50},"a":{}},"required":["z"],"additionalProperties":false}`,
		},
		{"nothing required is left out", `{"required":["user"],"properties":{"user":{}}}`, `{"properties":{}}`},
		{"allOf", `{"allOf":[{"properties":{"user":{},"b":{}},"required":["user","b"]},true]}`, `{"allOf":[{"properties":{"b":{}},"required":["b"]},true]}`},
		{"nested names stay", `{"properties":{"o":{"properties":{"user":{}}}}}`, `{"properties":{"o":{"properties":{"user":{}}}}}`},
		{"anyOf", `{"anyOf":[{"required":["user"]},{"required":["a","user"]},false]}`, `{"anyOf":[{},{"required":["a"]},false]}`},
		{"oneOf", `{"oneOf":[{"properties":{"user":{"const":1}}},{"required":["a"]}]}`, `{"anyOf":[{"properties":{}},{"required":["a"]}]}`},
		{"oneOf beside anyOf", `{"oneOf":[{"required":["user"]}],"anyOf":[true]}`, `{"anyOf":[true]}`},
		{"oneOf of others", `{"oneOf":[{"required": ["b"]},{"required":["a"]}]}`, `{"oneOf":[{"required":["b"]},{"required":["a"]}]}`},
		{"combined twice", `{"allOf":[{"anyOf":[{"allOf":[{"required":["user"]}]}]}]}`, `{"allOf":[{"anyOf":[{"allOf":[{}]}]}]}`},
		{"not", `{"not":{"required":["user"]}}`, `{}`},
		{"not of others", `{"not":{"required":["a"]}}`, `{"not":{"required":["a"]}}`},
		{"if", `{"if":{"properties":{"user":{"const":1}}},"then":{"required":["a"]},"else":false}`, `{}`},
		{"then and else", `{"if":{"required":["a"]},"then":{"required":["user"]},"else":{"properties":{"user":{}}}}`, `{"if":{"required":["a"]},"then":{},"else":{"properties":{}}}`},
		{"dependentRequired", `{"dependentRequired":{"user":["a"],"a":["user","b"]}}`, `{"dependentRequired":{"a":["b"]}}`},
		{"dependentSchemas", `{"dependentSchemas":{"user":{},"a":{"required":["user"]}}}`, `{"dependentSchemas":{"a":{}}}`},
		{"dependencies", `{"dependencies":{"user":["a"],"a":["user"],"b":{"properties":{"user":{}}}}}`, `{"dependencies":{"a":[],"b":{"properties":{}}}}`},
		{"examples", `{"examples":[{"user":"u","a":{"user":1}},3],"default":{"user":1}}`, `{"examples":[{"a":{"user":1}},3],"default":{}}`},
		{"patterns", `{"patternProperties":{"^user$":{},"^us":{}}}`, `{"patternProperties":{"^us":{}}}`},
		{"names", `{"propertyNames":{"enum":["user","a"]}}`, `{"propertyNames":{"enum":["a"]}}`},
		{"nothing to edit", `{}`, `{}`},
	}
	for _, tt := range tests {
		got, err := schema.Without(json.RawMessage(tt.in), []string{"user"})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if d := cmp.Diff(tt.want, string(got)); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
	for _, bad := range []string{`[]`, ``, `{"properties":[]}`, `{"required":{}}`, `{"a":`} {
		if got, err := schema.Without(json.RawMessage(bad), []string{"user"}); err == nil {
			t.Errorf("%q gave %s", bad, got)
		}
	}
}

// TestNames: what Without could not take out is still found.
func TestNames(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]bool{
		`{"$ref":"#/$defs/x","$defs":{"x":{"properties":{"user":{}}}}}`:             true,
		`{"anyOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":{"required":["user"]}}}`:      true,
		`{"patternProperties":{"^(user|a)$":{}}}`:                                   true,
		`{"dependentRequired":{"a":["user"]}}`:                                      true,
		`{"dependentSchemas":{"user":{}}}`:                                          true,
		`{"patternProperties":{"^.*$":{}}}`:                                         false,
		`{"properties":{"o":{"properties":{"user":{}}}}}`:                           false,
		`{"$defs":{"x":{"properties":{"user":{}}}},"properties":{"username":true}}`: false,
	} {
		s, err := schema.Compile(json.RawMessage(raw))
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if got := s.Names("user"); got != want {
			t.Errorf("%s: %v", raw, got)
		}
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in, want string
		added          bool
	}{
		{"last", `{"properties":{"z":{},"a":{}},"required":["z"]}`, `{"properties":{"z":{},"a":{},"why":{"type":"string"}},"required":["z"]}`, true},
		{"first", `{"type":"object","properties":{}}`, `{"type":"object","properties":{"why":{"type":"string"}}}`, true},
		{"there already", `{"properties":{"why":{"type":"number"}}}`, `{"properties":{"why":{"type":"number"}}}`, false},
		{"no properties", `{"type":"object"}`, `{"type":"object"}`, false},
	}
	for _, tt := range tests {
		got, added, err := schema.With(json.RawMessage(tt.in), "why", json.RawMessage(`{"type":"string"}`))
		if err != nil || added != tt.added {
			t.Errorf("%s: added %v, %v", tt.name, added, err)
		}
		if d := cmp.Diff(tt.want, string(got)); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
	for _, bad := range []string{`[]`, `{"properties":1}`} {
		if _, _, err := schema.With(json.RawMessage(bad), "why", nil); err == nil {
			t.Errorf("%q can be edited", bad)
		}
	}
}

// FuzzWithout takes a property out of any object: what comes out is JSON
// without it.
func FuzzWithout(f *testing.F) {
	f.Add(`{"properties":{"z":{},"user":1e5},"required":["user"],"allOf":[{"properties":{"user":{}}}]}`)
	f.Fuzz(func(t *testing.T, raw string) {
		out, err := schema.Without(json.RawMessage(raw), []string{"user"})
		if err != nil || !json.Valid([]byte(raw)) {
			return
		}
		// Maps, because the names of struct fields match in any case.
		var top, properties map[string]json.RawMessage
		if err := json.Unmarshal(out, &top); err != nil {
			t.Fatalf("%s became %s: %v", raw, out, err)
		}
		if json.Unmarshal(top["properties"], &properties) == nil && properties["user"] != nil {
			t.Errorf("%s became %s", raw, out)
		}
	})
}
