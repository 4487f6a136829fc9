package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/schema"
)

func TestMisfits(t *testing.T) {
	t.Parallel()
	s, err := schema.Compile(json.RawMessage(`{"type":"object","properties":{
		"a":{"type":"string","minLength":2},"b":{"type":"array","items":{"type":"object","properties":{"c":{"type":"integer"}},"required":["c"]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		object string
		most   int
		want   []string
	}{
		{`{"a":"xy","b":[{"c":1}]}`, 3, nil},
		{`{"a":"secret-free","b":[]}`, 3, nil},
		{`{"a":5}`, 3, []string{"a"}},
		{`{"a":"x","b":[{"c":"s3cret"},{}]}`, 3, []string{"a", "b[0].c", "b[1].c"}},
		{`{"a":"x","b":[{"c":"s3cret"},{},{"c":1.5}]}`, 2, []string{"a", "b[0].c", "and 2 more"}},
	} {
		value, err := schema.Decode([]byte(c.object))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, s.Misfits(value.(map[string]any), c.most)); d != "" {
			t.Errorf("%s: %s", c.object, d)
		}
	}
}
