package host

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/metrics"
	"github.com/toolgate/toolgate/gateway/notify"
	"github.com/toolgate/toolgate/gateway/retry"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Limits of telling webhooks of calls that wait.
const (
	tellFor     = 24 * time.Hour // how long a webhook is tried for one approval, and no longer than that lasts
	maxTries    = 500            // requests for one approval
	tellAtOnce  = 8              // requests at a time
	maxTellings = 1000           // approvals that are being told of; others are taken up when there is room
	// lookAgain is how often it is looked for approvals that were not taken up.
	lookAgain = time.Minute
	// firstPause is the wait after the first failure; each further one is twice as
	// long, none longer than longestPause.
	firstPause   = time.Second
	longestPause = 5 * time.Minute
)

// requestedType is the type of what a webhook is sent, in words with full stops
// between them (Standard Webhooks, "Event types").
const requestedType = "approval.requested"

// teller tells webhooks of calls that wait for a person, each at least once: what
// was told is noted in the store, and what was not is told after a restart. No call
// waits for it.
type teller struct {
	gateway *gateway.Gateway
	desk    *approval.Desk
	metrics *metrics.Metrics
	logger  *slog.Logger
	book    atomic.Pointer[notify.Book]
	pause   time.Duration // firstPause
	turns   chan struct{} // holds one for each request under way
	nudge   chan struct{} // holds one when there is something to take up
	work    sync.WaitGroup

	mu     sync.Mutex // guards what follows
	queue  []approval.Approval
	taken  map[string]bool // approvals that are being told of
	unsent map[string]bool // those of which a webhook said that it wants no more
}

func newTeller(h *House, m *metrics.Metrics, logger *slog.Logger) *teller {
	t := &teller{
		gateway: h.Gateway, desk: h.Approvals, metrics: m, logger: logger, pause: firstPause,
		turns: make(chan struct{}, tellAtOnce), nudge: make(chan struct{}, 1), taken: map[string]bool{}, unsent: map[string]bool{},
	}
	t.book.Store(h.webhooks)
	return t
}

// use tells these from now on, also of what others were not told of.
func (t *teller) use(book *notify.Book) {
	t.book.Store(book)
	t.mu.Lock()
	clear(t.unsent)
	t.mu.Unlock()
}

// begin tells of what waits and of what comes, until stop is called.
func (t *teller) begin(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	unwatch := t.gateway.WatchApprovals(ctx, t.see)
	t.work.Go(func() { t.run(ctx) })
	return func() {
		unwatch()
		cancel()
		t.work.Wait()
	}
}

// see takes in an approval that changed.
func (t *teller) see(a approval.Approval) {
	if !t.concerns(&a) {
		return
	}
	t.mu.Lock()
	if len(t.queue) < maxTellings {
		t.queue = append(t.queue, a)
	}
	t.mu.Unlock()
	select {
	case t.nudge <- struct{}{}:
	default: // it is to look already
	}
}

// concerns reports whether somebody is to be told of an approval.
func (t *teller) concerns(a *approval.Approval) bool {
	return a.State == approval.Pending && !a.Told && a.Where != approval.Client && t.book.Load().For(a.Rule) != nil && time.Since(a.Created) < tellFor
}

func (t *teller) run(ctx context.Context) {
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	t.look(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			t.look(ctx)
		case <-t.nudge:
			t.mu.Lock()
			queue := t.queue
			t.queue = nil
			t.mu.Unlock()
			for i := range queue {
				t.take(ctx, &queue[i])
			}
		}
	}
}

// look takes up what waits in the store.
func (t *teller) look(ctx context.Context) {
	waiting := map[string]bool{}
	err := eachApproval(ctx, t.desk, approval.Pending, func(a *approval.Approval) {
		waiting[a.ID] = true
		t.take(ctx, a)
	})
	if err != nil {
		if ctx.Err() == nil {
			t.logger.WarnContext(ctx, "it could not be looked which calls wait for a person", "problem", err.Error())
		}
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.unsent, func(id string, _ bool) bool { return !waiting[id] })
}

