// Package admission decides when a call may run: so many at a time, one at a
// time of those that exclude each other, and so many that wait for it.
//
// A waiting call holds nothing. It starts when both its exclusive key and a
// place are free, and of those that could start the one that came first does.
// So a call that waits for a key keeps no place from others, and a call that
// waits for a place keeps no key from a call that needs no place.
package admission

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Limits of a [Gate] where [Options] name none.
const (
	DefaultRunning       = 256
	DefaultWaiting       = 1024
	DefaultWaitingPerKey = 64
	DefaultLongest       = 30 * time.Second
)

// Options are the limits of a [Gate]. A limit that is not above zero stands for
// its default.
type Options struct {
	Running       int           // most calls that run at a time, nested ones apart; DefaultRunning
	Waiting       int           // most calls that wait; DefaultWaiting
	WaitingPerKey int           // of these, most that ask for one exclusive key; DefaultWaitingPerKey
	Longest       time.Duration // longest wait of a call; DefaultLongest
}

// Gate lets calls in. It starts no goroutine and is safe for concurrent use.
type Gate struct {
	limits Options

	mu      sync.Mutex // guards all below
	running int        // places that are taken
	nested  int        // of those that wait, how many need no place
	keys    map[string]*key
	line    list.List // of *ticket, in the order they came; none of them could start now
}

// key is an exclusive key while it is held or asked for.
type key struct {
	held    bool
	waiting int
}

// New makes a gate.
func New(o Options) *Gate {
	return &Gate{
		limits: Options{
			Running:       orDefault(o.Running, DefaultRunning),
			Waiting:       orDefault(o.Waiting, DefaultWaiting),
			WaitingPerKey: orDefault(o.WaitingPerKey, DefaultWaitingPerKey),
			Longest:       orDefault(o.Longest, DefaultLongest),
		},
		keys: map[string]*key{},
	}
}

func orDefault[N int | time.Duration](n, otherwise N) N {
	if n > 0 {
		return n
	}
	return otherwise
}

// Enter waits until the call may run and takes what it needs: the exclusive
// key, unless that is empty, and one of the places, unless the call is nested,
// that is made from inside another call: its parent holds a place already. The
// call runs under the returned context, which knows the key, and gives
// everything back with leave, which may be called more than once.
//
// Calls of one key start in the order they came, and so do calls of no key. A
// nested call may start before one of its key that waits for a place, because
// that place may be the one of its own parent.
//
// On failure nothing is held, leave does nothing, and the error is a
// *tool.Error: Overloaded and retryable when too many wait already or the wait
// took longer than Options.Longest; what [tool.Ended] says when the context is
// over; Denied when the context's own call holds the key, because the two
// would wait for each other. Two parents that each hold the key that a call
// inside the other one asks for are not told apart from any other wait: it
// ends after Options.Longest.
func (g *Gate) Enter(ctx context.Context, exclusive string, nested bool) (within context.Context, leave func(), err error) {
	if ctx.Err() != nil {
		return ctx, nothing, notStarted(ctx)
	}
	if exclusive == "" && nested {
		return ctx, nothing, nil
	}
	t := &ticket{gate: g, name: exclusive, place: !nested}
	within = ctx
	if exclusive != "" {
		if t.outer = holder(ctx); t.outer.holds(g, exclusive) {
			return ctx, nothing, wouldWaitForItself()
		}
		within = context.WithValue(ctx, holderKey{}, t)
	}
	if err := g.admit(ctx, t); err != nil {
		return ctx, nothing, err
	}
	return within, t.leave, nil
}

// Load says how many places are taken and how many calls wait.
func (g *Gate) Load() (running, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running, g.line.Len()
}

func nothing() {}

// holderKey is the context key of the ticket of the innermost call that holds
// an exclusive key.
type holderKey struct{}

func holder(ctx context.Context) *ticket {
	t, _ := ctx.Value(holderKey{}).(*ticket)
	return t
}

// ticket is one call at the gate.
type ticket struct {
	gate  *Gate
	name  string  // of its key; empty for none
	outer *ticket // the call it was made from, where that holds a key
	place bool    // it needs a place
	left  atomic.Bool

	key   *key          // once it has or waits for one
	spot  *list.Element // in the line; nil unless it waits there
	start chan struct{} // closed when it leaves the line to start; nil when it never stood there
}

// holds reports whether the call or one around it holds the key now.
func (t *ticket) holds(g *Gate, name string) bool {
	for ; t != nil; t = t.outer {
		if t.gate == g && t.name == name && !t.left.Load() {
			return true
		}
	}
	return false
}

// leave gives back what the call holds and lets in whoever can start now.
func (t *ticket) leave() {
	if t.left.Swap(true) {
		return
	}
	t.gate.mu.Lock()
	defer t.gate.mu.Unlock()
	if t.place {
		t.gate.running--
	}
	if t.key != nil {
		t.key.held = false
		t.gate.tidy(t)
	}
	t.gate.advance()
}

// admit returns when the ticket holds all it needs, or with the reason why it
// does not get it.
func (g *Gate) admit(ctx context.Context, t *ticket) error {
	waits, err := g.ask(t)
	if err != nil || !waits {
		return err
	}
	late := time.NewTimer(g.limits.Longest)
	defer late.Stop()
	select {
	case <-t.start:
	case <-ctx.Done():
	case <-late.C:
		if g.withdraw(t) {
			return tooLate(g.limits.Longest)
		}
	}
	if ctx.Err() == nil {
		return nil
	}
	if !g.withdraw(t) {
		t.leave()
	}
	return notStarted(ctx)
}
