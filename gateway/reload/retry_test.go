package reload_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/reload"
)

// TestRetrying tries again less and less often, and from the start where something is
// lacking anew.
func TestRetrying(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		said, lacks := make(chan struct{}, 1), 7
		var waits []time.Duration
		began := time.Now()
		var work sync.WaitGroup
		work.Go(func() {
			reload.Retrying(ctx, said, func() bool { return lacks > 0 }, func() {
				waits = append(waits, time.Since(began))
				began = time.Now()
				lacks--
			})
		})
		for _, want := range [][]time.Duration{{30, 60, 120, 240, 480, 600, 600}, {30}} {
			began = time.Now()
			said <- struct{}{}
			time.Sleep(3 * time.Hour)
			synctest.Wait()
			near := cmp.Comparer(func(a, b time.Duration) bool { return max(a, b)-min(a, b) <= max(a, b)/5 })
			for i := range want {
				want[i] *= time.Second
			}
			if diff := cmp.Diff(want, waits, near); diff != "" {
				t.Error(diff)
			}
			waits, lacks = nil, 1
		}
		stop()
		work.Wait()
	})
}
