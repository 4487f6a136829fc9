package config

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestSchemaMarks holds the schema against every bad file. Each is marked with
// what its mistakes are: of the syntax, so that there is nothing to look at; of
// the shape of its values, which the schema must find; or of their meaning
// alone, which no schema can tell, so that it must stay silent.
func TestSchemaMarks(t *testing.T) {
	s := compiledSchema(t)
	got := map[string]string{}
	for _, path := range badFiles(t) {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(path), "testdata/"), ".txtar")
		value, ok := instance(archive.Files[0].Name, archive.Files[0].Data)
		switch {
		case !ok:
			got[name] = "syntax"
		case s.Validate(value) != nil:
			got[name] = "shape"
		default:
			got[name] = "meaning"
		}
	}
	const marks = "testdata/marks.txt"
	if *update {
		writeMarks(t, marks, got)
	}
	if diff := cmp.Diff(readMarks(t, marks), got); diff != "" {
		t.Errorf("%s (-marked +schema):\n%s", marks, diff)
	}
}

func badFiles(t *testing.T) []string {
	t.Helper()
	alone, err := filepath.Glob("testdata/bad/*.txtar")
	if err != nil || len(alone) < 25 {
		t.Fatalf("%d files, %v", len(alone), err)
	}
	assembled, err := filepath.Glob("testdata/bad-assembly/*.txtar")
	if err != nil || len(assembled) == 0 {
		t.Fatalf("%d files, %v", len(assembled), err)
	}
	return append(alone, assembled...)
}

func readMarks(t *testing.T, file string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); len(fields) == 2 && !strings.HasPrefix(line, "#") {
			out[fields[0]] = fields[1]
		}
	}
	return out
}

// writeMarks adds the files that are not marked yet. What is marked stays: a
// mark is what a person wants of the schema, not what it does.
func writeMarks(t *testing.T, file string, got map[string]string) {
	t.Helper()
	marked := readMarks(t, file)
	var b strings.Builder
	b.WriteString("# What is wrong with each bad file: syntax, shape or meaning. See TestSchemaMarks.\n")
	for _, name := range slices.Sorted(maps.Keys(got)) {
		mark, ok := marked[name]
		if !ok {
			mark = got[name]
		}
		b.WriteString(name + " " + mark + "\n")
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
