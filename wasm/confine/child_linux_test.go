package confine

import (
	"bytes"
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
	// Only are the steps that are taken, empty for all.
	Only []string
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
	}[j.Do]
	var a account
	report, err := takeAll(&taking{Limits: limitsOfTest(), mapped: mapped()}, j.steps())
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

func limitsOfTest() Limits {
	return Limits{
		Memory: 2 << 30, FileSize: areaSize, Keep: []int{areaFD}, Lifeline: lifelineFD,
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
	var a account
	if bad := json.Unmarshal(s.out.Bytes(), &a); err != nil || bad != nil || a.Err != "" {
		t.Fatalf("the child ended with %v, wrote %q, said %q: %v", err, s.out.String(), s.log.String(), bad)
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
