package policy

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLeaves holds what is said of leaves at a glance against what comes of
// reading them: a keyword that nobody knows makes them no leaves any more.
func TestLeaves(t *testing.T) {
	t.Parallel()
	opts := cmp.AllowUnexported(shape{})
	for _, text := range []string{
		`{"type":"string"}`, `{"type":"integer","minimum":1,"maximum":2,"multipleOf":3}`, `{"type":"boolean","default":false}`,
		`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":9,"title":"T","description":"D"}`,
		`{"type":"string","enum":["a"],"const":"a","format":"date","pattern":"a","minLength":1,"maxLength":2,"examples":[]}`,
	} {
		if !isLeaf(document(t, text)) {
			t.Errorf("%s is no leaf", text)
		}
		quick, slow := shapeOf(json.RawMessage(text)), shapeOf(json.RawMessage(strings.Replace(text, "{", `{"x-note":1,`, 1)))
		slow.required = nil // it has none
		if diff := cmp.Diff(slow, quick, opts); diff != "" {
			t.Errorf("%s (-read +at a glance)\n%s", text, diff)
		}
	}
	for _, text := range []string{
		`true`, `{}`, `{"type":"object"}`, `{"type":"array"}`, `{"type":["string"]}`, `{"type":"null"}`,
		`{"type":"string","$ref":"#"}`, `{"type":"string","anyOf":[{}]}`, `{"type":"string","properties":{"a":{}}}`, `{"type":"string","items":{}}`,
	} {
		if isLeaf(document(t, text)) {
			t.Errorf("%s is a leaf", text)
		}
	}
}

// TestKnow tells of a schema the same whether it is read early or late.
func TestKnow(t *testing.T) {
	t.Parallel()
	opts := cmp.AllowUnexported(shape{})
	for _, text := range []string{`{"type":"object"}`, `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{}}},"l":{"type":"array","items":{"type":"string"}}},"required":["a"]}`} {
		raw := json.RawMessage(text)
		late, early := newCatalogue([]Known{{Parameters: raw}}), newCatalogue([]Known{Know(nil, raw, document(t, text))})
		if diff := cmp.Diff(late[0].args, early[0].args, opts); diff != "" {
			t.Errorf("%s (-late +early)\n%s", text, diff)
		}
	}
}

func document(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestKnowNames knows the names of arguments and nothing of what is in them.
func TestKnowNames(t *testing.T) {
	t.Parallel()
	c := newCatalogue([]Known{KnowNames(nil, []string{"a", "b"}, []string{"a"}, true), KnowNames(nil, []string{"a"}, nil, false)})
	if s := c[0].args; s.optional([]string{"a"}) || !s.optional([]string{"b"}) || s.open || !s.members["a"].open {
		t.Errorf("of a closed one: %+v", s)
	}
	if s := c[1].args; !s.open || !s.optional([]string{"a"}) {
		t.Errorf("of an open one: %+v", s)
	}
	if all := merge(c[0].args, c[1].args); !all.open || len(all.members) != 2 {
		t.Errorf("together: %+v", all)
	}
}
