package config

import (
	"os"
	"strings"
	"testing"
)

// TestClasses holds the table of classes against the files: every class has
// enough, and every file that is named is there.
func TestClasses(t *testing.T) {
	const fewest = 3
	data, err := os.ReadFile("testdata/classes.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		class, list, ok := strings.Cut(line, ": ")
		files := map[string]bool{}
		for file := range strings.FieldsSeq(list) {
			files[file] = true
			if _, err := os.Stat("testdata/" + file + ".txtar"); err != nil {
				t.Errorf("%s: %v", class, err)
			}
		}
		if !ok || len(files) < fewest {
			t.Errorf("the class %q has %d files, fewer than %d", class, len(files), fewest)
		}
	}
}
