package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// around is a gateway of one tool, pay, under hooks of the configuration, which name
// themselves in args.note and behind the result, and under those of the program.
func around(t *testing.T, d *diary, before []gateway.Before, after []gateway.After) *gateway.Gateway {
	t.Helper()
	var report diag.Report
	root := diag.NewCursor(&report, nil)
	s, err := schema.Compile(json.RawMessage(hookedSchema))
	if err != nil {
		t.Fatal(err)
	}
	spec := &tool.Spec{Name: "pay", Parameters: json.RawMessage(hookedSchema), Timeout: time.Second, MaxOutput: 1 << 20}
	engine := policy.Compile(root.Key("policy"), &policy.Config{Default: "allow", Rules: []policy.RuleConfig{
		{Name: "big", When: new("args.amount > 100"), Action: "deny", Reason: "Too much for ${args.user}."},
	}})
	hooks := hook.Compile(root, &hook.Config{
		Before: []hook.BeforeConfig{{Name: "file", When: new(`args.note == "none"`), Set: map[string]string{"args.note": `"file"`}}},
		After:  []hook.AfterConfig{{Name: "more", Append: new(`"file"`)}},
	}, nil, hook.Deps{Client: d})
	spec.Parameters = hooks.Bind(hook.Tool{Spec: spec, Schema: s, Think: true})
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	tools, err := registry.New([]*registry.Entry{{Spec: spec, Schema: s, Runner: d}, caller(t)})
	if err != nil {
		t.Fatal(err)
	}
	return gateway.New(&gateway.Generation{
		Tools: tools, Policy: engine, Hooks: hooks, Masker: secret.NewMasker(secret.NewValue("hunter2-and-more")),
	}, d, gateway.Options{Logger: slog.New(slog.DiscardHandler), Before: before, After: after})
}

var errClosed = tool.Errorf(tool.Denied, "the shop is closed").WithHint("Come back tomorrow.")

