package python

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/toolgate/toolgate/wasm/python/wire"
)

// process is one interpreter process, its pipes and its output area.
type process struct {
	cmd  *exec.Cmd
	area *wire.Area
	in   *os.File // jobs
	out  *os.File // messages
	life *os.File // the gateway's end of the process's lifeline
	said *tail
	born time.Time

	// messages are what it says, in order; closed when it has ended, or its pipe, or
	// when it said something that is no message. Then bad is why.
	messages chan wire.Message
	bad      error

	over   chan struct{} // closed by kill: nobody listens any more
	exited chan struct{} // closed when it is reaped
	tasks  sync.WaitGroup

	mu     sync.Mutex // guards what follows
	reaped bool
	killed bool
}

// pipes are both ends of what leads to a process: ours and its own.
type pipes struct{ in, out, life, jobs, replies, lifeline *os.File }

func newPipes() (p pipes, err error) {
	for _, ends := range [][2]**os.File{{&p.jobs, &p.in}, {&p.out, &p.replies}, {&p.lifeline, &p.life}} {
		if *ends[0], *ends[1], err = os.Pipe(); err != nil {
			closeAll(p.jobs, p.in, p.out, p.replies)
			return p, err
		}
	}
	return p, nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close() // pipes have nothing to lose, and one that was not made is an error
	}
}

// spawn starts a process: no environment, a group of its own, nothing of the
// gateway's but three pipes, its log and the output area.
func spawn(argv []string, c Config) (*process, error) {
	if len(argv) == 0 {
		return nil, errors.New("no command line for interpreter processes")
	}
	area, err := wire.NewArea(c.Output)
	if err != nil {
		return nil, err
	}
	ends, err := newPipes()
	if err != nil {
		_ = area.Close()
		return nil, err
	}
	p := &process{
		area: area, in: ends.in, out: ends.out, life: ends.life, said: &tail{most: saidBytes}, born: time.Now(),
		messages: make(chan wire.Message), over: make(chan struct{}), exited: make(chan struct{}),
	}
	p.cmd = exec.Command(argv[0], argv[1:]...)
	p.cmd.Env, p.cmd.Dir = []string{}, "/"
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = ends.jobs, ends.replies, p.said
	p.cmd.ExtraFiles = []*os.File{area.File(), ends.lifeline} // wire.AreaFD, wire.LifelineFD
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}   // a signal of the terminal is the gateway's only
	p.cmd.WaitDelay = drainTime
	err = p.cmd.Start()
	closeAll(ends.jobs, ends.replies, ends.lifeline)
	if err != nil {
		closeAll(p.in, p.out, p.life)
		_ = area.Close()
		return nil, err
	}
	heard := make(chan struct{})
	p.tasks.Go(func() { p.listen(wire.Bounds{Contents: c.Limits.Bytes}); close(heard) })
	p.tasks.Go(func() { p.reap(heard) })
	return p, nil
}

// listen passes on what the process says.
func (p *process) listen(bounds wire.Bounds) {
	defer close(p.messages)
	from := wire.NewReader(p.out, bounds)
	for {
		m, err := from.Next()
		if err != nil {
			p.bad = err
			return
		}
		select {
		case p.messages <- m:
		case <-p.over:
			p.bad = os.ErrClosed
			return
		}
	}
}

// reap waits for the end of the process, ends what it has left behind in its
// group, and lets go of a pipe that somebody else still holds.
func (p *process) reap(heard <-chan struct{}) {
	_ = p.cmd.Wait() // the status is in ProcessState
	p.mu.Lock()
	p.signal()
	p.reaped = true
	p.mu.Unlock()
	close(p.exited)
	late := time.NewTimer(drainTime)
	defer late.Stop()
	select {
	case <-heard:
	case <-p.over:
	case <-late.C:
	}
	_ = p.out.Close()
}

// signal kills the process's group. The lock is held.
func (p *process) signal() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }

// kill ends the process without waiting for that. What it says or is sent from now on is
// lost; its output area can be read until close.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed {
		return
	}
	p.killed = true
	if !p.reaped {
		p.signal()
	}
	close(p.over)
	closeAll(p.life, p.in, p.out)
}

// close kills the process, waits for its end and gives everything back.
func (p *process) close() {
	p.kill()
	p.tasks.Wait()
	_ = p.area.Close()
}

// send gives a job to the process without waiting for it to be read. A process that
// takes none of it is one that does not answer.
func (p *process) send(f wire.Frame) {
	p.tasks.Go(func() { _ = f.Send(p.in) }) // a pipe that is broken shows by what is read, too
}

// errStopped is why a start was given up.
var errStopped = errors.New("the pool was closed")

// greet waits until the process has said that it is ready, unless stop is closed.
func (p *process) greet(limit time.Duration, stop <-chan struct{}) (wire.Hello, error) {
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case m, ok := <-p.messages:
		if !ok {
			return wire.Hello{}, p.gone()
		}
		if h, ok := m.(wire.Hello); ok {
			return h, nil
		}
		return wire.Hello{}, p.end(DeathBroken, outOfTurn(m))
	case <-late.C:
		return wire.Hello{}, p.end(DeathBroken, fmt.Errorf("it was not ready after %v", limit))
	case <-stop:
		return wire.Hello{}, errStopped
	}
}

// outOfTurn is for a message that the process may not send now.
func outOfTurn(m wire.Message) error {
	if b, ok := m.(wire.Bye); ok {
		return fmt.Errorf("it said that it ends: %.500s", b.Reason)
	}
	return fmt.Errorf("it sent a %T out of turn", m)
}

// gone says how a process ended that says nothing more: its messages have been
// closed. A pipe that ended is of a process that is gone; with something that is
// no message, of one that is broken.
func (p *process) gone() *ended {
	switch {
	case errors.Is(p.bad, io.EOF):
		p.bad = nil
	case !errors.Is(p.bad, io.ErrUnexpectedEOF):
		return p.end(DeathBroken, p.bad)
	}
	late := time.NewTimer(statusTime)
	defer late.Stop()
	select { // it ends by itself, and how is worth a moment
	case <-p.exited:
	case <-late.C:
	}
	return p.end(DeathCrash, p.bad)
}

// end kills the process and says how it ended.
func (p *process) end(why Death, cause error) *ended {
	e := &ended{why: why, cause: cause}
	select {
	case <-p.exited:
		e.status = p.cmd.ProcessState.String()
	default:
	}
	p.kill()
	e.said = p.said.String()
	return e
}

// tail keeps the last bytes of what is written to it.
type tail struct {
	most int

	mu   sync.Mutex // guards kept
	kept []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b[max(0, len(b)-t.most):]...)
	if over := len(t.kept) - t.most; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
