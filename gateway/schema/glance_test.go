package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/schema"
)

// TestGlance tells what is said of a schema's top without compiling it.
func TestGlance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		schema   string
		required []string
		others   bool
	}{
		{`{}`, nil, false},
		{`{"type":"object","properties":{"required":{"type":"string"}},"required":[]}`, nil, false},
		{`{"type":"object","properties":{"a":{"required":["b"]}},"required":["a","ü"]}`, []string{"a", "ü"}, false},
		{` { "required" : [ "a" , "b" ] , "additionalProperties" : true }`, []string{"a", "b"}, true},
		{`{"additionalProperties":false}`, nil, true},
		{`{"additionalProperties":{"type":"string"},"patternProperties":{"^x":{}}}`, nil, true},
		{`{"allOf":[{"required":["a"],"additionalProperties":false}]}`, nil, false},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","additionalProperties":true}}}`, nil, false},
	} {
		s, err := schema.Compile(json.RawMessage(tt.schema))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.SpeaksOfOthers(); got != tt.others {
			t.Errorf("%s speaks of others: %t", tt.schema, got)
		}
		if diff := cmp.Diff(tt.required, schema.Required(json.RawMessage(tt.schema))); diff != "" {
			t.Errorf("%s requires\n%s", tt.schema, diff)
		}
	}
	if got := schema.Required(json.RawMessage(`{"required":["a",1]}`)); got != nil {
		t.Errorf("of a list with a number: %v", got)
	}
}
