package runlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// segment is one file of a journal, locked while it is written and while a call
// has started in it that has not ended: to whoever reads it, such a call still
// runs.
type segment struct {
	*os.File
	path string // where it is found; its Name is what it was made under
	open int    // calls that have started in it and not ended
	left bool   // another one is written
}

// create makes the folder and in it the next file of this journal, which belongs
// to no other process. It gets its name when it is locked: before, it would count
// as one whose process is gone, and a Shipper might remove it.
func (j *Journal) create() (*segment, error) {
	if err := os.MkdirAll(j.dir, dirMode); err != nil {
		return nil, err
	}
	path := filepath.Join(j.dir, fmt.Sprintf("%s-%06d%s", j.name, j.number, fileSuffix))
	file, err := os.OpenFile(path+newSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, fileMode)
	if err != nil {
		return nil, err
	}
	j.number++
	err = lock(file, syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	return &segment{File: file, path: path}, nil
}

// named puts the file's own name into an error.
func (s *segment) named(err error) error {
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		failed.Path = s.path
	}
	return err
}

// ready makes sure of a file with a name and with room, and gives its size. What
// is written to a file that somebody removed is lost when the process ends.
func (j *Journal) ready() (size int64, err error) {
	var stat syscall.Stat_t
	if err := syscall.Fstat(int(j.file.Fd()), &stat); err != nil {
		return 0, os.NewSyscallError("fstat "+j.file.path, err)
	}
	full := stat.Size >= int64(j.opts.MaxFile) && !j.torn
	if stat.Nlink > 0 && !full {
		return stat.Size, nil
	}
	next, err := j.create()
	if err != nil {
		if full && stat.Nlink > 0 {
			return stat.Size, nil // rather a large file than a lost record
		}
		return 0, err
	}
	j.leave(j.file)
	j.file, j.torn, j.used = next, false, false
	return 0, nil
}

// leave closes a file that is written no more, or leaves that to the last call
// that has started in it.
func (j *Journal) leave(s *segment) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s.left = true
	if s.open == 0 {
		_ = s.Close() // all that was written is written
	}
}

// leaveAll closes the files before the current one.
func (j *Journal) leaveAll() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var errs []error
	for _, s := range j.began {
		if s.left && s.open > 0 {
			s.open = 0
			errs = append(errs, s.Close())
		}
	}
	clear(j.began)
	return errors.Join(errs...)
}

// count notes that calls have started in the current file.
func (j *Journal) count(starts int) {
	if starts == 0 {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.file.open += starts
}

// begin notes where a call has started.
func (j *Journal) begin(id string, at *segment) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if before := j.began[id]; before != nil {
		before.end() // one that has the same identifier counts once
	}
	j.began[id] = at
}

// end notes that a call has ended, wherever it had started.
func (j *Journal) end(id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if at := j.began[id]; at != nil {
		delete(j.began, id)
		at.end()
	}
}

// end counts one call less.
func (s *segment) end() {
	if s.open--; s.open == 0 && s.left {
		_ = s.Close()
	}
}
