package python

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

// Pool runs programs in interpreter processes. It is safe for concurrent use.
type Pool struct {
	config  Config
	closing chan struct{}  // closed by Close
	tasks   sync.WaitGroup // all that lives until Close

	mu      sync.Mutex // guards what follows
	closed  bool
	line    line
	workers map[*worker]struct{} // that have said hello and not ended
	running int                  // programs
	slow    slow
	starts  starts
	sums    Stats // without what can be counted now
}

// task is one call of Run.
type task struct {
	ctx    context.Context // of the caller
	caller string
	job    wire.Job
	frame  wire.Frame // the job, encoded
	limit  time.Duration
	since  time.Time   // when it began to wait
	answer chan answer // has room for the one that it gets

	// The pool's lock guards what follows.
	looked bool // it is, or was, checked ahead of its turn
	again  bool // it was given to a second process
	slow   bool // it runs as a program of a slow caller
}

type answer struct {
	result Result
	err    error
}

// Open starts a pool. Its processes start in the background: nothing that goes wrong there
// is an error here, callers of Run are told. Close ends it.
func Open(c Config) *Pool {
	p := &Pool{
		config: c.withDefaults(), closing: make(chan struct{}),
		workers: map[*worker]struct{}{}, slow: slow{callers: map[string]bool{}},
		sums: Stats{Deaths: map[Death]int64{}, Runs: map[wire.Outcome]int64{}, Failures: map[tool.Code]int64{}},
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fill()
	return p
}

// Close kills all processes and waits until nothing is left of them. Programs that
// run or wait are answered tool.Interrupted.
func (p *Pool) Close() {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		close(p.closing)
		p.starts.timer.stop()
		p.refuse(p.line.clear(), func() error { return tool.Stopping() })
	}
	p.mu.Unlock()
	p.tasks.Wait()
}

// Run runs a program in a process that is as new, after waiting for one where all are in
// use. It answers at the time limit or when ctx ends, not when the process has ended.
//
// What a program did, an exception of its own included, is in the result's reply. Every
// error is a *tool.Error: Timeout; UpstreamError where the process ended or broke; Overloaded,
// with when to try again; UpstreamUnavailable, or what [Config.Command] says, while no
// process can be started; InvalidArgs for a job that cannot be sent; Interrupted by Close;
// and what ctx says.
func (p *Pool) Run(ctx context.Context, r Request) (Result, error) {
	result, err := p.run(ctx, r)
	if err != nil {
		e := tool.AsError(err)
		p.mu.Lock()
		p.sums.Failures[e.Code]++
		p.mu.Unlock()
		return result, e
	}
	return result, nil
}

func (p *Pool) run(ctx context.Context, r Request) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, tool.Ended(ctx)
	}
	t, err := p.task(ctx, r)
	if err != nil {
		return Result{}, refused(err)
	}
	if err := p.enter(t); err != nil {
		return Result{}, err
	}
	return p.wait(t)
}

func (p *Pool) task(ctx context.Context, r Request) (*task, error) {
	t := &task{ctx: ctx, caller: r.Caller, job: r.Job, limit: p.config.Timeout, since: time.Now(), answer: make(chan answer, 1)}
	if r.Timeout > 0 {
		t.limit = min(t.limit, r.Timeout)
	}
	most := p.config.Limits
	l := limits(r.Job.Limits, most)
	t.job.Limits = wire.Limits{Value: min(l.Value, most.Value), Artifacts: min(l.Artifacts, most.Artifacts), Bytes: min(l.Bytes, most.Bytes)}
	var err error
	t.frame, err = wire.Encode(t.job)
	return t, err
}

// enter puts a task into the line, where there is room.
func (p *Pool) enter(t *task) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return tool.Stopping()
	}
	if err := p.down(); err != nil {
		return err
	}
	p.line.push(t)
	p.dispatch()
	if p.line.len() <= p.config.Queue {
		return nil
	}
	last := p.line.yield(t.caller)
	if last == nil {
		p.line.remove(t)
		return full(p.config.Queue)
	}
	last.tell(Result{Waited: time.Since(last.since)}, full(p.config.Queue))
	return nil
}

// wait waits for the answer.
func (p *Pool) wait(t *task) (Result, error) {
	late := time.NewTimer(p.config.Wait)
	defer late.Stop()
	gone := t.ctx.Done()
	for {
		select {
		case a := <-t.answer:
			if errors.Is(a.err, errGivenUp) {
				a.err = tool.Ended(t.ctx)
			}
			return a.result, a.err
		case <-gone:
			if p.leave(t) {
				return Result{Waited: time.Since(t.since)}, tool.Ended(t.ctx)
			}
			gone = nil // whoever has it sees that, too
		case <-late.C:
			if p.leave(t) {
				return Result{Waited: time.Since(t.since)}, tooLate(p.config.Wait)
			}
			late.Reset(p.config.Wait) // it may come back
		}
	}
}

