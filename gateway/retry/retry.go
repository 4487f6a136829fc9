// Package retry runs a tool again after a failure that may pass. Whether that is
// allowed is for the caller to know: a tool that changes something must not run
// twice.
package retry

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/toolgate/toolgate/gateway/tool"
)

// The waits between attempts: the first is between a half and one and a half of
// firstWait, each further one twice as long, none longer than longestWait.
const (
	firstWait   = 200 * time.Millisecond
	longestWait = 5 * time.Second
)

// Do runs a tool and, when it failed with a tool.Error that is Retryable, runs
// it again, up to so many further times. Between two runs it waits, as long as
// the error's RetryAfter says where it says anything. It gives up early, with the
// last failure, where the wait would outlast the context's deadline, and where the
// backend was not asked (tool.ErrNotAsked): such a call fails at once. It returns
// what the last run gave and how many further runs there were.
func Do(ctx context.Context, further int, run func(context.Context) (tool.Output, error)) (out tool.Output, again int, err error) {
	if further <= 0 {
		out, err = run(ctx)
		return out, 0, err
	}
	runs := 0
	waits := &waits{ctx: ctx, own: exponential()}
	attempt := func() (tool.Output, error) {
		runs++
		out, err = run(ctx)
		if err == nil {
			return out, nil
		}
		if !Worth(ctx, err) {
			return out, backoff.Permanent(err)
		}
		waits.wanted = tool.AsError(err).RetryAfter
		return out, err
	}
	// What Retry returns is known already; where the context ended during a wait
	// the last failure says more than that.
	_, _ = backoff.Retry(ctx, attempt, backoff.WithBackOff(waits),
		backoff.WithMaxTries(uint(further)+1), backoff.WithMaxElapsedTime(0))
	return out, runs - 1, err
}

// Worth reports whether a tool that failed so is run again while there are runs left.
func Worth(ctx context.Context, err error) bool {
	return tool.AsError(err).Retryable && ctx.Err() == nil && !errors.Is(err, tool.ErrNotAsked)
}

func exponential() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier = firstWait, longestWait, 2
	return b
}

// waits are the library's waits, but for what a failure asked for, and ended
// where a wait would be for nothing.
type waits struct {
	ctx    context.Context // of the one Do, which outlives neither
	own    *backoff.ExponentialBackOff
	wanted time.Duration // by the last failure; 0 for nothing
}

// Reset starts anew.
func (w *waits) Reset() { w.own.Reset() }

// NextBackOff is the next wait, or backoff.Stop.
func (w *waits) NextBackOff() time.Duration {
	wait := max(w.own.NextBackOff(), w.wanted)
	if deadline, ok := w.ctx.Deadline(); ok && time.Until(deadline) <= wait {
		return backoff.Stop
	}
	return wait
}
