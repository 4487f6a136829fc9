package confine

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// limits are those that cost an honest worker nothing. No descriptor can be opened:
// the highest that is left is the highest that there can be.
func limits(t *taking) error {
	for _, l := range []struct {
		what string
		of   int
		most uint64
	}{
		{"core dumps", unix.RLIMIT_CORE, 0},
		{"locked memory", unix.RLIMIT_MEMLOCK, 0},
		{"message queues", unix.RLIMIT_MSGQUEUE, 0},
		{"priority", unix.RLIMIT_NICE, 0},
		{"real-time priority", unix.RLIMIT_RTPRIO, 0},
		{"size of files", unix.RLIMIT_FSIZE, t.FileSize},
		{"descriptors", unix.RLIMIT_NOFILE, uint64(t.highest) + 1},
	} {
		if err := limit(l.of, l.most); err != nil {
			return fmt.Errorf("%s: %w", l.what, err)
		}
	}
	t.detail = fmt.Sprintf("(files of %d bytes; descriptors, locked memory, queues, core dumps)", t.FileSize)
	return nil
}

// threads keeps a process from taking all threads of the machine.
func threads(t *taking) error {
	if !t.alone {
		return absent("the user has other processes, whose threads count as well")
	}
	t.detail = fmt.Sprintf("(%d)", t.Threads)
	return limit(unix.RLIMIT_NPROC, t.Threads)
}

// addressSpace counts from what is mapped: Go reserves hundreds of megabytes that it
// never uses, the race detector terabytes.
func addressSpace(t *taking) error {
	switch {
	case t.Memory == 0:
		return absent("none was asked for")
	case t.mapped == 0:
		return absent("/proc/self/statm cannot be read, which says what is mapped")
	}
	t.detail = fmt.Sprintf("(%d bytes more)", t.Memory)
	return limit(unix.RLIMIT_AS, t.mapped+t.Memory)
}

// limit sets a limit that cannot be raised again; one that is lower stays.
func limit(of int, most uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(of, &now); err != nil {
		return err
	}
	most = min(most, now.Max)
	return unix.Prlimit(0, of, &unix.Rlimit{Cur: most, Max: most}, nil)
}