// eachApproval gives f all approvals that stand so, the newest first. Some of them
// are in memory at a time.
func eachApproval(ctx context.Context, desk *approval.Desk, state approval.State, f func(*approval.Approval)) error {
	for q := (approval.Query{State: state, Limit: approval.MaxLimit}); ; {
		found, err := desk.Find(ctx, q)
		if err != nil {
			return err
		}
		for i := range found {
			f(&found[i])
		}
		if len(found) < approval.MaxLimit {
			return nil
		}
		q.After = found[len(found)-1].ID
	}
}

// take begins to tell of an approval, unless that is being done.
func (t *teller) take(ctx context.Context, a *approval.Approval) {
	if !t.concerns(a) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken[a.ID] || t.unsent[a.ID] || len(t.taken) >= maxTellings {
		return
	}
	t.taken[a.ID] = true
	id, until := a.ID, a.Created.Add(tellFor)
	if a.Expires.Before(until) {
		until = a.Expires
	}
	t.work.Go(func() {
		defer t.leave(id)
		ctx, stop := context.WithDeadline(ctx, until)
		defer stop()
		t.tell(ctx, id)
	})
}

func (t *teller) leave(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.taken, id)
}

// tell tries to tell of an approval until that went well, or nobody is to be told
// any more.
func (t *teller) tell(ctx context.Context, id string) {
	tries, pause := 0, t.pause
	_, _, err := retry.Do(ctx, maxTries, func(ctx context.Context) (tool.Output, error) {
		err := t.once(ctx, id)
		if err == nil || ctx.Err() != nil {
			return tool.Output{}, nil
		}
		if tries++; tries == 1 {
			t.logger.WarnContext(ctx, "a webhook could not be told of an approval, and is tried again", "approval", id, "problem", err.Error())
		}
		e := tool.Errorf(tool.UpstreamUnavailable, "the webhook could not be told").Because(err)
		e.Retryable, e.RetryAfter = !errors.Is(err, notify.ErrGone), pause
		pause = min(2*pause, longestPause)
		return tool.Output{}, e
	})
	switch {
	case err == nil, errors.Is(ctx.Err(), context.Canceled): // after the next start it is told
		return
	case ctx.Err() == nil:
		t.mu.Lock()
		t.unsent[id] = true
		t.mu.Unlock()
	}
	t.logger.ErrorContext(ctx, "a webhook was not told of an approval", "approval", id, "tries", tries, "problem", err.Error())
}

// once makes one request, if somebody is to be told yet.
func (t *teller) once(ctx context.Context, id string) error {
	select {
	case t.turns <- struct{}{}:
		defer func() { <-t.turns }()
	case <-ctx.Done():
		return ctx.Err()
	}
	a, err := t.gateway.Approval(ctx, id)
	if _, gone := errors.AsType[*approval.Refusal](err); gone {
		return nil
	}
	if err != nil {
		return err
	}
	to := t.book.Load().For(a.Rule)
	if !t.concerns(&a) || to == nil {
		return nil
	}
	body, err := messageOf(&a, time.Now())
	if err != nil {
		return err
	}
	err = to.Post(ctx, a.ID, time.Now(), body)
	if ctx.Err() == nil || err == nil {
		t.metrics.Told(err == nil)
	}
	if err != nil {
		return err
	}
	return t.desk.Tell(context.WithoutCancel(ctx), id)
}

// messageOf is what a webhook is told of an approval.
func messageOf(a *approval.Approval, now time.Time) ([]byte, error) {
	return json.Marshal(struct {
		Type string         `json:"type"`
		Time string         `json:"timestamp"`
		Data approval.Shown `json:"data"`
	}{requestedType, now.UTC().Format(time.RFC3339), a.Show(now)})
}
