package runlog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// childVariable makes the test binary a process that writes a journal, in the
// way its value says.
const (
	childVariable = "RUNLOG_TEST_CHILD"
	childMany     = "many writers"
	childFull     = "full disk"
)

func TestMain(m *testing.M) {
	switch os.Getenv(childVariable) {
	case "":
		os.Exit(m.Run())
	case childMany:
		writeForEver(os.Args[1])
	case childFull:
		writeUntilFull(os.Args[1])
	}
}

// child starts the test binary as a writer of journals in dir.
func child(t *testing.T, way, dir string) (*exec.Cmd, io.Reader) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	cmd := exec.CommandContext(ctx, os.Args[0], dir)
	cmd.Env = append(os.Environ(), childVariable+"="+way)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	return cmd, out
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// acknowledge prints an identifier with one write, so that a kill cannot leave
// the first half of another.
func acknowledge(id string) {
	_, err := os.Stdout.WriteString(id + "\n")
	check(err)
}

func writeForEver(dir string) {
	const goroutines = 100
	j, err := Open(dir, Options{})
	check(err)
	small, large := `{"text":"x"}`, `{"text":"`+strings.Repeat("x", 8<<10)+`"}` // more than one page
	var all sync.WaitGroup
	for g := range goroutines {
		args := small
		if g%10 == 0 {
			args = large
		}
		all.Go(func() {
			for n := 0; ; n++ {
				rec := Record{CallID: fmt.Sprintf("%d-%d", g, n), Tool: "pay", Arguments: []byte(args)}
				check(j.Start(rec))
				check(j.End(rec))
				acknowledge(rec.CallID)
			}
		})
	}
	all.Wait()
}

// acknowledged reads identifiers up to the end of the child and calls kill
// once, after the first few.
func acknowledged(t *testing.T, out io.Reader, kill func()) []string {
	t.Helper()
	var ids []string
	after := 1 + rand.IntN(500)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if ids = append(ids, lines.Text()); len(ids) == after {
			go kill()
		}
	}
	must(t, lines.Err())
	return ids
}

// Every call whose end was acknowledged is in the journal of a process that
// was killed with SIGKILL while a hundred goroutines wrote.
func TestKill(t *testing.T) {
	const rounds = 20
	for range rounds {
		dir := t.TempDir()
		cmd, out := child(t, childMany, dir)
		ids := acknowledged(t, out, func() {
			time.Sleep(time.Duration(rand.IntN(10_000)) * time.Microsecond)
			_ = cmd.Process.Kill()
		})
		if err := cmd.Wait(); err == nil {
			t.Fatal("the child ended by itself")
		}
		entries, stats := read(t, dir, Query{Limit: MaxLimit})
		if stats.Broken > 1 {
			t.Errorf("%d broken lines, at most the last can be", stats.Broken)
		}
		compareKilled(t, entries, ids)
	}
}

func compareKilled(t *testing.T, entries []Entry, acknowledged []string) {
	t.Helper()
	found := make(map[string]Status, len(entries))
	for i := range entries {
		found[entries[i].CallID] = entries[i].Status
	}
	for _, id := range acknowledged {
		if found[id] != StatusOK {
			t.Errorf("call %s was acknowledged and stands as %q", id, found[id])
		}
	}
	for id, status := range found {
		if status != StatusOK && status != StatusInterrupted {
			t.Errorf("call %s stands as %q", id, status)
		}
	}
}

// writeUntilFull writes until its limit on the size of files tears a record,
// then raises the limit and writes one more.
func writeUntilFull(dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	j, err := Open(dir, Options{})
	check(err)
	var limit syscall.Rlimit
	check(syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	check(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1000, Max: limit.Max}))
	for n := 0; ; n++ {
		id := fmt.Sprint("before-", n)
		if err := j.End(Record{CallID: id}); err != nil {
			break
		}
		acknowledge(id)
	}
	if err := j.End(Record{CallID: "refused"}); err == nil {
		check(errors.New("a record was written past the limit"))
	}
	check(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	check(j.End(Record{CallID: "after"}))
	acknowledge("after")
}

// A record that the disk has only room for in part is refused, and does not
// spoil the one that is written when there is room again.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	cmd, out := child(t, childFull, dir)
	ids := acknowledged(t, out, func() {})
	must(t, cmd.Wait())
	entries, stats := read(t, dir, Query{})
	if len(ids) < 3 || ids[len(ids)-1] != "after" || len(entries) != len(ids) {
		t.Errorf("acknowledged %v, found %d", ids, len(entries))
	}
	if stats.Broken != 0 {
		t.Errorf("%d broken lines: what was written of a refused record is not taken back", stats.Broken)
	}
	compareKilled(t, entries, ids)
}
