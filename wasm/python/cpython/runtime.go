package cpython

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path/filepath"
)

const (
	moduleName   = "python.wasm"
	libraryName  = "lib"
	compiledName = "compiled"

	maxLibraryFiles = 20_000
	maxLibrary      = 512 << 20 // bytes
)

// Runtime is an interpreter that is installed.
type Runtime struct {
	// Folder is where it is installed.
	Folder string
	// Module is the path of the module, as [wasm.Prepare] makes it.
	Module string
	// Library is the folder that belongs at /lib of the interpreter's file system,
	// in which python3.X is; empty when the module brings its own.
	Library string
	// Version is that of Python, as in "3.12.0".
	Version string
	// SHA256 is the hash of the module as it came, in hexadecimal digits.
	SHA256 string
	// Source says where it is from: npm's name for it, or a path or an address.
	Source string
	// Optimized is that the module went through wasm-opt.
	Optimized bool
	// Compiled is the folder for wasm.Options.Cache. It is that of the build where
	// this process may write there; else one in the user's cache, in which the
	// build's code is linked; else the build's, to be read only. It is empty where
	// there is none of these. Nobody else can change what is in it.
	Compiled string

	hash string // of the stripped module
	size int64
}

// newRuntime is the build that a manifest names, unchecked.
func newRuntime(folder string, m *manifest) *Runtime {
	build := filepath.Join(folder, m.Build)
	r := &Runtime{
		Folder: folder, Module: filepath.Join(build, moduleName), Version: m.Python,
		SHA256: m.SHA256, Source: m.Source, Optimized: m.Optimized, hash: m.Module.SHA256, size: m.Module.Size,
	}
	if m.Library != nil {
		r.Library = filepath.Join(build, libraryName)
	}
	return r
}

// Load reads the module and checks that it is what was installed: about 10 ms for the
// 13 MB of CPython 3.12.
func (r *Runtime) Load() ([]byte, error) {
	module, err := readBounded(r.Module, MaxModule)
	switch {
	case isAbsent(err):
		return nil, fmt.Errorf("%s is not there", r.Module)
	case err != nil:
		return nil, err
	case int64(len(module)) != r.size:
		return nil, fmt.Errorf("%s has %d bytes, not the %d that were installed", r.Module, len(module), r.size)
	}
	if sum := sha256.Sum256(module); hex.EncodeToString(sum[:]) != r.hash {
		return nil, fmt.Errorf("%s was changed since it was installed: its SHA-256 is %x, not %s", r.Module, sum, r.hash)
	}
	return module, nil
}

// checkLibrary is whether as many files of the library are there as were installed,
// with as many bytes.
func (r *Runtime) checkLibrary(want *folderSize) error {
	if want == nil {
		return nil
	}
	got, err := sizeOf(r.Library)
	switch {
	case isAbsent(err):
		return fmt.Errorf("%s is not there", r.Library)
	case err != nil:
		return err
	case got != *want:
		return fmt.Errorf("%s has %d files with %d bytes, not the %d with %d that were installed", r.Library, got.Files, got.Size, want.Files, want.Size)
	}
	return nil
}

// sizeOf adds up the regular files of a folder.
func sizeOf(folder string) (folderSize, error) {
	var sum folderSize
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is no regular file", path)
		}
		sum.Files++
		sum.Size += info.Size()
		if sum.Files > maxLibraryFiles {
			return fmt.Errorf("%s has more than %d files", folder, maxLibraryFiles)
		}
		return nil
	})
	return sum, err
}
