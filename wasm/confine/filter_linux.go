//go:build amd64 || arm64

package confine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An allowance is a system call that may be made, on all of its conditions.
type allowance struct {
	call uint32
	on   []condition
}

// A condition is that some bits of an argument are as they should be, or are not.
// The arguments that are looked at are those of which the kernel reads the lower 32
// bits, or has no flag above them.
type condition struct {
	argument uint32
	bits     uint32
	value    uint32
	not      bool
}

// all are the bits of an argument that is compared as a whole.
const all = ^uint32(0)

// thread is what a new thread has in common with the others: everything. ownSpaces
// are the flags of a new process's namespaces, which it may not have.
const (
	thread    = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD
	ownSpaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_PTRACE | unix.CLONE_PARENT
)

// allowed are the system calls of a confined process, the frequent ones first: what
// Go's runtime needs (and, for builds with cgo, the threads of the C library), and
// reading and writing what is open. None opens anything.
func allowed(t *taking) []allowance {
	self := uint32(os.Getpid())
	list := plainly(
		unix.SYS_FUTEX, unix.SYS_READ, unix.SYS_WRITE, unix.SYS_MADVISE, unix.SYS_MUNMAP, unix.SYS_NANOSLEEP,
		unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_PWAIT2, unix.SYS_EPOLL_CTL, unix.SYS_SCHED_YIELD, unix.SYS_CLOCK_GETTIME,
		unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_RT_SIGACTION, unix.SYS_RESTART_SYSCALL,
		unix.SYS_PREAD64, unix.SYS_PWRITE64, unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_FSTAT,
		unix.SYS_GETRANDOM, unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_GETRUSAGE, unix.SYS_SCHED_GETAFFINITY,
		unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETRES, unix.SYS_GETTIMEOFDAY, unix.SYS_MINCORE, unix.SYS_BRK,
		unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
	)
	list = append(list, plainly(olderCalls()...)...)
	return append(list,
		allowance{unix.SYS_MMAP, []condition{{argument: 2, bits: unix.PROT_EXEC}}},
		allowance{unix.SYS_MPROTECT, []condition{{argument: 2, bits: unix.PROT_EXEC}}},
		// The runtime interrupts its threads; nobody else is signalled.
		allowance{unix.SYS_TGKILL, []condition{{argument: 0, bits: all, value: self}}},
		allowance{unix.SYS_KILL, []condition{{argument: 0, bits: all, value: self}}},
		allowance{unix.SYS_CLONE, []condition{{argument: 0, bits: thread | ownSpaces, value: thread}}},
		// The lifeline stays as it is; descriptor 0 stands for none there, and is not closed.
		allowance{unix.SYS_CLOSE, []condition{{argument: 0, bits: all, value: uint32(t.Lifeline), not: true}}},
		allowance{unix.SYS_FCNTL, []condition{{argument: 1, bits: all, value: unix.F_GETFL}}},
		allowance{unix.SYS_FCNTL, []condition{{argument: 1, bits: all, value: unix.F_GETFD}}},
		allowance{unix.SYS_PRCTL, []condition{{argument: 0, bits: all, value: unix.PR_SET_VMA}}}, // names of mappings
	)
}

func plainly(calls ...uint32) []allowance {
	list := make([]allowance, len(calls))
	for i, call := range calls {
		list[i] = allowance{call: call}
	}
	return list
}

// filtered installs the filter in all threads, and tries it.
func filtered(t *taking) error {
	// No filter at all is a bad address where filters are known.
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, 0); errno != unix.EFAULT {
		return absentf("this kernel has no filters of system calls, or they are off: %v", errno)
	}
	code := program(allowed(t))
	filter := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	other, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&filter)))
	runtime.KeepAlive(&filter)
	switch {
	case errno != 0:
		return errno
	case other != 0:
		return fmt.Errorf("thread %d has a filter of its own", other)
	}
	return tried()
}

// tried proves that the filter is there: files cannot be opened.
func tried() error {
	fd, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.EPERM) {
		return nil
	}
	if err == nil {
		_ = unix.Close(fd) // it ends with the process
	}
	return fmt.Errorf("it is installed, and to open a folder says %v", err)
}
