//go:build !linux

package confine

import (
	"errors"
	"os"
	"runtime"
)

// steps are what a system has that is not Linux.
func steps() []step {
	return []step{
		{"no environment", environment},
		{"no folder", func(*taking) error { return os.Chdir("/") }},
		{"limits", limits},
		{"ends with the gateway", lifeline},
		{"no other descriptors", none},
		{"a user of its own", none},
		{"not to be traced or dumped", none},
		{"landlock", none},
		{"seccomp", none},
	}
}

func none(*taking) error { return absentf("there is no such thing on %s", runtime.GOOS) }

// lifeline was tied by [EndWith] before.
func lifeline(t *taking) error {
	if t.Lifeline <= 0 {
		return absent("no lifeline was given")
	}
	return absentf("%s has no signal for it: a goroutine looks, which must wait for code that does not come back to Go", runtime.GOOS)
}

// EndWith ends this process when the last writing end of a pipe is closed, whose
// reading end is fd: that is, when the process that holds it ends. Nothing may be
// written to the pipe. A goroutine waits for it as long as the process lives.
func EndWith(fd int) error {
	pipe := os.NewFile(uintptr(fd), "lifeline")
	if pipe == nil {
		return errors.New("the lifeline is no open descriptor")
	}
	go func() {
		_, _ = pipe.Read(make([]byte, 1)) // whatever it says, nobody is there
		os.Exit(1)
	}()
	return nil
}
