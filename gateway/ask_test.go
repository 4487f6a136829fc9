package gateway_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/admission"
	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/batch"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// audited is a store of approvals that counts what it is asked, by kind, and that
// can be made to fail.
type audited struct {
	approval.Memory
	mu    sync.Mutex // guards what follows
	asked map[string]int
	err   error
}

func (a *audited) note(what string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asked == nil {
		a.asked = map[string]int{}
	}
	a.asked[what]++
	return a.err
}

func (a *audited) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.err = err
}

// counts are what it was asked since the last time.
func (a *audited) counts() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []string
	for _, what := range slices.Sorted(maps.Keys(a.asked)) {
		out = append(out, fmt.Sprintf("%s %d", what, a.asked[what]))
	}
	a.asked = nil
	return strings.Join(out, ", ")
}

func (a *audited) RaiseApproval(ctx context.Context, ap *approval.Approval, most, all int) (*approval.Approval, error) {
	if err := a.note("write"); err != nil {
		return nil, err
	}
	return a.Memory.RaiseApproval(ctx, ap, most, all)
}

func (a *audited) ChangeApproval(ctx context.Context, ap *approval.Approval, from approval.State, g *approval.Grant) (bool, error) {
	if err := a.note("write"); err != nil {
		return false, err
	}
	return a.Memory.ChangeApproval(ctx, ap, from, g)
}

func (a *audited) StandingApproval(ctx context.Context, b approval.Binding, now time.Time) (*approval.Approval, error) {
	if err := a.note("look"); err != nil {
		return nil, err
	}
	return a.Memory.StandingApproval(ctx, b, now)
}

// askHouse is a gateway whose tool pay asks from 10 on, whose tool ask always asks,
// and whose tool read does not.
type askHouse struct {
	*gateway.Gateway
	desk  *approval.Desk
	store *audited
	log   *memoryLog
	runs  atomic.Int64
	tools *registry.Registry
}

func newAskHouse(t testing.TB, opts gateway.Options) *askHouse {
	t.Helper()
	h := &askHouse{store: new(audited), log: new(memoryLog)}
	var entries []*registry.Entry
	for _, s := range []*tool.Spec{
		{Name: "pay", Tags: []string{tool.TagDestructive}, Parameters: json.RawMessage(paySchema), Exclusive: "purse"},
		{Name: "ask", Tags: []string{tool.TagReadOnly}, Parameters: json.RawMessage(`{"type":"object"}`), RateLimit: &tool.RateLimit{Calls: 3, Per: time.Hour}},
		{Name: "read", Tags: []string{tool.TagReadOnly}, Parameters: json.RawMessage(`{"type":"object"}`)},
		{Name: "few", Parameters: json.RawMessage(`{"type":"object"}`)},
		{Name: "grouped", Parameters: json.RawMessage(`{"type":"object"}`), ByGroup: true, Groups: []string{"g"}},
	} {
		s.Timeout, s.MaxOutput = 5*time.Second, 1<<20
		compiled, err := schema.Compile(s.Parameters)
		if err != nil {
			t.Fatal(err)
		}
		run := runnerFunc(func(context.Context, tool.Input) (tool.Output, error) {
			h.runs.Add(1)
			return tool.TextOutput("done"), nil
		})
		entries = append(entries, &registry.Entry{Spec: s, Schema: compiled, Runner: run})
	}
	tools, err := registry.New(append(entries, caller(t)))
	if err != nil {
		t.Fatal(err)
	}
	var report diag.Report
	engine := policy.Compile(diag.NewCursor(&report, nil), &policy.Config{Default: "allow", Rules: []policy.RuleConfig{
		{Name: "pay", Tools: []string{"pay"}, When: new("args.amount >= 10"), Action: "ask", Reason: "It is ${args.amount}."},
		{Name: "ask", Tools: []string{"ask", "grouped"}, Action: "ask", ApproveBy: "any"},
		{Name: "enough", Tools: []string{"few"}, When: new(`calls("1h", "caller") >= 2`), Action: "deny"},
		{Name: "few", Tools: []string{"few"}, Action: "ask"},
	}})
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	h.tools = tools
	h.desk = approval.Open(t.Context(), h.store, approval.Options{})
	opts.Approvals, opts.Logger = h.desk, cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	h.Gateway = gateway.New(&gateway.Generation{Tools: tools, Groups: gateway.NewGroups([]gateway.Group{{Name: "g"}}), Policy: engine, Masker: secret.NewMasker(secret.NewValue("hunter2"))}, h.log, opts)
	return h
}

