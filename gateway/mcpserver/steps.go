package mcpserver

import (
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// stepInterval is the least time between two notifications of one call's
// progress. Steps that come faster are left out, but for the last.
const stepInterval = 50 * time.Millisecond

// steps passes on how far one call has come: in order, no more often than every
// stepInterval, the last one always, and none behind the answer.
type steps struct {
	send func(tool.Step) // may wait for the client; what runs the call may not

	mu    sync.Mutex // guards what follows
	next  *tool.Step // the latest, until it is sent
	last  float64    // Done of the step that was taken before
	any   bool       // a step was taken
	ended bool
	more  chan struct{} // has a value when there is a next one; nil before the first
	over  chan struct{} // closed when no more will come
	idle  chan struct{} // closed when everything was sent
}

// take is told of a step. The protocol wants each to be further than the one
// before: where a total is known others are dropped, and where none is known
// they count on by one.
func (s *steps) take(step tool.Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	if s.any && step.Done <= s.last {
		if step.Total != 0 {
			return
		}
		step.Done = s.last + 1
	}
	s.next, s.last, s.any = &step, step.Done, true
	if s.more == nil {
		s.more, s.over, s.idle = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
		go s.run()
	}
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// run sends until the call is over.
func (s *steps) run() {
	defer close(s.idle)
	defer s.sendNext()
	pause := time.NewTicker(stepInterval)
	defer pause.Stop()
	for {
		select {
		case <-s.more:
			s.sendNext()
			pause.Reset(stepInterval)
		case <-s.over:
			return
		}
		select {
		case <-pause.C:
		case <-s.over:
			return
		}
	}
}

func (s *steps) sendNext() {
	s.mu.Lock()
	step := s.next
	s.next = nil
	s.mu.Unlock()
	if step != nil {
		s.send(*step)
	}
}

// end sends what is left, and returns when nothing more will be sent.
func (s *steps) end() {
	s.mu.Lock()
	s.ended = true
	idle := s.idle
	if idle != nil {
		close(s.over)
	}
	s.mu.Unlock()
	if idle != nil {
		<-idle
	}
}
