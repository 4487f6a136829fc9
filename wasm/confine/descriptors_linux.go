package confine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// descriptors closes all but the standard ones, those to be kept, and those that Go's
// runtime waits with.
func descriptors(t *taking) error {
	if err := settleRuntime(); err != nil {
		return err
	}
	keep := slices.Concat([]int{0, 1, 2}, t.Keep)
	if t.Lifeline > 0 {
		keep = append(keep, t.Lifeline)
	}
	t.highest = slices.Max(keep)
	for _, fd := range keep {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
			return fmt.Errorf("descriptor %d, which is to be kept: %w", fd, err)
		}
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return absent(err.Error())
	}
	for _, entry := range open {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil {
			return err
		}
		switch {
		case slices.Contains(keep, fd):
		case ofRuntime(entry.Name()):
			t.highest = max(t.highest, fd)
		default: // the folder that was just read is closed already
			if err := unix.Close(fd); err != nil && !errors.Is(err, unix.EBADF) {
				return err
			}
		}
	}
	return nil
}

// ofRuntime reports whether a descriptor is one by which the runtime waits for others.
// One that was handed down is of no use to anybody.
func ofRuntime(fd string) bool {
	what, err := os.Readlink("/proc/self/fd/" + fd)
	return err == nil && (what == "anon_inode:[eventpoll]" || what == "anon_inode:[eventfd]")
}

// settleRuntime has the runtime open what it waits with, which it otherwise does when
// it first waits, and keeps it from looking up once more how many processors there
// are: it would read a descriptor that is closed by then.
func settleRuntime() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	return errors.Join(r.Close(), w.Close())
}