// denying is the same gateway with rules that deny everything.
func (h *askHouse) denying(t testing.TB) *gateway.Generation {
	t.Helper()
	var report diag.Report
	engine := policy.Compile(diag.NewCursor(&report, nil), &policy.Config{})
	return &gateway.Generation{Tools: h.tools, Policy: engine, Masker: new(secret.Masker)}
}

func (h *askHouse) close(t testing.TB) {
	t.Helper()
	if err := errors.Join(h.Close(context.Background()), h.desk.Close()); err != nil {
		t.Fatal(err)
	}
}

// answer answers all that waits, and gives how much that was.
func (h *askHouse) answer(t testing.TB, approve bool) int {
	t.Helper()
	found, err := h.Approvals(t.Context(), approval.Query{State: approval.Pending})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range found {
		if _, err := h.AnswerApproval(t.Context(), a.ID, gateway.Reply{Approve: approve, By: tool.Caller{ID: "bob", Name: "Bob"}, From: "http"}); err != nil {
			t.Error(err)
		}
	}
	return len(found)
}

// later lets a call wait and gives what it was answered in the end.
func (h *askHouse) later(ctx context.Context, c tool.Call) <-chan tool.Result {
	out := make(chan tool.Result, 1)
	go func() { out <- h.Call(ctx, c) }()
	synctest.Wait()
	return out
}

func endOf(r tool.Result) tool.Code {
	if r.Error == nil {
		return "ok"
	}
	return r.Error.Code
}

func withAsks(t *testing.T, opts gateway.Options, f func(t *testing.T, h *askHouse)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := newAskHouse(t, opts)
		f(t, h)
		h.close(t)
	})
}

