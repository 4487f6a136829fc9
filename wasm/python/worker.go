package python

import (
	"errors"
	"fmt"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

// state is what a process does.
type state int

const (
	idle state = iota
	busy
	resetting // it has answered, and is not as it was yet
)

// worker is a process that has said hello, and the goroutine that speaks with it.
type worker struct {
	pool *Pool
	proc *process
	work chan work // has room for one: it is given to idle workers only

	// The pool's lock guards what follows.
	state state
	begun bool // it has begun something
}

// work is one thing to do for a task.
type work struct {
	task  *task
	check bool // whether it compiles, and no more
}

// live works until the process has come to its end.
func (w *worker) live() {
	var end *ended
	for end == nil {
		end = w.next()
	}
	w.pool.lost(w, end)
	w.proc.close()
}

// next does one thing that the pool gives. The process is then as it was before, or
// has ended.
func (w *worker) next() *ended {
	select {
	case do := <-w.work:
		if do.check {
			return w.check(do.task)
		}
		return w.run(do.task)
	case m, ok := <-w.proc.messages:
		return w.unasked(m, ok)
	case <-w.pool.closing:
		return w.proc.end(DeathClosed, nil)
	}
}

// unasked is for what a process says that was not asked, and for one that says nothing
// more.
func (w *worker) unasked(m wire.Message, ok bool) *ended {
	if !ok {
		return w.proc.gone()
	}
	if b, ok := m.(wire.Bye); ok {
		return w.proc.end(DeathWorn, fmt.Errorf("%.500s", b.Reason))
	}
	return w.proc.end(DeathBroken, outOfTurn(m))
}

// ask sends a job and waits for the reply. The error is what the caller of the
// job is told.
func (w *worker) ask(f wire.Frame, limit time.Duration, gone <-chan struct{}) (r wire.Reply, end *ended, err error) {
	late := time.NewTimer(limit)
	defer late.Stop()
	if err := w.proc.area.Reset(); err != nil {
		end = w.proc.end(DeathBroken, err)
		return r, end, broken(end)
	}
	w.proc.send(f)
	select {
	case m, ok := <-w.proc.messages:
		if r, ok := m.(wire.Reply); ok {
			return r, nil, nil
		}
		end = w.unasked(m, ok)
		if end.why == DeathBroken {
			return r, end, broken(end)
		}
		return r, end, crashed(end)
	case <-late.C:
		end = w.proc.end(DeathTimeout, nil)
		return r, end, timedOut(limit)
	case <-gone:
		return r, w.proc.end(DeathCancelled, nil), errGivenUp
	case <-w.pool.closing:
		return r, w.proc.end(DeathClosed, nil), tool.Stopping()
	}
}

// errGivenUp stands for what the context of a caller says.
var errGivenUp = errors.New("given up")

// run runs a program and answers its caller.
func (w *worker) run(t *task) *ended {
	began := time.Now()
	reply, end, err := w.ask(t.frame, t.limit, t.ctx.Done())
	out, unread := w.proc.area.Output()
	if err == nil && unread != nil {
		end = w.proc.end(DeathBroken, unread)
		err = broken(end)
	}
	r := Result{
		Reply: reply, Stdout: out.Stdout, Stderr: out.Stderr, DroppedOut: out.DroppedOut, DroppedErr: out.DroppedErr,
		Waited: began.Sub(t.since), Ran: time.Since(began), TimedOut: end != nil && end.why == DeathTimeout,
		Begun: out.Begun || err == nil,
	}
	if err != nil {
		r.Reply = wire.Reply{}
	}
	if end != nil && !out.Begun && unread == nil && w.pool.again(t, end.why) {
		return end
	}
	w.pool.settle(w, t, r, err)
	if end != nil {
		return end
	}
	return w.reset(reply)
}

// check asks whether a program compiles that waits for its turn. Where it does not, the
// caller is answered; where nobody can say, its turn will tell.
func (w *worker) check(t *task) *ended {
	job := wire.Job{Code: t.job.Code, Check: true, Dependencies: t.job.Dependencies, Name: t.job.Name, Limits: t.job.Limits}
	frame, err := wire.Encode(job)
	if err != nil {
		return w.ready()
	}
	began := time.Now()
	reply, end, _ := w.ask(frame, w.pool.config.check, nil)
	if end != nil {
		w.pool.uncheckable(w, t, end.why == DeathTimeout)
		return end
	}
	w.pool.checked(w, t, Result{Reply: reply, Waited: began.Sub(t.since), Ran: time.Since(began)})
	return w.reset(reply)
}

// reset waits until a process that has answered is as it was before.
func (w *worker) reset(answer wire.Reply) *ended {
	if answer.Worn != "" {
		return w.proc.end(DeathWorn, fmt.Errorf("%.500s", answer.Worn))
	}
	late := time.NewTimer(w.pool.config.reset)
	defer late.Stop()
	select {
	case m, ok := <-w.proc.messages:
		if _, ready := m.(wire.Ready); ready {
			return w.ready()
		}
		return w.unasked(m, ok)
	case <-late.C:
		return w.proc.end(DeathBroken, fmt.Errorf("it was not as before %v after its answer", w.pool.config.reset))
	case <-w.pool.closing:
		return w.proc.end(DeathClosed, nil)
	}
}

// ready gives the process back to the pool.
func (w *worker) ready() *ended {
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	w.state = idle
	w.pool.dispatch()
	return nil
}
