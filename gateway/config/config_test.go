package config

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolgate/toolgate/gateway/diag"
)

var update = flag.Bool("update", false, "write what the tests got into their golden files")

// TestBad loads files with mistakes. Each archive holds the file and the exact
// lines that a person reads about it.
func TestBad(t *testing.T) {
	paths, err := filepath.Glob("testdata/bad/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { testBad(t, path) })
	}
}

func testBad(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, problems := &archive.Files[0], &archive.Files[1]
	_, found := Parse(file.Name, file.Data)
	if found.Err() == nil {
		t.Error("the file loads")
	}
	got := classed(found)
	if *update {
		problems.Data = []byte(got)
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(problems.Data), got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// classed are the lines that lint prints of problems.
func classed(problems diag.Problems) string {
	var text strings.Builder
	for _, p := range problems {
		text.WriteString(p.Classed() + "\n")
	}
	return text.String()
}
