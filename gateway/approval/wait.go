package approval

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// errGone is why nothing can be waited for: somebody took the approval out of the
// store.
var errGone = errors.New("the approval is not in the store any more")

// Wait gives the approval as soon as it does not wait for an answer any more, and
// as it stands at until, when the context is over, or when the desk lets go.
// The error is a [*tool.Error].
func (d *Desk) Wait(ctx context.Context, id string, until time.Time) (*Approval, error) {
	return d.WaitOr(ctx, id, until, nil)
}

// WaitOr is Wait for somebody who also stops waiting when woken is closed, and is
// then given the approval as it stands.
func (d *Desk) WaitOr(ctx context.Context, id string, until time.Time, woken <-chan struct{}) (*Approval, error) {
	w := d.enter(ctx, id)
	defer d.leave(id, w)
	a, err := d.there(ctx, id)
	if err != nil {
		return nil, err
	}
	if a.Expires.Before(until) {
		until = a.Expires
	}
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	for a.At(time.Now()) == Pending {
		select {
		case news := <-w.news:
			a = &news
		case <-timer.C:
			return a, nil
		case <-ctx.Done():
			return a, nil
		case <-d.leaving.Done():
			return a, nil
		case <-woken:
			return d.there(ctx, id)
		}
	}
	return a, nil
}

// there gives an approval that there must be, also when the time is up.
func (d *Desk) there(ctx context.Context, id string) (*Approval, error) {
	ctx = context.WithoutCancel(ctx)
	a, err := d.store.Approval(ctx, id)
	switch {
	case err != nil:
		return nil, failed(ctx, err)
	case a == nil:
		return nil, failed(ctx, errGone)
	}
	return a, nil
}

func (d *Desk) enter(ctx context.Context, id string) *waiter {
	w := &waiter{news: make(chan Approval, 1)}
	d.join(ctx, func() {
		if d.waiting[id] == nil {
			d.waiting[id] = map[*waiter]struct{}{}
		}
		d.waiting[id][w] = struct{}{}
	})
	return w
}

// join adds somebody who wants to be told. While there is nobody, what changes is
// not read: the first one to come begins with what is there, and reads that itself.
func (d *Desk) join(ctx context.Context, add func()) {
	d.joining.Lock()
	defer d.joining.Unlock()
	if !d.wanted() {
		d.skip(ctx)
	}
	d.mu.Lock()
	add()
	d.mu.Unlock()
	d.wake()
}

// skip leaves out what changed up to now.
func (d *Desk) skip(ctx context.Context) {
	last, err := d.store.LastApprovalChange(ctx)
	if d.note(ctx, err); err != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen = last
}

// rewind begins anew where the store has: a file that was damaged is set aside, and
// the changes in the one that takes its place count from one.
func (d *Desk) rewind(ctx context.Context) {
	last, err := d.store.LastApprovalChange(ctx)
	if d.note(ctx, err); err != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if last < d.seen {
		d.seen = 0
	}
}

func (d *Desk) leave(id string, w *waiter) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if delete(d.waiting[id], w); len(d.waiting[id]) == 0 {
		delete(d.waiting, id)
	}
}

// Watch tells f of every change of an approval to come, also of those that other
// processes make, until stop is called; what is being told then is told to its end.
// What changes quickly may be told of once. It must not wait, and is never called
// twice at a time.
func (d *Desk) Watch(ctx context.Context, f func(Approval)) (stop func()) {
	d.join(ctx, func() { d.watchers[&f] = struct{}{} })
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.watchers, &f)
	}
}

func (d *Desk) wake() {
	select {
	case d.nudge <- struct{}{}:
	default: // it is to look already
	}
}

// run reads what changed while somebody wants to know, and sweeps.
func (d *Desk) run(ctx context.Context) {
	defer close(d.done)
	poll, sweep := time.NewTicker(pollEvery), time.NewTicker(sweepEvery)
	defer poll.Stop()
	defer sweep.Stop()
	for {
		select {
		case <-d.nudge:
			d.look(ctx)
		case <-poll.C:
			d.look(ctx)
		case <-sweep.C:
			d.sweep(ctx)
			d.rewind(ctx)
		case <-ctx.Done():
			return
		}
	}
}

func (d *Desk) sweep(ctx context.Context) {
	now := time.Now()
	_, err := d.store.SweepApprovals(ctx, now, now.Add(-KeepEnded))
	d.note(ctx, err)
}

// note logs that the store cannot be used, once until it can.
func (d *Desk) note(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	d.mu.Lock()
	was := d.failing
	d.failing = err != nil
	d.mu.Unlock()
	if err != nil && !was {
		d.logger.ErrorContext(ctx, "the store of approvals cannot be used", "problem", err.Error())
	}
}

// look tells whoever wants to know of what changed.
func (d *Desk) look(ctx context.Context) {
	for d.wanted() {
		d.mu.Lock()
		after := d.seen
		d.mu.Unlock()
		changes, err := d.store.ApprovalChanges(ctx, after, changesAtOnce)
		if d.note(ctx, err); err != nil {
			return
		}
		for i := range changes {
			d.tell(changes[i])
		}
		if len(changes) < changesAtOnce {
			return
		}
	}
}

func (d *Desk) wanted() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.waiting)+len(d.watchers) > 0
}

func (d *Desk) tell(a Approval) {
	d.mu.Lock()
	d.seen = max(d.seen, a.Change)
	for w := range d.waiting[a.ID] {
		select {
		case <-w.news: // it has not read the one before
		default:
		}
		w.news <- a // nobody else sends while mu is held
	}
	watchers := slices.Collect(maps.Keys(d.watchers))
	d.mu.Unlock()
	for _, f := range watchers {
		(*f)(a)
	}
}
