package handle

import (
	"context"
	"math"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// maxShownID is how many bytes of an identifier that somebody made up a message
// repeats.
const maxShownID = 100

// retryAfter is when a caller that has too many calls may try again.
const retryAfter = time.Second

// handle is a started call. Its status and asked are guarded by the desk.
type handle struct {
	running
	at     address
	status Status
	listen func(tool.Step) // is told of steps; nil for nobody
	asked  bool            // somebody wants it cancelled
}

// startedKey is the context key of a started call.
type startedKey struct{}

// Started reports whether the context is that of a call that [Desk.Start] started,
// for which nobody is kept waiting.
func Started(ctx context.Context) bool { return ctx.Value(startedKey{}) != nil }

// Start runs a call on its own: it goes on when the context is over, whose
// values it keeps, and can be asked after, waited for and cancelled by its
// caller until Options.Keep after its end. A call without an ID is given one.
// Steps that the tool reports go to the status and nowhere else.
//
// The error is a *tool.Error, and then nothing was run: Overloaded and
// retryable when too many calls run, InvalidArgs when the caller has a call of
// this ID here, Interrupted after Close.
func (d *Desk) Start(ctx context.Context, call tool.Call) (Status, error) {
	return d.Follow(ctx, call, nil)
}

// Follow is [Desk.Start] with somebody who is told of the steps, too, one at a time,
// and must not wait.
func (d *Desk) Follow(ctx context.Context, call tool.Call, listen func(tool.Step)) (Status, error) {
	if call.ID == "" {
		call.ID = tool.NewCallID()
	}
	h := &handle{at: address{call.Caller.ID, call.ID}, listen: listen}
	h.status = Status{ID: call.ID, Tool: tool.ShownName(d.limits.Inner(call).Tool), State: Running, Started: time.Now()}
	status := h.status
	ctx, h.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	h.done = make(chan struct{})
	if err := d.add(h); err != nil {
		h.cancel(err)
		return Status{}, err
	}
	go d.serve(ctx, h, call)
	return status, nil
}

// add takes a call that is to run, where there is room for it or can be made.
func (d *Desk) add(h *handle) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return Stopped()
	}
	d.kept.expire(h.status.Started)
	if _, ok := d.started[h.at]; ok {
		return tool.Errorf(tool.InvalidArgs, "a call with the id %q was started before", tool.Excerpt([]byte(h.at.id), maxShownID)).
			WithHint("Ask after that call by its id, or start this one with another id.")
	}
	caller := h.at.caller
	if n := d.active[caller]; n+d.kept.counts[caller] >= d.limits.PerCaller && !d.kept.dropOldestOf(caller) {
		return crowded("you have %d calls that have not ended", n)
	}
	if n := len(d.started); n >= d.limits.Most && !d.kept.dropOldest() {
		return crowded("%d calls have not ended", n)
	}
	d.started[h.at], d.runs[&h.running] = h, struct{}{}
	d.active[caller]++
	return nil
}

func crowded(format string, n int) *tool.Error {
	e := tool.Errorf(tool.Overloaded, format+", so this one was not run", n).
		WithHint("Wait until some of them have ended, or cancel them.")
	e.Retryable, e.RetryAfter = true, retryAfter
	return e
}

// serve runs the call.
func (d *Desk) serve(ctx context.Context, h *handle, call tool.Call) {
	defer h.cancel(nil)
	ctx = context.WithValue(ctx, startedKey{}, true)
	ctx = tool.WithProgress(ctx, func(s tool.Step) { d.step(h, s) })
	r := d.run(ctx, call)
	d.end(h, &r)
	close(h.done)
}

// step keeps the latest step of a call that runs. What JSON has no numbers for
// is not kept.
func (d *Desk) step(h *handle, s tool.Step) {
	if !finite(s.Done) || !finite(s.Total) {
		return
	}
	if h.listen != nil {
		h.listen(s)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if h.status.State == Running {
		h.status.Progress = &s
	}
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// end keeps how a call ended.
func (d *Desk) end(h *handle, r *tool.Result) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h.status.Result, h.status.Ended = r, time.Now()
	switch {
	case r.Error == nil:
		h.status.State = Completed
	case h.asked || r.Error.Code == tool.Cancelled:
		h.status.State = Cancelled
	default:
		h.status.State = Failed
	}
	delete(d.runs, &h.running)
	if d.active[h.at.caller]--; d.active[h.at.caller] == 0 {
		delete(d.active, h.at.caller)
	}
	status, name := h.status, h.name()
	d.limits.Keeper.put(name, func() *Entry {
		return encode(name, stored{Tool: status.Tool, State: status.State, Started: status.Started, Ended: status.Ended, Result: *r})
	})
	d.shelve(h)
}

// Status says how a call of this caller is doing. It reports false for one that
// is not here: it was never started, by this caller, or is forgotten.
func (d *Desk) Status(caller tool.Caller, id string) (Status, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h, ok := d.find(caller, id)
	if !ok {
		return Status{}, false
	}
	return h.status, true
}

// Wait is [Desk.Status], as soon as the call has ended or the context is over.
func (d *Desk) Wait(ctx context.Context, caller tool.Caller, id string) (Status, bool) {
	d.mu.Lock()
	h, ok := d.find(caller, id)
	d.mu.Unlock()
	if !ok {
		return Status{}, false
	}
	select {
	case <-h.done:
	case <-ctx.Done():
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return h.status, true
}

// Cancel ends a call of this caller and reports false where Status does. The
// returned status is the one of this moment: the call runs until its tool has
// stopped. Afterwards it is Cancelled, or Completed where it went well all the
// same. A call that has ended stays as it is.
func (d *Desk) Cancel(caller tool.Caller, id string) (Status, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h, ok := d.find(caller, id)
	if !ok {
		return Status{}, false
	}
	if h.status.State == Running {
		h.asked = true
		h.cancel(tool.Errorf(tool.Cancelled, "the call was cancelled by its caller"))
	}
	return h.status, true
}

// find looks a call up after what is too old was forgotten.
func (d *Desk) find(caller tool.Caller, id string) (*handle, bool) {
	d.kept.expire(time.Now())
	h, ok := d.started[address{caller.ID, id}]
	return h, ok
}
