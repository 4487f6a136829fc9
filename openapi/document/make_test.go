package document_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/openapi/document"
)

// TestMake makes nodes of which each case is one, and leaves what they are made of
// as it was.
func TestMake(t *testing.T) {
	source, err := document.Parse("a.json", []byte(`{"a":1,"b":{"c":2},"d":true,"e":"x","f":"true"}`))
	if err != nil {
		t.Fatal(err)
	}
	before := string(source.JSON())
	var none *document.Node
	ptr := func(n document.Node) *document.Node { return &n }
	cases := []struct {
		name string
		node *document.Node
		want string
	}{
		{"text", ptr(document.Text("a\"\\\x00\xff<é\u2028")), "\"a\\\"\\\\\\u0000\ufffd<é\u2028\""},
		{"flags", ptr(document.Items(document.Flag(true), document.Flag(false))), `[true,false]`},
		{"digits", ptr(document.Items(document.Digits("1.10"), document.Digits("1."), document.Digits(""))), `[1.10,null,null]`},
		{"map", ptr(document.Map(document.Member{Name: "a", Value: document.Items()}, document.Member{Name: "b"}, document.Member{Name: "a"})), `{"a":null,"b":null}`},
		{"with", source.With("b", document.Text("y")), `{"a":1,"b":"y","d":true,"e":"x","f":"true"}`},
		{"with a new one", source.With("g", document.Map()), `{"a":1,"b":{"c":2},"d":true,"e":"x","f":"true","g":{}}`},
		{"without", source.Without("b", "d", "no", "f"), `{"a":1,"e":"x"}`},
		{"with, of nothing", none.With("a", document.Flag(true)), `{"a":true}`},
		{"without, of nothing", none.Without("a"), `{}`},
		{"nothing", none, `null`},
		{"member", source.Get("b"), `{"c":2}`},
		{"member of no object", source.Get("a").Get("b"), `null`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, string(c.node.JSON())); diff != "" {
				t.Error(diff)
			}
		})
	}
	if after := string(source.JSON()); after != before {
		t.Errorf("the source is %s now", after)
	}
	got := []any{source.String("e"), source.String("a"), source.String("no"), none.String("e"), source.Bool("d"), source.Bool("f"), none.Bool("d")}
	if diff := cmp.Diff([]any{"x", "", "", "", true, false, false}, got); diff != "" {
		t.Error(diff)
	}
}
