package assembly_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/assembly"
)

// manyTools is a configuration of tools of all kinds, which are compiled side by
// side. With mistakes every other one has some.
func manyTools(n int, mistakes bool) string {
	var b strings.Builder
	b.WriteString("version: 1\nupstreams: {crm: {url: \"https://crm.example.com\"}}\npolicy:\n  rules: [{name: some, tools: [\"*\"], when: args.id != \"0\", action: allow}]\ntools:\n")
	for i := range n {
		name, property := "args.id", "id"
		if mistakes && i%2 == 0 {
			name, property = "args.ident", "{type: strin}"
			if i%4 == 0 {
				property = "id"
			}
		}
		if property == "id" {
			property = "{type: string, minLength: 1}"
		}
		fmt.Fprintf(&b, "  t%03d:\n    description: A tool.\n    parameters: {type: object, properties: {id: %s, n: {type: integer}}, required: [id]}\n", i, property)
		switch i % 3 {
		case 0:
			fmt.Fprintf(&b, "    http: {upstream: crm, path: \"/x/${%s}\", query: {q: \"${%s}\"}, result: body.items}\n", name, name)
		case 1:
			fmt.Fprintf(&b, "    command: {argv: [echo, --, \"${%s}\"]}\n", name)
		default:
			fmt.Fprintf(&b, "    expr: '{id: %s}'\n", name)
		}
	}
	return b.String()
}

func TestManyTools(t *testing.T) {
	t.Parallel()
	const n = 300
	a, problems := build(t, manyTools(n, false), assembly.Declared)
	if strings.Contains(problems, "error") || a.Generation == nil {
		t.Fatal(problems)
	}
	specs := ofFile(a)
	for i, s := range specs {
		if want := fmt.Sprintf("t%03d", i); s.Name != want {
			t.Fatalf("tool %d is %s", i, s.Name)
		}
	}
	if len(specs) != n {
		t.Errorf("%d tools, want %d", len(specs), n)
	}
}

// TestMistakesOfManyTools shows that problems stand in one order, whichever tool
// is compiled first.
func TestMistakesOfManyTools(t *testing.T) {
	t.Parallel()
	text := manyTools(200, true)
	_, want := build(t, text, assembly.Declared)
	if n := strings.Count(want, "\n") + 1; n < 100 {
		t.Fatalf("%d problems in\n%s", n, want)
	}
	for range 4 {
		_, got := build(t, text, assembly.Declared)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}
