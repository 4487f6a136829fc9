package approval

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// pollEvery is how soon an answer that another process took is noticed.
	pollEvery = 250 * time.Millisecond
	// sweepEvery is how often approvals that expired are ended for good.
	sweepEvery = time.Minute
	// changesAtOnce is how many changes are read at a time.
	changesAtOnce = 200
	// tries is how often a change is tried while others hold the store, and pause how
	// long it waits after the first time; then longer.
	tries = 5
	pause = 20 * time.Millisecond
)

// ErrTooMany is why no further approval is raised.
var ErrTooMany = errors.New("too many calls wait for a person")

// Options are what a Desk may be given; the zero value works.
type Options struct {
	Logger *slog.Logger // told of what could not be read or written; nothing is logged when nil
}

// Desk is where calls wait for people. It is safe for concurrent use.
type Desk struct {
	store   Store
	logger  *slog.Logger
	stop    context.CancelFunc
	done    chan struct{}
	leaving context.Context // over when nobody is to be kept waiting any more
	letGo   context.CancelFunc
	nudge   chan struct{} // holds one when there is something to read

	joining sync.Mutex // held while somebody is added who wants to be told

	mu       sync.Mutex // guards what follows
	waiting  map[string]map[*waiter]struct{}
	watchers map[*func(Approval)]struct{}
	seen     int64 // the last change that was read
	failing  bool  // the store could not be used the last time
}

// waiter is told of every change of one approval. It holds the newest only.
type waiter struct{ news chan Approval }

// Open gives a desk on the store. [Desk.Close] ends it.
func Open(ctx context.Context, store Store, opts Options) *Desk {
	d := &Desk{
		store: store, logger: cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)),
		done: make(chan struct{}), nudge: make(chan struct{}, 1),
		waiting: map[string]map[*waiter]struct{}{}, watchers: map[*func(Approval)]struct{}{},
	}
	ctx = context.WithoutCancel(ctx)
	d.leaving, d.letGo = context.WithCancel(ctx)
	ctx, d.stop = context.WithCancel(ctx)
	go d.run(ctx)
	return d
}

// LetGo ends the waiting of all calls, now and from now on, as if their time were
// up: what they wait for goes on waiting in the store.
func (d *Desk) LetGo() { d.letGo() }

// Leaving is over when calls are not to be kept waiting any more.
func (d *Desk) Leaving() context.Context { return d.leaving }

// Close ends the desk, and the waiting at it. Closing again does nothing.
func (d *Desk) Close() error {
	d.letGo()
	d.stop()
	<-d.done
	return nil
}

// Raise keeps a new approval for a call, or gives the one that stands for it. What
// is given has no ID yet, and its state is of no account; its times are kept to the
// microsecond. The error is a [*tool.Error].
func (d *Desk) Raise(ctx context.Context, a *Approval) (*Approval, error) {
	if len(a.Arguments) > MaxArguments {
		return nil, tool.Errorf(tool.TooLarge, "calling %s needs the approval of a person, and arguments of %d bytes are more than the %d that a person is asked about",
			a.Tool, len(a.Arguments), MaxArguments).WithHint("Pass less at once, or tell the user.")
	}
	fresh := *a
	fresh.ID, fresh.State, fresh.Answer = NewID(), Pending, nil
	fresh.Created, fresh.Expires = a.Created.Truncate(time.Microsecond), a.Expires.Truncate(time.Microsecond)
	var standing *Approval
	err := again(ctx, func() (err error) {
		standing, err = d.store.RaiseApproval(ctx, &fresh, MaxPending, MaxPendingOfAll)
		return err
	})
	if errors.Is(err, ErrTooMany) {
		return nil, tooMany(a.Tool)
	}
	if err != nil {
		return nil, failed(ctx, err)
	}
	d.wake()
	return standing, nil
}

// again tries what needs the store for itself, since others may hold it.
func again(ctx context.Context, try func() error) error {
	for i := 1; ; i++ {
		err := try()
		if err == nil || i == tries || errors.Is(err, ErrTooMany) {
			return err
		}
		select {
		case <-time.After(time.Duration(i) * pause):
		case <-ctx.Done():
			return err
		}
	}
}

func tooMany(name string) error {
	e := tool.Errorf(tool.Overloaded, "calling %s needs the approval of a person, and too many calls wait for one already", name).
		WithHint("Do something else first, or tell the user that calls wait to be approved.")
	e.Retryable = true
	return e
}

// failed is the failure of what was asked of the store: because its context was
// over, or because the store cannot be used.
func failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		if e, ok := errors.AsType[*tool.Error](context.Cause(ctx)); ok {
			own := *e // the cause may be shared by many calls
			return &own
		}
		return tool.Errorf(tool.Cancelled, "it was given up while a person was to be asked; nothing was run").Because(err)
	}
	e := tool.Errorf(tool.Internal, "the gateway's store of approvals cannot be used now; nothing was run or changed").
		Because(err).WithHint("Try again later, or tell the user.")
	e.Retryable = true
	return e
}

// Standing gives the approval that stands for a call, or nil. The error is a
// [*tool.Error].
func (d *Desk) Standing(ctx context.Context, b Binding) (*Approval, error) {
	a, err := d.store.StandingApproval(ctx, b, time.Now())
	if err != nil {
		return nil, failed(ctx, err)
	}
	return a, nil
}

