package config

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// files is where configuration files are found.
type files interface {
	// read returns at most one byte more than a file may have. It refuses what
	// could keep it waiting, but for the streams that a shell hands over.
	read(path string) ([]byte, error)
	// identify names a file, so that two paths to it are known as one. It
	// refuses what is no ordinary file.
	identify(path string) (string, error)
	// glob returns the paths that a pattern of filepath.Match finds, without
	// those of folders, pipes and devices.
	glob(pattern string) ([]string, error)
}

// disk is the file system.
type disk struct{}

func (disk) read(path string) ([]byte, error) {
	// Asked before it is opened: opening a pipe waits for its other end.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() && !isStream(path):
		return nil, errNoFile
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxFileSize+1))
}

// stream is a path under which a process finds what was opened for it: standard
// input, or the pipe of a shell's process substitution.
var stream = regexp.MustCompile(`^/dev/(stdin|fd/[0-9]+)$`)

func isStream(path string) bool { return stream.MatchString(filepath.Clean(path)) }

var errNoFile = errors.New("it is a folder, a pipe or a device, not a file")

func (disk) identify(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errNoFile
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

func (disk) glob(pattern string) ([]string, error) {
	found, err := globWithin(pattern, maxLookedAt)
	return slices.DeleteFunc(found, func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && !info.Mode().IsRegular()
	}), err
}

// single is one file that was read already, with nothing around it.
type single struct {
	name string
	data []byte
}

var errAlone = errors.New("this file is read alone")

func (s single) read(path string) ([]byte, error) {
	if path != s.name {
		return nil, fs.ErrNotExist
	}
	return s.data, nil
}

func (s single) identify(path string) (string, error) {
	if path != s.name {
		return "", errAlone
	}
	return path, nil
}

func (single) glob(string) ([]string, error) { return nil, errAlone }
