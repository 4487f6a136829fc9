package cpython

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// file is one of an archive. A name that ends in a slash is a folder; a target makes it a
// link.
type file struct{ name, text, target string }

func tgz(t *testing.T, files []file) string {
	t.Helper()
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	out := tar.NewWriter(zipped)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.text)), Typeflag: tar.TypeReg, Linkname: f.target}
		switch {
		case f.target != "":
			h.Typeflag, h.Size = tar.TypeSymlink, 0
		case strings.HasSuffix(f.name, "/"):
			h.Typeflag = tar.TypeDir
		}
		must(t, out.WriteHeader(h))
		if h.Size > 0 {
			_, err := out.Write([]byte(f.text))
			must(t, err)
		}
	}
	must(t, out.Close())
	must(t, zipped.Close())
	return b.String()
}

func zipped(t *testing.T, files []file) string {
	t.Helper()
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	for _, f := range files {
		if f.target != "" {
			continue
		}
		w, err := out.Create(f.name)
		must(t, err)
		if !strings.HasSuffix(f.name, "/") {
			_, err = w.Write([]byte(f.text))
			must(t, err)
		}
	}
	must(t, out.Close())
	return b.String()
}

// tree is what is in a folder: names and texts, in order.
func tree(t *testing.T, folder string) (out []string) {
	t.Helper()
	if !exists(folder) {
		return nil
	}
	must(t, directory{folder}.each(func(name string, size int64, open opener) error {
		data, err := readEntry(name, size, 1<<20, open)
		out = append(out, name+"="+string(data))
		return err
	}))
	slices.Sort(out)
	return out
}

var bundles = []struct {
	name    string
	files   []file
	module  string
	library []string
	wrong   string
}{
	{"npm's layout", []file{{"package/package.json", "{}", ""}, {"package/dist/python.wasm", "M", ""}}, "M", nil, ""},
	{"a library beside it", []file{
		{"lib/python3.14/os.py", "os", ""}, {"python.wasm", "M", ""}, {"lib/python3.14/json/__init__.py", "j", ""}, {"README", "", ""},
	}, "M", []string{"python3.14/json/__init__.py=j", "python3.14/os.py=os"}, ""},
	{"in a folder, with dots", []file{
		{"./py/", "", ""}, {"./py/python.wasm", "M", ""}, {"./py/lib/python3.14/os.py", "os", ""}, {"./lib/python3.14/os.py", "another", ""},
	}, "M", []string{"python3.14/os.py=os"}, ""},
	{"lib without a library", []file{{"python.wasm", "M", ""}, {"lib/os.py", "os", ""}, {"lib/python3.14/re.py", "", ""}}, "M", nil, ""},
	{"the nearest to the top", []file{{"a/python.wasm", "far", ""}, {"python.wasm", "near", ""}}, "near", nil, ""},
	{"two", []file{{"a/python.wasm", "1", ""}, {"b/python.wasm", "2", ""}}, "", nil, "more than one python.wasm"},
	{"none", []file{{"a/python.wasm.map", "1", ""}}, "", nil, "there is no python.wasm in it"},
	{"too far down", []file{{"a/b/c/d/e/python.wasm", "1", ""}}, "", nil, "there is no python.wasm in it"},
}

func TestUnpack(t *testing.T) {
	for _, c := range bundles {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			for _, f := range c.files {
				if !strings.HasSuffix(f.name, "/") {
					write(t, filepath.Join(root, "dir", f.name), f.text)
				}
			}
			write(t, filepath.Join(root, "a.tgz"), tgz(t, c.files))
			archive := zipped(t, c.files)
			for kind, b := range map[string]bundle{
				"tgz": tarball{filepath.Join(root, "a.tgz")}, "zip": zipFile{strings.NewReader(archive), int64(len(archive))}, "dir": directory{filepath.Join(root, "dir")},
			} {
				lib := filepath.Join(root, kind+"-lib")
				module, err := unpack(b, lib)
				if c.wrong != "" {
					if err == nil || !strings.Contains(err.Error(), c.wrong) {
						t.Errorf("%s: error %v", kind, err)
					}
					continue
				}
				if err != nil || string(module) != c.module {
					t.Errorf("%s: module %q, %v", kind, module, err)
				}
				if diff := cmp.Diff(c.library, tree(t, lib)); diff != "" {
					t.Errorf("%s: %s", kind, diff)
				}
			}
		})
	}
}

