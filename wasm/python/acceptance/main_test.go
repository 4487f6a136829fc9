// Package acceptance_test holds the interpreter, as a gateway has it, to what is promised
// of it: with a real one, in processes of their own.
package acceptance_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/toolgate/toolgate/wasm/python"
	"github.com/toolgate/toolgate/wasm/python/pythontest"
	"github.com/toolgate/toolgate/wasm/python/wire"
	"github.com/toolgate/toolgate/wasm/python/worker"
)

// asWorker is the argument by which the test binary is told to be an interpreter process:
// its settings follow.
const asWorker = "interpreter"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == asWorker {
		serve(os.Args[2])
		return
	}
	goleak.VerifyTestMain(m)
}

func serve(settings string) {
	err := worker.Run(context.Background(), settings, worker.Pipes{
		In: os.Stdin, Out: os.Stdout, Area: os.NewFile(wire.AreaFD, "output"), Lifeline: wire.LifelineFD,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const (
	// patience is for what ends by itself, on any machine.
	patience = 5 * time.Minute
	// memory and files are as a gateway has them by default.
	memory, files = 256 << 20, 64 << 20
)

// pool is a pool of real interpreters that leaves nothing behind when its test ends.
type pool struct {
	*python.Pool
	t testing.TB
}

// open opens a pool and waits until all of its processes are there.
func open(t testing.TB, c python.Config) *pool {
	t.Helper()
	r := pythontest.Runtime(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	settings := worker.Settings{
		Module: r.Module, Library: r.Library, Cache: r.Compiled, Compilers: 2, Memory: memory, Files: files,
	}
	c.Command = func() ([]string, error) { return []string{self, asWorker, settings.Argument()}, nil }
	c.StartTimeout = patience
	if c.Timeout == 0 {
		c.Timeout = patience
	}
	before := held()
	p := &pool{python.Open(c), t}
	t.Cleanup(func() {
		p.Close()
		within(t, "nothing is left of the pool", func() bool { return held() == before })
	})
	p.whole()
	return p
}

// whole waits until every process that there should be can take a program.
func (p *pool) whole() {
	p.t.Helper()
	within(p.t, "every process is ready", func() bool {
		s := p.Stats()
		return s.Starting == 0 && s.Busy == 0 && s.Resetting == 0 && s.Idle > 0
	})
}

// calm waits until no process has anything to do for a program: those that do not serve
// any more have been counted.
func (p *pool) calm() {
	p.t.Helper()
	within(p.t, "every process is done", func() bool {
		s := p.Stats()
		return s.Busy == 0 && s.Resetting == 0
	})
}

// run runs a program for which no time is too short.
func (p *pool) run(code string) (python.Result, error) {
	return p.Run(context.Background(), python.Request{Job: wire.Job{Code: code}})
}

// prints runs a program that has to end well, and gives what it prints.
func (p *pool) prints(code string) string {
	p.t.Helper()
	r, err := p.run(code)
	if err != nil || r.Reply.Outcome != wire.OK {
		p.t.Errorf("%v, %s, stdout %q, stderr %.500q, of\n%.500s", err, ends(r), r.Stdout, r.Stderr, code)
	}
	return string(r.Stdout)
}

// ends says how a program ended.
func ends(r python.Result) string {
	s := string(r.Reply.Outcome)
	if f := r.Reply.Failure; f != nil {
		s += fmt.Sprintf(": %s: %s", f.Type, f.Message)
	}
	return s
}

// deaths is how many processes have come to their end.
func (p *pool) deaths() (n int64) {
	for _, some := range p.Stats().Deaths {
		n += some
	}
	return n
}

// within waits for something that comes to be.
func within(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v until %s", patience, what)
		}
	}
}

// holding is what this process has: goroutines, descriptors, processes.
type holding struct{ goroutines, descriptors, processes int }

func held() holding {
	open, _ := os.ReadDir("/proc/self/fd")
	return holding{runtime.NumGoroutine(), len(open), len(children())}
}

// children are the ids of the processes that this one has started and that are there, where
// there is a /proc.
func children() (ids []string) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		text, _ := os.ReadFile(list) // a thread may have ended
		ids = append(ids, strings.Fields(string(text))...)
	}
	return ids
}