// TestAskCosts: what a call asks of the store of approvals.
func TestAskCosts(t *testing.T) {
	withAsks(t, gateway.Options{}, func(t *testing.T, h *askHouse) {
		want := func(what, want string) {
			t.Helper()
			if got := h.store.counts(); got != want {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		h.Call(t.Context(), call("read", `{}`))
		want("a tool that no rule asks about", "")
		h.Call(t.Context(), call("pay", `{"amount": 1}`))
		want("a call that is let through", "look 1")
		wait := h.later(t.Context(), call("pay", `{"amount": 10}`))
		want("a call that waits", "look 1, write 1")
		h.answer(t, true)
		if r := <-wait; r.Error != nil {
			t.Error(r.Error)
		}
		want("answered and used", "look 1, write 2")
	})
}

// TestAllowedWithoutStore: where the store of approvals fails, calls that policy
// allows go on, and others say that it does.
func TestAllowedWithoutStore(t *testing.T) {
	withAsks(t, gateway.Options{}, func(t *testing.T, h *askHouse) {
		h.store.fail(errors.New("the disk hums"))
		if r := h.Call(t.Context(), call("pay", `{"amount": 1}`)); r.Error != nil {
			t.Error(r.Error)
		}
		r := h.Call(t.Context(), call("pay", `{"amount": 10}`))
		if endOf(r) != tool.Internal || !r.Error.Retryable || h.runs.Load() != 1 {
			t.Errorf("%+v, %d runs", r.Error, h.runs.Load())
		}
		h.store.fail(nil)
	})
}

// TestApprovalGivenBack: a call that is let through and finds no place leaves its
// approval to the next one.
func TestApprovalGivenBack(t *testing.T) {
	withAsks(t, gateway.Options{Admission: admission.Options{Running: 1}}, func(t *testing.T, h *askHouse) {
		big := call("pay", `{"amount": 10}`)
		wait := h.later(t.Context(), big)
		h.log.startErr = errors.New("disk full")
		h.answer(t, true)
		r := <-wait
		if endOf(r) != tool.Internal || h.runs.Load() != 0 {
			t.Errorf("%+v, %d runs", r.Error, h.runs.Load())
		}
		h.log.startErr = nil
		if r = h.Call(t.Context(), big); r.Error != nil || h.runs.Load() != 1 {
			t.Errorf("again: %+v, %d runs", r.Error, h.runs.Load())
		}
		wait = h.later(t.Context(), big)
		if n := h.answer(t, false); n != 1 {
			t.Errorf("%d wait, want one more", n)
		}
		if r = <-wait; endOf(r) != tool.ApprovalDenied || h.runs.Load() != 1 {
			t.Errorf("%+v, %d runs", r.Error, h.runs.Load())
		}
	})
}

// TestWaitingHoldsNoPlace: calls that wait for a person keep no other call from
// running, and are no attempts that count as failed.
func TestWaitingHoldsNoPlace(t *testing.T) {
	withAsks(t, gateway.Options{Admission: admission.Options{Running: 1, Waiting: 1}}, func(t *testing.T, h *askHouse) {
		for i := range 20 {
			c := call("pay", fmt.Sprintf(`{"amount": %d}`, 10+i))
			_ = h.later(t.Context(), c)
		}
		if r := h.Call(t.Context(), call("pay", `{"amount": 1}`)); r.Error != nil {
			t.Error(r.Error)
		}
		if running, waiting := h.Admitted(); running+waiting != 0 {
			t.Errorf("%d run and %d wait", running, waiting)
		}
		time.Sleep(time.Minute)
		for range 5 {
			if r := h.Call(t.Context(), call("pay", `{"amount": 10}`)); endOf(r) != tool.NeedsApproval || r.Error.Approval == "" {
				t.Errorf("%+v", r.Error)
			}
		}
	})
}

// TestAskedAndLimited: the limit of a tool counts a call when it is let through, and
// once; one that finds no room keeps its approval. A tool that only reads is asked
// about like any other.
func TestAskedAndLimited(t *testing.T) {
	withAsks(t, gateway.Options{}, func(t *testing.T, h *askHouse) {
		c := call("ask", `{}`)
		for range 3 { // asked, gone on with, and used
			for range 2 {
				if r := h.Call(t.Context(), c); endOf(r) != tool.NeedsApproval {
					t.Errorf("%+v", r.Error)
				}
			}
			h.answer(t, true)
			if r := h.Call(t.Context(), c); r.Error != nil {
				t.Error(r.Error)
			}
		}
		h.Call(t.Context(), c)
		h.answer(t, true)
		if r := h.Call(t.Context(), c); endOf(r) != tool.RateLimited || h.runs.Load() != 3 {
			t.Errorf("%+v, %d runs", r.Error, h.runs.Load())
		}
	})
}

// TestWaitingProgress: a caller that wants to know is told that its call waits, and
// for what.
func TestWaitingProgress(t *testing.T) {
	withAsks(t, gateway.Options{}, func(t *testing.T, h *askHouse) {
		var steps []tool.Step
		ctx := tool.WithProgress(t.Context(), func(s tool.Step) { steps = append(steps, s) })
		r := h.Call(ctx, call("pay", `{"amount": 10}`))
		if want := "waiting for a person to approve pay (approval " + r.Error.Approval + ")"; len(steps) != 5 || steps[4].Message != want || steps[4].Done != 4 {
			t.Errorf("%+v, want %s", steps, want)
		}
	})
}

// TestApprovalMasked: who is asked sees no secret, and what runs has it.
func TestApprovalMasked(t *testing.T) {
	withAsks(t, gateway.Options{}, func(t *testing.T, h *askHouse) {
		wait := h.later(t.Context(), call("pay", `{"amount": 10, "note": "hunter2 for you"}`))
		found, err := h.Approvals(t.Context(), approval.Query{})
		if err != nil || len(found) != 1 {
			t.Fatalf("%v, %v", found, err)
		}
		one, err := h.Approval(t.Context(), found[0].ID)
		if text := fmt.Sprintf("%s %+v %s %+v", one.Arguments, one, found[0].Arguments, found[0]); err != nil || strings.Contains(text, "hunter2") || !strings.Contains(text, "for you") {
			t.Errorf("%s, %v", text, err)
		}
		kept, err := h.desk.Get(t.Context(), one.ID)
		if err != nil || !strings.Contains(string(kept.Arguments), "hunter2") {
			t.Errorf("%s, %v", kept.Arguments, err)
		}
		h.answer(t, true)
		<-wait
	})
}

// TestApprovalLegible: what a model wrote cannot play tricks on the eyes of whoever
// decides.
func TestApprovalLegible(t *testing.T) {
	withAsks(t, gateway.Options{}, func(t *testing.T, h *askHouse) {
		wait := h.later(t.Context(), call("pay", "{\"amount\": 10, \"note\": \"to \u202ebob\u2028\u200bor\u00a0not\"}"))
		found, err := h.Approvals(t.Context(), approval.Query{})
		if err != nil || len(found) != 1 {
			t.Fatalf("%v, %v", found, err)
		}
		for _, r := range found[0].Summary + found[0].Reason {
			if !unicode.IsPrint(r) {
				t.Errorf("%q in %q", r, found[0].Summary)
			}
		}
		h.answer(t, false)
		<-wait
	})
}

// TestRefusedBatchAsksNobody: a batch that is refused as a whole raises nothing.
func TestRefusedBatchAsksNobody(t *testing.T) {
	withAsks(t, gateway.Options{}, func(t *testing.T, h *askHouse) {
		calls := []tool.Call{call("pay", `{"amount": 10}`), call("pay", `{"amount": 11}`)}
		if _, err := h.Batch(t.Context(), calls, batch.Options{StopOn: "first"}); err == nil || h.answer(t, true) != 0 {
			t.Errorf("%v", err)
		}
		if _, err := h.Batch(t.Context(), make([]tool.Call, batch.MaxCalls+1), batch.Options{}); err == nil {
			t.Error("too many calls were taken")
		}
	})
}

// TestSameIDInBatch: two calls of one ID in a batch are two calls.
func TestSameIDInBatch(t *testing.T) {
	withAsks(t, gateway.Options{}, func(t *testing.T, h *askHouse) {
		calls := []tool.Call{call("pay", `{"amount": 10}`), call("pay", `{"amount": 11}`)}
		calls[0].ID, calls[1].ID = "x", "x"
		done := make(chan []tool.Result)
		go func() {
			results, err := h.Batch(t.Context(), calls, batch.Options{})
			if err != nil {
				t.Error(err)
			}
			done <- results
		}()
		synctest.Wait()
		if n := h.answer(t, true); n != 2 {
			t.Errorf("%d are asked about before the first one runs", n)
		}
		for _, r := range <-done {
			if r.Error != nil {
				t.Error(r.Error)
			}
		}
		var args []string
		for _, r := range h.log.ends {
			args = append(args, string(r.Arguments))
		}
		if got := strings.Join(args, " "); !strings.Contains(got, `"amount":10`) || !strings.Contains(got, `"amount":11`) {
			t.Errorf("ran with %s", got)
		}
	})
}

// TestSameLimits: what a rule may say and what the section may say is one thing.
func TestSameLimits(t *testing.T) {
	if policy.MaxExpires != approval.MaxExpires || policy.MaxWait != approval.MaxWait || approval.DefaultWait > approval.MaxWait {
		t.Error("the limits differ")
	}
	for scope, name := range map[approval.Scope]string{approval.SameArgs: policy.RememberArgs, approval.InChat: policy.RememberChat} {
		if string(scope) != name {
			t.Errorf("%s is %s", scope, name)
		}
	}
	for where, name := range map[approval.Where]string{approval.AtDesk: policy.ByDesk, approval.Client: policy.ByClient, approval.Anybody: policy.ByAny} {
		if string(where) != name {
			t.Errorf("%s is %s", where, name)
		}
	}
}

// TestManyJudgedAgain: a configuration that denies ends all that wait, however many.
func TestManyJudgedAgain(t *testing.T) {
	withAsks(t, gateway.Options{}, func(t *testing.T, h *askHouse) {
		const many = approval.MaxLimit + 200
		now := time.Now()
		for i := range many {
			_, err := h.store.RaiseApproval(t.Context(), &approval.Approval{
				ID: approval.NewID(), Binding: approval.Binding{Caller: "ann", Tool: "pay", Digest: fmt.Sprint(i)}, Arguments: json.RawMessage(`{"amount":10}`),
				Created: now.Add(time.Duration(i) * time.Microsecond), Expires: now.Add(time.Hour), State: approval.Pending,
			}, many, many)
			if err != nil {
				t.Fatal(err)
			}
		}
		h.Swap(h.denying(t))
		synctest.Wait()
		left, err := h.store.Approvals(t.Context(), approval.Query{State: approval.Ended, Limit: 2 * many, Now: time.Now()})
		if err != nil || len(left) != many {
			t.Errorf("%d of %d ended, %v", len(left), many, err)
		}
	})
}

// BenchmarkAsk gives the cost of the gate for calls that a rule might ask about: one
// that is let through, and one that is asked, approved and run.
func BenchmarkAsk(b *testing.B) {
	h := newAskHouse(b, gateway.Options{})
	defer h.close(b)
	b.Run("allowed", func(b *testing.B) {
		for b.Loop() {
			if r := h.Call(b.Context(), call("pay", `{"amount": 1}`)); r.Error != nil {
				b.Fatal(r.Error)
			}
			h.log.ends = nil
		}
	})
	b.Run("approved", func(b *testing.B) {
		stop := h.WatchApprovals(b.Context(), func(a approval.Approval) {
			if a.State == approval.Pending {
				go func() {
					_, _ = h.AnswerApproval(b.Context(), a.ID, gateway.Reply{Approve: true, By: tool.Caller{ID: "bob", Name: "Bob"}, From: "http"})
				}()
			}
		})
		defer stop()
		for b.Loop() {
			if r := h.Call(b.Context(), call("pay", `{"amount": 10}`)); r.Error != nil {
				b.Fatal(r.Error)
			}
		}
	})
}

// TestAskedAndCounted: what rules count holds for calls that wait, too: of five that
// people agree to at the same time, as many run as the rule has room for.
func TestAskedAndCounted(t *testing.T) {
	withAsks(t, gateway.Options{}, func(t *testing.T, h *askHouse) {
		var waiting []<-chan tool.Result
		for i := range 5 {
			waiting = append(waiting, h.later(t.Context(), call("few", fmt.Sprintf(`{"n": %d}`, i))))
		}
		h.approveRaw(t, 5)
		ends := map[tool.Code]int{}
		for _, w := range waiting {
			ends[endOf(<-w)]++
		}
		if h.runs.Load() != 2 || ends[tool.Denied] != 3 {
			t.Errorf("%d runs, ends %v", h.runs.Load(), ends)
		}
	})
}

// TestDeactivatedWhileAsked: a tool whose group is deactivated while its call waits
// does not run, whoever agrees.
func TestDeactivatedWhileAsked(t *testing.T) {
	for name, ask := range map[string]func(ctx context.Context, h *askHouse, off func()) context.Context{
		"desk": func(ctx context.Context, _ *askHouse, _ func()) context.Context { return ctx },
		"form": func(ctx context.Context, _ *askHouse, off func()) context.Context {
			return approval.WithForm(ctx, formFunc(func() (bool, error) { off(); return true, nil }))
		},
	} {
		t.Run(name, func(t *testing.T) {
			chats := new(oneGroup)
			chats.on.Store(true)
			withAsks(t, gateway.Options{Chats: chats}, func(t *testing.T, h *askHouse) {
				wait := h.later(ask(t.Context(), h, func() { chats.on.Store(false) }), call("grouped", `{}`))
				if chats.on.Swap(false) {
					if _, err := h.desk.Find(t.Context(), approval.Query{}); err != nil {
						t.Error(err)
					}
					h.approveRaw(t, 1)
				}
				if r := <-wait; endOf(r) != tool.Inactive || h.runs.Load() != 0 {
					t.Errorf("%+v, %d runs", r.Error, h.runs.Load())
				}
			})
		})
	}
}

// approveRaw agrees to all that waits as another process does which does not judge.
func (h *askHouse) approveRaw(t *testing.T, n int) {
	t.Helper()
	found, err := h.desk.Find(t.Context(), approval.Query{State: approval.Pending})
	if err != nil || len(found) != n {
		t.Fatalf("%d wait, %v", len(found), err)
	}
	for i := range found {
		if _, ok, err := h.desk.Settle(t.Context(), found[i].ID, true, approval.Answer{By: "bob", From: "cli"}); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
}

// oneGroup is a chat in which a group is active, or not.
type oneGroup struct{ on atomic.Bool }

func (g *oneGroup) Find(context.Context, string, tool.Chat, []string, func(string) bool) ([]string, error) {
	return nil, nil
}

func (g *oneGroup) Enter(caller string, in tool.Chat) tool.Chat { return g.Look(caller, in) }

func (g *oneGroup) Look(_ string, in tool.Chat) tool.Chat {
	if in.Groups = nil; g.on.Load() {
		in.Groups = []string{"g"}
	}
	return in
}

// formFunc is a user who answers.
type formFunc func() (bool, error)

func (f formFunc) Ask(context.Context, *approval.Question) (bool, error) { return f() }

// TestRefusedByHookAfterAsked: an approval, whatever became of it, lets no call past a
// hook that refuses it by now.
func TestRefusedByHookAfterAsked(t *testing.T) {
	for _, approved := range []bool{false, true} {
		chats := new(freezing)
		withAsks(t, gateway.Options{Chats: chats}, func(t *testing.T, h *askHouse) {
			h.Swap(h.hooked(t))
			ctx, leave := context.WithCancel(t.Context())
			wait := h.later(ctx, call("pay", `{"amount": 10}`))
			leave()
			<-wait
			if approved {
				h.approveRaw(t, 1)
			}
			chats.frozen.Store(true)
			if r := h.Call(t.Context(), call("pay", `{"amount": 10}`)); endOf(r) != tool.Denied || !strings.Contains(r.Error.Message, "Frozen") {
				t.Errorf("approved %v: %+v", approved, r.Error)
			}
			chats.frozen.Store(false)
			if !approved {
				h.approveRaw(t, 1)
			}
			if r := h.Call(t.Context(), call("pay", `{"amount": 10}`)); r.Error != nil || h.runs.Load() != 1 {
				t.Errorf("approved %v: %+v, %d runs", approved, r.Error, h.runs.Load())
			}
		})
	}
}

// hooked is the same gateway with a hook that refuses calls of frozen chats.
func (h *askHouse) hooked(t testing.TB) *gateway.Generation {
	t.Helper()
	var report diag.Report
	at := diag.NewCursor(&report, nil)
	engine := policy.Compile(at, &policy.Config{Rules: []policy.RuleConfig{{Name: "ask", Tools: []string{"pay"}, Action: "ask"}}})
	hooks := hook.Compile(at, &hook.Config{Before: []hook.BeforeConfig{
		{Name: "frozen", Tools: []string{"pay"}, When: new("chat.context.frozen == true"), Refuse: new("Frozen.")},
	}}, nil, hook.Deps{})
	entry, _ := h.tools.Lookup("pay")
	hooks.Bind(hook.Tool{Spec: entry.Spec, Schema: entry.Schema})
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	return &gateway.Generation{Tools: h.tools, Policy: engine, Hooks: hooks, Masker: new(secret.Masker)}
}

// freezing is a chat that may be frozen.
type freezing struct{ frozen atomic.Bool }

func (f *freezing) Find(context.Context, string, tool.Chat, []string, func(string) bool) ([]string, error) {
	return nil, nil
}

func (f *freezing) Enter(caller string, in tool.Chat) tool.Chat { return f.Look(caller, in) }

func (f *freezing) Look(_ string, in tool.Chat) tool.Chat {
	in.Context = map[string]any{"frozen": f.frozen.Load()}
	return in
}
