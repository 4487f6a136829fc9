package gateway_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// TestLimitOfParallelCalls: of calls that come at the same time exactly as many
// run as a rule with calls() lets.
func TestLimitOfParallelCalls(t *testing.T) {
	t.Parallel()
	const rounds, callers, limit = 200, 32, 3
	for range rounds {
		g := ruled(t, &memoryLog{}, &policy.Config{Default: "allow", Rules: []policy.RuleConfig{
			{Name: "never", When: new(`args.no == true`), Action: "deny"},
			{Name: "limit", When: new(`calls("1h", "caller") >= 3`), Action: "deny"},
		}}, "read", "other")
		var ran, refused atomic.Int64
		var all sync.WaitGroup
		for i := range callers {
			args := `{}`
			if i%4 == 0 {
				args = `{"no": true}`
			}
			all.Go(func() {
				switch got := g.Call(t.Context(), call("read", args)); {
				case got.Error == nil:
					ran.Add(1)
				case got.Error.Code == tool.Denied:
					refused.Add(1)
				}
			})
		}
		all.Wait()
		if ran.Load() != limit || refused.Load() != callers-limit {
			t.Fatalf("%d ran and %d were refused, want %d of %d", ran.Load(), refused.Load(), limit, callers)
		}
	}
}
