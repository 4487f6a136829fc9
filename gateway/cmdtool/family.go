package cmdtool

import (
	"os"
	"sync"
	"syscall"
	"time"
)

// defaultGrace is how long a process that was asked to end may take to clean up.
const defaultGrace = 200 * time.Millisecond

// relative is a process that another one started.
type relative struct {
	pid   int
	began string // when, in the system's own terms: a number may be given again
}

// family ends a process together with what it started.
type family struct {
	grace time.Duration // between asking and killing

	mu    sync.Mutex // guards what follows
	timer *time.Timer
	known []relative // those that were found when the end began
}

// end ends the process, which must not have been waited for: at once, or by
// asking first. A process that is gone already counts as done.
func (f *family) end(pid int, ask bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known = descendants([]int{pid})
	if !ask {
		return f.kill(pid)
	}
	f.timer = time.AfterFunc(f.grace, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.timer != nil {
			_ = f.kill(pid)
		}
	})
	// The group comes first: told the other way round, the process could see its
	// children end and succeed before it is asked.
	err := signalGroup(pid, syscall.SIGTERM)
	for _, r := range f.known {
		r.signal(syscall.SIGTERM)
	}
	return err
}

// finish kills what is left when the process has been waited for.
func (f *family) finish(pid int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.timer != nil {
		f.timer.Stop()
		f.timer = nil
	}
	_ = f.kill(pid)
}

// kill kills the group and those known, with what they started since. It needs
// the mutex.
func (f *family) kill(pid int) error {
	roots := make([]int, 0, len(f.known))
	for _, r := range f.known {
		roots = append(roots, r.pid)
	}
	if len(roots) > 0 {
		f.known = append(f.known, descendants(roots)...)
	}
	err := signalGroup(pid, syscall.SIGKILL)
	for _, r := range f.known {
		r.signal(syscall.SIGKILL)
	}
	return err
}

// signalGroup signals a process group; one that is gone already counts as done.
func signalGroup(pid int, s syscall.Signal) error {
	if err := syscall.Kill(-pid, s); err != nil {
		return os.ErrProcessDone
	}
	return nil
}
