package confine

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// steps are in the order in which they are possible: what needs files, descriptors or
// a privilege comes before what takes these away.
func steps() []step {
	return []step{
		{"ends with the gateway", lifeline},
		{"no environment", environment},
		{"no folder", folder},
		{"first to be ended when memory is short", expendable},
		{"no other descriptors", descriptors},
		{"a user of its own", user},
		{"no capabilities", capabilities},
		{"not to be traced or dumped", undumpable},
		{"no new privileges", noNewPrivileges},
		{"landlock", landlocked},
		{"limits", limits},
		{"a limit of threads", threads},
		{"a limit of address space", addressSpace},
		{"seccomp", filtered},
	}
}

// folder leaves the folder that the process was started in. It is the same for all
// threads.
func folder(*taking) error {
	unix.Umask(0o777)
	return unix.Chdir("/")
}

// expendable makes this process the first that the kernel ends when it runs out of
// memory, and while files can still be read notes how much is mapped.
func expendable(t *taking) error {
	t.mapped = mapped()
	if err := os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0); err != nil {
		return absent(err.Error())
	}
	return nil
}

// mapped is the size of the address space in bytes, 0 where it cannot be told.
func mapped() uint64 {
	text, err := os.ReadFile("/proc/self/statm")
	pages, _, ok := bytes.Cut(text, []byte(" "))
	if err != nil || !ok {
		return 0
	}
	n, err := strconv.ParseUint(string(pages), 10, 64)
	if err != nil {
		return 0
	}
	return n * uint64(os.Getpagesize())
}

// undumpable closes what others of the same user could do by ptrace, /proc/PID/mem
// and core dumps. A change of the user resets it: it comes after that.
func undumpable(*taking) error {
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}
