package worker

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

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

func TestProcess(t *testing.T) {
	p := start(t)
	for _, code := range []string{"open(\"/tmp/big\", \"wb\").write(bytes(100<<20))", "print(1)", "1+1", "import os\nopen('/out/a.txt','w').write('hi')", "1/0", "f=open('/tmp/x','w')", "import os; os.listdir('/tmp')", "def", "import numpy", "await __import__('asyncio').sleep(0.01)"} {
		r, o := p.run(wire.Job{Code: code})
		t.Logf("%s\n => %+v value %+v failure %+v out %q err %q", code, r, r.Value, r.Failure, o.Stdout, o.Stderr)
		t.Logf("%+v", p.next())
	}
	var times []time.Duration
	for range 1000 {
		b := time.Now()
		p.run(wire.Job{Code: "print(1)"})
		times = append(times, time.Since(b))
		p.next()
	}
	slices.Sort(times)
	t.Log(times[500], times[900], times[990])
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	for _, l := range bytes.Split(data, []byte("\n")) {
		if bytes.HasPrefix(l, []byte("Vm")) || bytes.HasPrefix(l, []byte("Rss")) {
			t.Logf("%s", l)
		}
	}
}
