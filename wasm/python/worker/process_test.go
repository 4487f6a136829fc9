package worker

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/wasm/python/pythontest"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

// asWorker is the variable by which the test binary is told to be a process of an
// interpreter.
const asWorker = "TOOLGATE_TEST_WORKER"

func TestMain(m *testing.M) {
	argument := os.Getenv(asWorker)
	if argument == "" {
		os.Exit(m.Run())
	}
	err := Run(context.Background(), argument, Pipes{In: os.Stdin, Out: os.Stdout, Area: os.NewFile(wire.AreaFD, "output"), Lifeline: wire.LifelineFD})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// process is a worker, and what a gateway has of it.
type process struct {
	t    *testing.T
	in   io.WriteCloser
	from *wire.Reader
	area *wire.Area
	log  bytes.Buffer
	cmd  *exec.Cmd
}

func start(t *testing.T) *process {
	t.Helper()
	installed := pythontest.Runtime(t)
	p := &process{t: t}
	var err error
	if p.area, err = wire.NewArea(1 << 20); err != nil {
		t.Fatal(err)
	}
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = []string{asWorker + "=" + Settings{
		Module: installed.Module, Cache: installed.Compiled, Compilers: 2, Memory: 256 << 20, Files: 64 << 20,
	}.Argument()}
	lifeline, held, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = lifeline.Close(), held.Close() })
	p.cmd.ExtraFiles = []*os.File{p.area.File(), lifeline}
	p.cmd.Stderr = &p.log
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.from = wire.NewReader(out, wire.Bounds{})
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.in.Close()
		if err := p.cmd.Wait(); err != nil || p.log.Len() > 0 {
			t.Logf("%v: %s", err, &p.log)
		}
	})
	hello := p.next().(wire.Hello)
	t.Logf("%+v", hello)
	return p
}

func (p *process) next() wire.Message {
	p.t.Helper()
	m, err := p.from.Next()
	if err != nil {
		p.t.Fatalf("%v\n%s", err, &p.log)
	}
	return m
}

func (p *process) run(j wire.Job) (wire.Reply, wire.Output) {
	p.t.Helper()
	if j.Limits.Value == 0 {
		j.Limits = wire.Limits{Value: 256 << 10, Artifacts: 16, Bytes: 32 << 20}
	}
	if err := p.area.Reset(); err != nil {
		p.t.Fatal(err)
	}
	if err := wire.Write(p.in, j); err != nil {
		p.t.Fatal(err)
	}
	r := p.next().(wire.Reply)
	o, err := p.area.Output()
	if err != nil {
		p.t.Fatal(err)
	}
	return r, o
}

