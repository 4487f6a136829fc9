package host

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

// slowRecord takes as long as it may, and counts who asks at a time.
type slowRecord struct{ asked atomic.Int64 }

func (s *slowRecord) Find(ctx context.Context, _ runlog.Query) ([]runlog.Entry, bool, error) {
	s.asked.Add(1)
	<-ctx.Done()
	return nil, false, context.Cause(ctx)
}

// TestLostAtOnce: who asks for ids that nobody has does so a few at a time, and who
// gave up waiting for a turn does not ask.
func TestLostAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		record := &slowRecord{}
		l := newLost(record)
		begin := func(n int) context.CancelFunc {
			ctx, stop := context.WithCancel(t.Context())
			for range n {
				go l.find(ctx, tool.Caller{ID: "ann"}, "call_x")
			}
			synctest.Wait()
			return stop
		}
		end := func(stop context.CancelFunc) {
			stop()
			synctest.Wait()
		}
		first := begin(lostAtOnce)
		second := begin(100)
		if n := record.asked.Load(); n != lostAtOnce {
			t.Errorf("%d ask at once, want %d", n, lostAtOnce)
		}
		end(second)
		end(first)
		if n := record.asked.Load(); n != lostAtOnce {
			t.Errorf("%d asked in all, want %d", n, lostAtOnce)
		}
	})
}
