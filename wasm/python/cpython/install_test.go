package cpython

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/toolgate/toolgate/wasm/wasmtest"
)

// installs names the folder into which this test's program installs what the second
// one has, instead of running tests.
const installs = "TG_TEST_INSTALL"

func TestMain(m *testing.M) {
	if into, from, ok := strings.Cut(os.Getenv(installs), "\n"); ok {
		if _, err := Install(context.Background(), Options{From: from, Into: into, Force: true}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// python is a module that says it is CPython, and nothing else.
func python(version string) string {
	return string(wasmtest.Program{FD: 1, Text: version + " (main) [Clang]\n"}.Module())
}

// withNames is a module with a custom section.
func withNames(module string) string { return module + "\x00\x05\x04name" }

func builds(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	for _, e := range entries {
		if buildName.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestInstallFrom(t *testing.T) {
	module := withNames(python("3.14.0rc1"))
	files := []file{{"python.wasm", module, ""}, {"lib/python3.14/os.py", "os", ""}, {"other", "", ""}}
	root := t.TempDir()
	write(t, filepath.Join(root, "a module"), module)
	write(t, filepath.Join(root, "a.tar.gz"), tgz(t, files))
	write(t, filepath.Join(root, "a"), zipped(t, files))
	write(t, filepath.Join(root, "dir/python.wasm"), module)
	write(t, filepath.Join(root, "dir/lib.zip"), zipped(t, []file{{"python3.14/os.py", "os", ""}}))
	cases := []struct {
		from    string
		sha256  string
		library bool
	}{
		{"a module", "", false},
		{"a module", strings.ToUpper(hashOf(module)), false},
		{"a.tar.gz", hashOf(module), true},
		{"a", hashOf(zipped(t, files)), true},
		{"dir", "", true},
	}
	for _, c := range cases {
		t.Run(c.from+c.sha256, func(t *testing.T) {
			into := filepath.Join(t.TempDir(), "new/folder")
			var stages []string
			r, err := Install(t.Context(), Options{From: filepath.Join(root, c.from), SHA256: c.sha256, Into: into, Progress: func(stage string, _, _ int64) { stages = append(stages, stage) }})
			must(t, err)
			if r.Version != "3.14.0rc1" || r.SHA256 != hashOf(module) || r.Source != filepath.Join(root, c.from) || (r.Library != "") != c.library {
				t.Errorf("%+v", r)
			}
			got, err := r.Load()
			if err != nil || string(got) != python("3.14.0rc1") {
				t.Errorf("module %q, %v", got, err)
			}
			code, err := filepath.Glob(filepath.Join(r.Compiled, "*", "*"))
			if err != nil || len(code) != 1 || !strings.HasPrefix(r.Compiled, into) {
				t.Errorf("compiled: %s: %v, %v", r.Compiled, code, err)
			}
			if exists(filepath.Join(filepath.Dir(r.Module), incomingName)) || len(stages) < 2 {
				t.Errorf("incoming is left, or few stages: %q", stages)
			}
			found, err := Find(Places{Configured: into})
			if diff := cmp.Diff(r, found, cmp.AllowUnexported(Runtime{})); diff != "" || err != nil {
				t.Error(diff, err)
			}
		})
	}
}

func TestInstallRefuses(t *testing.T) {
	good := python("3.12.0")
	cases := []struct {
		name, file string
		sha256     string
		want       string
	}{
		{"nothing", "", "", "it is empty"},
		{"text", "<html>", "", `it begins with "<htm"`},
		{"short", "\x00", "", "it is neither a WebAssembly module"},
		{"cut off", good[:len(good)-3], "", "cut off in the section"},
		{"another version of the format", "\x00asm\x0d\x00\x01\x00", "", "not a WebAssembly module"},
		{"not valid", string(wasmtest.Program{Body: []byte{0x6a}}.Module()), "", "it is no interpreter that can be used: "},
		{"another hash", good, hashOf("x"), "not " + hashOf("x")},
		{"another hash of an archive", tgz(t, []file{{"python.wasm", good, ""}}), hashOf("x"), "and that of the file "},
		{"another host", string(wasmtest.Program{Host: "env", Function: "help"}.Module()), "", "it needs env.help of its host, and is given WASI preview 1"},
		{"library", string(wasmtest.Program{Exports: []string{"memory"}}.Module()), "", "it does not export _start"},
		{"no memory", string(wasmtest.Program{Exports: []string{"_start"}}.Module()), "", "it does not export memory"},
		{"trap", string(wasmtest.Program{Body: []byte{0x00}}.Module()), "", "a first program failed: "},
		{"silent", string(wasmtest.Program{Body: []byte{}}.Module()), "", `a first program said "", which is no version of Python`},
		{"hello", string(wasmtest.Program{FD: 1, Text: "Hello, world"}.Module()), "", `a first program said "Hello, world"`},
		{"old", python("3.10.4"), "", "it is Python 3.10.4, and 3.11 is the oldest"},
		{"other library", tgz(t, []file{{"python.wasm", good, ""}, {"lib/python3.14/os.py", "os", ""}}), "", "its library is not: there is no lib/python3.12/os.py"},
	}
	root := t.TempDir()
	into := filepath.Join(root, "into")
	write(t, filepath.Join(root, "first"), python("3.11.1"))
	before, err := Install(t.Context(), Options{From: filepath.Join(root, "first"), Into: into})
	must(t, err)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			write(t, path, c.file)
			_, err := Install(t.Context(), Options{From: path, SHA256: c.sha256, Into: into})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
			if got := builds(t, into); len(got) != 1 {
				t.Errorf("what was tried is left: %q", got)
			}
			if after, err := Find(Places{Configured: into}); err != nil || after.Module != before.Module {
				t.Errorf("what was installed has changed: %+v, %v", after, err)
			}
		})
	}
}

func TestInstallOptions(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "full/letter"), "dear")
	write(t, filepath.Join(root, "file"), "x")
	cases := []struct {
		name   string
		o      Options
		option bool
		want   string
	}{
		{"nowhere", Options{}, true, "set HOME or XDG_CACHE_HOME, or name one with --into"},
		{"no hash", Options{Into: root, SHA256: "12"}, true, "a SHA-256 has 64 hexadecimal digits"},
		{"without TLS", Options{Into: root, From: "http://example.com/p?key=1"}, true, "http://example.com/p is without TLS"},
		{"other scheme", Options{Into: filepath.Join(root, "a"), From: "ftp://example.com/p"}, false, "only https addresses, files and folders"},
		{"no file", Options{Into: filepath.Join(root, "a"), From: filepath.Join(root, "none")}, false, "none: no such file"},
		{"other files", Options{Into: filepath.Join(root, "full"), From: "x"}, false, "full holds other files, such as letter"},
		{"a file", Options{Into: filepath.Join(root, "file"), From: "x"}, false, "file: not a directory"},
		{"below a file", Options{Into: filepath.Join(root, "file/x"), From: "x"}, false, "file: not a directory"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Install(t.Context(), c.o)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q in it", err, c.want)
			}
			if _, ok := errors.AsType[*OptionError](err); ok != c.option {
				t.Errorf("OptionError: %t", ok)
			}
		})
	}
}

