package cpython

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// mayWrite is W_OK of access(2).
const mayWrite = 2

// othersWrite are the permissions that let others change a file.
const othersWrite = 0o022

// placeOfCode chooses the folder of compiled code for a build; Runtime.Compiled says
// how. Code that others could have changed is an error: it would be run outside of the
// sandbox, as this user.
func placeOfCode(build, cache, hash string) (string, error) {
	compiled := filepath.Join(build, compiledName)
	for _, folder := range []string{filepath.Dir(build), build} {
		if err := ownFolder(folder); err != nil {
			return "", err
		}
	}
	there, err := ownTree(compiled)
	if err != nil {
		return "", err
	}
	if canAdd(build, compiled, there) {
		return compiled, nil
	}
	if cache != "" {
		own := filepath.Join(cache, "toolgate", compiledName, hash[:24])
		if linked(own, compiled) == nil {
			if _, err := ownTree(own); err != nil {
				return "", err
			}
			return own, nil
		}
	}
	if there {
		return compiled, nil
	}
	return "", nil
}

// ownFolder is an error when somebody else could exchange what is in a folder.
func ownFolder(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return notThere(path, err)
	}
	return own(path, info)
}

// ownTree checks a folder of compiled code with all that is in it, and tells whether it is
// there. A link is as good as who made it: it leads to a file that was checked.
func ownTree(folder string) (there bool, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		there = true
		if path == folder && !info.IsDir() {
			return fmt.Errorf("%s is no folder", path)
		}
		return own(path, info)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return there, nil // it, or a file that another process has taken away meanwhile
	}
	return there, err
}

// own is an error when a file is another user's, the administrator apart, or others may
// write to it.
func own(path string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("%s: its owner is not to be known", path)
	}
	if stat.Uid != 0 && int64(stat.Uid) != int64(os.Geteuid()) {
		return fmt.Errorf("%s belongs to user %d, and this is user %d: code from there would be run as this user", path, stat.Uid, os.Geteuid())
	}
	if mode := info.Mode(); mode&fs.ModeSymlink == 0 && mode.Perm()&othersWrite != 0 {
		return fmt.Errorf("%s may be written by others (mode %04o): code from there would be run as this user; run: chmod -R go-w %s", path, mode.Perm(), path)
	}
	return nil
}

// canAdd reports whether this process can put code into the build's folder.
func canAdd(build, compiled string, there bool) bool {
	if !there {
		return syscall.Access(build, mayWrite) == nil
	}
	entries, err := os.ReadDir(compiled)
	if err != nil || syscall.Access(compiled, mayWrite) != nil {
		return false
	}
	for _, e := range entries {
		if e.IsDir() && syscall.Access(filepath.Join(compiled, e.Name()), mayWrite) != nil {
			return false
		}
	}
	return true
}

// linked makes a folder of the user's own with a link for every file of compiled code that
// a build has. So code for this processor is taken from there, and what is missing is
// compiled and kept beside it.
func linked(own, compiled string) error {
	if err := os.MkdirAll(own, 0o700); err != nil {
		return err
	}
	engines, err := os.ReadDir(compiled)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, engine := range engines {
		if err := linkFiles(filepath.Join(own, engine.Name()), filepath.Join(compiled, engine.Name())); err != nil {
			return err
		}
	}
	return nil
}

func linkFiles(own, folder string) error {
	if err := os.MkdirAll(own, 0o700); err != nil {
		return err
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, file := range files {
		err := os.Symlink(filepath.Join(folder, file.Name()), filepath.Join(own, file.Name()))
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// notThere words the error of a file that has to be there, so that it is not taken for
// an interpreter that was never installed.
func notThere(path string, err error) error {
	if isAbsent(err) {
		return fmt.Errorf("%s is not there", path)
	}
	return err
}
