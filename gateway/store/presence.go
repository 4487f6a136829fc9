package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// presenceFile is what servers lock together, in the folder of journals.
const presenceFile = "serving"

// Presence says to other servers that one uses a store, for as long as its process
// lives. It is safe for concurrent use. The lock is one of fcntl(2): it belongs to
// the process, in which there is one Presence for a folder.
type Presence struct {
	path string

	mu     sync.Mutex // guards what follows
	file   *os.File   // nil where none is locked
	closed bool
}

// Announce begins to say so in the folder of journals, which is made where it is
// missing (mode 0700). What fails is tried again by [Presence.Others].
func Announce(dir string) *Presence {
	p := &Presence{path: filepath.Join(dir, presenceFile)}
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.lock()
	return p
}

// Others reports whether the process of another server lives that uses the store
// now. The error says why that cannot be told.
func (p *Presence) Others() (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.lock(); err != nil {
		return false, err
	}
	question := syscall.Flock_t{Type: syscall.F_WRLCK} // the whole file
	if err := syscall.FcntlFlock(p.file.Fd(), syscall.F_GETLK, &question); err != nil {
		return false, os.NewSyscallError("fcntl "+p.path, err)
	}
	return question.Type != syscall.F_UNLCK, nil
}

// lock locks the file that is at the path now, beside the locks of others; mu is
// held.
func (p *Presence) lock() error {
	if p.closed {
		return fs.ErrClosed
	}
	if p.file != nil {
		own, ownErr := p.file.Stat()
		now, nowErr := os.Stat(p.path)
		if ownErr == nil && nowErr == nil && os.SameFile(own, now) {
			return nil
		}
		_ = p.file.Close() // somebody removed it
		p.file = nil
	}
	if err := os.MkdirAll(filepath.Dir(p.path), dirMode); err != nil {
		return err
	}
	file, err := os.OpenFile(p.path, os.O_CREATE|os.O_RDWR, fileMode)
	if err != nil {
		return err
	}
	here := syscall.Flock_t{Type: syscall.F_RDLCK}
	if err := syscall.FcntlFlock(file.Fd(), syscall.F_SETLK, &here); err != nil {
		return errors.Join(os.NewSyscallError("fcntl "+p.path, err), file.Close())
	}
	p.file = file
	return nil
}

// Close ends it. Closing again does nothing, nor does closing nil.
func (p *Presence) Close() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.file == nil {
		return nil
	}
	file := p.file
	p.file = nil
	return file.Close()
}
