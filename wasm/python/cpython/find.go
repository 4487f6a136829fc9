package cpython

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
)

// ErrNotInstalled is that no interpreter is in any of the places.
var ErrNotInstalled = errors.New("no Python interpreter is installed")

// Places are where an interpreter may be. The first that has one is taken.
type Places struct {
	// Configured is the only place, when it is set.
	Configured string
	// Beside is the folder of the program: an image has the interpreter in the
	// folder python there. Empty is no such place.
	Beside string
	// Cache is the user's folder of caches, in which it is toolgate/python. Empty is
	// that there is none: neither HOME nor XDG_CACHE_HOME is set.
	Cache string
}

// Default is where an interpreter is installed when nothing else is said, or "" when
// the user has no folder of caches.
func (p Places) Default() string {
	switch {
	case p.Configured != "":
		return p.Configured
	case p.Cache != "":
		return filepath.Join(p.Cache, "toolgate", "python")
	}
	return ""
}

func (p Places) folders() []string {
	if p.Configured != "" {
		return []string{p.Configured}
	}
	var folders []string
	if p.Beside != "" {
		folders = append(folders, filepath.Join(p.Beside, "python"))
	}
	if p.Cache != "" {
		folders = append(folders, p.Default())
	}
	return folders
}

// Find returns the interpreter that is installed, checked: it is whole, and nobody
// else can change what is run of it. That takes tens of milliseconds, so a program does
// it once. The error is ErrNotInstalled when there is none, and its text says what to
// run; a damaged one is another error, and no reason to look further.
func Find(p Places) (*Runtime, error) {
	for _, folder := range p.folders() {
		r, err := open(folder, p.Cache)
		if isAbsent(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("the Python interpreter in %s cannot be used: %w (%s)", folder, err, p.advice(folder))
		}
		return r, nil
	}
	return nil, p.absent()
}

// isAbsent reports whether an error is that there is no file, or none could be: a
// folder python beside the program may well be a program of that name.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func (p Places) absent() error {
	switch {
	case p.Configured != "":
		return fmt.Errorf("%w in %s (run: gateway python install --into %s)", ErrNotInstalled, p.Configured, p.Configured)
	case p.Cache == "":
		return fmt.Errorf("%w, and there is no folder of caches to look in (set HOME or XDG_CACHE_HOME and run: gateway python install; or name a folder with --into, and in code_interpreter.runtime)", ErrNotInstalled)
	}
	return fmt.Errorf("%w (run: gateway python install)", ErrNotInstalled)
}

// advice is what to do about a folder that is damaged.
func (p Places) advice(folder string) string {
	if p.Configured == "" && folder == p.Default() {
		return "run: gateway python install --force"
	}
	return fmt.Sprintf("run: gateway python install --force --into %s", folder)
}

// open checks the interpreter of one folder. A folder without a runtime.json is
// fs.ErrNotExist; nothing else is.
func open(folder, cache string) (*Runtime, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	m, err := readManifest(folder)
	if err != nil {
		return nil, err
	}
	r := newRuntime(folder, m)
	if _, err := r.Load(); err != nil {
		return nil, err
	}
	if err := r.checkLibrary(m.Library); err != nil {
		return nil, err
	}
	r.Compiled, err = placeOfCode(filepath.Join(folder, m.Build), cache, m.Module.SHA256)
	if err != nil {
		return nil, err
	}
	return r, nil
}
