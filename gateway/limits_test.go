package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/limit"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/store"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// limitedTools are a generation with tools a and b, of which a has the limit, and
// with the rules.
func limitedTools(t testing.TB, own *tool.RateLimit, rules ...policy.RuleConfig) *gateway.Generation {
	t.Helper()
	tools := toolsOf(t, "a", "b")
	entry, _ := tools.Lookup("a")
	entry.Spec.RateLimit = own
	var report diag.Report
	engine := policy.Compile(diag.NewCursor(&report, nil), &policy.Config{Default: "allow", Rules: rules})
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	return &gateway.Generation{Tools: tools, Policy: engine}
}

func rate(calls int, per time.Duration, by tool.LimitBy) *tool.RateLimit {
	return &tool.RateLimit{Calls: calls, Per: per, By: by}
}

// TestRateLimits makes calls "TIME TOOL CALLER CHAT" in their order; each is let
// through unless it says after -> when to try again, or how else it fails. "reload N"
// serves the generation of that number from then on.
func TestRateLimits(t *testing.T) {
	t.Parallel()
	allow := func(l *tool.RateLimit) policy.RuleConfig {
		return policy.RuleConfig{Name: "all", Action: "allow", RateLimit: l}
	}
	for _, tt := range []struct {
		name        string
		generations []*gateway.Generation
		calls       string
	}{
		{"a tool's, by caller", []*gateway.Generation{limitedTools(t, rate(2, time.Minute, ""))}, `
			0s a ann c; 1s a ann d; 2s a ann c -> 58; 2s a bob c; 2s b ann c; 59.5s a ann c -> 1; 60s a ann c; 60s a ann c -> 1; 61s a ann c`},
		{"a tool's, by chat", []*gateway.Generation{limitedTools(t, rate(1, time.Minute, "chat"))}, `
			0s a ann c; 0s a ann d; 0s a bob c; 1s a ann c -> 59; 1s a ann d -> 59; 1s a bob e`},
		{"a tool's, by tool", []*gateway.Generation{limitedTools(t, rate(2, time.Minute, "tool"))}, `
			0s a ann c; 1s a bob d; 2s a eve e -> 58; 2s b eve e; 2s b eve e; 2s b eve e`},
		{"a rule's, by caller: its tools together", []*gateway.Generation{limitedTools(t, nil, allow(rate(2, time.Minute, "caller")))}, `
			0s a ann c; 1s b ann d; 2s b ann c -> 58; 2s a ann c -> 58; 2s b bob c`},
		{"a rule's, by chat", []*gateway.Generation{limitedTools(t, nil, allow(rate(2, time.Minute, "chat")))}, `
			0s a ann c; 1s b ann c; 2s a ann c -> 58; 2s a ann d; 2s a bob c`},
		{"a rule's, by tool: each of its tools", []*gateway.Generation{limitedTools(t, nil, allow(rate(1, time.Minute, "tool")))}, `
			0s a ann c; 1s b bob c; 2s b ann c -> 59; 2s a bob c -> 58`},
		{"a rule's, and another rule decides", []*gateway.Generation{limitedTools(t, nil,
			policy.RuleConfig{Name: "free", Callers: []string{"ann"}, Action: "allow"}, allow(rate(1, time.Minute, "")),
		)}, `0s a ann c; 0s a ann c; 0s a bob c; 0s a bob c -> 60; 0s a ann c`},
		{"two limits, both or none", []*gateway.Generation{limitedTools(t, rate(2, time.Minute, ""), allow(rate(3, time.Hour, "")))}, `
			0s a ann c; 1s b ann c; 2s a ann c; 3s a ann c -> 3597; 4s b ann c -> 3596; 3600s a ann c; 3600s a ann c -> 1; 3601s a ann c; 3602s a ann c -> 58; 3602s b ann c; 3603s a ann c -> 3597`},
		{"an ask rule: as many questions", []*gateway.Generation{limitedTools(t, nil,
			policy.RuleConfig{Name: "ask", Action: "ask", RateLimit: rate(1, time.Minute, "chat")},
		)}, `0s a ann c -> needs_approval; 1s a ann c -> 59; 1s a ann d -> needs_approval`},
		{"denied calls and calls with wrong arguments do not count", []*gateway.Generation{limitedTools(t, rate(1, time.Minute, ""),
			policy.RuleConfig{Name: "no", Callers: []string{"ann"}, When: new(`args.no == true`), Action: "deny"},
		)}, `0s a{"no":true} ann c -> denied; 1s a[] ann c -> invalid_args; 2s a ann c; 3s a{"no":true} ann c -> denied; 3s a ann c -> 59`},
		{"a reload changes how many, and what was counted counts", []*gateway.Generation{
			limitedTools(t, rate(2, time.Minute, "")), limitedTools(t, rate(1, time.Minute, "")), limitedTools(t, rate(3, time.Hour, "")), limitedTools(t, nil),
		}, `0s a ann c; 1s a ann c; reload 1; 2s a ann c -> 59; 60.5s a ann c -> 1; reload 2; 60.5s a ann c; 61s a ann c -> 3539; reload 3; 61s a ann c; 61s a ann c; reload 0; 62s a ann c; 63s a ann c -> 58`},
		{"another rule begins anew", []*gateway.Generation{
			limitedTools(t, nil, allow(rate(1, time.Minute, ""))),
			limitedTools(t, nil, policy.RuleConfig{Name: "renamed", Action: "allow", RateLimit: rate(1, time.Minute, "")}),
		}, `0s a ann c; 0s a ann c -> 60; reload 1; 0s a ann c; 0s a ann c -> 60; reload 0; 1s b ann c -> 59`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { limitedCalls(t, tt.generations, tt.calls) })
		})
	}
}

