package worker

import (
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolgate/toolgate/wasm/memfs"
	"github.com/toolgate/toolgate/wasm/python/packages"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

// Where the guest finds files.
const (
	given      = "/files"    // of its job, read-only
	results    = "/out"      // for what it gives back
	scratch    = "/tmp"      // for anything else
	importable = "/packages" // what can be imported beside the standard library, read-only
)

// tree makes the files of the guest's start, and says in its settings what it can
// import of them.
func tree(s Settings, start *driverSettings) (*memfs.FS, error) {
	files := memfs.New(memfs.Options{Bytes: s.Files})
	for _, folder := range []struct {
		name     string
		writable bool
	}{{given, false}, {importable, false}, {results, true}, {scratch, true}} {
		if err := files.AddFolder(folder.name, folder.writable); err != nil {
			return nil, err
		}
	}
	if err := addZones(files); err != nil {
		return nil, err
	}
	if len(s.Packages) > 0 {
		if err := addPackages(files, s.Packages, start); err != nil {
			return nil, err
		}
	}
	if s.Library != "" {
		return files, addLibrary(files, s.Library)
	}
	return files, nil
}

func addPackages(files *memfs.FS, paths []string, start *driverSettings) error {
	set, mistakes := packages.Load(paths, "")
	if len(mistakes) > 0 {
		return fmt.Errorf("the package %s: %w", paths[mistakes[0].Entry], mistakes[0])
	}
	start.Packages = map[string]string{}
	for _, p := range set.Packages {
		start.Packages[p.Name] = p.Version
		start.Modules = append(start.Modules, p.Modules...)
	}
	for _, f := range set.Files {
		if err := files.AddFile(path.Join(importable, f.Name), f.Data, false); err != nil {
			return fmt.Errorf("the packages' file %s: %w", f.Name, err)
		}
	}
	return nil
}

// addLibrary adds a standard library that is not in the module: a folder whose folder
// pythonX.Y has the modules. Builds look for it below the prefix that they were made
// for, which is /usr/local unless somebody chose another, and / for what stands beside them.
func addLibrary(files *memfs.FS, folder string) error {
	library := os.DirFS(folder)
	return fs.WalkDir(library, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(library, name)
		if err != nil {
			return fmt.Errorf("the standard library: %w", err)
		}
		for _, prefix := range []string{"/lib", "/usr/local/lib"} {
			if err := files.AddFile(path.Join(prefix, name), data, false); err != nil {
				return fmt.Errorf("the standard library's file %s: %w", name, err)
			}
		}
		return nil
	})
}

// fresh is how many random bytes a program finds in randomDevice: sqlite seeds itself
// there, and would take the time else.
const fresh, randomDevice = 1 << 10, "/dev/urandom"

// renew puts new random bytes where a program may look for them.
func (h *host) renew() error {
	bytes := make([]byte, fresh)
	_, _ = rand.Read(bytes) // it never fails
	return h.files.AddFile(randomDevice, bytes, false)
}

// collect adds to a reply what the program has left among its results, and says what it
// left out.
func (h *host) collect(r *wire.Reply) {
	l := h.job.Limits
	found, left := h.files.Files(results, memfs.Most{Files: l.Artifacts, Bytes: l.Bytes})
	for _, f := range found {
		if !fs.ValidPath(f.Name) || len(f.Name) > wire.MaxName || !visible(f.Name) {
			r.Notes = append(r.Notes, fmt.Sprintf("a file under /out was left out for its name %.100q", f.Name))
			continue
		}
		r.Artifacts = append(r.Artifacts, wire.File{Name: f.Name, Size: int64(len(f.Data)), Data: f.Data})
	}
	if left > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("files under /out were left out and are lost (%d): at most %d files with %d MiB together come back", left, l.Artifacts, l.Bytes>>20))
	}
}

// visible reports whether a name is text that shows what it is: it goes into lines and
// terminals.
func visible(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == '\\' })
}
