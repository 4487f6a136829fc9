package runlog

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// opened is a journal that is open for reading. What is removed meanwhile can
// still be read.
type opened struct {
	name string // of the file, without its folder
	file interface {
		io.ReaderAt
		io.Closer
	}
	live bool // its process lived, and might write more, when it was opened
}

// openAll opens the journals of a folder in the order they were begun, as far as
// they can be opened; failed says which cannot, and why. A folder that does not
// exist holds none.
//
// Whether a process lives is asked before its files are looked for again: where
// one counts as dead, everything it wrote lies in what is returned.
func openAll(dir string) (all []opened, failed []error) {
	known := map[string]bool{}
	for range 2 {
		names, err := journalNames(dir)
		if err != nil {
			return all, append(failed, err)
		}
		for _, name := range names {
			if known[name] {
				continue
			}
			known[name] = true
			o, err := openOne(dir, name)
			if errors.Is(err, fs.ErrNotExist) {
				continue // closed without a record, or delivered, and removed
			}
			if err != nil {
				failed = append(failed, err)
				continue
			}
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b opened) int { return strings.Compare(a.name, b.name) })
	return all, failed
}

func journalNames(dir string) ([]string, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, f := range files {
		if strings.HasSuffix(f.Name(), fileSuffix) && f.Type().IsRegular() { // a pipe of that name would be waited for without end
			names = append(names, f.Name())
		}
	}
	return names, err
}

func openOne(dir, name string) (opened, error) {
	file, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return opened{}, err
	}
	live, err := owned(file)
	if err != nil {
		return opened{}, errors.Join(err, file.Close())
	}
	return opened{name: name, file: file, live: live}, nil
}

// endsBefore reports whether the file ends before a place: somebody has cut it.
func (o *opened) endsBefore(place int64) bool {
	if place == 0 {
		return false
	}
	_, err := o.file.ReadAt(make([]byte, 1), place-1)
	return errors.Is(err, io.EOF)
}

func closeAll(all []opened) {
	for _, o := range all {
		_ = o.file.Close() // it was only read
	}
}

// owned reports whether the process that writes the file lives.
func owned(file *os.File) (bool, error) {
	err := lock(file, syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, lock(file, syscall.LOCK_UN)
}
