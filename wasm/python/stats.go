package python

import (
	"maps"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

// Death is why a process came to its end.
type Death string

// The reasons.
const (
	DeathTimeout   Death = "timeout"   // killed at the time limit of its program
	DeathCancelled Death = "cancelled" // killed because the caller of its program gave up
	DeathWorn      Death = "worn"      // it said that it can run nothing more
	DeathCrash     Death = "crash"     // it ended by itself, or somebody killed it
	DeathBroken    Death = "broken"    // killed because of what it said, or did not say
	DeathClosed    Death = "closed"    // killed because the pool was closed
)

// Deaths returns every reason, in the order in which they are declared.
func Deaths() []Death {
	return []Death{DeathTimeout, DeathCancelled, DeathWorn, DeathCrash, DeathBroken, DeathClosed}
}

// Stats are figures of a pool at one time; all but the first group are sums since it
// was opened.
type Stats struct {
	Starting, Idle, Busy, Resetting int // processes; Busy has those that only check, too
	Running, Waiting                int // programs

	Starts, FailedStarts int64
	Deaths               map[Death]int64
	// Runs are the programs that were answered with a reply, by its outcome.
	Runs map[wire.Outcome]int64
	// Failures are the programs that were answered with an error, by its code.
	Failures map[tool.Code]int64
	// Checks are how often a program that waited was compiled ahead of its turn, and
	// Refused how many of them were answered by that.
	Checks, Refused int64
	// Again is how many programs were given to another process because the first ended before
	// anything of them had run.
	Again int64
	// Waited is how long all programs that came to a process had waited, and Ran how long
	// they ran.
	Waited, Ran time.Duration

	// Hello is what the process that started last said of its interpreter; without a
	// version while none has.
	Hello wire.Hello
}

// Stats returns the figures of now.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.sums
	s.Deaths, s.Runs, s.Failures = maps.Clone(s.Deaths), maps.Clone(s.Runs), maps.Clone(s.Failures)
	s.Starting, s.Running, s.Waiting = p.starts.under, p.running, p.line.len()
	for w := range p.workers {
		switch w.state {
		case idle:
			s.Idle++
		case busy:
			s.Busy++
		case resetting:
			s.Resetting++
		}
	}
	return s
}