// TestOwnHooks: hooks of the program run behind those of the configuration, in their
// order; what they make of arguments is checked, and what they say against a call or
// its result stands.
func TestOwnHooks(t *testing.T) {
	t.Parallel()
	set := func(name string, v any) gateway.Before {
		return func(_ context.Context, c *gateway.HookCall) error { c.Args[name] = v; return nil }
	}
	text := func(s string) gateway.After {
		return func(_ context.Context, _ *gateway.HookCall, o *gateway.Outcome) error {
			o.Output, o.Err = tool.TextOutput(o.Output.Text()+s), nil
			return nil
		}
	}
	fine := []string{`start {"amount":2,"note":"file","user":"u"}`, `run {"amount":2,"note":"file","user":"u"}`, "end "}
	ran := func(code string) []string { return []string{fine[0], fine[1], "end " + code} }
	const rewritten = "Error: the gateway rewrote the arguments of this call into ones that the tool does not take\nNothing is wrong with the arguments; tell the user that the gateway's check is failing."
	const fault = "Error: the gateway could not complete this call because of a fault of its own\n"
	const repeat, withheld = "Do not repeat the call unchanged; tell the user that the tool gateway reported an internal error.",
		"The tool has run and may have had an effect; only its result is withheld. Do not repeat the call; tell the user."
	tests := []struct {
		name   string
		before []gateway.Before
		after  []gateway.After
		args   string // of amount 2 when empty
		want   []string
		text   string
		cause  string // part of what the record says
	}{
		{name: "none", want: fine, text: "done\nfile"},
		{name: "some that do nothing", before: []gateway.Before{func(context.Context, *gateway.HookCall) error { return nil }}, after: []gateway.After{text("")}, want: fine, text: "done\nfile"},
		{
			name: "one after the other", before: []gateway.Before{set("note", "a"), func(_ context.Context, c *gateway.HookCall) error {
				c.Args["note"] = c.Args["note"].(string) + "b"
				return nil
			}},
			after: []gateway.After{text(" 1"), text(" 2")},
			want:  []string{`start {"amount":2,"note":"ab","user":"u"}`, `run {"amount":2,"note":"ab","user":"u"}`, "end "},
			text:  "done\nfile 1 2",
		},
		{
			name:   "values of Go are cast",
			before: []gateway.Before{set("amount", "7"), set("note", 12), func(_ context.Context, c *gateway.HookCall) error { c.Args["amount"] = json.Number("8"); return nil }},
			want:   []string{`start {"amount":8,"note":"12","user":"u"}`, `run {"amount":8,"note":"12","user":"u"}`, "end "}, text: "done\nfile",
		},
		{name: "policy sees them", before: []gateway.Before{set("amount", 101)}, want: []string{"end denied"}, text: "Error: calling pay with these arguments is not allowed: Too much for u\nDo not repeat the call unchanged; use other arguments or another tool, or tell the user."},
		{name: "not what the tool takes", before: []gateway.Before{set("amount", "much")}, want: []string{"end internal"}, text: rewritten, cause: "hook 1 of the program before calls"},
		{name: "an argument that there is not", before: []gateway.Before{set("user", "u"), set("more", 1)}, want: []string{"end internal"}, text: rewritten, cause: "hook 2 of the program before calls"},
		{name: "no value of JSON", before: []gateway.Before{set("note", make(chan int))}, want: []string{"end internal"}, text: rewritten, cause: "unsupported type"},
		{name: "none at all", before: []gateway.Before{func(_ context.Context, c *gateway.HookCall) error { c.Args = nil; return nil }}, want: []string{"end internal"}, text: rewritten},
		{name: "a refusal", before: []gateway.Before{func(context.Context, *gateway.HookCall) error { return fmt.Errorf("so: %w", errClosed) }, set("note", "late")}, want: []string{"end denied"}, text: "Error: the shop is closed\nCome back tomorrow."},
		{name: "a failure", before: []gateway.Before{func(context.Context, *gateway.HookCall) error { return errors.New("hunter2-and-more is wrong") }}, want: []string{"end internal"}, text: fault + repeat, cause: "hook 1 of the program before calls: [secret] is wrong"},
		{name: "a panic", before: []gateway.Before{func(context.Context, *gateway.HookCall) error { panic("hunter2-and-more") }}, want: []string{"end internal"}, text: fault + repeat, cause: "panic: [secret]"},
		{name: "a nil error that is none", before: []gateway.Before{func(context.Context, *gateway.HookCall) error { var e *tool.Error; return e }}, want: []string{"end internal"}, text: fault + repeat, cause: "hook 1 of the program before calls: it returned a nil *tool.Error as its error (return nil)"},
		{name: "an error without a code", before: []gateway.Before{func(context.Context, *gateway.HookCall) error { return &tool.Error{Message: "so"} }}, want: []string{"end internal"}, text: fault + repeat, cause: "hook 1 of the program before calls: a *tool.Error without a code: so"},
		{name: "a nil error after that is none", after: []gateway.After{func(context.Context, *gateway.HookCall, *gateway.Outcome) error { var e *tool.Error; return e }}, want: ran("internal"), text: fault + withheld, cause: "hook 1 of the program after calls: it returned a nil *tool.Error as its error (return nil)"},
		{name: "an error after without a code", after: []gateway.After{func(context.Context, *gateway.HookCall, *gateway.Outcome) error { return &tool.Error{} }}, want: ran("internal"), text: fault + withheld, cause: "hook 1 of the program after calls: a *tool.Error without a code"},
		{name: "a failure without a code", after: []gateway.After{func(_ context.Context, _ *gateway.HookCall, o *gateway.Outcome) error {
			o.Err = &tool.Error{}
			return nil
		}, text("late")}, want: ran("internal"), text: fault + withheld, cause: "hook 1 of the program after calls: a *tool.Error without a code"},
		{name: "a refused result", after: []gateway.After{func(context.Context, *gateway.HookCall, *gateway.Outcome) error { return errClosed }, text("late")}, want: ran("denied"), text: "Error: the shop is closed\nCome back tomorrow."},
		{name: "a result that is made a failure", after: []gateway.After{func(_ context.Context, _ *gateway.HookCall, o *gateway.Outcome) error {
			o.Err = errClosed
			return nil
		}}, want: ran("denied"), text: "Error: the shop is closed\nCome back tomorrow."},
		{name: "a failed check of the result", after: []gateway.After{func(context.Context, *gateway.HookCall, *gateway.Outcome) error { return errors.New("no") }}, want: ran("internal"), text: fault + withheld, cause: "hook 1 of the program after calls: no"},
		{name: "a panic after", after: []gateway.After{func(context.Context, *gateway.HookCall, *gateway.Outcome) error { panic("no") }}, want: ran("internal"), text: fault + withheld, cause: "panic: no"},
		{name: "what is no JSON", after: []gateway.After{func(_ context.Context, _ *gateway.HookCall, o *gateway.Outcome) error {
			o.Output.Structured = json.RawMessage("{")
			return nil
		}}, want: ran("internal"), text: fault + withheld, cause: "the structured output is not JSON"},
		{name: "a secret", after: []gateway.After{text(" hunter2-and-more")}, want: fine, text: "done\nfile [secret]"},
		{name: "arguments after", after: []gateway.After{func(_ context.Context, c *gateway.HookCall, _ *gateway.Outcome) error {
			c.Args["note"] = "x"
			return nil
		}}, want: fine, text: "done\nfile"},
		{
			name: "a failure of the tool", args: `{"amount":2,"user":"u","note":"fail"}`, after: []gateway.After{func(_ context.Context, _ *gateway.HookCall, o *gateway.Outcome) error {
				o.Err = tool.Errorf(o.Err.Code, "it is told otherwise")
				return nil
			}},
			want: []string{`start {"amount":2,"note":"fail","user":"u"}`, `run {"amount":2,"note":"fail","user":"u"}`, "end upstream_error"}, text: "Error: it is told otherwise",
		},
		{
			name: "a failure that is made good", args: `{"amount":2,"user":"u","note":"fail"}`, after: []gateway.After{text("never mind")},
			want: []string{`start {"amount":2,"note":"fail","user":"u"}`, `run {"amount":2,"note":"fail","user":"u"}`, "end "}, text: "never mind",
		},
		{name: "invalid arguments reach none", args: `{"amount":"much"}`, before: []gateway.Before{func(context.Context, *gateway.HookCall) error { panic("no") }}, want: []string{"end invalid_args"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := tt.args
			if args == "" {
				args = `{"amount":2,"user":"u"}`
			}
			for _, c := range []tool.Call{call("pay", args), inside("pay", args)} {
				d := new(diary)
				r := around(t, d, tt.before, tt.after).Call(t.Context(), c)
				if diff := cmp.Diff(tt.want, d.lines); diff != "" {
					t.Error(diff)
				}
				if got := r.Output.Text(); tt.text != "" && got != tt.text {
					t.Errorf("got  %q\nwant %q", got, tt.text)
				}
				if got := d.record.Cause; !strings.Contains(got, tt.cause) || strings.Contains(got, "hunter2") {
					t.Errorf("the record says %q", got)
				}
			}
		})
	}
}

