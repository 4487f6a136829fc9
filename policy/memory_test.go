package policy_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// TestMemoryCounter compares with a list of all calls: a count is never too low,
// and too high by no more than what one step of that age holds.
func TestMemoryCounter(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var c policy.MemoryCounter
	var made []time.Time
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	spec := &tool.Spec{Name: "pay"}
	subject := policy.Subject{By: policy.ByCaller, Tool: "pay", Caller: "ann"}
	for range 20_000 {
		now = now.Add(time.Duration(r.ExpFloat64() * float64(5*time.Minute)))
		c.Count(&policy.Request{Tool: spec, Caller: tool.Caller{ID: "ann"}, Now: now})
		made = append(made, now)
		if r.IntN(50) > 0 {
			continue
		}
		for window, step := range map[time.Duration]time.Duration{
			10 * time.Second: time.Second, time.Minute: time.Second, 10 * time.Minute: time.Minute, time.Hour: time.Minute,
			6 * time.Hour: 15 * time.Minute, 7 * 24 * time.Hour: 6 * time.Hour, policy.MaxWindow: 6 * time.Hour,
		} {
			got, least, most := c.Calls(subject, window, now), within(made, now, window), within(made, now, window+step)
			if got < least || got > most {
				t.Fatalf("after %d calls, %v: got %d, want %d to %d", len(made), window, got, least, most)
			}
		}
	}
}

func within(made []time.Time, now time.Time, window time.Duration) (n int) {
	for i := len(made) - 1; i >= 0 && made[i].After(now.Add(-window)); i-- {
		n++
	}
	return n
}

func TestMemoryCounterSubjects(t *testing.T) {
	t.Parallel()
	var c policy.MemoryCounter
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	count := func(name, caller, chat string) {
		c.Count(&policy.Request{Tool: &tool.Spec{Name: name}, Caller: tool.Caller{ID: caller}, Chat: tool.Chat{ID: chat}, Now: now})
	}
	if got := c.Calls(policy.Subject{By: policy.ByTool, Tool: "pay"}, time.Hour, now); got != 0 {
		t.Errorf("before any call: %d", got)
	}
	count("pay", "ann", "c1")
	count("pay", "ann", "c2")
	count("pay", "bob", "c1")
	count("find", "ann", "c1")
	now = now.Add(-time.Minute) // a clock that was set back
	count("pay", "ann", "c1")
	for want, s := range map[int]policy.Subject{
		4: {By: policy.ByTool, Tool: "pay"}, 3: {By: policy.ByCaller, Tool: "pay", Caller: "ann"},
		2: {By: policy.ByChat, Tool: "pay", Caller: "ann", Chat: "c1"}, 1: {By: policy.ByChat, Tool: "pay", Caller: "bob", Chat: "c1"},
		0: {By: policy.ByCaller, Tool: "find", Caller: "bob"},
	} {
		if got := c.Calls(s, time.Hour, now.Add(time.Minute)); got != want {
			t.Errorf("%+v: got %d, want %d", s, got, want)
		}
	}
}

// TestMemoryCounterForgets: however many subjects there are, the ones that call
// last are remembered, and those of one kind push out none of another.
func TestMemoryCounterForgets(t *testing.T) {
	t.Parallel()
	var c policy.MemoryCounter
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	spec := &tool.Spec{Name: "pay"}
	for i := range policy.MaxSubjects + 10 {
		c.Count(&policy.Request{Tool: spec, Caller: tool.Caller{ID: "ann"}, Chat: tool.Chat{ID: fmt.Sprint(i)}, Now: now})
	}
	calls := func(by policy.By, chat string) int {
		s := policy.Subject{By: by, Tool: "pay", Caller: "ann", Chat: chat}
		return c.Calls(s, time.Hour, now)
	}
	if got := calls(policy.ByCaller, ""); got != policy.MaxSubjects+10 {
		t.Errorf("the caller has %d calls", got)
	}
	if first, last := calls(policy.ByChat, "0"), calls(policy.ByChat, fmt.Sprint(policy.MaxSubjects)); first != 0 || last != 1 {
		t.Errorf("the first chat has %d calls, a late one %d", first, last)
	}
}

func TestMemoryCounterConcurrent(t *testing.T) {
	t.Parallel()
	var c policy.MemoryCounter
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				c.Count(&policy.Request{Tool: &tool.Spec{Name: "pay"}})
				c.Calls(policy.Subject{By: policy.ByTool, Tool: "pay"}, time.Hour, time.Now())
			}
		})
	}
	all.Wait()
	if got := c.Calls(policy.Subject{By: policy.ByTool, Tool: "pay"}, time.Hour, time.Now()); got != 800 {
		t.Errorf("got %d", got)
	}
}

// TestLimitHoldsInParallel: of calls that come at the same time as many run as
// the limit says, neither more nor fewer, and none that is denied counts.
func TestLimitHoldsInParallel(t *testing.T) {
	t.Parallel()
	const rounds, callers, limit = 2000, 32, 3
	var r diag.Report
	e := policy.Compile(diag.NewCursor(&r, nil), &policy.Config{Default: "allow", Rules: []policy.RuleConfig{
		{Name: "never", When: new(`args.no == true`), Action: "deny"},
		{Name: "limit", When: new(`calls("1h", "chat") >= 3`), Action: "deny"},
	}})
	spec := &tool.Spec{Name: "pay"}
	if err := r.Problems().Err(); err != nil || !e.Counts(spec) {
		t.Fatal(err, e.Counts(spec))
	}
	var c policy.MemoryCounter
	for round := range rounds {
		var all sync.WaitGroup
		var ran atomic.Int64
		for i := range callers {
			all.Go(func() {
				req := policy.Request{
					Tool: spec, Caller: tool.Caller{ID: "ann"}, Chat: tool.Chat{ID: fmt.Sprint(round)},
					Args: map[string]any{"no": i%4 == 0}, Counter: &c,
				}
				c.InTurn(&req, func() bool {
					if e.Decide(&req).Effect != policy.Allow {
						return false
					}
					ran.Add(1)
					return true
				})
			})
		}
		all.Wait()
		if got := ran.Load(); got != limit {
			t.Fatalf("round %d: %d calls ran, want %d", round, got, limit)
		}
	}
}

// TestCounts: only tools that a rule with calls() in its condition reaches have
// to take turns.
func TestCounts(t *testing.T) {
	t.Parallel()
	for when, want := range map[string]bool{
		`calls("1h", "tool") > 3`:                           true,
		`args.x == 1 and (calls("1h", "tool") > 3 or true)`: true,
		`any(args.list, # > calls("1h", "tool"))`:           true,
		`let n = calls("1h", "tool"); n > args.x`:           true,
		`args.calls > 3`:                                    false,
		`args.x == "calls(1h)"`:                             false,
	} {
		e := mustCompile(t, policy.Config{Rules: []policy.RuleConfig{{Name: "r", Tools: []string{"pay"}, When: &when, Action: "deny"}}})
		if got := e.Counts(specs["pay"]); got != want {
			t.Errorf("%s: %v", when, got)
		}
		if e.Counts(specs["find"]) {
			t.Errorf("%s: find counts", when)
		}
	}
}