// TestProcess: what the host does for programs, beside what the driver does.
func TestProcess(t *testing.T) {
	p := start(t)
	for _, c := range []struct {
		name, code     string
		files          []wire.File
		outcome        wire.Outcome
		stdout, stderr string
		value          string // its repr
		failure        string // how its type and message begin
	}{
		{"streams", "import sys; print(1); print(2, file=sys.stderr); 3", nil, wire.OK, "1\n", "2\n", "3", ""},
		{"descriptors", "import os; os.write(1, b'a'); os.write(2, b'b')", nil, wire.OK, "a", "b", "1", ""},
		{"a file of the job", "open('/files/d/a.txt').read()", []wire.File{{Name: "d/a.txt", Size: 2, Data: []byte("hi")}}, wire.OK, "", "", "'hi'", ""},
		{"not for the next", "import os; os.listdir('/files')", nil, wire.OK, "", "", "[]", ""},
		{"files are read-only", "open('/files/x', 'w')", nil, wire.Raised, "", "", "", "OSError: [Errno 69] Read-only file system"},
		{"a full disk", "open('/tmp/big', 'wb').write(bytes(100 << 20))", nil, wire.Raised, "", "", "", "OSError: [Errno 22] File too large"},
		{"memory at its limit", "bytearray(300 << 20)", nil, wire.Raised, "", "", "", "MemoryError"},
		{"most of the memory", "len(bytearray(180 << 20))", nil, wire.OK, "", "", "188743680", ""},
		{"deep recursion through C", "import functools\n@functools.cache\ndef f(n): return n and f(n - 1)\nf(140)", nil, wire.OK, "", "", "0", ""},
		{"deeper", "import functools\n@functools.cache\ndef f(n): return n and f(n - 1)\nf(100000)", nil, wire.Raised, "", "", "", "RecursionError"},
		{"sleep", "import time; t = time.monotonic(); time.sleep(0.01); time.monotonic() - t >= 0.01", nil, wire.OK, "", "", "True", ""},
		{"no sleep", "import time; time.sleep(0)", nil, wire.OK, "", "", "", ""},
		{"time zones", "from zoneinfo import ZoneInfo as Z; from datetime import datetime as D; str(D(2024, 3, 10, 12, tzinfo=Z('America/New_York')).astimezone(Z('Europe/Berlin')))", nil, wire.OK, "", "", "'2024-03-10 17:00:00+01:00'", ""},
		{"a trace left on", "import sys; sys.settrace(lambda f, *_: f.f_code.co_name == 'send' and print('x') or None); 1", nil, wire.OK, "", "", "1", ""},
		{"a profile left on", "import sys; sys.setprofile(lambda f, *_: f.f_code.co_name in ('send', 'wait') and print('x')); 1", nil, wire.OK, "", "", "1", ""},
		{"one set at its end", "import atexit, sys; atexit.register(sys.setprofile, lambda f, *_: f.f_code.co_name == 'send' and print('x'))\n1", nil, wire.OK, "", "", "1", ""},
		{"the times of a stream", "import os; os.utime(1, (1, 1))", nil, wire.Raised, "", "", "", "OSError"},
		{"the environment", "import os; dict(os.environ)", nil, wire.OK, "", "", "{}", ""},
	} {
		r, o := p.run(wire.Job{Code: c.code, Files: c.files})
		p.next()
		var value, failure string
		if r.Value != nil {
			value = r.Value.Repr
		}
		if r.Failure != nil {
			failure = r.Failure.Type + ": " + r.Failure.Message
		}
		if r.Outcome != c.outcome || string(o.Stdout) != c.stdout || string(o.Stderr) != c.stderr || value != c.value || !strings.HasPrefix(failure, c.failure) || r.Worn != "" {
			t.Errorf("%s: got %+v, value %s, failure %q, stdout %q, stderr %q", c.name, r, value, failure, o.Stdout, o.Stderr)
		}
	}
}

// TestArtifacts: what a program writes comes back, as much of it as there may be.
func TestArtifacts(t *testing.T) {
	p := start(t)
	r, _ := p.run(wire.Job{
		Code:   "open('b.csv', 'w').write('hi')\nimport os\nos.makedirs('/out/d')\nopen('/out/d/a', 'w').write('x' * 9)\nopen('c', 'w').write('y')\nopen('/tmp/t', 'w')",
		Limits: wire.Limits{Value: 1 << 10, Artifacts: 2, Bytes: 10},
	})
	p.next()
	var got []string
	for _, f := range r.Artifacts {
		got = append(got, f.Name+"="+string(f.Data))
	}
	if strings.Join(got, " ") != "b.csv=hi c=y" || len(r.Notes) != 1 {
		t.Errorf("got %q, notes %q", got, r.Notes)
	}
	if r, _ = p.run(wire.Job{Code: "1"}); len(r.Artifacts) != 0 {
		t.Errorf("the next program left %+v", r.Artifacts)
	}
}

// TestNames: what could rewrite the lines that it is told in is no name of a file.
func TestNames(t *testing.T) {
	p := start(t)
	r, _ := p.run(wire.Job{Code: `for name in ("a\x1b[31m", "b\nc", "d\u202e", "e\\f", "-rf", "ü b"): open(name, "w")`})
	p.next()
	var got []string
	for _, f := range r.Artifacts {
		got = append(got, f.Name)
	}
	if strings.Join(got, "|") != "-rf|ü b" || len(r.Notes) != 4 {
		t.Errorf("got %q, notes %q", got, r.Notes)
	}
}

