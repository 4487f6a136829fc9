package confine

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An attempt is something that a process that was broken into could try.
type attempt struct {
	name string
	try  func(job) error
	// want is what it comes to, and open what it comes to where there is no filter of
	// system calls, nil where it is not asked, as it would go through.
	want, open error
}

// raw makes a system call.
func raw(trap uintptr, args ...uintptr) func(job) error {
	return func(job) error { return rawly(trap, args...) }
}

func rawly(trap uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, errno := unix.Syscall6(trap, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

func opening(path string, flags int) func(job) error {
	return func(job) error {
		_, err := unix.Open(path, flags, 0o600)
		return err
	}
}

// path makes a system call with one path and numbers.
func path(trap uintptr, before []uintptr, name string, after ...uintptr) func(job) error {
	return func(job) error {
		b, err := unix.BytePtrFromString(name)
		if err != nil {
			return err
		}
		var a [6]uintptr
		n := copy(a[:], before)
		copy(a[n+1:], after)
		switch n {
		case 0:
			_, _, errno := unix.Syscall6(trap, uintptr(unsafe.Pointer(b)), a[1], a[2], a[3], a[4], a[5])
			return failed(errno)
		default:
			_, _, errno := unix.Syscall6(trap, a[0], uintptr(unsafe.Pointer(b)), a[2], a[3], a[4], a[5])
			return failed(errno)
		}
	}
}

func failed(errno unix.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}

const here = ^uintptr(99) // AT_FDCWD, -100

func attempts() []attempt {
	const no = unix.EPERM
	return []attempt{
		// Files.
		{"read a file", opening("/etc/passwd", unix.O_RDONLY), no, unix.EACCES},
		{"write a file", opening("/tmp/confined", unix.O_WRONLY|unix.O_CREAT), no, unix.EACCES},
		{"look at a folder", opening("/", unix.O_PATH), no, nil},
		{"its own environment", opening("/proc/self/environ", unix.O_RDONLY), no, unix.EACCES},
		{"its own memory", opening("/proc/self/mem", unix.O_RDWR), no, unix.EACCES},
		{"an unnamed file", opening("/tmp", unix.O_TMPFILE|unix.O_RDWR), no, unix.EACCES},
		{"openat2", path(unix.SYS_OPENAT2, []uintptr{here}, "/etc/passwd", 0, 24), no, unix.EFAULT},
		{"whether a file is there", path(unix.SYS_FACCESSAT, []uintptr{here}, "/etc/passwd", 0), no, nil},
		{"what a file is", path(unix.SYS_STATX, []uintptr{here}, "/etc/passwd", 0, 0), no, nil},
		{"make a folder", path(unix.SYS_MKDIRAT, []uintptr{here}, "/tmp/confined", 0o700), no, unix.EACCES},
		{"remove a file", path(unix.SYS_UNLINKAT, []uintptr{here}, "/tmp/confined", 0), no, nil},
		{"make a pipe with a name", path(unix.SYS_MKNODAT, []uintptr{here}, "/tmp/confined", unix.S_IFIFO|0o600), no, unix.EACCES},
		{"another folder", path(unix.SYS_CHDIR, nil, "/tmp"), no, nil},
		{"another root", path(unix.SYS_CHROOT, nil, "/tmp"), no, unix.EPERM},
		{"mount", raw(unix.SYS_MOUNT), no, nil},
		{"the parent's descriptors", func(j job) error {
			_, err := os.ReadDir("/proc/" + strconv.Itoa(j.Parent) + "/fd")
			return cause(err)
		}, no, unix.EACCES},
		{"a file by its handle", raw(unix.SYS_OPEN_BY_HANDLE_AT), no, nil},
		{"a file that grows", func(job) error { return unix.Ftruncate(areaFD, 2*areaSize) }, no, unix.EFBIG},
		{"write beyond the limit", func(job) error {
			_, err := unix.Pwrite(areaFD, []byte("x"), areaSize)
			return err
		}, unix.EFBIG, unix.EFBIG},

		// Descriptors.
		{"the descriptor that was left open", func(job) error {
			_, err := unix.Read(strayFD, make([]byte, 1))
			return err
		}, unix.EBADF, unix.EBADF},
		{"close the lifeline", raw(unix.SYS_CLOSE, lifelineFD), no, nil},
		{"put another over the lifeline", raw(unix.SYS_DUP3, 0, lifelineFD, 0), no, nil},
		{"close a range", raw(unix.SYS_CLOSE_RANGE, lifelineFD, lifelineFD, 0), no, nil},
		{"tell the lifeline not to signal", func(job) error {
			_, err := unix.FcntlInt(lifelineFD, unix.F_SETFL, 0)
			return err
		}, no, nil},
		{"tell the lifeline to signal another", func(j job) error {
			_, err := unix.FcntlInt(lifelineFD, unix.F_SETOWN, j.Parent)
			return err
		}, no, nil},
		{"one more of a descriptor", raw(unix.SYS_DUP, 0), no, nil},
		{"a pipe", func(job) error { return unix.Pipe2(make([]int, 2), 0) }, no, nil},
		{"a memfd", func(job) error { _, err := unix.MemfdCreate("x", 0); return err }, no, nil},
		{"ioctl", raw(unix.SYS_IOCTL, 0, unix.TIOCSTI, 0), no, nil},

		// The network.
		{"a socket", func(job) error { _, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0); return err }, no, nil},
		{"a local socket", func(job) error { _, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err }, no, nil},
		{"two sockets", func(job) error { _, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err }, no, nil},
		{"connect", raw(unix.SYS_CONNECT, 0, 0, 0), no, nil},
		{"bind", raw(unix.SYS_BIND, 0, 0, 0), no, nil},
		{"send", raw(unix.SYS_SENDTO, 0, 0, 0), no, nil},
		{"receive a descriptor", raw(unix.SYS_RECVMSG, 0, 0, 0), no, nil},

		// Other processes.
		{"execute", func(job) error { return unix.Exec("/bin/true", []string{"true"}, nil) }, no, unix.EACCES},
		{"execute what is open", raw(unix.SYS_EXECVEAT, areaFD, 0, 0, 0, unix.AT_EMPTY_PATH), no, nil},
		{"fork", func(job) error { return forked(uintptr(unix.SIGCHLD)) }, no, nil},
		{"fork, sharing memory", func(job) error { return forked(unix.CLONE_VM | uintptr(unix.SIGCHLD)) }, no, nil},
		{"a thread in spaces of its own", func(job) error { return forked(thread | unix.CLONE_NEWUSER) }, no, unix.EINVAL},
		{"clone3", raw(unix.SYS_CLONE3), unix.ENOSYS, nil},
		{"kill the parent", func(j job) error { return unix.Kill(j.Parent, 0) }, no, unix.EPERM},
		{"kill the group", func(job) error { return unix.Kill(0, 0) }, no, nil},
		{"kill everybody", func(job) error { return unix.Kill(-1, 0) }, no, nil},
		{"kill the parent's thread", func(j job) error { return unix.Tgkill(j.Parent, j.Parent, 0) }, no, unix.EPERM},
		{"kill a thread of anybody", func(j job) error { return rawly(unix.SYS_TKILL, uintptr(j.Parent), 0) }, no, unix.EPERM},
		{"queue a signal", func(j job) error { return rawly(unix.SYS_RT_SIGQUEUEINFO, uintptr(j.Parent), 0, 0) }, no, nil},
		{"trace the parent", func(j job) error { return unix.PtraceAttach(j.Parent) }, no, unix.EPERM},
		{"read the parent", func(j job) error { return rawly(unix.SYS_PROCESS_VM_READV, uintptr(j.Parent)) }, no, nil},
		{"write the parent", func(j job) error { return rawly(unix.SYS_PROCESS_VM_WRITEV, uintptr(j.Parent)) }, no, nil},
		{"hold the parent", func(j job) error { return rawly(unix.SYS_PIDFD_OPEN, uintptr(j.Parent), 0) }, no, nil},
		{"a descriptor of the parent", raw(unix.SYS_PIDFD_GETFD, 0, 0, 0), no, nil},
		{"limits of the parent", func(j job) error {
			return unix.Prlimit(j.Parent, unix.RLIMIT_CPU, nil, &unix.Rlimit{})
		}, no, nil},
		{"priority of the parent", func(j job) error { return unix.Setpriority(unix.PRIO_PROCESS, j.Parent, 19) }, no, nil},

		// Its own powers.
		{"user 0", raw(unix.SYS_SETRESUID, 0, 0, 0), no, unix.EPERM},
		{"group 0", raw(unix.SYS_SETRESGID, 0, 0, 0), no, unix.EPERM},
		{"other groups", raw(unix.SYS_SETGROUPS, 0, 0), no, unix.EPERM},
		{"capabilities", raw(unix.SYS_CAPSET, 0, 0), no, nil},
		{"more descriptors", func(job) error {
			return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 1024, Max: 1024})
		}, no, unix.EPERM},
		{"more address space", func(job) error {
			return unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY})
		}, no, unix.EPERM},
		{"to be dumped", func(job) error { return unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) }, no, nil},
		{"new namespaces", raw(unix.SYS_UNSHARE, unix.CLONE_NEWUSER), no, nil},
		{"the namespaces of others", raw(unix.SYS_SETNS, 0, 0), no, nil},
		{"personality", raw(unix.SYS_PERSONALITY, 0x0400000), no, nil},
		{"another filter", raw(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, 0), no, nil},

		// Memory that can be executed.
		{"map memory to execute", func(job) error { return mapAnew(unix.PROT_READ | unix.PROT_EXEC) }, no, nil},
		{"map memory to write and execute", func(job) error { return mapAnew(unix.PROT_READ | unix.PROT_WRITE | unix.PROT_EXEC) }, no, nil},
		{"map the area to execute", func(job) error {
			_, err := unix.Mmap(areaFD, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
			return err
		}, no, nil},
		{"make memory executable", func(job) error {
			m, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
			if err != nil {
				return err
			}
			return unix.Mprotect(m, unix.PROT_READ|unix.PROT_EXEC)
		}, no, nil},
		{"with a key", raw(unix.SYS_PKEY_MPROTECT, 0, 0, unix.PROT_EXEC, 0), no, nil},
		{"shared memory", raw(unix.SYS_SHMAT), no, nil},
		{"order of pages", raw(unix.SYS_REMAP_FILE_PAGES), no, nil},
		{"lock memory", raw(unix.SYS_MLOCKALL, unix.MCL_CURRENT), no, unix.EPERM},

		// The deeper parts of a kernel.
		{"io_uring", raw(unix.SYS_IO_URING_SETUP, 1, 0), no, nil},
		{"bpf", raw(unix.SYS_BPF), no, nil},
		{"userfaultfd", raw(unix.SYS_USERFAULTFD, 0), no, nil},
		{"keys", raw(unix.SYS_KEYCTL), no, nil},
		{"a key", raw(unix.SYS_ADD_KEY), no, nil},
		{"perf", raw(unix.SYS_PERF_EVENT_OPEN), no, nil},
		{"modules", raw(unix.SYS_INIT_MODULE), no, nil},
		{"another kernel", raw(unix.SYS_KEXEC_LOAD), no, nil},
		{"fanotify", raw(unix.SYS_FANOTIFY_INIT), no, nil},
		{"inotify", raw(unix.SYS_INOTIFY_INIT1), no, nil},
		{"a message queue", raw(unix.SYS_MSGGET), no, nil},
		{"the host's name", raw(unix.SYS_SETHOSTNAME), no, unix.EPERM},
		{"the time", raw(unix.SYS_CLOCK_SETTIME), no, nil},
		{"restart", raw(unix.SYS_REBOOT), no, unix.EPERM},
		{"a call that does not exist", raw(5000), no, unix.ENOSYS},
		{"a call by the numbers of x32", raw(1<<30 | unix.SYS_GETPID), no, nil},
	}
}

