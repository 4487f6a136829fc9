package confine

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// EndWith has the kernel kill this process when the last writing end of a pipe is
// closed, whose reading end is fd: that is, when the process that holds it ends, in
// whatever way. Nothing may be written to the pipe. It takes effect even while code
// runs that never comes back to Go's scheduler, and, unlike a parent-death signal, it
// does not mistake the end of one thread of that process for the end of it. A pipe
// whose other end is closed already is an [ErrEnded].
func EndWith(fd int) error {
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETSIG, int(unix.SIGKILL)); err != nil {
		return fmt.Errorf("the lifeline, descriptor %d: %w", fd, err)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETOWN, os.Getpid()); err != nil {
		return fmt.Errorf("the lifeline, descriptor %d: %w", fd, err)
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags|unix.O_ASYNC)
	}
	if err != nil {
		return fmt.Errorf("the lifeline, descriptor %d: %w", fd, err)
	}
	return stillThere(fd)
}

// stillThere looks whether the pipe was closed before anybody was to be told.
func stillThere(fd int) error {
	ends := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(ends, 0)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return fmt.Errorf("the lifeline, descriptor %d: %w", fd, err)
		case ends[0].Revents != 0:
			return ErrEnded
		default:
			return nil
		}
	}
}

// lifeline makes sure of what [EndWith] was to do; the filter keeps it so.
func lifeline(t *taking) error {
	if t.Lifeline <= 0 {
		return absent("no lifeline was given")
	}
	return EndWith(t.Lifeline)
}
