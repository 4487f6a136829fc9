package confine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The descriptors of a child beside the standard ones.
const (
	areaFD     = 3 + iota // a memfd, kept
	lifelineFD            // kept
	strayFD               // the parent's, to be closed
)

// areaSize is the size of the memfd and what may be written to it.
const areaSize = 1 << 20

// job is what a child is asked to do, by its second argument.
type job struct {
	// Without are steps that are left out.
	Without []string
	// Names are the attempts that are made where steps are left out.
	Names []string
	// Only are the steps that are taken, empty for all.
	Only []string
	// Memory is how much it may map, 0 for 2 GiB.
	Memory uint64
	// Keep is one more descriptor to be kept, 0 for none.
	Keep int
	// Orphan is that the lifeline is closed before the child starts.
	Orphan bool
	// Do is the name of what comes then.
	Do string
	// Parent is the process id of the test.
	Parent int
}

// account is what a child says when it is done.
type account struct {
	Report Report
	Err    string
	// Outcomes are what attempts came to: an error's text, or "done".
	Outcomes map[string]string
}

// TestMain makes a child of the test of a process that was asked to be one. Its
// arguments say so: its environment is empty.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "child" {
		os.Exit(child(os.Args[2]))
	}
	os.Exit(m.Run())
}

func child(text string) int {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return 3
	}
	do := map[string]func(job) map[string]string{
		"attempts": attemptAll, "work": work, "files": openFiles, "loop": loop, "thread": manyThreads, "memory": takeMemory,
		"nothing": func(job) map[string]string { return nil },
	}[j.Do]
	var a account
	report, err := takeAll(&taking{Limits: j.limits(), mapped: mapped()}, j.steps())
	a.Report = report
	if err != nil {
		a.Err = err.Error()
	} else {
		a.Outcomes = do(j)
	}
	if err := json.NewEncoder(os.Stdout).Encode(a); err != nil {
		return 4
	}
	return 0
}

func (j job) steps() []step {
	return slices.DeleteFunc(steps(), func(s step) bool {
		return slices.Contains(j.Without, s.what) || len(j.Only) > 0 && !slices.Contains(j.Only, s.what)
	})
}

func (j job) limits() Limits {
	keep := []int{areaFD}
	if j.Keep > 0 {
		keep = append(keep, j.Keep)
	}
	return Limits{
		Memory: cmp.Or(j.Memory, 2<<30), FileSize: areaSize, Keep: keep, Lifeline: lifelineFD,
		User: Unprivileged, Threads: DefaultThreads,
	}
}

// A person is a user that a child is started as.
type person struct {
	name       string
	credential *syscall.Credential
}

// persons are those that this machine's test can start a child as.
func persons() []person {
	if os.Geteuid() != 0 {
		return []person{{"this user", nil}}
	}
	return []person{{"root", nil}, {"nobody", &syscall.Credential{Uid: Unprivileged, Gid: Unprivileged}}}
}

// started is a child that runs.
type started struct {
	*exec.Cmd
	out, log bytes.Buffer
	// hold is the end of the lifeline that keeps it alive.
	hold *os.File
}

// prepare makes a child ready to be started.
func prepare(t *testing.T, who person, j job, env ...string) *started {
	t.Helper()
	j.Parent = os.Getpid()
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.MemfdCreate("area", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	area := os.NewFile(uintptr(fd), "area")
	if err := area.Truncate(areaSize); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stray, err := os.Open("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	s := &started{Cmd: exec.Command("/proc/self/exe", "child", string(text)), hold: w}
	s.Env = append([]string{}, env...) // not nil: that is the environment of the test
	s.Stdout, s.Stderr = &s.out, &s.log
	s.ExtraFiles = []*os.File{area, r, stray}
	s.SysProcAttr = &syscall.SysProcAttr{Credential: who.credential, Setpgid: true}
	t.Cleanup(func() { _ = w.Close() })
	return s
}

// handedDown closes what the child has by now.
func (s *started) handedDown() {
	for _, f := range s.ExtraFiles {
		_ = f.Close() // nothing was written to it
	}
}

// run is a child from its start to its end.
func run(t *testing.T, who person, j job, env ...string) account {
	t.Helper()
	s := prepare(t, who, j, env...)
	err := s.Run()
	s.handedDown()
	a := s.account(t)
	if err != nil || a.Err != "" {
		t.Fatalf("the child ended with %v, %q", err, a.Err)
	}
	return a
}

// account is what the child wrote before its end.
func (s *started) account(t *testing.T) account {
	t.Helper()
	var a account
	if err := json.Unmarshal(s.out.Bytes(), &a); err != nil {
		t.Fatalf("the child wrote %q, said %q: %v", s.out.String(), s.log.String(), err)
	}
	return a
}

// outcome is an attempt's end as text.
func outcome(err error) string {
	if err == nil {
		return "done"
	}
	return fmt.Sprint(err)
}
