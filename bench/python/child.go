package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/toolgate/toolgate/wasm/python/cpython"
	"github.com/toolgate/toolgate/wasm/python/wire"
	"github.com/toolgate/toolgate/wasm/python/worker"
)

const (
	workerCommand = "-worker" // the argument with which this program is an interpreter process
	memory        = 256 << 20 // bytes, of a program and its interpreter: the gateway's default
	written       = 64 << 20  // bytes, of a program's files
	outputKept    = 1 << 20   // bytes of each stream
	startLimit    = 2 * time.Minute
)

// serve is an interpreter process.
func serve(settings string) error {
	return worker.Run(context.Background(), settings, worker.Pipes{
		In: os.Stdin, Out: os.Stdout, Area: os.NewFile(wire.AreaFD, "output"), Lifeline: wire.LifelineFD,
	})
}

// command is the command line of an interpreter process whose code is in a folder.
func command(r *cpython.Runtime, compiled string) ([]string, error) {
	self, err := os.Executable()
	s := worker.Settings{
		Module: r.Module, Library: r.Library, Cache: compiled, Compilers: runtime.NumCPU(), Memory: memory, Files: written,
	}
	return []string{self, workerCommand, s.Argument()}, err
}

// child is an interpreter process without a gateway: this program speaks with it itself.
type child struct {
	cmd   *exec.Cmd
	area  *wire.Area
	life  *os.File // our end of its lifeline
	jobs  *os.File
	from  *wire.Reader
	said  bytes.Buffer
	hello wire.Hello
	took  time.Duration // from its start until its hello
}

// spawn starts a process and waits until it can take a job.
func spawn(argv []string) (*child, error) {
	c := &child{}
	theirs, err := c.pipes(argv)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	err = c.cmd.Start()
	for _, f := range theirs {
		_ = f.Close() // it has its own
	}
	if err != nil {
		return nil, err
	}
	m, err := c.next()
	c.took = time.Since(began)
	hello, ok := m.(wire.Hello)
	if !ok && err == nil {
		err = fmt.Errorf("the process said %T first", m)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	c.hello = hello
	return c, nil
}

// pipes prepares the command, and gives the files that it has and we do not need.
func (c *child) pipes(argv []string) (theirs []*os.File, err error) {
	if c.area, err = wire.NewArea(outputKept); err != nil {
		return nil, err
	}
	var in, out, replies, lifeline *os.File
	for _, ends := range [][2]**os.File{{&in, &c.jobs}, {&out, &replies}, {&lifeline, &c.life}} {
		if *ends[0], *ends[1], err = os.Pipe(); err != nil {
			return nil, err
		}
	}
	c.from = wire.NewReader(out, wire.Bounds{})
	c.cmd = exec.Command(argv[0], argv[1:]...)
	c.cmd.Env, c.cmd.Dir = []string{}, "/"
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = in, replies, &c.said
	c.cmd.ExtraFiles = []*os.File{c.area.File(), lifeline} // wire.AreaFD, wire.LifelineFD
	return []*os.File{in, replies, lifeline}, nil
}

// next is what the process says next.
func (c *child) next() (wire.Message, error) {
	late := time.AfterFunc(startLimit, func() { _ = c.cmd.Process.Kill() })
	defer late.Stop()
	m, err := c.from.Next()
	if err != nil {
		_ = c.cmd.Wait() // it has ended, or is of no use
		return nil, fmt.Errorf("an interpreter process: %w\n%s", err, &c.said)
	}
	return m, nil
}

// run runs a program and waits until the process can take the next one.
func (c *child) run(code string) error {
	_, err := c.value(code)
	return err
}

// seconds runs a program whose value is a number of seconds.
func (c *child) seconds(code string) (time.Duration, error) {
	text, err := c.value(code)
	if err != nil {
		return 0, err
	}
	return seconds(text)
}

// value runs a program and gives the value of its last expression, as repr has it.
func (c *child) value(code string) (string, error) {
	if err := c.area.Reset(); err != nil {
		return "", err
	}
	if err := wire.Write(c.jobs, wire.Job{Code: code, Limits: wire.Limits{Value: 64 << 10, Artifacts: 16, Bytes: 1 << 20}}); err != nil {
		return "", err
	}
	m, err := c.next()
	if err != nil {
		return "", err
	}
	reply, ok := m.(wire.Reply)
	if !ok || reply.Outcome != wire.OK {
		return "", fmt.Errorf("a program that should run was answered %+v", m)
	}
	_, err = c.next() // it is ready
	if err != nil || reply.Value == nil {
		return "", err
	}
	return reply.Value.Repr, nil
}

func (c *child) close() {
	_, _ = c.life.Close(), c.jobs.Close()
	_ = c.cmd.Wait() // killed by its lifeline, or at the end of its jobs
	_ = c.area.Close()
}
