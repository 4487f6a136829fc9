//go:build linux

package acceptance_test

import (
	"strconv"
	"syscall"
	"testing"

	"github.com/toolgate/toolgate/wasm/python/pythontest"
)

// busy finds which of the processes is at work: the first one that uses 0.2 s of
// processor time. Others have nothing to do, or far less. It is "" when the call was
// answered before that.
func busy(t testing.TB, processes func() []string, answered <-chan answer) (pid string) {
	t.Helper()
	const much = 20
	before := map[string]int64{}
	within(t, "a process is at work", func() bool {
		for _, pid = range processes() {
			now, there := pythontest.Worked(pid)
			if first, known := before[pid]; !known {
				before[pid] = now
			} else if there && now-first >= much {
				return true
			}
		}
		pid = ""
		return len(answered) > 0
	})
	return pid
}

// strike sends a signal to a process that may have ended meanwhile.
func strike(t testing.TB, pid string, with syscall.Signal) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(n, with); err != nil && err != syscall.ESRCH {
		t.Fatal(err)
	}
}
