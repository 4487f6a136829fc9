package argument_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/openapi/argument"
	"github.com/toolgate/toolgate/openapi/spec"
)

// TestOrder lists the properties of parameters as the document has them.
func TestOrder(t *testing.T) {
	t.Parallel()
	b := argument.New(inputs(t, `{
		"point": {"type": "object", "properties": {"y": {}, "x": {}}},
		"loop": {"properties": {"a": {}}, "allOf": [{"$ref": "#/$defs/loop"}, {"$ref": "#/$defs/loop"}]}
	}`))
	for _, c := range []struct {
		schema string
		media  string
		want   []string
	}{
		{schema: `{"type": "string"}`},
		{schema: `{"type": "object", "additionalProperties": true}`},
		{schema: `{"properties": {"b": {"properties": {"z": {}}}, "a": {}}}`, want: []string{"b", "a"}},
		{schema: `{"$ref": "#/$defs/point"}`, want: []string{"y", "x"}},
		{schema: `{"allOf": [{"$ref": "#/$defs/point"}, {"properties": {"x": {}, "a": {}}}]}`, want: []string{"y", "x", "a"}},
		{schema: `{"$ref": "#/$defs/loop"}`, want: []string{"a"}},
		{schema: `{"properties": {"b": {}}}`, media: "application/json"},
		{schema: `true`},
	} {
		op := &spec.Operation{Parameters: []spec.Parameter{{Name: "p", In: spec.InQuery, Media: c.media, Schema: json.RawMessage(c.schema)}}}
		b.Arrange(op)
		if diff := cmp.Diff(c.want, op.Parameters[0].Order); diff != "" {
			t.Errorf("%s: %s", c.schema, diff)
		}
	}
}