// leave takes a task out of the line; false is that it is no longer there.
func (p *Pool) leave(t *task) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.line.remove(t)
}

func (t *task) tell(r Result, err error) { t.answer <- answer{r, err} }

// refuse answers what was taken out of the line. The lock is held.
func (p *Pool) refuse(tasks []*task, why func() error) {
	for _, t := range tasks {
		t.tell(Result{Waited: time.Since(t.since)}, why())
	}
}

// dispatch gives work to the processes that have none: programs while so many may
// run, then checks of those that wait. The lock is held.
func (p *Pool) dispatch() {
	for p.running < p.config.Workers {
		w := p.idle()
		if w == nil {
			return
		}
		t := p.line.next(p.mayRun)
		if t == nil {
			break
		}
		t.slow = p.slow.has(t.caller)
		p.running++
		if t.slow {
			p.slow.running++
		}
		w.take(work{task: t})
	}
	for w := p.idle(); w != nil; w = p.idle() {
		t := p.line.find(func(t *task) bool { return !t.looked && !p.slow.callers[t.caller] })
		if t == nil {
			return
		}
		t.looked = true
		p.sums.Checks++
		w.take(work{task: t, check: true})
	}
}

// take is called for idle workers, with the pool's lock held.
func (w *worker) take(do work) {
	w.state = busy
	w.work <- do
}

func (p *Pool) idle() *worker {
	for w := range p.workers {
		if w.state == idle {
			return w
		}
	}
	return nil
}

// mayRun keeps one process free of the callers whose programs run too long.
func (p *Pool) mayRun(caller string) bool {
	return !p.slow.has(caller) || p.slow.running < max(1, p.config.Workers-1)
}

// settle ends the run of a program and answers its caller.
func (p *Pool) settle(w *worker, t *task, r Result, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sums.Waited += r.Waited
	p.sums.Ran += r.Ran
	w.begun = w.begun || r.Begun
	switch {
	case r.TimedOut:
		p.slow.add(t.caller, false)
	case err == nil:
		p.slow.drop(t.caller)
		p.sums.Runs[r.Reply.Outcome]++
		p.replied(w)
	}
	t.tell(r, err)
	p.leaves(t)
	p.dispatch()
}

// leaves counts a program out that ran.
func (p *Pool) leaves(t *task) {
	p.running--
	if t.slow {
		p.slow.running--
	}
}

// replied notes that a process has answered.
func (p *Pool) replied(w *worker) {
	w.state, w.begun = resetting, true
	p.starts.failures = 0
}

// checked is told what a check says. A program that would not run is answered so, unless
// its turn came meanwhile.
func (p *Pool) checked(w *worker, t *task, r Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replied(w)
	says := r.Reply.Outcome
	if (says == wire.Syntax || says == wire.Dependencies || t.job.Check) && p.line.remove(t) {
		p.sums.Refused++
		p.sums.Runs[says]++
		t.tell(r, nil)
	}
}

// uncheckable is told that a process ended over a check, perhaps because that took too
// long.
func (p *Pool) uncheckable(w *worker, t *task, late bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.begun = true
	if late {
		p.slow.add(t.caller, true)
	}
}

// again puts a program back of which nothing was run because its process ended before that;
// once only, since it may be the reason.
func (p *Pool) again(t *task, why Death) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if why == DeathTimeout || p.closed || t.again || t.ctx.Err() != nil {
		return false
	}
	t.again = true
	p.sums.Again++
	p.putBack(t)
	return true
}

// putBack takes a program back from a process that has run nothing of it.
func (p *Pool) putBack(t *task) {
	p.leaves(t)
	switch {
	case p.closed:
		t.tell(Result{}, tool.Stopping())
	case t.ctx.Err() != nil:
		t.tell(Result{}, errGivenUp) // its caller no longer looks whether it waits
	default:
		p.line.unshift(t)
	}
	p.dispatch()
}

// slow are the callers whose last program ran into the time limit, and whether that
// was when it was compiled, to see whether it compiles.
type slow struct {
	callers map[string]bool
	running int // programs of theirs
}

func (s *slow) has(caller string) bool { _, ok := s.callers[caller]; return ok }

func (s *slow) drop(caller string) { delete(s.callers, caller) }

// add forgets any of the others where there are too many.
func (s *slow) add(caller string, compiling bool) {
	for other := range s.callers {
		if len(s.callers) < mostSlow {
			break
		}
		delete(s.callers, other)
	}
	s.callers[caller] = compiling
}
