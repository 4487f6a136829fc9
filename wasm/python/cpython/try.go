package cpython

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolgate/toolgate/wasm"
)

const (
	tryTime   = 2 * time.Minute // a run takes a fraction of a second
	tryMemory = 512 << 20       // bytes
	tryOutput = 64 << 10        // bytes
	wasi      = "wasi_snapshot_preview1."

	oldestMinor = 11 // of Python 3: the first that is made for WASI
)

// trial is the first program: it needs what the worker's own program needs of a build.
const trial = "import ast, gc, json, os, sys, traceback\nos.posix_fadvise\nprint(sys.version)"

// errNoPython ends the sentence about a module that is something else.
var errNoPython = errors.New("it is no interpreter that can be used")

// try compiles a module into the build, looks at what it needs and has, and runs a
// first program, which says of what version it is.
func (i *installation) try(ctx context.Context, module []byte, m *manifest) error {
	var compiled *wasm.Compiled
	err := i.during(fmt.Sprintf("compiling on %d processors", runtime.NumCPU()), func() (err error) {
		compiled, err = wasm.Compile(ctx, module, wasm.Options{Cache: filepath.Join(i.build, compiledName), Workers: runtime.NumCPU(), Memory: tryMemory})
		return err
	})
	if err != nil {
		return i.unfit(ctx, err)
	}
	defer func() { _ = compiled.Close(context.WithoutCancel(ctx)) }() // it frees memory, nothing else
	if err := suits(compiled); err != nil {
		return i.unfit(ctx, err)
	}
	var version string
	err = i.during("running a first program", func() (err error) {
		version, err = i.first(ctx, compiled)
		return err
	})
	if err != nil {
		return i.unfit(ctx, err)
	}
	m.Python = version
	m.Library, err = i.measureLibrary(version)
	return err
}

// unfit words why a module cannot be used, unless that is no fault of the module.
func (i *installation) unfit(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	return fmt.Errorf("%s: %w: %w", i.source(), errNoPython, err)
}

// suits is whether a module is a program of WASI preview 1.
func suits(c *wasm.Compiled) error {
	for _, name := range c.Imports() {
		if !strings.HasPrefix(name, wasi) {
			return fmt.Errorf("it needs %s of its host, and is given WASI preview 1", name)
		}
	}
	for _, name := range []string{"_start", "memory"} {
		if !slices.Contains(c.Exports(), name) {
			return fmt.Errorf("it does not export %s, as programs of WASI preview 1 do", name)
		}
	}
	return nil
}

// first runs the trial, and returns the version that it prints.
func (i *installation) first(ctx context.Context, c *wasm.Compiled) (string, error) {
	ctx, stop := context.WithTimeoutCause(ctx, tryTime, fmt.Errorf("a first program did not end in %s", tryTime))
	defer stop()
	run := wasm.Once{Args: []string{"/" + moduleName, "-c", trial}}
	if lib := filepath.Join(i.build, libraryName); exists(lib) {
		run.Folders = map[string]string{"/" + libraryName: lib}
	}
	out, talk := &tail{limit: tryOutput}, &tail{limit: tryOutput}
	run.Stdout, run.Stderr = out, talk
	exit, err := c.RunOnce(ctx, run)
	switch {
	case err != nil && ctx.Err() == nil:
		return "", fmt.Errorf("a first program failed: %w: %s", err, short(talk.String()))
	case err != nil:
		return "", err // what it wrote is still written to
	case exit != 0:
		return "", fmt.Errorf("a first program exited with %d: %s", exit, short(talk.String()))
	}
	return versionIn(out.String())
}

// versionIn reads the version at the beginning of sys.version.
func versionIn(text string) (string, error) {
	version, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if !pythonVersion.MatchString(version) {
		return "", fmt.Errorf("a first program said %q, which is no version of Python", short(text))
	}
	parts := strings.SplitN(version, ".", 3)
	if minor, err := strconv.Atoi(parts[1]); parts[0] != "3" || err != nil || minor < oldestMinor {
		return "", fmt.Errorf("it is Python %s, and 3.%d is the oldest that can be used", version, oldestMinor)
	}
	return version, nil
}

// measureLibrary checks that a library is that of the version.
func (i *installation) measureLibrary(version string) (*folderSize, error) {
	lib := filepath.Join(i.build, libraryName)
	if !exists(lib) {
		return nil, nil
	}
	parts := strings.SplitN(version, ".", 3)
	name := "python" + parts[0] + "." + parts[1]
	if !exists(filepath.Join(lib, name, "os.py")) {
		return nil, fmt.Errorf("%s: its module is of Python %s, and its library is not: there is no lib/%s/os.py", i.source(), version, name)
	}
	size, err := sizeOf(lib)
	return &size, err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
