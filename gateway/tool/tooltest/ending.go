package tooltest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// way is one in which the context of a run ends.
type way struct {
	name string
	end  func(context.Context) (context.Context, context.CancelFunc)
	want tool.Code
}

var ways = []way{
	{"ends at its deadline", deadline, tool.Timeout},
	{"ends when it is cancelled", cancelled, tool.Cancelled},
	{"ends for the reason given", interrupted, tool.Interrupted},
}

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

func ends(w way) func(*testing.T, tool.Runner) {
	return func(t *testing.T, r tool.Runner) {
		ctx, cancel := w.end(t.Context())
		defer cancel()
		began := time.Now()
		_, err := r.Run(ctx, Input("x"))
		wantCode(t, err, w.want)
		if took := time.Since(began); took > early+patience {
			t.Errorf("ended %v after its context", took-early)
		}
	}
}

func over(t *testing.T, r tool.Runner) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.Run(ctx, Input("late"))
	wantCode(t, err, tool.Cancelled)
}
