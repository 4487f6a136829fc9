package tooltest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// settle is how long what a check used may take to go away.
const settle = 5 * time.Second

// state is what this process holds.
type state struct {
	goroutines goleak.Option
	files      int      // open ones; -1 where the system does not tell
	children   []string // process numbers, as far as the system tells
}

// look looks at what is held before a check.
func look(t *testing.T) state {
	// The runtime opens files of its own with the first pipe, for good.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	w.Close()
	return state{goroutines: goleak.IgnoreCurrent(), files: openFiles(), children: childProcesses()}
}

// compare fails the test when more is held than before.
func (s state) compare(t *testing.T) {
	goleak.VerifyNone(t, s.goroutines)
	for end := time.Now().Add(settle); ; time.Sleep(10 * time.Millisecond) {
		files, children := openFiles(), childProcesses()
		if files <= s.files && len(children) <= len(s.children) {
			return
		}
		if time.Now().After(end) {
			t.Errorf("%d files are open that were not before, and of the child processes %v there were %v before", files-s.files, children, s.children)
			return
		}
	}
}

// openFiles counts the open files of this process (proc(5), /proc/self/fd; the
// folder that is being read is one of them).
func openFiles() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	return len(entries)
}

// childProcesses are the children of this process, ended ones that nobody
// waited for among them (proc(5), /proc/pid/stat, field 4). It is empty on
// systems without /proc.
func childProcesses() []string {
	var out []string
	names, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is a good one
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) {
			out = append(out, filepath.Base(filepath.Dir(name)))
		}
	}
	return out
}
