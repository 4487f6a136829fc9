package gateway_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// userForm is a form whose user does as told; it may have been answered before.
type userForm struct {
	ask    func(ctx context.Context) (bool, error)
	before *bool // what the user said already
	asked  *approval.Question
}

func (f *userForm) Ask(ctx context.Context, q *approval.Question) (bool, error) {
	f.asked = q
	if f.before != nil {
		return *f.before, nil
	}
	return f.ask(ctx)
}

func (f *userForm) Answer(*approval.Question) (approve, ok bool) {
	return f.before != nil && *f.before, f.before != nil
}

// askingGateway has tools about which the client's user, anybody, people at the desk
// and nobody is asked, each of that name.
func askingGateway(t *testing.T) *gateway.Gateway {
	t.Helper()
	var report diag.Report
	engine := policy.Compile(diag.NewCursor(&report, nil), &policy.Config{Default: "allow", Rules: []policy.RuleConfig{
		{Name: "c", Tools: []string{"client"}, Action: "ask", ApproveBy: policy.ByClient, Reason: "It says ${args.x ?? 'nothing'}.", Summary: "Do ${args.x ?? 'nothing'}"},
		{Name: "a", Tools: []string{"any"}, Action: "ask", ApproveBy: policy.ByAny},
		{Name: "d", Tools: []string{"desk"}, Action: "ask"},
	}})
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	desk := approval.Open(t.Context(), new(approval.Memory), approval.Options{})
	t.Cleanup(func() { _ = desk.Close() })
	return gateway.New(&gateway.Generation{Tools: toolsOf(t, "client", "any", "desk", "free"), Policy: engine, Masker: secret.NewMasker(secret.NewValue("hunter2"))}, &memoryLog{},
		gateway.Options{Logger: slog.New(slog.DiscardHandler), Approvals: desk})
}

func TestAsksClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := askingGateway(t)
		for name, want := range map[string]bool{"client": true, "any": true, "desk": false, "free": false, "unknown": false, "": false} {
			if got := g.AsksClient(t.Context(), name); got != want {
				t.Errorf("%q: %v", name, got)
			}
		}
	})
}

// TestClientForm holds what becomes of calls whose client has a form, or none, and
// how long their callers wait.
func TestClientForm(t *testing.T) {
	gives := func(approve bool, err error) *userForm {
		return &userForm{ask: func(context.Context) (bool, error) { return approve, err }}
	}
	never := &userForm{ask: func(ctx context.Context) (bool, error) {
		<-ctx.Done()
		return false, ctx.Err()
	}}
	ok := tool.Code("")
	tests := map[string]struct {
		tool   string
		form   *userForm
		want   tool.Code // empty: it runs
		wait   time.Duration
		missed bool
		raised bool // a call that waits is left
	}{
		"the user agrees":                      {"client", gives(true, nil), ok, 0, false, false},
		"the user refuses":                     {"client", gives(false, nil), tool.ApprovalDenied, 0, false, false},
		"later":                                {"client", gives(false, approval.ErrLater), tool.NeedsApproval, 0, false, true},
		"the client fails":                     {"client", gives(true, errors.New("no screen")), tool.NeedsApproval, 0, false, true},
		"the user does nothing":                {"client", never, tool.NeedsApproval, approval.DefaultWait, false, true},
		"no form":                              {"client", nil, tool.NeedsApproval, 0, true, false},
		"anybody, and the user agrees":         {"any", gives(true, nil), ok, 0, false, false},
		"anybody, and the client fails":        {"any", gives(true, errors.New("no screen")), tool.NeedsApproval, approval.DefaultWait, false, true},
		"anybody, and no form":                 {"any", nil, tool.NeedsApproval, approval.DefaultWait, false, true},
		"the desk, whatever the form says":     {"desk", gives(true, nil), tool.NeedsApproval, approval.DefaultWait, false, true},
		"nobody is asked, though there is one": {"free", gives(false, nil), ok, 0, false, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := askingGateway(t)
				missed := false
				ctx := approval.WithoutForm(t.Context(), func() { missed = true })
				if tt.form != nil {
					ctx = approval.WithForm(t.Context(), tt.form)
				}
				began := time.Now()
				res := g.Call(ctx, call(tt.tool, `{}`))
				if got := failedWith(&res); got != tt.want || time.Since(began) != tt.wait || missed != tt.missed {
					t.Errorf("%q after %v, missed: %v; want %q after %v", got, time.Since(began), missed, tt.want, tt.wait)
				}
				pending, err := g.Approvals(t.Context(), approval.Query{State: approval.Pending, Now: time.Now()})
				if err != nil || (len(pending) == 1) != tt.raised {
					t.Errorf("%d wait: %v", len(pending), err)
				}
			})
		})
	}
}

