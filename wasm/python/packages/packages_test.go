package packages

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wheelOf makes a wheel of files, with a RECORD of all of them unless they have one.
func wheelOf(t testing.TB, info string, files map[string]string) []byte {
	t.Helper()
	files = maps.Clone(files)
	add := func(name, text string) {
		if _, ok := files[name]; !ok {
			files[name] = text
		}
	}
	name, version, _ := strings.Cut(strings.TrimSuffix(info, ".dist-info"), "-")
	add(info+"/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
	add(info+"/METADATA", "Metadata-Version: 2.1\nName: "+name+"\nVersion: "+version+"\n")
	var record strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sum := sha256.Sum256([]byte(files[name]))
		fmt.Fprintf(&record, "%q,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(files[name]))
	}
	add(info+"/RECORD", record.String()+info+"/RECORD,,\n")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(files[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func put(t testing.TB, dir, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const info = "greet-1.2.dist-info"

func metadata(lines ...string) string {
	return "Metadata-Version: 2.1\nName: Greet\nVersion: 1.2\n" + strings.Join(lines, "\n") + "\n\nRequires-Dist: of the text\n"
}

// TestWheels holds what is said of wheels; the others of each set are greet's needs.
func TestWheels(t *testing.T) {
	t.Parallel()
	const py = "greet-1.2-py3-none-any.whl"
	code := map[string]string{"greet/__init__.py": "x = 1\n"}
	with := func(more ...string) map[string]string {
		files := maps.Clone(code)
		for i := 0; i < len(more); i += 2 {
			files[more[i]] = more[i+1]
		}
		return files
	}
	for _, c := range []struct {
		name   string
		file   string // py when empty
		files  map[string]string
		other  string // metadata of another wheel, other-2.0; none when empty
		python string
		want   []string // what is wrong; nothing for a wheel that does
	}{
		{name: "good", files: code},
		{name: "two kinds of Python", file: "greet-1.2-py2.py3-none-any.whl", files: code},
		{name: "a build number", file: "greet-1.2-3-py3-none-any.whl", files: code},
		{name: "data that is not imported", files: with("greet-1.2.data/scripts/greet", "#!", "greet-1.2.data/purelib/more.py", "y = 1")},
		{name: "needs that do not apply", files: with(info+"/METADATA", metadata(`Requires-Dist: a; extra == "x"`, `Requires-Dist: b; python_version < "3.8" and (sys_platform == "win32" or os_name == 'nt')`, `Requires-Dist: dataclasses`)), python: "3.12.0"},
		{name: "needs that are there", files: with(info+"/METADATA", metadata(`Requires-Dist: Other[x] (>=1.5,<3) ; python_version >= "3.8"`)), other: "Name: other\nVersion: 2.0\n", python: "3.12"},
		{
			name: "needs that are not there", files: with(info+"/METADATA", metadata("Requires-Dist: attrs>=22.2.0", "Requires-Dist: other>=3; python_version > '3'", "Requires-Dist: ???")),
			other: "Name: other\nVersion: 2.0\n", python: "3.12",
			want: []string{
				"Greet needs attrs >=22.2.0, which is not among the packages (add a wheel of attrs)",
				"Greet needs other >=3, and other 2.0 is there (add another version of it)",
				`Greet needs "???", which cannot be read`,
			},
		},
		{name: "another Python", files: with(info+"/METADATA", metadata("Requires-Python: >=3.13")), python: "3.12.0", want: []string{"Greet 1.2 needs Python >=3.13, and the interpreter is 3.12.0 (look for another version of it)"}},
		{name: "any Python where none is known", files: with(info+"/METADATA", metadata("Requires-Python: >=3.13"))},
		{name: "twice", files: code, other: "Name: GREET\nVersion: 2.0\n", want: []string{"the package GREET is also in packages.0, as version 1.2 (remove one of the two)"}},
		{name: "for one machine", file: "greet-1.2-cp312-cp312-manylinux_2_17_x86_64.whl", files: code, want: []string{"the wheel is for cp312-manylinux_2_17_x86_64 and has native code, or says so (" + notPure + ")"}},
		{name: "for Python 2", file: "greet-1.2-py2-none-any.whl", files: code, want: []string{"the wheel is for py2, and not for Python 3 (look for a wheel for py3)"}},
		{name: "no name of a wheel", file: "greet.whl", files: code, want: []string{"greet.whl is no name of a wheel (a wheel is named NAME-VERSION-py3-none-any.whl)"}},
		{name: "native code", files: with("greet/fast.cpython-312-x86_64-linux-gnu.so", "ELF"), want: []string{"there is native code in it: greet/fast.cpython-312-x86_64-linux-gnu.so (only packages of pure Python can be used; look for a version with a wheel that ends in -none-any.whl)"}},
		{name: "says it is native", files: with(info+"/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n"), want: []string{"the wheel says itself that it is not of pure Python (Root-Is-Purelib) (" + notPure + ")"}},
		{name: "files of one platform", files: with("greet-1.2.data/platlib/fast.py", ""), want: []string{"the wheel has files of one platform: greet-1.2.data/platlib/fast.py (" + notPure + ")"}},
		{name: "another format", files: with(info+"/WHEEL", "Wheel-Version: 2.0\nRoot-Is-Purelib: true\n"), want: []string{`the wheel is of version "2.0" of its format, and version 1 is read`}},
		{name: "out of its folder", files: with("../evil.py", "x"), want: []string{`the path "../evil.py" leads out of its package, or cannot be a path`}},
		{name: "absolute", files: with("/etc/passwd", "x"), want: []string{`the path "/etc/passwd" leads out of its package, or cannot be a path`}},
		{name: "of another system", files: with(`a\b.py`, "x"), want: []string{`the path "a\\b.py" leads out of its package, or cannot be a path`}},
		{name: "changed", files: with(info+"/RECORD", "greet/__init__.py,sha256=AAAA,6\n"+info+"/WHEEL,sha256=AAAA,\n"+info+"/METADATA,sha256=AAAA,\n"), want: []string{info + "/METADATA is not what RECORD of the wheel says: the wheel is damaged or was changed (download it again)"}},
		{name: "not in the record", files: with(info+"/RECORD", ""), want: []string{"RECORD of the wheel has no sha256 of " + info + "/METADATA (download it again)"}},
		{name: "two packages", files: with("b-1.dist-info/WHEEL", ""), want: []string{"the wheel has the metadata of two packages: b-1.dist-info and " + info}},
		{name: "no version", files: with(info+"/METADATA", "Name: greet\n"), want: []string{"METADATA has no Name and Version that could be one (download it again)"}},
		{name: "no module", files: map[string]string{"greet.txt": ""}, want: []string{"the wheel has no module that could be imported"}},
		{name: "too large", files: with("greet/data.bin", strings.Repeat("\x00", MaxFile+1)), want: []string{"greet/data.bin in the wheel is larger than the 16777216 bytes that are read of it"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := c.file
			if file == "" {
				file = py
			}
			paths := []string{put(t, dir, file, wheelOf(t, info, c.files))}
			if c.other != "" {
				paths = append(paths, put(t, dir, "other-2.0-py3-none-any.whl", wheelOf(t, "other-2.0.dist-info", map[string]string{"other.py": "", "other-2.0.dist-info/METADATA": c.other})))
			}
			set, mistakes := Load(paths, c.python)
			var got []string
			for _, m := range mistakes {
				got = append(got, m.Error())
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			if (set == nil) != (c.want != nil) {
				t.Errorf("got the set %v", set)
			}
		})
	}
}

// TestNoWheels are paths that are nothing to read.
func TestNoWheels(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "pkg/mod.py", []byte("x"))
	put(t, dir, "empty/readme.txt", []byte("x"))
	put(t, dir, "native/mod.pyd", []byte("x"))
	put(t, dir, "odd-name/__init__.py", nil)
	put(t, dir, "linked/a.py", nil)
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "linked", "b.py")); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "again/mod.py", []byte("y"))
	for name, want := range map[string]string{
		"none":                 "none is not there (write the path of a wheel or of a folder; a relative one belongs to the folder of this file)",
		"a.txt":                "a.txt is neither a wheel nor a folder (write a wheel (NAME-VERSION-py3-none-any.whl), or a folder with modules in it)",
		"empty":                "empty has no module that could be imported (write a folder with .py files in it, or with packages)",
		"native":               "there is native code in it: mod.pyd (only packages of pure Python can be used; look for a version with a wheel that ends in -none-any.whl)",
		"odd-name":             `odd-name has an __init__.py, and nothing of the name "odd-name" could be imported (rename the folder)`,
		"linked":               "linked/b.py is no plain file, and links are not followed (copy what it leads to)",
		"b-1-py3-none-any.whl": "the wheel is no zip archive that can be read: zip: not a valid zip file (download it again)",
		"again":                "the file mod.py is also in packages.0 (remove one of the two)",
	} {
		put(t, dir, "a.txt", nil)
		put(t, dir, "b-1-py3-none-any.whl", []byte("no archive"))
		_, mistakes := Load([]string{filepath.Join(dir, "pkg"), filepath.Join(dir, name)}, "3.12")
		if len(mistakes) != 1 || mistakes[0].Entry != 1 {
			t.Fatalf("%s: got %v", name, mistakes)
		}
		if got := strings.ReplaceAll(mistakes[0].Error(), dir+string(filepath.Separator), ""); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if _, mistakes := Load(make([]string, MaxEntries+1), ""); len(mistakes) != 1 || mistakes[0].Entry != MaxEntries {
		t.Errorf("too many: got %v", mistakes)
	}
}

// TestTree reads one of each kind into one tree.
func TestTree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wheel := put(t, dir, "greet-1.2-py3-none-any.whl", wheelOf(t, info, map[string]string{"greet/__init__.py": "a", "greet/sub/x.py": "b", "greet-1.2.data/purelib/more.py": "c", "greet-1.2.data/scripts/s": ""}))
	put(t, dir, "pack/__init__.py", []byte("d"))
	put(t, dir, "pack/data.json", []byte("{}"))
	put(t, dir, "pack/__pycache__/x.pyc", []byte("e"))
	put(t, dir, "pack/.git/config", []byte("f"))
	put(t, dir, "mods/one.py", []byte("g"))
	put(t, dir, "mods/two/__init__.py", []byte("h"))
	put(t, dir, "target/six.py", []byte("i"))
	put(t, dir, "target/seven/__init__.py", []byte("j"))
	put(t, dir, "target/six-1.16.dist-info/METADATA", []byte("Name: six\nVersion: 1.16\n"))
	put(t, dir, "target/six-1.16.dist-info/RECORD", []byte("six.py,,\n"))
	put(t, dir, "target/seven-7.dist-info/METADATA", []byte("Name: Seven\nVersion: 7\n"))
	set, mistakes := Load([]string{wheel, filepath.Join(dir, "pack"), filepath.Join(dir, "mods"), filepath.Join(dir, "target")}, "3.12")
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	want := []Package{
		{Name: "Greet", Version: "1.2", Modules: []string{"greet", "more"}},
		{Name: "mods", Modules: []string{"one", "two"}, Entry: 2},
		{Name: "pack", Modules: []string{"pack"}, Entry: 1},
		{Name: "Seven", Version: "7", Modules: []string{"seven", "six"}, Entry: 3},
		{Name: "six", Version: "1.16", Modules: []string{"six"}, Entry: 3},
	}
	want[0].Name = "greet"
	if d := cmp.Diff(want, set.Packages); d != "" {
		t.Error(d)
	}
	var names []string
	for _, f := range set.Files {
		if !strings.Contains(f.Name, ".dist-info/") {
			names = append(names, f.Name+" "+string(f.Data))
		}
	}
	if d := cmp.Diff([]string{"greet/__init__.py a", "greet/sub/x.py b", "more.py c", "one.py g", "pack/__init__.py d", "pack/data.json {}", "seven/__init__.py j", "six.py i", "two/__init__.py h"}, names); d != "" {
		t.Error(d)
	}
	again, _ := Load([]string{wheel, filepath.Join(dir, "pack"), filepath.Join(dir, "mods"), filepath.Join(dir, "target")}, "3.12")
	put(t, dir, "mods/one.py", []byte("G"))
	other, _ := Load([]string{wheel, filepath.Join(dir, "pack"), filepath.Join(dir, "mods"), filepath.Join(dir, "target")}, "3.12")
	if set.Print() != again.Print() || set.Print() == other.Print() {
		t.Error("prints do not tell sets apart by what is in them")
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"1.2 == 1.2.0": true, "1.2 == 1.2.*": true, "1.20 == 1.2.*": false, "1.2.3 ~= 1.2": true, "2.0 ~= 1.2": false, "1.2.9 ~= 1.2.3": true, "1.3 ~= 1.2.3": false,
		"1.10 >= 1.9": true, "1.0rc1 >= 1.0": false, "1.0rc1 > 1.0b3": true, "1.0.dev1 < 1.0a1": true, "1.0.post1 > 1.0": true, "2!1.0 > 1": false, "1.0+local == 1.0": true,
		"1.5 >=1,<2,!=1.5": false, "1.5 >=1,<2,!=1.6": true, "1.5 != 1.*": false, "1.5 <= 1.5": true, "odd >= 1": true, "1.5 >= odd": true, "1.5 weird": true, "1.5 ": true, "v1.5 === 1.5": true,
	} {
		version, wanted, _ := strings.Cut(text, " ")
		if got := satisfies(version, wanted); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

func TestMarkers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, `python_version >= "3.8"`: true, `python_version == "3.12"`: true, `"3.8" <= python_version`: true, `python_version < "3.10"`: false, `python_full_version >= "3.12.1"`: true,
		`extra == "dev"`: false, `extra == 'dev' or os_name == 'posix'`: true, `sys_platform == "win32"`: false, `sys_platform != "win32" and platform_python_implementation == "CPython"`: true,
		`(python_version < "3" or implementation_name == "cpython") and platform_machine not in "x86_64 arm64"`: true, `platform_system in "wasi linux"`: true,
		`python_version`: false, `python_version >= `: false, `unknown == "1"`: false, `(os_name == "posix"`: false, `os_name == "posix" more`: false, `os_name == "posix`: false,
		strings.Repeat("(", maxMarker+1): false, `"a" < "b"`: true, `"a" > "b"`: false, `"a" <= "a"`: true, `"b" >= "a"`: true, `"a" ~= "a"`: false,
	} {
		if got := applies(text, "3.12.4"); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

func FuzzWheel(f *testing.F) {
	f.Add("greet-1.2-py3-none-any.whl", wheelOf(f, info, map[string]string{"greet/__init__.py": "x", info + "/METADATA": metadata("Requires-Dist: a>=1; extra == 'x'")}))
	f.Add("greet-1.2-py3-none-any.whl", wheelOf(f, info, map[string]string{"../greet.py": "x"}))
	f.Add("a-1-py3-none-any.whl", []byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		l := loader{python: "3.12", files: map[string]owned{}}
		if m := l.wheel(0, name, data); m != nil {
			if m.Text == "" {
				t.Error("a mistake without a word")
			}
			return
		}
		l.checkNeeds()
		for name := range l.files {
			if !validName(name) || isNative(name) {
				t.Errorf("%q is in the tree", name)
			}
		}
	})
}

func FuzzNeed(f *testing.F) {
	f.Add(`attrs[x] (>=1.0,!=2.*) ; python_version >= "3.8" and (extra == 'y' or os_name != "nt")`, "1.2.3rc1.post2")
	f.Fuzz(func(_ *testing.T, text, version string) {
		n := parseNeed(text)
		applies(n.marker, "3.12")
		satisfies(version, n.versions)
	})
}
