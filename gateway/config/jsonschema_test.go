package config

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestSchemaFile keeps the schema that stands in the examples equal to the one
// that the types give.
func TestSchemaFile(t *testing.T) {
	got, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	const file = "../../examples/tools.schema.json"
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is out of date; run this test with -update (-file +types):\n%s", file, diff)
	}
}

// TestSchemaTables finds keys without a description, and entries of tables
// that the types have left behind.
func TestSchemaTables(t *testing.T) {
	root := shapeOf(reflect.TypeFor[Config](), nil)
	var walk func(s *shape, pattern []string)
	walk = func(s *shape, pattern []string) {
		if place := strings.Join(pattern, "."); descriptions[place] == "" && !strings.HasSuffix(place, "*") {
			t.Errorf("%s has no description", place)
		}
		if s.elem != nil {
			walk(s.elem, further(pattern, "*"))
		}
		for _, key := range s.keys {
			walk(s.fields[key], further(pattern, key))
		}
	}
	walk(root, nil)
	for _, place := range slices.Concat(slices.Collect(maps.Keys(descriptions)), slices.Collect(maps.Keys(refinements)), slices.Collect(maps.Keys(demands))) {
		if root.lookup(place) == nil {
			t.Errorf("%s is described and does not exist", place)
		}
	}
	for place, text := range descriptions {
		if !strings.HasSuffix(text, ".") || strings.ContainsAny(text, "\n\t") {
			t.Errorf("%s: %q is not a sentence on one line", place, text)
		}
	}
}

func TestSections(t *testing.T) {
	if got := Sections(); !slices.Contains(got, "tools") || !slices.IsSorted(got) {
		t.Errorf("sections are %v", got)
	}
}

// compiledSchema is the schema as an editor would use it.
func compiledSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("tools.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("tools.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// instance reads a file as an editor does: what its values are, and nothing
// about what they mean; ok is false when it is not one readable document.
func instance(name string, data []byte) (value any, ok bool) {
	src := newSource(name, data)
	doc, problem := document(src, data)
	if problem != nil {
		return nil, false
	}
	f := newFindings()
	tree := buildTree(src, f, doc, nil, new(int))
	if tree == nil || len(f.report.Problems()) > 0 {
		return nil, false
	}
	return tree.instance(), true
}

// instance is a value as JSON Schema sees it.
func (n *node) instance() any {
	switch n.kind {
	case text:
		return n.text
	case boolean:
		return strings.EqualFold(n.text, "true")
	case integer, float:
		return n.number()
	case list:
		out := make([]any, 0, len(n.items))
		for _, item := range n.items {
			out = append(out, item.instance())
		}
		return out
	case mapping:
		out := make(map[string]any, len(n.members))
		for i := range n.members {
			out[n.members[i].key] = n.members[i].value.instance()
		}
		return out
	}
	return nil
}

// number is a number of YAML as JSON has it; what JSON cannot write stands for
// 0, which is a number too.
func (n *node) number() json.Number {
	if i, ok := new(big.Int).SetString(n.text, 0); ok && strings.HasPrefix(n.text, "0") && strings.ContainsAny(n.text, "xo") {
		return json.Number(i.String())
	}
	if text := asJSONNumber(n.text); jsonNumber.MatchString(text) {
		return json.Number(text)
	}
	return "0"
}

// TestSchemaAccepts holds the schema to take every good file there is.
func TestSchemaAccepts(t *testing.T) {
	s := compiledSchema(t)
	var paths []string
	for _, pattern := range []string{"testdata/good/*.yaml", "../../examples/*.yaml", "../../cmd/gateway/testdata/doors/*.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: no files, %v", pattern, err)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		value, ok := instance(path, data)
		if !ok {
			t.Errorf("%s is not readable", path)
			continue
		}
		if err := s.Validate(value); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestExamplesNameTheSchema: an editor finds the schema by the first line.
func TestExamplesNameTheSchema(t *testing.T) {
	paths, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if line, _, _ := strings.Cut(string(data), "\n"); line != "# yaml-language-server: $schema=./tools.schema.json" {
			t.Errorf("%s starts with %q", path, line)
		}
	}
}

// FuzzSchema looks for a file that the loader takes and the schema refuses.
func FuzzSchema(f *testing.F) {
	for _, path := range []string{"testdata/good/all.yaml", "../../examples/tools.yaml", "../../examples/contract.yaml"} {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, text := range []string{"timeout: 1d-0s", "max_output: ' +5 KB'", "timeout: 1h.5s", "max_output: 007"} {
		f.Add([]byte("version: 1\ndefaults: {" + text + "}\n"))
	}
	s := compiledSchema(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, problems := Parse("t.yaml", data); problems.Err() != nil {
			return
		}
		value, ok := instance("t.yaml", data)
		if !ok {
			t.Fatal("a file that loads is not readable")
		}
		if err := s.Validate(value); err != nil {
			t.Error(err)
		}
	})
}
