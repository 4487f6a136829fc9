package dialect

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what is converted into testdata/schemas.txt")

// example is one of testdata/schemas.txt: the schema in becomes out. As is the
// dialect and the side, doc the components; defs are the definitions, and found
// the problems.
type example struct{ name, as, doc, in, out, defs, found string }

func (e *example) field(name string) *string {
	return map[string]*string{"as": &e.as, "doc": &e.doc, "in": &e.in, "out": &e.out, "defs": &e.defs, "found": &e.found}[name]
}

func readExamples(t *testing.T) (list []*example) {
	t.Helper()
	text, err := os.ReadFile("testdata/schemas.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "== "); ok {
			list = append(list, &example{name: name})
			continue
		}
		if line == "" {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		field := list[len(list)-1].field(name)
		if field == nil {
			t.Fatalf("no field: %s", line)
		}
		if *field != "" {
			*field += "\n"
		}
		*field += rest
	}
	return list
}

func (e *example) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "== %s\n", e.name)
	for _, name := range []string{"as", "doc", "in", "out", "defs", "found"} {
		if v := *e.field(name); v != "" {
			for line := range strings.SplitSeq(v, "\n") {
				fmt.Fprintf(&b, "%s %s\n", name, line)
			}
		}
	}
	return b.String()
}

// usual are the components of examples that name none.
const usual = `{"A":{"type":"object"},"Alias":{"$ref":"#/components/schemas/A"},"AliasOfAlias":{"$ref":"#/components/schemas/Alias"}}`

// convert fills in what becomes of an example.
func (e *example) convert(t *testing.T) (whole json.RawMessage) {
	t.Helper()
	version, side := V30, Input
	if as, onSide, ok := strings.Cut(e.as, " "); ok {
		version = map[string]Version{"2.0": V20, "3.0": V30, "3.1": V31}[as]
		side = map[string]Side{"input": Input, "output": Output}[onSide]
	}
	doc := e.doc
	if doc == "" {
		doc = usual
	}
	file := parse(t, "api.json", `{"openapi":"3","components":{"schemas":`+doc+`,"responses":{"R":{"description":"d"}}},"in":`+e.in+`}`)
	c := New(oneFile{}, version, side)
	raw := c.Schema(file, file.Root.Get("in"))
	e.out, e.defs, e.found = string(raw), "", ""
	if defs := c.Definitions(); len(defs) > 0 {
		text, err := json.Marshal(defs)
		if err != nil {
			t.Fatal(err)
		}
		e.defs = string(text)
	}
	var problems []string
	for _, p := range c.Problems() {
		problems = append(problems, fmt.Sprintf("%s:%d:%d: %s: %s", p.File, p.Line, p.Column, p.Code, p.Text))
	}
	e.found = strings.Join(problems, "\n")
	return wrap(c, raw)
}

// TestSchemas converts the examples of testdata/schemas.txt, each of which compiles.
func TestSchemas(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, e := range readExamples(t) {
		want := e.text()
		whole := e.convert(t)
		texts = append(texts, e.text())
		if err := holds(whole); err != nil {
			t.Errorf("%s: %v\n%s", e.name, err, whole)
		}
		if diff := cmp.Diff(want, e.text()); diff != "" && !*update {
			t.Errorf("%s (-want +got):\n%s", e.name, diff)
		}
	}
	if *update {
		if err := os.WriteFile("testdata/schemas.txt", []byte(strings.Join(texts, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
