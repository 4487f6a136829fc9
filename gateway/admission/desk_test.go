package admission_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/admission"
	"github.com/toolgate/toolgate/gateway/tool"
)

// visit is one call at a gate, in a synctest bubble.
type visit struct {
	name   string
	cancel context.CancelCauseFunc
	over   chan struct{} // closed when Enter returned
	within context.Context
	leave  func()
	err    error
}

// desk lets calls in and notes who starts, in order.
type desk struct {
	t       *testing.T
	gate    *admission.Gate
	mu      sync.Mutex
	started []string
}

// enter asks for admission and waits until the call is in, or in line.
func (d *desk) enter(ctx context.Context, name, key string, nested bool) *visit {
	v := &visit{name: name, over: make(chan struct{})}
	ctx, v.cancel = context.WithCancelCause(ctx)
	go func() {
		defer close(v.over)
		v.within, v.leave, v.err = d.gate.Enter(ctx, key, nested)
		if v.err == nil {
			d.mu.Lock()
			d.started = append(d.started, name)
			d.mu.Unlock()
		}
	}()
	synctest.Wait()
	return v
}

// want checks who has started up to now, in order.
func (d *desk) want(names ...string) {
	d.t.Helper()
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	if diff := cmp.Diff(names, d.started); diff != "" {
		d.t.Errorf("started (-want +got):\n%s", diff)
	}
}

func (d *desk) wantLoad(running, waiting int) {
	d.t.Helper()
	if r, w := d.gate.Load(); r != running || w != waiting {
		d.t.Errorf("%d running and %d waiting, want %d and %d", r, w, running, waiting)
	}
}

// bubble runs a test with a gate in a synctest bubble and checks that nothing
// is left at the end.
func bubble(t *testing.T, o admission.Options, test func(t *testing.T, d *desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &desk{t: t, gate: admission.New(o)}
		test(t, d)
		synctest.Wait()
		d.wantLoad(0, 0)
		if n := d.gate.Keys(); n != 0 {
			t.Errorf("%d keys are left", n)
		}
	})
}

func wantOverloaded(t *testing.T, err error, after time.Duration, text string) {
	t.Helper()
	wantError(t, err, tool.Overloaded, text+"Call it again a little later, with fewer calls at the same time.")
	if e, ok := errors.AsType[*tool.Error](err); ok && (!e.Retryable || e.RetryAfter != after || e.Fatal) {
		t.Errorf("retryable %v after %v, fatal %v", e.Retryable, e.RetryAfter, e.Fatal)
	}
}

func wantError(t *testing.T, err error, code tool.Code, text string) {
	t.Helper()
	e, ok := errors.AsType[*tool.Error](err)
	if !ok {
		t.Fatalf("got %v, want %s", err, code)
	}
	if diff := cmp.Diff([]string{string(code), text}, []string{string(e.Code), e.Text()}); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// without is the list without the element at i.
func without[T any](list []T, i int) []T { return slices.Delete(slices.Clone(list), i, i+1) }
