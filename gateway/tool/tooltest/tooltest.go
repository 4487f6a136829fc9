package tooltest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// MaxOutput is the cap under which every run of the suite happens, in bytes.
	MaxOutput = 64 << 10

	patience = time.Second           // within which a run has to end with its context
	early    = 50 * time.Millisecond // when a run's context ends
	callers  = 16                    // that run a tool at once
	rounds   = 8                     // runs of each of them
)

// Backend makes a runner together with the backend it needs, and cleans up
// after itself with t.Cleanup.
type Backend func(t *testing.T) tool.Runner

// Subject is one kind of runner. A Backend that a kind cannot have is nil, and
// its checks are left out; Echo is always needed.
type Subject struct {
	Echo   Backend // answers with the argument "text"
	Stuck  Backend // never answers
	Flood  Backend // answers without end
	Broken Backend // fails every call with BrokenCode

	BrokenCode tool.Code
	// Sent tells how many bytes of the last Flood were taken from its backend.
	// A runner may take up to Slack bytes more than its cap: what fits in the
	// buffers between the two.
	Sent  func() int64
	Slack int64
}

// Run checks everything that the subject can be checked for. No goroutine may
// be left over when a check has ended and cleaned up.
func Run(t *testing.T, s Subject) {
	try(t, "answers", s.Echo, answers)
	try(t, "is safe for concurrent use", s.Echo, concurrent)
	try(t, "does not start once its context is over", s.Echo, over)
	try(t, "ends at its deadline", s.Stuck, ends(deadline, tool.Timeout))
	try(t, "ends when it is cancelled", s.Stuck, ends(cancelled, tool.Cancelled))
	try(t, "ends for the reason given", s.Stuck, ends(interrupted, tool.Interrupted))
	try(t, "stops reading at its cap", s.Flood, s.stops)
	try(t, "words a broken backend", s.Broken, s.fails)
}

// try makes the runner, runs one check on it, and looks for leaks after
// everything was cleaned up.
func try(t *testing.T, name string, b Backend, check func(*testing.T, tool.Runner)) {
	if b == nil {
		return
	}
	t.Run(name, func(t *testing.T) {
		before := goleak.IgnoreCurrent()
		t.Cleanup(func() { goleak.VerifyNone(t, before) })
		r := b(t)
		if r == nil {
			t.Fatal("the backend made no runner")
		}
		check(t, r)
	})
}

// Input is the input of a run with one argument "text", under the suite's
// limits.
func Input(text string) tool.Input {
	return tool.Input{
		Args: map[string]any{"text": text},
		Call: &tool.Call{ID: "call", Tool: "subject"},
		Spec: &tool.Spec{Name: "subject", Timeout: tool.DefaultTimeout, MaxOutput: MaxOutput},
	}
}

func answers(t *testing.T, r tool.Runner) {
	for _, text := range []string{"plain", "ünïcode ✓", "two\nlines", `{"not": "parsed"}`, "spaces  inside", "100% & more?"} {
		out, err := r.Run(t.Context(), Input(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := out.Text(); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
}

func concurrent(t *testing.T, r tool.Runner) {
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			for round := range rounds {
				want := fmt.Sprintf("%d.%d %s", caller, round, strings.Repeat("x", caller*round))
				if out, err := r.Run(t.Context(), Input(want)); err != nil || out.Text() != want {
					t.Errorf("got %q, %v, want %q", out.Text(), err, want)
				}
			}
		})
	}
	all.Wait()
}

func over(t *testing.T, r tool.Runner) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.Run(ctx, Input("late"))
	wantCode(t, err, tool.Cancelled)
}

// deadline, cancelled and interrupted are the ways in which a context ends.
func deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, early, errors.New("longer than the tool may run"))
}

func cancelled(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	time.AfterFunc(early, cancel)
	return ctx, cancel
}

func interrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	time.AfterFunc(early, func() { cancel(tool.Errorf(tool.Interrupted, "the gateway is stopping")) })
	return ctx, func() { cancel(nil) }
}

func ends(how func(context.Context) (context.Context, context.CancelFunc), want tool.Code) func(*testing.T, tool.Runner) {
	return func(t *testing.T, r tool.Runner) {
		ctx, cancel := how(t.Context())
		defer cancel()
		began := time.Now()
		_, err := r.Run(ctx, Input("x"))
		wantCode(t, err, want)
		if took := time.Since(began); took > early+patience {
			t.Errorf("ended %v after its context", took-early)
		}
	}
}

func (s Subject) stops(t *testing.T, r tool.Runner) {
	began := time.Now()
	_, err := r.Run(t.Context(), Input("x"))
	wantCode(t, err, tool.TooLarge)
	if took := time.Since(began); took > patience {
		t.Errorf("took %v to stop at the cap", took)
	}
	if s.Sent == nil {
		return
	}
	if sent := s.Sent(); sent > MaxOutput+s.Slack {
		t.Errorf("took %d bytes from its backend with a cap of %d", sent, MaxOutput)
	}
}

func (s Subject) fails(t *testing.T, r tool.Runner) {
	_, err := r.Run(t.Context(), Input("x"))
	wantCode(t, err, s.BrokenCode)
}

// wantCode checks that a run failed as it should: by an *Error of the code,
// with a sentence for the model.
func wantCode(t *testing.T, err error, want tool.Code) {
	t.Helper()
	e, ok := errors.AsType[*tool.Error](err)
	switch {
	case !ok:
		t.Errorf("got error %v, want an *Error with code %s", err, want)
	case e.Code != want:
		t.Errorf("got %v, want code %s", e, want)
	case e.Message == "":
		t.Errorf("code %s comes without a sentence for the model", want)
	}
}
