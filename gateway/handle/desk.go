// Package handle keeps calls within reach of whoever made them: calls that run
// on their own and are asked after later, and calls that are sent twice and run
// once.
package handle

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Limits of a [Desk] where [Options] name none.
const (
	DefaultKeep      = 10 * time.Minute
	DefaultPerCaller = 256
	DefaultMost      = 4096
	DefaultReplays   = 16_384
	DefaultBytes     = 64 << 20
)

// Options are the limits of a [Desk]. A limit that is not above zero stands for
// its default.
type Options struct {
	// Keep is how long a result can be had after its call has ended;
	// DefaultKeep.
	Keep time.Duration
	// PerCaller and Most are the most started calls, those that run and those
	// that are kept, of one caller and in all; DefaultPerCaller and DefaultMost.
	// Where they are reached, the oldest that has ended is forgotten first.
	PerCaller, Most int
	// Replays is the most results that [Desk.Once] keeps, a quarter of them for
	// one caller; DefaultReplays.
	Replays int
	// Bytes is the most that the kept results of started calls take, and again
	// those of Once, a quarter of them for one caller; DefaultBytes. Where it is
	// reached, the caller's oldest ones are forgotten, and then the oldest of all; of
	// those of Once it stays known that they ran. The newest one is kept whatever its
	// size, and so are results of Once under 2 KiB.
	Bytes int64
	// Keeper stores what has ended, and Kept is what was stored before: it can be
	// had as if the desk had kept it itself. Without a Keeper all ends with the
	// process.
	Keeper *Keeper
	Kept   []Entry
	// Inner gives the call that one stands for, which is what it is known as and
	// compared by; nil where each stands for itself.
	Inner func(tool.Call) tool.Call
}

// Desk holds the calls that were handed to it. It has a goroutine for each call
// that [Desk.Start] started and that has not ended, forgets what is over when
// it is asked for something, and is safe for concurrent use.
type Desk struct {
	run    func(context.Context, tool.Call) tool.Result
	limits Options

	mu      sync.Mutex // guards all below, and the fields of handles and firsts that say so
	closed  bool
	runs    map[*running]struct{} // all that has not ended
	started map[address]*handle
	active  map[string]int // of those, how many run, by caller
	kept    *shelf         // of those, the ones that have ended
	firsts  map[Key]*first
	replays *shelf // of those, the ones that have ended
}

// address is where a started call is found: callers do not see each other's.
type address struct{ caller, id string }

// running is a call that has not ended.
type running struct {
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when it has ended and its result is in place
}

// New makes a desk that runs calls with the given function, which ends soon
// after its context and never panics.
func New(run func(context.Context, tool.Call) tool.Result, o Options) *Desk {
	if o.Inner == nil {
		o.Inner = func(call tool.Call) tool.Call { return call }
	}
	o = Options{
		Keep:      orDefault(o.Keep, DefaultKeep),
		PerCaller: orDefault(o.PerCaller, DefaultPerCaller),
		Most:      orDefault(o.Most, DefaultMost),
		Replays:   orDefault(o.Replays, DefaultReplays),
		Bytes:     orDefault(o.Bytes, DefaultBytes),
		Keeper:    o.Keeper,
		Kept:      o.Kept,
		Inner:     o.Inner,
	}
	d := &Desk{
		run: run, limits: o,
		runs:    map[*running]struct{}{},
		started: map[address]*handle{},
		active:  map[string]int{},
		kept:    newShelf(o.Keep, o.PerCaller, o.Most, o.Bytes),
		firsts:  map[Key]*first{},
		replays: newShelf(o.Keep, max(1, o.Replays/share), o.Replays, o.Bytes),
	}
	d.restore(o.Kept)
	d.limits.Kept = nil
	return d
}

func orDefault[N int | int64 | time.Duration](n, otherwise N) N {
	if n > 0 {
		return n
	}
	return otherwise
}

// Close ends every call with the cause that the gateway is stopping and waits
// for them. Afterwards no call is taken, and what is kept can still be had. The
// error says how many calls were still running when the context was over. Close
// may be called more than once.
func (d *Desk) Close(ctx context.Context) error {
	left := d.stop()
	for i, r := range left {
		select {
		case <-r.done:
		case <-ctx.Done():
			return fmt.Errorf("%d calls have not ended: %w", len(left)-i, context.Cause(ctx))
		}
	}
	return nil
}

// stop takes no more calls and cancels those that run.
func (d *Desk) stop() []*running {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	left := make([]*running, 0, len(d.runs))
	for r := range d.runs {
		r.cancel(tool.Stopping())
		left = append(left, r)
	}
	return left
}

// Stopped is the failure of a call that comes after Close: Interrupted and retryable.
func Stopped() *tool.Error {
	e := tool.Errorf(tool.Interrupted, "the gateway is stopping, so the call was not run").
		WithHint("Call it again when the gateway is back.")
	e.Retryable = true
	return e
}