// forked makes a process, or a thread, that ends at once where it comes to be.
func forked(flags uintptr) error {
	pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, flags, 0, 0, 0, 0, 0)
	if errno == 0 && pid == 0 {
		syscall.RawSyscall(unix.SYS_EXIT, 0, 0, 0)
	}
	return failed(errno)
}

// cause is the number within an error of package os.
func cause(err error) error {
	var errno unix.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}

func mapAnew(prot int) error {
	_, err := unix.Mmap(-1, 0, 4096, prot, unix.MAP_PRIVATE|unix.MAP_ANON)
	return err
}

// bolted reports whether something but the filter is in the way of an attempt, on this
// kernel and for this user.
func (a attempt) bolted() bool {
	const signals = 6 // the version of Landlock that knows of them
	switch {
	case a.open == nil:
		return false
	case a.open == error(unix.EACCES) || strings.HasPrefix(a.name, "trace "):
		return abi() > 0
	case strings.HasPrefix(a.name, "kill "):
		return abi() >= signals || os.Geteuid() == 0
	}
	return true
}

func attemptAll(j job) map[string]string {
	outcomes := map[string]string{}
	for _, a := range attempts() {
		if len(j.Without) == 0 || slices.Contains(j.Names, a.name) {
			outcomes[a.name] = outcome(a.try(j))
		}
	}
	return outcomes
}