// TestOwnHookSees: a hook is told who calls what and why, and cannot change what others
// see.
func TestOwnHookSees(t *testing.T) {
	t.Parallel()
	var seen []string
	see := func(c *gateway.HookCall) {
		seen = append(seen, fmt.Sprintln(c.ID, c.Spec.Name, c.Args, c.Caller.Name, c.Chat.ID, c.Via, c.Reason, c.Depth))
		c.Args["note"] = "seen"
	}
	before := func(_ context.Context, c *gateway.HookCall) error { see(c); return nil }
	after := func(_ context.Context, c *gateway.HookCall, _ *gateway.Outcome) error { see(c); return nil }
	g := around(t, new(diary), []gateway.Before{before}, []gateway.After{after})
	c := call("pay", `{"amount":1,"user":"u","toolcall_reason":"tea"}`)
	c.ID, c.Chat.ID = "7", "talk"
	g.Call(t.Context(), c)
	want := []string{
		"7 pay map[amount:1 note:file user:u] ann talk direct tea 0\n", "7 pay map[amount:1 note:seen user:u] ann talk direct tea 0\n",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
}

// TestOwnHookAndApproval: what a person agreed to runs, whatever hooks would make of the
// call by then; that they refuse it holds.
func TestOwnHookAndApproval(t *testing.T) {
	var calls, refuse atomic.Int64
	before := func(_ context.Context, c *gateway.HookCall) error {
		c.Args["note"] = fmt.Sprint(calls.Add(1))
		if refuse.Load() == 1 {
			return errClosed
		}
		return nil
	}
	withAsks(t, gateway.Options{Before: []gateway.Before{before}}, func(t *testing.T, h *askHouse) {
		ctx, leave := context.WithCancel(t.Context())
		wait := h.later(ctx, call("pay", `{"amount": 10}`))
		leave()
		<-wait
		h.approveRaw(t, 1)
		refuse.Store(1)
		if r := h.Call(t.Context(), call("pay", `{"amount": 10}`)); endOf(r) != tool.Denied || h.runs.Load() != 0 {
			t.Errorf("refused: %+v", r.Error)
		}
		refuse.Store(0)
		if r := h.Call(t.Context(), call("pay", `{"amount": 10}`)); r.Error != nil || h.runs.Load() != 1 {
			t.Errorf("agreed to: %+v, %d runs", r.Error, h.runs.Load())
		}
		if got := string(h.log.ends[len(h.log.ends)-1].Arguments); got != `{"amount":10,"note":"1"}` {
			t.Error("ran with", got)
		}
	})
}

// TestOwnHookWhileAsked: where hooks make something else of a call that is repeated before
// somebody answers, the person and the model read of the first one, and that is what runs.
func TestOwnHookWhileAsked(t *testing.T) {
	amount := json.Number("60")
	before := func(_ context.Context, c *gateway.HookCall) error {
		c.Args["amount"] = amount
		return nil
	}
	withAsks(t, gateway.Options{Before: []gateway.Before{before}}, func(t *testing.T, h *askHouse) {
		amount = "60"
		ctx, leave := context.WithCancel(t.Context())
		first := h.later(ctx, call("pay", `{"amount": 10}`))
		leave()
		<-first
		amount = "2000"
		if r := h.Call(t.Context(), call("pay", `{"amount": 10}`)); endOf(r) != tool.NeedsApproval || !strings.Contains(r.Error.Message, "It is 60") {
			t.Errorf("repeated: %+v", r.Error)
		}
		ctx, leave = context.WithCancel(t.Context())
		defer leave()
		repeated := h.later(ctx, call("pay", `{"amount": 10}`))
		h.approveRaw(t, 1)
		r := <-repeated
		if r.Error != nil || h.runs.Load() != 1 {
			t.Errorf("%+v, %d runs", r.Error, h.runs.Load())
		}
		if got := string(h.log.ends[len(h.log.ends)-1].Arguments); got != `{"amount":60,"note":"none"}` {
			t.Error("ran with", got)
		}
	})
}

// TestObserve: observers of the options are told like others.
func TestObserve(t *testing.T) {
	t.Parallel()
	var seen counting
	h := newAskHouse(t, gateway.Options{Observe: []gateway.Observer{&seen, &seen}})
	defer h.close(t)
	h.Call(t.Context(), call("read", ""))
	if seen != (counting{2, 2}) {
		t.Error(seen)
	}
}

type counting struct{ began, ended int }

func (c *counting) Began(*tool.Notice) { c.began++ }
func (c *counting) Ended(*tool.Notice) { c.ended++ }