func failedWith(res *tool.Result) tool.Code {
	if res.Error == nil {
		return ""
	}
	return res.Error.Code
}

// TestUserRefusesWhatWasAgreedTo lets the desk agree to a call while its user is still
// asked by the answer to it: a no that comes with the same call counts, a yes changes
// nothing, and neither does the call without an answer.
func TestUserRefusesWhatWasAgreedTo(t *testing.T) {
	for name, tt := range map[string]struct {
		before *bool
		want   tool.Code
	}{"no": {new(false), tool.ApprovalDenied}, "yes": {new(true), ""}, "nothing": {nil, ""}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := askingGateway(t)
				later := func(context.Context) (bool, error) { return false, approval.ErrLater }
				res := g.Call(approval.WithForm(t.Context(), &userForm{ask: later}), call("any", `{}`))
				if failedWith(&res) != tool.NeedsApproval {
					t.Fatalf("%+v", res.Error)
				}
				boss := tool.Caller{ID: "boss", Name: "boss", May: []tool.Right{tool.MayApprove}}
				if _, err := g.AnswerApproval(t.Context(), res.Error.Approval, gateway.Reply{Approve: true, By: boss, From: "http"}); err != nil {
					t.Fatal(err)
				}
				res = g.Call(approval.WithForm(t.Context(), &userForm{ask: later, before: tt.before}), call("any", `{}`))
				if failedWith(&res) != tt.want {
					t.Errorf("%+v, want %q", res.Error, tt.want)
				}
			})
		})
	}
}

// TestUserSeesNoSecret holds that what a user is shown is what is to run, without
// secrets.
func TestUserSeesNoSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := askingGateway(t)
		form := &userForm{ask: func(context.Context) (bool, error) { return true, nil }}
		res := g.Call(approval.WithForm(t.Context(), form), call("client", `{"x":"a hunter2"}`))
		if res.Error != nil || form.asked == nil {
			t.Fatalf("%+v, asked: %v", res.Error, form.asked)
		}
		shown, err := json.Marshal(form.asked)
		if err != nil || strings.Contains(string(shown), "hunter2") || !strings.Contains(string(form.asked.Arguments), `"a `) || !strings.HasPrefix(form.asked.Summary, "Do a ") {
			t.Errorf("the user is shown %s (%s): %v", shown, form.asked.Arguments, err)
		}
	})
}

// TestWaitingForTheUserIsTold holds that a caller is told that its call waits while
// the user is asked, and nothing where the question goes with the answer.
func TestWaitingForTheUserIsTold(t *testing.T) {
	for name, tt := range map[string]struct {
		err  error
		want int // steps
	}{"asked while the call waits": {nil, 4}, "asked by the answer": {approval.ErrLater, 0}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				form := &userForm{ask: func(ctx context.Context) (bool, error) {
					if tt.err == nil {
						<-ctx.Done()
					}
					return false, cmp.Or(tt.err, ctx.Err())
				}}
				told := 0
				ctx := tool.WithProgress(t.Context(), func(tool.Step) { told++ })
				res := askingGateway(t).Call(approval.WithForm(ctx, form), call("client", `{}`))
				if failedWith(&res) != tool.NeedsApproval || told != tt.want {
					t.Errorf("%+v, and %d steps are told, want %d", res.Error, told, tt.want)
				}
			})
		})
	}
}
