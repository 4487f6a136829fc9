package confine

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sys/unix"
)

// TestAttempts tries everything on a process that is confined, and then on one without
// the filter of system calls, so that the other bolts are seen to hold by themselves.
func TestAttempts(t *testing.T) {
	for _, who := range persons() {
		if hasFilters(t) {
			t.Run(who.name, func(t *testing.T) {
				want := map[string]string{}
				for _, a := range attempts() {
					want[a.name] = outcome(a.want)
				}
				if diff := cmp.Diff(want, run(t, who, job{Do: "attempts"}).Outcomes); diff != "" {
					t.Error(diff)
				}
			})
		}
		t.Run(who.name+", no seccomp", func(t *testing.T) {
			j := job{Do: "attempts", Without: []string{"seccomp"}}
			want := map[string]string{}
			for _, a := range attempts() {
				if a.bolted() {
					j.Names = append(j.Names, a.name)
					want[a.name] = outcome(a.open)
				}
			}
			if diff := cmp.Diff(want, run(t, who, j).Outcomes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// hasFilters looks whether the kernel has filters of system calls, by another way
// than the package.
func hasFilters(t *testing.T) bool {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(text), "\nSeccomp_filters:")
}

// abi is the version of Landlock that the kernel has and the package uses, 0 for none.
func abi() int {
	const ofVersion, ofErrata = 1, 2
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, ofVersion)
	if errno != 0 {
		return 0
	}
	errata, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, ofErrata)
	if version >= 6 && (errno != 0 || errata&2 == 0) {
		return 5
	}
	return min(int(version), 11)
}

// TestWork does what a worker does, after all was taken away.
func TestWork(t *testing.T) {
	for _, who := range persons() {
		t.Run(who.name, func(t *testing.T) {
			got := run(t, who, job{Do: "work"}).Outcomes
			for name, outcome := range got {
				if outcome != "done" {
					t.Errorf("%s: %s", name, outcome)
				}
			}
			if len(got) == 0 {
				t.Error("nothing was done")
			}
		})
	}
}

// TestEnds closes the other end of the lifeline of a child that never looks up.
func TestEnds(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s := prepare(t, persons()[0], job{Do: "loop"})
	s.Stdout = w
	if err := errors.Join(s.Start(), w.Close()); err != nil {
		t.Fatal(err)
	}
	s.handedDown()
	if _, err := r.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := s.hold.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("it ended with %v, %s", err, s.log.String())
	}
}

// TestReport holds what a child says of itself against what the kernel says it has.
func TestReport(t *testing.T) {
	for _, who := range persons() {
		t.Run(who.name, func(t *testing.T) {
			held := []string{
				"ends with the gateway", "no environment", "no folder", "first to be ended when memory is short",
				"no other descriptors", "no capabilities", "not to be traced or dumped", "no new privileges",
				"limits (files of 1048576 bytes; descriptors, locked memory, queues, core dumps)", "a limit of address space (2147483648 bytes more)",
			}
			missing := []string{}
			add := func(has bool, with, without string) {
				if has {
					held = append(held, with)
				} else {
					missing = append(missing, without)
				}
			}
			root := os.Geteuid() == 0 && who.credential == nil
			add(root, "a user of its own (65534)", "a user of its own")
			add(root, "a limit of threads (4096)", "a limit of threads")
			add(abi() > 0, "landlock (ABI "+strconv.Itoa(abi())+")", "landlock")
			add(hasFilters(t), "seccomp", "seccomp")

			report := run(t, who, job{Do: "work"}).Report
			got := []string{}
			for _, m := range report.Missing {
				got = append(got, m.What)
			}
			sorted := cmpopts.SortSlices(strings.Compare)
			if diff := cmp.Diff(held, report.Held, sorted) + cmp.Diff(missing, got, sorted); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestThreads looks whether what was taken is taken from all threads.
func TestThreads(t *testing.T) {
	want := map[string]string{}
	switch {
	case hasFilters(t):
		want["operation not permitted"] = "done"
	case abi() > 0:
		want["permission denied"] = "done"
	default:
		want["done"] = "done"
	}
	if diff := cmp.Diff(want, run(t, persons()[0], job{Do: "thread"}).Outcomes); diff != "" {
		t.Error(diff)
	}
}

// TestLandlock has it alone, as the filter lets nothing come as far. What is not in
// this kernel's version is not refused by it.
func TestLandlock(t *testing.T) {
	since := func(version int, refused, otherwise error) string {
		if abi() >= version {
			return outcome(refused)
		}
		return outcome(otherwise)
	}
	want := map[string]string{
		"read":    since(1, unix.EACCES, nil),
		"write":   since(1, unix.EACCES, nil),
		"connect": since(4, unix.EACCES, unix.ECONNREFUSED),
		"signal":  since(6, unix.EPERM, nil),
		"itself":  "done",
	}
	got := run(t, persons()[0], job{Do: "files", Only: []string{"no new privileges", "landlock"}}).Outcomes
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestMemory maps all that there is.
func TestMemory(t *testing.T) {
	got := run(t, persons()[0], job{Do: "memory", Memory: 1 << 30}).Outcomes
	if diff := cmp.Diff(map[string]string{"memory": "cannot allocate memory"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestEnvironment starts a process with one, which is not to be taken for none.
func TestEnvironment(t *testing.T) {
	missing := run(t, persons()[0], job{Do: "nothing"}, "TOKEN=secret").Report.Missing
	want := Missing{
		What: "no environment",
		Why:  "1 variables were set when the process was started, and their text may still be in its memory",
	}
	if !slices.Contains(missing, want) {
		t.Errorf("%+v", missing)
	}
}

// TestRefused are processes that must not go on.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*job)
		want   string
	}{
		"the other end is closed": {
			func(j *job) { j.Orphan = true },
			"confining this process: ends with the gateway: the process that started this one has ended",
		},
		"a descriptor that is not open": {
			func(j *job) { j.Keep = 77 },
			"confining this process: no other descriptors: descriptor 77, which is to be kept: bad file descriptor",
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := job{Do: "nothing"}
			c.change(&j)
			s := prepare(t, persons()[0], j)
			if j.Orphan {
				if err := s.hold.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Run(); err != nil {
				t.Fatal(err)
			}
			s.handedDown()
			if got := s.account(t).Err; got != c.want {
				t.Errorf("it says %q", got)
			}
		})
	}
}
