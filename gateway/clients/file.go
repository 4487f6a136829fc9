package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// maxFile is the most bytes of a client's file.
const maxFile = 16 << 20

// Modes of what is made where nothing was. A client's file may hold credentials of
// other servers.
const (
	newFileMode   = 0o600
	newFolderMode = 0o700
)

// Written is what became of a client's file.
type Written struct {
	File    string // as it was named
	Changed bool   // false where the entry was there already
	// Replaced is what became of the entry that was there; nil where none was.
	Replaced *Change
	Backup   string // the copy of what was there before; empty where nothing was or nothing changed
}

// Write merges the server into the file. What was there is kept in a copy beside
// it, and the file is replaced as a whole, or not at all. A link stays one. Folders
// are made for the client's usual file only.
func (s *Setup) Write(file string) (Written, error) {
	done := Written{File: file}
	target := file
	if real, err := filepath.EvalSymlinks(file); err == nil {
		target = real
	}
	text, mode, err := read(target)
	if err != nil {
		return done, err
	}
	merged, replaced, err := s.Merge(text)
	if err != nil || bytes.Equal(merged, text) {
		return done, err
	}
	if err := s.folder(file, target); err != nil {
		return done, err
	}
	if text != nil {
		done.Backup = fmt.Sprintf("%s.%s.bak", target, time.Now().UTC().Format("20060102T150405.000"))
		if err := create(done.Backup, text, mode); err != nil {
			return done, err
		}
	}
	if err := replace(target, text, merged, mode); err != nil {
		return done, err
	}
	done.Changed, done.Replaced = true, replaced
	return done, nil
}

// folder makes the folder of the client's own file where there is none. That of
// another file has to be there: it may be misspelt.
func (s *Setup) folder(file, target string) error {
	dir := filepath.Dir(target)
	if s.usual != "" && file == s.usual {
		return os.MkdirAll(dir, newFolderMode)
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s (make it, or name a file in another one with --file)", dir)
	}
	return nil
}

// read reads a file that need not be there; text is nil then.
func read(file string) (text []byte, mode fs.FileMode, err error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, newFileMode, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, errors.New("it is no file")
	}
	text, err = io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	if text == nil {
		text = []byte{}
	}
	return text, info.Mode().Perm(), err
}

// create writes a file that must not be there yet. One that could not be written
// whole is taken away again.
func create(file string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	return nil
}

// replace puts a new file in the place of one that still holds what was read.
func replace(file string, was, now []byte, mode fs.FileMode) error {
	fresh := fmt.Sprintf("%s.%d.new", file, os.Getpid())
	if err := create(fresh, now, mode); err != nil {
		return err
	}
	err := os.Chmod(fresh, mode) // whatever the umask
	if err == nil {
		err = unchanged(file, was)
	}
	if err == nil {
		err = os.Rename(fresh, file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	return nil
}

func unchanged(file string, was []byte) error {
	text, _, err := read(file)
	if err == nil && (!bytes.Equal(text, was) || (text == nil) != (was == nil)) {
		err = errors.New("another program has just changed it; try again")
	}
	return err
}