func TestInstallAgain(t *testing.T) {
	root := t.TempDir()
	into, from := filepath.Join(root, "into"), filepath.Join(root, "m")
	install := func(o Options) *Runtime {
		t.Helper()
		o.Into, o.NPM = into, filepath.Join(root, "no npm")
		r, err := Install(t.Context(), o)
		must(t, err)
		return r
	}
	write(t, from, python("3.13.0"))
	first := install(Options{From: from})
	must(t, os.Mkdir(filepath.Join(into, "build-killed"), 0o700))
	for name, o := range map[string]Options{"any will do": {}, "the same": {SHA256: first.SHA256, From: "not looked at"}} {
		if r := install(o); r.Module != first.Module {
			t.Errorf("%s: it was installed again", name)
		}
	}
	second := install(Options{From: from, Force: true})
	if second.Module == first.Module || !exists(first.Module) || exists(filepath.Join(into, "build-killed")) {
		t.Errorf("the one before is not kept, or what was left is: %q", builds(t, into))
	}
	third := install(Options{From: from, Force: true})
	if exists(first.Module) || !exists(second.Module) || !exists(third.Module) {
		t.Errorf("builds %q", builds(t, into))
	}
	write(t, third.Module, "broken")
	if r := install(Options{From: from}); r.Module == third.Module {
		t.Error("what is broken was not replaced")
	}
	write(t, filepath.Join(into, manifestName), `{"version": 9}`)
	install(Options{From: from})
}

// TestInstallTogether lets processes install at the same time, and kills one that is in
// the middle.
func TestInstallTogether(t *testing.T) {
	root := t.TempDir()
	into, from := filepath.Join(root, "into"), filepath.Join(root, "m")
	write(t, from, python("3.13.0"))
	server := newSlow(t)
	killed := child(into, server.URL)
	must(t, killed.Start())
	<-server.half // it holds the lock, and is half way
	must(t, killed.Process.Kill())
	_ = killed.Wait()
	if got := builds(t, into); len(got) != 1 {
		t.Fatalf("builds %q", got)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if out, err := child(into, from).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	r, err := Find(Places{Configured: into})
	must(t, err)
	if got := builds(t, into); len(got) != 2 || !slices.Contains(got, filepath.Base(filepath.Dir(r.Module))) {
		t.Errorf("builds %q", got)
	}
	again := child(into, server.URL)
	must(t, again.Start())
	<-server.half
	must(t, again.Process.Kill())
	_ = again.Wait()
	if after, err := Find(Places{Configured: into}); err != nil || after.Module != r.Module {
		t.Errorf("after a kill: %+v, %v", after, err)
	}
}

func child(into, from string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), installs+"="+into+"\n"+from)
	return cmd
}

// TestInstallWaitsForTheLock ends the wait by its context.
func TestInstallWaitsForTheLock(t *testing.T) {
	into := filepath.Join(t.TempDir(), "into")
	other, err := newInstallation(Options{Into: into})
	must(t, err)
	must(t, other.makeFolder())
	lock, err := other.lock(t.Context())
	must(t, err)
	defer func() { must(t, lock.Close()) }()
	errEnough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err = Install(ctx, Options{Into: into, From: "x", Progress: func(stage string, _, _ int64) {
		if stage != "waiting for another installation" {
			t.Errorf("stage %q", stage)
		}
		cancel(errEnough)
	}})
	if !errors.Is(err, errEnough) {
		t.Errorf("error %v", err)
	}
}

func TestDuringTellsSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []int64
		i := &installation{Options: Options{Progress: func(_ string, done, total int64) { told = append(told, done, total) }}}
		must(t, i.during("x", func() error {
			select {
			case <-t.Context().Done():
			case <-after(2500):
			}
			return nil
		}))
		if diff := cmp.Diff([]int64{0, 0, 1, 0, 2, 0}, told); diff != "" {
			t.Error(diff)
		}
	})
}