func limitedCalls(t *testing.T, generations []*gateway.Generation, calls string) {
	t.Helper()
	g := gateway.New(generations[0], &memoryLog{}, gateway.Options{Logger: slog.New(slog.DiscardHandler)})
	began := time.Now()
	for line := range strings.SplitSeq(calls, ";") {
		line = strings.TrimSpace(line)
		var n int
		if _, err := fmt.Sscanf(line, "reload %d", &n); err == nil {
			g.Swap(generations[n])
			continue
		}
		what, want, _ := strings.Cut(line, " -> ")
		part := strings.Fields(what)
		at, err := time.ParseDuration(part[0])
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Until(began.Add(at)))
		c := call(part[1][:1], part[1][1:])
		c.Caller.ID, c.Caller.Name, c.Chat.ID = part[2], part[2], part[3]
		if got := limitedEnd(g.Call(t.Context(), c).Error); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

// limitedEnd is how a call ended: "" when it was let through, when to try again, or
// the code of another failure.
func limitedEnd(e *tool.Error) string {
	switch {
	case e == nil:
		return ""
	case e.Code == tool.RateLimited:
		return fmt.Sprint(e.RetryAfter.Seconds())
	}
	return string(e.Code)
}

// TestRateLimitedAnswer holds what a model is told, and that the call is recorded
// and counts for nothing.
func TestRateLimitedAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &memoryLog{}
		g := gateway.New(limitedTools(t, rate(1, time.Minute, "tool"), policy.RuleConfig{
			Name: "rule", Action: "allow", RateLimit: rate(1, 90*time.Minute, "chat"),
		}), log, gateway.Options{})
		var texts []string
		for _, at := range []time.Duration{0, 500 * time.Millisecond, 2 * time.Hour} {
			time.Sleep(at)
			c := call("a", "")
			c.Chat.ID = fmt.Sprint(at > time.Hour)
			r := g.Call(t.Context(), c)
			texts = append(texts, r.Output.Text())
		}
		c := call("a", "")
		c.Chat.ID = "other"
		got := g.Call(t.Context(), c)
		texts = append(texts, got.Output.Text())
		want := []string{
			"{}",
			"Error: a was not run: a rule limits calls like this one to 1 call per 1h30m for this chat\nTry again in 1h30m, or do something else meanwhile.",
			"{}",
			"Error: a was not run: it is limited to 1 call per 1m for all callers of this tool\nTry again in 1m, or do something else meanwhile.",
		}
		if diff := cmp.Diff(want, texts); diff != "" {
			t.Error(diff)
		}
		if e := got.Error; !e.Retryable || e.Fatal || e.RetryAfter != time.Minute || got.MayHaveActed {
			t.Errorf("got %+v", got)
		}
		last := log.ends[len(log.ends)-1]
		if len(log.ends) != 4 || len(log.starts) != 2 || last.Code != tool.RateLimited || last.Decision != "allow" || last.Rule != "rule" {
			t.Errorf("%d starts, %d ends, the last %+v", len(log.starts), len(log.ends), last)
		}
	})
}

// failing cannot count.
type failing struct{}

func (failing) Take(ctx context.Context, _ func() time.Time, _ []limit.Limit) (full int, wait time.Duration, err error) {
	return limit.None, 0, errors.Join(errors.New("the disk of /var/x is full"), ctx.Err())
}

// TestRateLimitsFailClosed: where a limit cannot be looked up its calls are not run,
// and those without one are.
func TestRateLimitsFailClosed(t *testing.T) {
	t.Parallel()
	log := &memoryLog{}
	g := gateway.New(limitedTools(t, rate(1, time.Minute, "")), log, gateway.Options{Limits: failing{}})
	got := g.Call(t.Context(), call("a", ""))
	const want = "Error: a has a limit of calls that could not be checked, so it was not run\nTry again a little later; if it fails again, tell the user."
	if got.Output.Text() != want || got.Error.Code != tool.Internal || !got.Error.Retryable || len(log.starts) != 0 {
		t.Errorf("got %q, %+v", got.Output.Text(), got.Error)
	}
	if cause := log.ends[0].Cause; cause != "rate limit: the disk of /var/x is full" {
		t.Errorf("the record says %q", cause)
	}
	if got := g.Call(t.Context(), call("b", "")); got.Error != nil {
		t.Errorf("a call without a limit: %v", got.Error)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := g.Call(ctx, call("a", "")); got.Error == nil || got.Error.Code != tool.Cancelled {
		t.Errorf("a call that nobody waits for: %+v", got.Error)
	}
}

// BenchmarkRateLimit compares a call without a limit, one whose limit is counted in
// memory, and one whose limit is counted in the store.
func BenchmarkRateLimit(b *testing.B) {
	kept, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "gateway.db"), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = kept.Close() })
	journal, err := runlog.Open(b.TempDir(), runlog.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = journal.Close() })
	for _, bb := range []struct {
		name, tool string
		limits     limit.Store
	}{{"without", "b", kept}, {"memory", "a", nil}, {"store", "a", kept}} {
		b.Run(bb.name, func(b *testing.B) {
			g := gateway.New(limitedTools(b, rate(tool.MaxRateCalls, 100*time.Millisecond, "")), journal, gateway.Options{Limits: bb.limits})
			b.ReportAllocs()
			for b.Loop() {
				if r := g.Call(b.Context(), call(bb.tool, "")); r.Error != nil {
					b.Fatal(r.Error)
				}
			}
		})
	}
}
