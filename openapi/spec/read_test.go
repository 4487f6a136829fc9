package spec_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolgate/toolgate/openapi/document"
	"github.com/toolgate/toolgate/openapi/spec"
)

var update = flag.Bool("update", false, "write what is read into testdata")

// wanted is the file of an archive that holds what is read of the others, of which
// the first is the main one.
const wanted = "want.txt"

// TestRead reads the documents of testdata. What is read of each is in its
// want.txt.
func TestRead(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) < 60 {
		t.Errorf("there are only %d documents", len(paths))
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			testRead(t, path)
		})
	}
}

func testRead(t *testing.T, path string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var files []txtar.File
	want := ""
	for _, f := range archive.Files {
		if f.Name == wanted {
			want = string(f.Data)
			continue
		}
		files = append(files, f)
	}
	got := readOf(t, files)
	if *update {
		archive.Files = append(files, txtar.File{Name: wanted, Data: []byte(got)})
		if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Error(diff)
	}
}

// readOf is what is read of the files of a document, or why it is not.
func readOf(t *testing.T, files []txtar.File) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, err := document.Open(t.Context(), document.Options{Path: filepath.Join(dir, filepath.FromSlash(files[0].Name))})
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	read, err := spec.Read(t.Context(), set)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	return dump(read)
}

// TestReadStops holds that no operation is read when the context is over.
func TestReadStops(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	if err := os.WriteFile(path, []byte("openapi: 3.1.0\npaths: {/a: {get: {}}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := document.Open(t.Context(), document.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if read, err := spec.Read(ctx, set); !errors.Is(err, context.Canceled) || read != nil {
		t.Errorf("%v, %v", read, err)
	}
}

// TestReadLimits leaves out what would take too much, and says so once.
func TestReadLimits(t *testing.T) {
	parameters := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"$ref": "#/p/%d"},`, i)
		}
		return "[" + strings.TrimSuffix(b.String(), ",") + "]"
	}
	shared := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"%d": {"name": "p%d", "in": "query"},`, i, i)
		}
		return "{" + strings.TrimSuffix(b.String(), ",") + "}"
	}
	paths := func(n int, text string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"/a%d": {"get": %s},`, i, text)
		}
		return "{" + strings.TrimSuffix(b.String(), ",") + "}"
	}
	most := fmt.Sprintf(`{"parameters": %s}`, parameters(spec.MaxParameters))
	for _, c := range []struct {
		name, paths string
		operations  int
		skipped     string
	}{
		{"operations", paths(spec.MaxOperations+2, "{}"), spec.MaxOperations, "GET /a20000 too-many-operations: the document has more than 20000 operations; this operation and all behind it are left out"},
		{"parameters", paths(1, fmt.Sprintf(`{"parameters": %s}`, parameters(spec.MaxParameters+1))), 0, "GET /a0 too-many-parameters: there are more than 1000 parameters"},
		{"parameters of the path", fmt.Sprintf(`{"/b": {"parameters": %s, "get": {"parameters": [{"name": "one", "in": "query"}]}}}`, parameters(spec.MaxParameters)), 0, "GET /b too-many-parameters: there are more than 1000 parameters"},
		{"as many as there may be", paths(2, most), 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.json")
			text := fmt.Sprintf(`{"openapi": "3.1.0", "p": %s, "paths": %s}`, shared(spec.MaxParameters+1), c.paths)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			set, err := document.Open(t.Context(), document.Options{Path: path})
			if err != nil {
				t.Fatal(err)
			}
			read, err := spec.Read(t.Context(), set)
			if err != nil {
				t.Fatal(err)
			}
			var skipped []string
			for _, f := range read.Skipped {
				skipped = append(skipped, f.Operation+" "+f.Code+": "+f.Text)
			}
			if diff := cmp.Diff(c.skipped, strings.Join(skipped, "\n")); diff != "" || len(read.Operations) != c.operations {
				t.Errorf("%d operations: %s", len(read.Operations), diff)
			}
		})
	}
}