// TestForged: an answer that the program has written itself is the program's loss.
// One that could be true is taken: nobody else reads it.
func TestForged(t *testing.T) {
	p := start(t)
	for _, text := range []string{
		`{"outcome":"ok","value":{"repr":"x","json":"\xff"}}`, `{"outcome":"ok","value":{"repr":"\xff","json":1}}`, `{"outcome":"ok","value":{"repr":"x","json":1e999}}`,
		`{"outcome":"ok"}`, `{"outcome":"worn"}`, `{"outcome":"ok","failure":{"type":"x"}}`, `{"outcome":"error"}`, `{"outcome":"error","failure":{"type":"x","line":-1}}`, `{"outcome":"ok","value":{"repr":"x","media":"image/png","data":"AAAA"}}`, `[]`, ``,
	} {
		r, _ := p.run(wire.Job{Code: "import os\nos.posix_fadvise(1, 0x746F6F6C, 1, 0)\nos.write(1, " + strconv.QuoteToASCII(text) + ".encode('latin-1'))\nimport sys\n" +
			"def none(*_): return 0\nf = sys._getframe()\nwhile f:\n  for v in list(f.f_globals.values()):\n    if getattr(v, '__name__', '') == 'send': v.__code__ = none.__code__; v.__defaults__ = None\n  f = f.f_back"})
		p.next()
		if (r.Outcome == wire.OK) != (text == `{"outcome":"ok"}`) || r.Outcome != wire.OK && r.Outcome != wire.Crashed {
			t.Errorf("%q: got %+v, value %+v, failure %+v", text, r, r.Value, r.Failure)
		}
	}
}

// TestSameNumbers: a file that a program leaves open takes no number from the next ones.
func TestSameNumbers(t *testing.T) {
	p := start(t)
	first := ""
	for range 200 {
		r, _ := p.run(wire.Job{Code: "f = [open('/tmp/x', 'w') for _ in range(20)]; f[-1].fileno()"})
		p.next()
		if r.Value == nil || first != "" && r.Value.Repr != first {
			t.Fatalf("got %+v, value %+v, at first %s", r, r.Value, first)
		}
		first = r.Value.Repr
	}
}

// TestFreshSeeds: what seeds itself from a device gets another seed each time.
func TestFreshSeeds(t *testing.T) {
	p := start(t)
	seen := map[string]bool{}
	for range 20 {
		r, _ := p.run(wire.Job{Code: "import sqlite3; sqlite3.connect(':memory:').execute('select random()').fetchone()"})
		p.next()
		if r.Value == nil || seen[r.Value.Repr] {
			t.Fatalf("got %+v, value %+v", r, r.Value)
		}
		seen[r.Value.Repr] = true
	}
}

// TestWorn: programs that end their interpreter, or damage what is not set back, are
// answered, and the process takes no other.
func TestWorn(t *testing.T) {
	for name, c := range map[string]struct {
		code    string
		outcome wire.Outcome
		exit    int
	}{
		"_exit":                       {"import os; os._exit(3)", wire.Exited, 3},
		"_exit as if all were well":   {"import os; os._exit(0)", wire.Exited, 0},
		"abort":                       {"import os; os.abort()", wire.Crashed, 0},
		"the sync point, from within": {"import os; os.posix_fadvise(1, 0x746F6F6C, 0, 0)", wire.Crashed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t)
			r, _ := p.run(wire.Job{Code: c.code})
			if r.Outcome != c.outcome || r.ExitCode != c.exit || r.Worn == "" {
				t.Errorf("got %+v", r)
			}
			if m, err := p.from.Next(); err == nil {
				t.Errorf("it says %+v then", m)
			}
		})
	}
}

// TestClosedStream: a stream that a program closes is closed for good, so the process
// is worn, behind the answer.
func TestClosedStream(t *testing.T) {
	p := start(t)
	r, o := p.run(wire.Job{Code: "import os\nprint(1)\nos.close(2)"})
	if r.Outcome != wire.OK || string(o.Stdout) != "1\n" {
		t.Errorf("got %+v, %q", r, o.Stdout)
	}
	if m, err := p.from.Next(); err != nil {
		t.Error(err)
	} else if bye, ok := m.(wire.Bye); !ok || !strings.Contains(bye.Reason, "descriptor 2") {
		t.Errorf("it says %+v then", m)
	}
}