// Granted gives the answer that is remembered for a call about which the rule
// asks, or nil. The error is a [*tool.Error].
func (d *Desk) Granted(ctx context.Context, b Binding, rule string, scopes []Scope) (*Grant, error) {
	if len(scopes) == 0 {
		return nil, nil
	}
	g, err := d.store.ApprovalGrant(ctx, b, rule, scopes, time.Now())
	if err != nil {
		return nil, failed(ctx, err)
	}
	return g, nil
}

// Get gives an approval, or nil.
func (d *Desk) Get(ctx context.Context, id string) (*Approval, error) {
	return d.store.Approval(ctx, id)
}

// Find gives the approvals of a query, the newest first.
func (d *Desk) Find(ctx context.Context, q Query) ([]Approval, error) {
	if q.Limit <= 0 {
		q.Limit = DefaultLimit
	}
	q.Limit, q.Now = min(q.Limit, MaxLimit), time.Now()
	return d.store.Approvals(ctx, q)
}

// Use lets the call through that an approval was given for: once. It reports
// false, and how the approval stands, where that is not approved any more. The
// error is a [*tool.Error].
func (d *Desk) Use(ctx context.Context, id, callID string) (*Approval, bool, error) {
	return d.change(ctx, id, Approved, nil, func(a *Approval) { a.State, a.UsedBy = Used, callID })
}

// GiveBack makes an approval one that may be used again: the call that used it could
// not be started.
func (d *Desk) GiveBack(ctx context.Context, id string) error {
	_, _, err := d.change(ctx, id, Used, nil, func(a *Approval) { a.State, a.UsedBy = Approved, "" })
	return err
}

// Settle takes an answer to an approval that waits. It reports false, and how the
// approval stands, where that does not wait any more.
func (d *Desk) Settle(ctx context.Context, id string, approve bool, answer Answer) (*Approval, bool, error) {
	answer.Time = time.Now()
	state := Denied
	if approve {
		state = Approved
	}
	grant := func(a *Approval) *Grant {
		if !approve || answer.Remember == "" {
			return nil
		}
		return newGrant(a, &answer)
	}
	return d.change(ctx, id, Pending, grant, func(a *Approval) {
		if a.State, a.Answer = state, &answer; answer.Terms != nil {
			a.Terms = *answer.Terms
		}
	})
}

// newGrant is what an answer leaves that is remembered.
func newGrant(a *Approval, answer *Answer) *Grant {
	g := &Grant{
		Binding: a.Binding, Rule: RuleKey(a.Rule, a.Terms, a.Print), Scope: answer.Remember, Approval: a.ID, By: answer.By,
		Expires: answer.Time.Add(RememberFor),
	}
	if g.Scope == SameArgs {
		g.Chat = ""
	} else {
		g.Digest = ""
	}
	return g
}

// Withdraw takes back an approval that was given and not used.
func (d *Desk) Withdraw(ctx context.Context, id string, answer Answer) (*Approval, bool, error) {
	answer.Time = time.Now()
	return d.change(ctx, id, Approved, nil, func(a *Approval) { a.State, a.Answer = Denied, &answer })
}

// Forget takes back what is remembered of an approval that was used. It reports
// false, and how the approval stands, where nothing is.
func (d *Desk) Forget(ctx context.Context, id string, by Answer) (*Approval, bool, error) {
	a, changed, err := d.change(ctx, id, Used, nil, func(a *Approval) {
		if !a.Remembered() {
			return
		}
		own := *a.Answer
		own.Remember = ""
		a.Answer, a.Ending = &own, "what was remembered was taken back by "+by.By
	})
	return a, changed && a.Ending != "", err
}

// End ends an approval, in whichever of its states, that nothing can become of any
// more.
func (d *Desk) End(ctx context.Context, a *Approval, why string) error {
	for _, from := range []State{Pending, Approved} {
		_, changed, err := d.change(ctx, a.ID, from, nil, func(a *Approval) { a.State, a.Ending = Ended, why })
		if err != nil || changed {
			return err
		}
	}
	return nil
}

// Tell notes that an approval was told of where it is to be.
func (d *Desk) Tell(ctx context.Context, id string) error {
	_, _, err := d.change(ctx, id, Pending, nil, func(a *Approval) { a.Told = true })
	return err
}

// change changes an approval that is in a state, and has not expired. Others may
// hold the store, or change it too, so it is tried a few times.
func (d *Desk) change(ctx context.Context, id string, from State, grant func(*Approval) *Grant, edit func(*Approval)) (a *Approval, changed bool, err error) {
	err = again(ctx, func() (err error) {
		a, changed, err = d.changeOnce(ctx, id, from, grant, edit)
		return err
	})
	if err != nil {
		return nil, false, failed(ctx, err)
	}
	return a, changed, nil
}

// changeOnce is change as long as the store can be used. It goes round where the
// approval changes and stays in its state.
func (d *Desk) changeOnce(ctx context.Context, id string, from State, grant func(*Approval) *Grant, edit func(*Approval)) (*Approval, bool, error) {
	for {
		a, err := d.store.Approval(ctx, id)
		if a == nil || err != nil || a.At(time.Now()) != from {
			return a, false, err
		}
		next := *a
		edit(&next)
		var g *Grant
		if grant != nil {
			g = grant(&next)
		}
		ok, err := d.store.ChangeApproval(ctx, &next, from, g)
		if err != nil {
			return nil, false, err
		}
		if ok {
			d.wake()
			return &next, true, nil
		}
	}
}
