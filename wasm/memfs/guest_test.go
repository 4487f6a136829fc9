package memfs_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/toolgate/toolgate/wasm/memfs"
	"github.com/toolgate/toolgate/wasm/python/cpython"
	"github.com/toolgate/toolgate/wasm/python/pythontest"
)

// TestGuest lets CPython work in a file system.
func TestGuest(t *testing.T) {
	installed := pythontest.Runtime(t)
	f := memfs.New(memfs.Options{Bytes: 8 << 20})
	for path, writable := range map[string]bool{"/out": true, "/tmp": true, "/packages": false} {
		if err := f.AddFolder(path, writable); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{"/files/in.csv": "a,b\n1,2\n3,4\n", "/packages/hello.py": "word = 'packaged'\n"} {
		if err := f.AddFile(path, []byte(text), false); err != nil {
			t.Fatal(err)
		}
	}
	f.Mark()
	start := guest(t, installed, f)
	want, err := os.ReadFile("testdata/guest.out")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second on what a Reset left
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(start(), "\n")); diff != "" {
			t.Error(diff)
		}
		files, left := f.Files("/out", memfs.Most{Files: 10, Bytes: 1 << 20})
		var names []string
		for _, file := range files {
			names = append(names, file.Name)
		}
		if diff := cmp.Diff("data.db last m2 renamed rows.csv", strings.Join(names, " ")); diff != "" || left != 0 {
			t.Errorf("%d left, %s", left, diff)
		}
		f.Reset()
		if files, _ := f.Files("/", memfs.Most{Files: 10, Bytes: 1 << 20}); len(files) != 2 {
			t.Errorf("%d files after a Reset, want 2", len(files))
		}
	}
}

// guest compiles the module, and returns what runs the script and gives its output.
func guest(t *testing.T, installed *cpython.Runtime, f *memfs.FS) func() string {
	t.Helper()
	code, err := installed.Load()
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/guest.py")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	cache, err := wazero.NewCompilationCacheWithDir(installed.Compiled)
	if err != nil {
		t.Fatal(err)
	}
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().WithDebugInfoEnabled(false).WithCompilationCache(cache))
	t.Cleanup(func() { _ = runtime.Close(ctx) })
	if _, err := wasi_snapshot_preview1.NewBuilder(runtime).Instantiate(f.Telling(ctx)); err != nil {
		t.Fatal(err)
	}
	compiled, err := runtime.CompileModule(experimental.WithCompilationWorkers(ctx, 2), code)
	if err != nil {
		t.Fatal(err)
	}
	return func() string {
		var out bytes.Buffer
		mount := wazero.NewFSConfig().(sysfs.FSConfig).WithSysFSMount(f, "/")
		instance, err := runtime.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithName("").
			WithArgs("python", "-B", "-c", string(script)).WithStdout(&out).WithStderr(&out).
			WithSysWalltime().WithSysNanotime().WithFSConfig(mount))
		if err != nil {
			t.Errorf("%v\n%s", err, &out)
		} else {
			_ = instance.Close(ctx)
		}
		return out.String()
	}
}