func TestUnpackRefuses(t *testing.T) {
	good := []file{{"python.wasm", "M", ""}, {"lib/python3.14/os.py", "os", ""}}
	var head bytes.Buffer
	must(t, tar.NewWriter(&head).WriteHeader(&tar.Header{Name: "python.wasm", Size: MaxModule + 1, Mode: 0o644}))
	cases := []struct{ name, archive, wrong string }{
		{"path up", tgz(t, append(good, file{"../x", "", ""})), `outside of its own folder: "../x"`},
		{"path up, within", tgz(t, append(good, file{"lib/../../x", "", ""})), "outside of its own folder"},
		{"path from the root", tgz(t, append(good, file{"/etc/x", "", ""})), "outside of its own folder"},
		{"path of Windows", tgz(t, append(good, file{`lib\..\..\x`, "", ""})), "outside of its own folder"},
		{"link up", tgz(t, append(good, file{"../x", "", "/etc/passwd"})), "outside of its own folder"},
		{"zip, path up", zipped(t, append(good, file{"../x", "", ""})), "outside of its own folder"},
		{"module that unpacks to too much", gzipped(t, head.String()), "python.wasm has 268435457 bytes, and may have 268435456"},
		{"the same file twice", tgz(t, append(good, good[1])), "os.py: file exists"},
		{"cut off", tgz(t, good)[:60], "no whole"},
		{"gzip's sum", flip(tgz(t, good), -6), "checksum"},
		{"no gzip", "\x1f\x8bx", "no whole gzip file"},
		{"no tar", gzipped(t, strings.Repeat("x", 600)), "no whole tar archive"},
		{"zip cut off", zipped(t, good)[:70], "no whole zip archive"},
		{"lib.zip of something else", tgz(t, []file{{"python.wasm", "M", ""}, {"lib.zip", zipped(t, []file{{"x", "", ""}}), ""}}), "lib.zip: it has no pythonX.Y/os.py"},
		{"lib.zip with a path up", tgz(t, []file{{"python.wasm", "M", ""}, {"lib.zip", zipped(t, []file{{"python3.14/os.py", "", ""}, {"../x", "", ""}}), ""}}), "outside of its own folder"},
		{"lib.zip that is none", tgz(t, []file{{"python.wasm", "M", ""}, {"lib.zip", "x", ""}}), "lib.zip: it is no whole zip"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			path := filepath.Join(root, "a")
			write(t, path, c.archive)
			var b bundle = tarball{path}
			if strings.HasPrefix(c.archive, magicZip) {
				b = zipFile{strings.NewReader(c.archive), int64(len(c.archive))}
			}
			if _, err := unpack(b, filepath.Join(root, "in/lib")); err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("error %v, want %q in it", err, c.wrong)
			}
			if exists(filepath.Join(root, "x")) || exists(filepath.Join(root, "in/x")) {
				t.Error("a file came out of the folder")
			}
		})
	}
}

func TestBounds(t *testing.T) {
	left := &budget{reader: strings.NewReader("more than that"), left: 9}
	if text, err := io.ReadAll(left); string(text) != "more than" || err == nil || !strings.Contains(err.Error(), "it holds more than 1342177280 bytes") {
		t.Errorf("%q, %v", text, err)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("text")), nil }
	for want, c := range map[string]struct {
		before folderSize
		size   int64
	}{
		"more than 20000 files":     {folderSize{Files: maxLibraryFiles}, 4},
		"more than 536870912 bytes": {folderSize{Size: maxLibrary - 3}, 4},
		"may have 536870912":        {folderSize{}, -1},
		"more than the 3 bytes":     {folderSize{}, 3},
		"unexpected EOF":            {folderSize{}, 5},
	} {
		s := shelf{t.TempDir(), c.before}
		if err := s.put("x", c.size, open); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

func TestUnpackLibraryZip(t *testing.T) {
	for name, files := range map[string][]file{
		"at the top": {{"python3.14/os.py", "os", ""}}, "in lib": {{"lib/python3.14/os.py", "os", ""}, {"README", "", ""}},
	} {
		root := t.TempDir()
		write(t, filepath.Join(root, "from/python.wasm"), "M")
		write(t, filepath.Join(root, "from/lib.zip"), zipped(t, files))
		_, err := unpack(directory{filepath.Join(root, "from")}, filepath.Join(root, "lib"))
		must(t, err)
		if diff := cmp.Diff([]string{"python3.14/os.py=os"}, tree(t, filepath.Join(root, "lib"))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	must(t, err)
	must(t, w.Close())
	return b.String()
}

// flip changes a byte, counted from the end.
func flip(text string, at int) string {
	b := []byte(text)
	b[len(b)+at] ^= 0xff
	return string(b)
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"version":1,"build":"build-1","python":"3.12.0","source":"x","sha256":"00","module":{"size":1,"sha256":"00"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parseManifest(text)
		if (m == nil) == (err == nil) {
			t.Fatal("neither a manifest nor an error, or both")
		}
		if m != nil && filepath.Base(m.Build) != m.Build {
			t.Errorf("build %q", m.Build)
		}
	})
}

func FuzzUnpack(f *testing.F) {
	for _, c := range bundles {
		var b bytes.Buffer
		out := tar.NewWriter(&b)
		for _, file := range c.files {
			_ = out.WriteHeader(&tar.Header{Name: file.name, Size: int64(len(file.text)), Mode: 0o644})
			_, _ = out.Write([]byte(file.text))
		}
		f.Add(b.Bytes(), false)
	}
	f.Add([]byte("PK\x03\x04"), true)
	f.Fuzz(func(t *testing.T, text []byte, isZip bool) {
		root := t.TempDir()
		var b bundle = zipFile{bytes.NewReader(text), int64(len(text))}
		if !isZip { // the sum of gzip would keep what is inside out of reach
			path := filepath.Join(root, "a")
			must(t, os.WriteFile(path, []byte(gzipped(t, string(text))), 0o600))
			b = tarball{path}
		}
		inside := filepath.Join(root, "in")
		_, _ = unpack(b, filepath.Join(inside, "lib"))
		entries, err := os.ReadDir(root)
		must(t, err)
		for _, e := range entries {
			if e.Name() != "a" && e.Name() != "in" {
				t.Errorf("%s came out of the folder", e.Name())
			}
		}
	})
}
