package document_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/openapi/document"
)

// TestDigest tells without parsing whether a document of several files changed.
func TestDigest(t *testing.T) {
	dir := write(t, map[string]string{"main.yaml": "a: 1", "parts/p.yaml": "b: 2", "bad.yaml": "{", "unused.yaml": "c: 3"})
	main := filepath.Join(dir, "main.yaml")
	set := open(t, main)
	for _, ref := range []string{"parts/p.yaml#/b", "bad.yaml", "later.yaml", "../outside.yaml", "parts/p.yaml#/no"} {
		_, _, _ = set.Find(nil, ref)
	}
	names := set.Names()
	if diff := cmp.Diff([]string{"main.yaml", "bad.yaml", "later.yaml", "parts/p.yaml"}, names); diff != "" {
		t.Fatal(diff)
	}
	same := func() bool {
		source, err := document.Read(t.Context(), document.Options{Path: main})
		if err != nil || source.Base() != "" || source.Stale() != "" {
			t.Fatal(err, source.Base(), source.Stale())
		}
		reversed := slices.Clone(names)
		slices.Reverse(reversed)
		digest, err := source.Digest(reversed)
		if err != nil {
			t.Fatal(err)
		}
		return digest == set.Digest()
	}
	steps := []struct {
		file, text string
		want       bool
	}{
		{"main.yaml", "a: 1", true},
		{"unused.yaml", "c: 4", true},
		{"main.yaml", "a: 2", false},
		{"main.yaml", "a: 1", true},
		{"parts/p.yaml", "b: 3", false},
		{"parts/p.yaml", "b: 2", true},
		{"bad.yaml", "{}", false},
		{"bad.yaml", "{", true},
		{"later.yaml", "", false},
	}
	for _, s := range steps {
		if err := os.WriteFile(filepath.Join(dir, s.file), []byte(s.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := same(); got != s.want {
			t.Errorf("%s is %q: same is %t", s.file, s.text, got)
		}
	}
}

// TestDigestLimits refuses more names than a document may have files, and reads
// nothing outside of its folder for any name.
func TestDigestLimits(t *testing.T) {
	dir := write(t, map[string]string{"api/main.yaml": "a: 1", "outside.yaml": "b: 2"})
	source, err := document.Read(t.Context(), document.Options{Path: filepath.Join(dir, "api/main.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	before, err := source.Digest([]string{"../outside.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "outside.yaml"), []byte("b: 3"), 0o600); err != nil {
		t.Fatal(err)
	}
	if after, err := source.Digest([]string{"../outside.yaml"}); err != nil || after != before {
		t.Errorf("a file outside is read: %v", err)
	}
	names := make([]string, document.MaxFiles)
	for i := range names {
		names[i] = string(rune('a' + i))
	}
	if _, err := source.Digest(names); err == nil || err.Error() != "the document has more than 10000 files" {
		t.Error(err)
	}
}

// TestReadErrors holds what is said of files that cannot be read.
func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := document.Read(t.Context(), document.Options{Path: filepath.Join(dir, "no.yaml")}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := document.Read(t.Context(), document.Options{Path: dir}); err == nil {
		t.Error("a folder is read")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := document.Read(ctx, document.Options{Path: dir}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestSchemes tells addresses from paths, and says which of them can be read.
func TestSchemes(t *testing.T) {
	for path, want := range map[string]bool{
		"http://x/y": true, "HTTPS://x": true, "file:///etc/passwd": true, "ftp://user:PASSWORD@x": true, "git+ssh://x": true,
		"api.yaml": false, "/a/b": false, "a/b://c": false, "://x": false, `C:\\x`: false, "http:/x": false, "": false,
	} {
		if got := document.IsAddress(path); got != want {
			t.Errorf("%q is an address: %t", path, got)
		}
	}
	for path, scheme := range map[string]string{"file:///etc/passwd": "file", "FTP://user:PASSWORD@x": "ftp"} {
		_, err := document.Read(t.Context(), document.Options{Path: path})
		want := "documents are read from files and from http and https addresses, not from " + scheme + ": addresses; of a file give its path"
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}
