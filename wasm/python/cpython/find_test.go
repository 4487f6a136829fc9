package cpython

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

const testBuild = "build-1234"

var emptyModule = "\x00asm\x01\x00\x00\x00"

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// place puts an interpreter into a folder as an installation does.
func place(t *testing.T, folder string) *manifest {
	t.Helper()
	m := &manifest{
		Version: manifestVersion, Build: testBuild, Python: "3.12.0", Source: "npm:x@1", SHA256: hashOf("as it came"),
		Module:  moduleFile{Size: int64(len(emptyModule)), SHA256: hashOf(emptyModule)},
		Library: &folderSize{Files: 2, Size: 3},
	}
	build := filepath.Join(folder, testBuild)
	write(t, filepath.Join(build, "python.wasm"), emptyModule)
	write(t, filepath.Join(build, "lib/python3.12/os.py"), "os")
	write(t, filepath.Join(build, "lib/python3.12/re/__init__.py"), "r")
	write(t, filepath.Join(build, "compiled/engine/code"), "code")
	placeManifest(t, folder, m)
	return m
}

func placeManifest(t *testing.T, folder string, m *manifest) {
	t.Helper()
	text, err := json.Marshal(m)
	must(t, err)
	write(t, filepath.Join(folder, "runtime.json"), string(text))
}

func TestFindLooksInOrder(t *testing.T) {
	root := t.TempDir()
	p := Places{Configured: filepath.Join(root, "own"), Beside: filepath.Join(root, "bin"), Cache: filepath.Join(root, "cache")}
	folders := map[string]string{"own": p.Configured, "beside": filepath.Join(p.Beside, "python"), "cache": filepath.Join(p.Cache, "toolgate/python")}
	cases := []struct {
		name   string
		there  []string
		places Places
		want   string // or "" for none
	}{
		{"nothing", nil, p, ""},
		{"configured", []string{"own", "beside", "cache"}, p, "own"},
		{"only the configured one counts", []string{"beside", "cache"}, p, ""},
		{"beside the program", []string{"beside", "cache"}, Places{"", p.Beside, p.Cache}, "beside"},
		{"the user's", []string{"cache"}, Places{"", p.Beside, p.Cache}, "cache"},
		{"no home", []string{"beside"}, Places{"", p.Beside, ""}, "beside"},
		{"no home and nothing", nil, Places{"", p.Beside, ""}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, name := range c.there {
				place(t, folders[name])
				defer func() { must(t, os.RemoveAll(folders[name])) }()
			}
			r, err := Find(c.places)
			if c.want == "" {
				if !errors.Is(err, ErrNotInstalled) || !strings.Contains(err.Error(), "run: gateway python install") {
					t.Fatalf("error %v", err)
				}
				return
			}
			must(t, err)
			build := filepath.Join(folders[c.want], testBuild)
			want := &Runtime{
				Folder: folders[c.want], Module: filepath.Join(build, "python.wasm"), Library: filepath.Join(build, "lib"),
				Version: "3.12.0", SHA256: hashOf("as it came"), Source: "npm:x@1", Compiled: filepath.Join(build, "compiled"),
			}
			if diff := cmp.Diff(want, r, cmpopts.IgnoreUnexported(Runtime{})); diff != "" {
				t.Error(diff)
			}
			module, err := r.Load()
			if err != nil || string(module) != emptyModule {
				t.Errorf("Load: %q, %v", module, err)
			}
		})
	}
}

// TestFindPassesOverAProgram: beside the gateway, python may be a program.
func TestFindPassesOverAProgram(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "bin/python"), "#!")
	place(t, filepath.Join(root, "cache/toolgate/python"))
	if _, err := Find(Places{Beside: filepath.Join(root, "bin"), Cache: filepath.Join(root, "cache")}); err != nil {
		t.Error(err)
	}
}

