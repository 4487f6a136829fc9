package toolgate_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLibraryPage: all code of docs/library.md stands in an example or a test, which are
// compiled and run.
func TestLibraryPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	library, err := filepath.Glob("examples/library/*")
	if err != nil {
		t.Fatal(err)
	}
	var run strings.Builder
	for _, name := range append(library, "example_test.go") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		run.WriteString(flush(string(data)))
	}
	blocks := regexp.MustCompile("(?s)```(?:go|yaml)\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 10 {
		t.Errorf("%d blocks of code", len(blocks))
	}
	for _, b := range blocks {
		if !strings.Contains(run.String(), flush(b[1])) {
			t.Errorf("this is in no example:\n%s", b[1])
		}
	}
	for _, name := range []string{"main.go", "tools.yaml"} {
		if data, err := os.ReadFile(filepath.Join("examples/library", name)); err != nil || !strings.Contains(string(page), string(data)) {
			t.Errorf("the page does not have the whole of %s, %v", name, err)
		}
	}
}

// flush is text with every line at the left margin.
func flush(text string) string {
	return regexp.MustCompile(`(?m)^[\t ]+`).ReplaceAllString(text, "")
}
