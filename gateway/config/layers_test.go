package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// memory is a file system for tests: text by path.
type memory map[string]string

func (m memory) read(path string) ([]byte, error) {
	text, ok := m[path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

func (m memory) identify(path string) (string, error) {
	if _, ok := m[path]; !ok {
		return "", fs.ErrNotExist
	}
	return path, nil
}

func (m memory) glob(pattern string) ([]string, error) {
	var found []string
	for path := range m {
		ok, err := filepath.Match(pattern, path)
		if err != nil {
			return nil, err
		}
		if ok {
			found = append(found, path)
		}
	}
	slices.Sort(found)
	return found, nil
}

// readLayers takes the layers out of an archive: its files in their order, or
// those that a section "order" names, with the lines of the sections "env" and
// "set".
func readLayers(archive *txtar.Archive) (memory, Options) {
	files, opts := memory{}, Options{}
	var order []string
	for _, f := range archive.Files {
		lines := strings.Split(strings.TrimSuffix(string(f.Data), "\n"), "\n")
		switch f.Name {
		case "order":
			opts.Files = lines
		case "env":
			opts.Env = lines
		case "set":
			opts.Set = lines
		case "yaml":
			opts.YAML = f.Data
		case "problems", "printed":
		default:
			files[f.Name] = string(f.Data)
			order = append(order, f.Name)
		}
	}
	if opts.Files == nil {
		opts.Files = order
	}
	return files, opts
}

// section returns a section of an archive, which must be there.
func section(t *testing.T, archive *txtar.Archive, name string) *txtar.File {
	t.Helper()
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("no section %s", name)
	}
	return &archive.Files[i]
}

// eachArchive runs a test on every archive of a folder; with -update it writes
// the archive anew.
func eachArchive(t *testing.T, folder string, test func(t *testing.T, archive *txtar.Archive)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			test(t, archive)
			if *update {
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// golden compares text with a section; with -update it changes the section.
func golden(t *testing.T, archive *txtar.Archive, name, got string) {
	t.Helper()
	want := section(t, archive, name)
	if *update {
		want.Data = []byte(got)
		return
	}
	if diff := cmp.Diff(string(want.Data), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// TestBadLayers loads layers with mistakes. Each archive holds the files, the
// environment and the settings, and the exact lines that a person reads.
func TestBadLayers(t *testing.T) {
	eachArchive(t, "bad-layers", func(t *testing.T, archive *txtar.Archive) {
		files, opts := readLayers(archive)
		_, problems := load(files, opts)
		if problems.Err() == nil {
			t.Error("the layers load")
		}
		golden(t, archive, "problems", classed(problems))
	})
}

// TestGoodLayers prints what layers say together, with the origin of every
// value; the printed text is what the layers say, too.
func TestGoodLayers(t *testing.T) {
	eachArchive(t, "good-layers", func(t *testing.T, archive *txtar.Archive) {
		files, opts := readLayers(archive)
		c, problems := load(files, opts)
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		golden(t, archive, "printed", printed(t, c, PrintOptions{Origins: true}))
		checkPrinted(t, c)
	})
}
