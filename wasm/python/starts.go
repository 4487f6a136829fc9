package python

import "time"

// starts is how starting processes goes. The pool's lock guards it.
type starts struct {
	under    int       // processes that have not said hello yet
	proven   bool      // one has started, ever
	failures int       // in a row
	reason   error     // of the last one; nil when the last start succeeded
	absent   bool      // the reason is that there is nothing to start
	next     time.Time // not to be tried before
	timer    timer     // for next
}

// timer is at most one timer.
type timer struct{ t *time.Timer }

func (t *timer) stop() {
	if t.t != nil {
		t.t.Stop()
		t.t = nil
	}
}

// Wake tries at once to start what is missing, as when what [Config.Command] needs
// has come to be there.
func (p *Pool) Wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.starts.next = time.Time{}
	p.fill()
}

// fill starts processes until there is one more than programs may run. One that could not be
// started is tried again after a while, and alone: so is the very first, which may have to
// compile what the others then find in the cache. The lock is held.
func (p *Pool) fill() {
	if p.closed {
		return
	}
	s := &p.starts
	s.timer.stop()
	if wait := time.Until(s.next); wait > 0 {
		s.timer.t = time.AfterFunc(wait, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.fill()
		})
		return
	}
	for len(p.workers)+s.under <= p.config.Workers {
		if s.under > 0 && (!s.proven || s.failures > 0) {
			return
		}
		s.under++
		p.tasks.Go(p.start)
	}
}

// start starts a process and lives with it.
func (p *Pool) start() {
	w, absent, err := p.launch()
	if err != nil {
		p.failed(absent, err)
		return
	}
	w.live()
}

// launch brings a process to where it can take a job. Absent is that there is
// nothing to start.
func (p *Pool) launch() (w *worker, absent bool, err error) {
	argv, err := p.config.Command()
	if err != nil {
		return nil, true, err
	}
	proc, err := spawn(argv, p.config)
	if err != nil {
		return nil, false, err
	}
	hello, err := proc.greet(p.config.StartTimeout, p.closing)
	if err != nil {
		proc.close()
		return nil, false, err
	}
	w = &worker{pool: p, proc: proc, work: make(chan work, 1)}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.starts
	s.under--
	s.proven, s.reason, s.absent, s.next = true, nil, false, time.Time{}
	p.sums.Starts++
	p.sums.Hello = hello
	p.workers[w] = struct{}{}
	p.fill()
	p.dispatch()
	return w, false, nil
}

// failed is told that a start has failed.
func (p *Pool) failed(absent bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.starts.under--
	if p.closed {
		return
	}
	p.sums.FailedStarts++
	p.fails(absent, err)
	say := p.config.Log.Warn
	if absent {
		say = p.config.Log.Debug // whoever has to bring it says so
	}
	say("interpreter process did not start", "error", err, "failures", p.starts.failures, "again", time.Until(p.starts.next))
}

// fails notes a failure and when to try again, and answers those who wait in vain.
func (p *Pool) fails(absent bool, err error) {
	s := &p.starts
	s.failures++
	s.reason, s.absent = err, absent
	s.next = time.Now().Add(min(lastRetry, firstRetry<<min(s.failures-1, 16)))
	if p.down() != nil {
		p.refuse(p.line.clear(), p.down)
	}
	p.fill()
}

// down is what callers are told while no process is there and starting one is
// known to fail; else nil.
func (p *Pool) down() error {
	s := &p.starts
	if len(p.workers) > 0 || s.reason == nil || !s.absent && s.failures < downAfter {
		return nil
	}
	return unavailable(s.reason, time.Until(s.next))
}

// lost is told that a process has come to its end.
func (p *Pool) lost(w *worker, end *ended) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.workers, w)
	select {
	case do := <-w.work: // given to it while it ended
		if do.check {
			do.task.looked = false
		} else {
			p.putBack(do.task)
		}
	default:
	}
	p.sums.Deaths[end.why]++
	bad := end.why == DeathCrash || end.why == DeathBroken
	if bad && !p.closed {
		p.config.Log.Warn("interpreter process ended", "reason", end)
	}
	if bad && !p.closed && !w.begun && time.Since(w.proc.born) < infancy {
		p.fails(false, end)
		return
	}
	if p.down() != nil {
		p.refuse(p.line.clear(), p.down)
	}
	p.fill()
}
