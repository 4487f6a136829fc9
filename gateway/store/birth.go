package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	// applicationID marks our files (SQLite's file format, section 1.3.16): "TgSt".
	applicationID = 0x54675374

	// makingSuffix is that of the file whose lock is held by the process that makes a
	// store, or brings it to another version.
	makingSuffix = ".making"
	// makingWait is how long others wait for that, and makingPoll how often they look.
	makingWait = 3 * time.Second
	makingPoll = 10 * time.Millisecond
)

// header is what the first bytes of a file say of it (SQLite's file format,
// section 1.3). They are read as bytes, so that nothing is changed by looking.
type header struct {
	exists  bool
	folder  bool
	empty   bool
	sqlite  bool // it begins like a database
	text    bool // it begins like a text
	ours    bool
	blank   bool // it has no tables, and no program has marked it
	version int
	stale   bool // there are changes beside it that are to be put in, or taken back
}

// stale reports a log of changes that are not in the file yet, or a journal of some
// that were not completed.
func stale(path string) bool {
	for _, suffix := range []string{"-wal", "-journal"} {
		if log, err := os.Stat(path + suffix); err == nil && log.Size() > 0 {
			return true
		}
	}
	return false
}

func readHeader(path string) (h header, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return header{}, nil
	}
	if err != nil {
		return h, err
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err != nil || info.IsDir() {
		return header{exists: true, folder: true}, err
	}
	const magic, versionAt, applicationAt = "SQLite format 3\x00", 60, 68
	const kindAt, cellsAt, size, leaf = 100, 103, 105, 13 // of the list of tables, a page of a tree (section 1.6)
	head, err := io.ReadAll(io.LimitReader(file, size))
	if err != nil {
		return h, err
	}
	h = header{exists: true, stale: stale(path), empty: len(head) == 0, sqlite: len(head) == size && bytes.HasPrefix(head, []byte(magic))}
	if !h.sqlite {
		h.text = !h.empty && bytes.IndexByte(head, 0) < 0
		return h, nil
	}
	application := binary.BigEndian.Uint32(head[applicationAt:])
	h.ours = application == applicationID
	h.blank = application == 0 && head[kindAt] == leaf && binary.BigEndian.Uint16(head[cellsAt:]) == 0
	h.version = int(binary.BigEndian.Uint32(head[versionAt:]))
	return h, nil
}

// current reports a file that has the tables of this program.
func (h *header) current() bool { return h.ours && h.version == len(migrations()) }

// begun reports whether there is more than a file in which nothing was ever kept.
func (h *header) begun() bool { return h.exists && (h.stale || !h.empty && !h.blank) }

// create makes the folder and the files, so that their mode is ours and not that
// of the process's umask.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return err
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		file, err := os.OpenFile(path+suffix, os.O_CREATE|os.O_RDWR, fileMode)
		if err != nil {
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return nil
}

// alone waits until no other process makes the file. It is over when what it gives
// is closed.
func alone(ctx context.Context, path string) (io.Closer, error) {
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(path+makingSuffix, os.O_CREATE|os.O_RDWR, fileMode)
	if err != nil {
		return nil, err
	}
	if err := await(ctx, lock); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

func await(ctx context.Context, lock *os.File) error {
	for began := time.Now(); ; {
		err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
			continue
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return os.NewSyscallError("flock "+lock.Name(), err)
		case time.Since(began) > makingWait:
			return fmt.Errorf("another process makes it or changes its format, and has held %s for %v: it is tried again", lock.Name(), makingWait)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(makingPoll):
		}
	}
}
