//go:build linux

package acceptance_test

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// worked is how much processor time a process has used, in ticks of the system: 10 ms, as
// a rule. False is that it is not there.
func worked(pid string) (ticks int64, there bool) {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0, false
	}
	_, after, _ := strings.Cut(string(stat), ") ") // its name
	fields := strings.Fields(after)
	if len(fields) < 13 || fields[0] == "Z" || fields[0] == "X" {
		return 0, false
	}
	for _, field := range fields[11:13] { // utime, stime
		n, _ := strconv.ParseInt(field, 10, 64)
		ticks += n
	}
	return ticks, true
}

// busy finds which of the processes is at work: the first one that uses 0.2 s of
// processor time. Others have nothing to do, or far less. It is "" when the call was
// answered before that.
func busy(t testing.TB, processes func() []string, answered <-chan answer) (pid string) {
	t.Helper()
	const much = 20
	before := map[string]int64{}
	within(t, "a process is at work", func() bool {
		for _, pid = range processes() {
			now, there := worked(pid)
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