func TestFindRefuses(t *testing.T) {
	type damage func(t *testing.T, folder string, m *manifest)
	text := func(text string) damage {
		return func(t *testing.T, folder string, _ *manifest) {
			write(t, filepath.Join(folder, "runtime.json"), text)
		}
	}
	remove := func(name string) damage {
		return func(t *testing.T, folder string, _ *manifest) {
			must(t, os.RemoveAll(filepath.Join(folder, name)))
		}
	}
	put := func(name, text string) damage {
		return func(t *testing.T, folder string, _ *manifest) { write(t, filepath.Join(folder, name), text) }
	}
	edit := func(change func(m *manifest)) damage {
		return func(t *testing.T, folder string, m *manifest) {
			change(m)
			placeManifest(t, folder, m)
		}
	}
	mode := func(name string, mode fs.FileMode) damage {
		return func(t *testing.T, folder string, _ *manifest) { must(t, os.Chmod(filepath.Join(folder, name), mode)) }
	}
	cases := []struct {
		name   string
		damage damage
		want   string
	}{
		{"no JSON", text("{"), "runtime.json: it is damaged: unexpected end"},
		{"nothing in it", text(""), "runtime.json: it is damaged"},
		{"another version", text(`{"version": 2, "more": 1}`), "it is of version 2, and this program reads version 1"},
		{"unknown key", text(`{"version": 1, "more": 1}`), `unknown field "more"`},
		{"too large", text(`{"version": 1}` + strings.Repeat(" ", maxManifest)), "runtime.json has more than 16384 bytes"},
		{"path for a build", edit(func(m *manifest) { m.Build = "../" + m.Build }), "build is no name of a build's folder"},
		{"no version of Python", edit(func(m *manifest) { m.Python = "three" }), `python is no version: "three"`},
		{"long source", edit(func(m *manifest) { m.Source = strings.Repeat("x", maxSource+1) }), "source is longer than 4096 bytes"},
		{"short hash", edit(func(m *manifest) { m.SHA256 = "ab" }), "sha256 is not of 64"},
		{"hash in upper case", edit(func(m *manifest) { m.Module.SHA256 = strings.ToUpper(m.Module.SHA256) }), "module.sha256 is not of 64"},
		{"size of nothing", edit(func(m *manifest) { m.Module.Size = 0 }), "module.size is 0"},
		{"library of nothing", edit(func(m *manifest) { m.Library.Files = 0 }), "library is of 0 files"},
		{"no build", remove(testBuild), "python.wasm is not there"},
		{"a file for a build", func(t *testing.T, folder string, _ *manifest) {
			must(t, os.RemoveAll(filepath.Join(folder, testBuild)))
			write(t, filepath.Join(folder, testBuild), "")
		}, "python.wasm is not there"},
		{"no module", remove(testBuild + "/python.wasm"), "python.wasm is not there"},
		{"module cut off", put(testBuild+"/python.wasm", emptyModule[:4]), "has 4 bytes, not the 8 that were installed"},
		{"module changed", put(testBuild+"/python.wasm", "\x00asm\x02\x00\x00\x00"), "was changed since it was installed"},
		{"no library", remove(testBuild + "/lib"), "lib is not there"},
		{"library cut off", put(testBuild+"/lib/python3.12/os.py", ""), "has 2 files with 1 bytes, not the 2 with 3"},
		{"library with less", remove(testBuild + "/lib/python3.12/re"), "has 1 files with 2 bytes"},
		{"folder for all", mode(".", 0o777), "may be written by others (mode 0777)"},
		{"build for the group", mode(testBuild, 0o770), "may be written by others (mode 0770)"},
		{"code for all", mode(testBuild+"/compiled/engine/code", 0o666), "may be written by others (mode 0666)"},
		{"folder of code for all", mode(testBuild+"/compiled/engine", 0o702), "may be written by others (mode 0702)"},
		{"code that is a link", func(t *testing.T, folder string, _ *manifest) {
			compiled := filepath.Join(folder, testBuild, "compiled")
			must(t, os.RemoveAll(compiled))
			must(t, os.Symlink(t.TempDir(), compiled))
		}, "compiled is no folder"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "py")
			c.damage(t, folder, place(t, folder))
			_, err := Find(Places{Configured: folder})
			switch {
			case err == nil:
				t.Fatal("it was taken")
			case errors.Is(err, ErrNotInstalled):
				t.Error("it is taken for not installed")
			case !strings.Contains(err.Error(), c.want):
				t.Errorf("error %q, want %q in it", err, c.want)
			case !strings.Contains(err.Error(), folder) || !strings.Contains(err.Error(), "gateway python install --force"):
				t.Errorf("error %q does not say where and what to do", err)
			}
		})
	}
}

// TestCodeOfAnotherUser is about ownership, which only a superuser can change.
func TestCodeOfAnotherUser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "code")
	write(t, path, "")
	info, err := os.Stat(path)
	must(t, err)
	cases := []struct {
		uid  uint32
		good bool
	}{{0, true}, {uint32(os.Geteuid()), true}, {uint32(os.Geteuid()) + 7, false}}
	for _, c := range cases {
		if err := own(path, owned{info, c.uid}); (err == nil) != c.good {
			t.Errorf("user %d: %v", c.uid, err)
		}
	}
}

func TestLinkedCode(t *testing.T) {
	root := t.TempDir()
	build, own := filepath.Join(root, testBuild), filepath.Join(root, "own")
	write(t, filepath.Join(build, "compiled/engine/code"), "code")
	for range 2 { // the second time everything is there
		must(t, linked(own, filepath.Join(build, "compiled")))
	}
	text, err := os.ReadFile(filepath.Join(own, "engine/code"))
	if err != nil || string(text) != "code" {
		t.Errorf("%q, %v", text, err)
	}
	write(t, filepath.Join(own, "engine/more"), "compiled here")
	if there, err := ownTree(own); !there || err != nil {
		t.Error(there, err)
	}
	if _, err := os.Stat(filepath.Join(build, "compiled/engine/more")); err == nil {
		t.Error("what was compiled here is in the build")
	}
	must(t, linked(filepath.Join(root, "empty"), filepath.Join(root, "nothing")))
}
