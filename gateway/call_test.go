package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// memoryLog keeps records in memory and fails when told to.
type memoryLog struct {
	mu       sync.Mutex
	starts   []runlog.Record
	ends     []runlog.Record
	startErr error
	endErr   error
}

func (l *memoryLog) Start(r runlog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starts = append(l.starts, r)
	return l.startErr
}

func (l *memoryLog) End(r runlog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ends = append(l.ends, r)
	return l.endErr
}

// runnerFunc is a runner made of a function.
type runnerFunc func(ctx context.Context, in tool.Input) (tool.Output, error)

func (f runnerFunc) Run(ctx context.Context, in tool.Input) (tool.Output, error) { return f(ctx, in) }

// echo answers with its arguments.
func echo(_ context.Context, in tool.Input) (tool.Output, error) {
	data, err := json.Marshal(in.Args)
	return tool.TextOutput(string(data)), err
}

const paySchema = `{"type":"object","properties":{"amount":{"type":"number"},"note":{"type":"string","default":"none"},"odd":{}},"required":["amount"],"additionalProperties":false}`

// house is a gateway of a few tools whose runners are given.
func house(t testing.TB, log gateway.Log, runners map[string]runnerFunc) *gateway.Gateway {
	t.Helper()
	specs := []*tool.Spec{
		{Name: "pay", Tags: []string{"destructive"}, Parameters: json.RawMessage(paySchema)},
		{Name: "read", Tags: []string{"read_only"}, Parameters: json.RawMessage(`{"type":"object"}`)},
		{Name: "hidden", Parameters: json.RawMessage(`{"type":"object"}`)},
		{Name: "hidden_twin", Parameters: json.RawMessage(`{"type":"object"}`)},
	}
	entries := make([]*registry.Entry, len(specs))
	for i, s := range specs {
		s.Timeout, s.MaxOutput = 5*time.Second, 1<<20
		run := runners[s.Name]
		if run == nil {
			run = echo
		}
		compiled, err := schema.Compile(s.Parameters)
		if err != nil {
			t.Fatal(err)
		}
		entries[i] = &registry.Entry{Spec: s, Schema: compiled, Runner: run}
	}
	tools, err := registry.New(entries)
	if err != nil {
		t.Fatal(err)
	}
	var report diag.Report
	engine := policy.Compile(diag.NewCursor(&report, nil), &policy.Config{
		Default: "allow",
		Rules: []policy.RuleConfig{
			{Name: "hide", Tools: []string{"hidden*"}, Action: "deny"},
			{Name: "big", Tools: []string{"pay"}, When: new("args.amount > 100"), Action: "deny", Reason: "Too much: ${args.amount}."},
			{Name: "odd", Tools: []string{"pay"}, When: new("args.odd > 1"), Action: "allow"},
			{Name: "ask", Tools: []string{"pay"}, When: new("args.amount > 50"), Action: "ask", Reason: "More than 50."},
		},
	})
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	return gateway.New(&gateway.Generation{
		Tools: tools, Policy: engine, Masker: secret.NewMasker(secret.NewValue("hunter2")),
	}, log, gateway.Options{Logger: slog.New(slog.DiscardHandler)})
}

func call(name, args string) tool.Call {
	return tool.Call{Tool: name, Arguments: json.RawMessage(args), Caller: tool.Caller{ID: "ann", Name: "ann", Kind: tool.KindGo}}
}

func TestCallEndings(t *testing.T) {
	t.Parallel()
	runners := map[string]runnerFunc{
		"read": func(_ context.Context, in tool.Input) (tool.Output, error) {
			switch in.Args["do"] {
			case "panic":
				panic("hunter2 is the password")
			case "foreign":
				return tool.Output{}, errors.New("hunter2 is the password")
			case "error":
				return tool.Output{}, tool.Errorf(tool.UpstreamError, "the upstream said hunter2").WithHint("Not hunter2.")
			case "blank":
				return tool.TextOutput(" \n"), nil
			case "nothing":
				return tool.Output{}, nil
			case "secret":
				return tool.Output{
					Content:    []tool.Content{{Type: tool.ContentText, Text: "it is hunter2"}},
					Structured: json.RawMessage(`{"token":"hunter2"}`),
				}, nil
			}
			return echo(t.Context(), in)
		},
	}
	tests := []struct {
		name, tool, args string
		code             tool.Code
		text             string // what the model reads
		rule             string
	}{
		{"ok", "pay", `{"amount": 12.50}`, "", `{"amount":12.50,"note":"none"}`, ""},
		{"cast", "pay", `{"amount": "12"}`, "", `{"amount":12,"note":"none"}`, ""},
		{"digits", "read", `{"n": 12345678901234567890.10}`, "", `{"n":12345678901234567890.10}`, ""},
		{"blank", "read", ``, "", `{}`, ""},
		{"unknown", "nope", `{}`, tool.NotFound, "Error: no tool is named \"nope\"\nCall one of the tools in your tool list by its exact name.", ""},
		{"meant", "P-A-Y", `{}`, tool.NotFound, "Error: no tool is named \"P-A-Y\"\nDid you mean \"pay\"? Tool names must match exactly.", ""},
		{"denied by name", "hidden", `{}`, tool.NotFound, "Error: no tool is named \"hidden\"\nCall one of the tools in your tool list by its exact name.", ""},
		{"meant but denied", "hid_den", `{}`, tool.NotFound, "Error: no tool is named \"hid_den\"\nCall one of the tools in your tool list by its exact name.", ""},
		{"denied", "pay", `{"amount": 101}`, tool.Denied, "Error: calling pay with these arguments is not allowed: Too much: 101\nDo not repeat the call unchanged; use other arguments or another tool, or tell the user.", "big"},
		{"rule fails", "pay", `{"amount": 1, "odd": "x"}`, tool.Denied, "Error: calling pay with these arguments is not allowed: the policy could not judge them\nDo not repeat the call unchanged; use other arguments or another tool, or tell the user.", "odd"},
		{"ask", "pay", `{"amount": 60}`, tool.NeedsApproval, "Error: calling pay needs the approval of a person: More than 50, and no approver is set up\nTell the user what you wanted to do and why; do not repeat the call.", "ask"},
		{"panic", "read", `{"do": "panic"}`, tool.Internal, "Error: the gateway could not complete this call because of a fault of its own\nDo not repeat the call unchanged; tell the user that the tool gateway reported an internal error.", ""},
		{"foreign", "read", `{"do": "foreign"}`, tool.Internal, "Error: the gateway could not complete this call because of a fault of its own\nDo not repeat the call unchanged; tell the user that the tool gateway reported an internal error.", ""},
		{"error", "read", `{"do": "error"}`, tool.UpstreamError, "Error: the upstream said [secret]\nNot [secret].", ""},
		{"nothing", "read", `{"do": "nothing"}`, "", "(read completed with no output)", ""},
		{"blank text", "read", `{"do": "blank"}`, "", "(read completed with no output)", ""},
		{"secret", "read", `{"do": "secret"}`, "", "it is [secret]", ""},
		{"secret sent", "read", `{"do": "hunter2"}`, "", `{"do":"[secret]"}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			log := &memoryLog{}
			got := house(t, log, runners).Call(t.Context(), call(tt.tool, tt.args))
			var code tool.Code
			if got.Error != nil {
				code = got.Error.Code
			}
			if code != tt.code || tt.text != "" && got.Output.Text() != tt.text {
				t.Errorf("got %q %q, want %q %q", code, got.Output.Text(), tt.code, tt.text)
			}
			if len(log.ends) != 1 {
				t.Fatalf("%d end records, want 1", len(log.ends))
			}
			if end := log.ends[0]; end.Code != tt.code || end.CallID != got.CallID || end.Caller.Name != "ann" || end.Rule != tt.rule {
				t.Errorf("recorded %+v", end)
			}
			all, err := json.Marshal([]any{log.ends, log.starts, got})
			if err != nil || strings.Contains(string(all), "hunter2") {
				t.Errorf("a secret left the gateway: %s, %v", all, err)
			}
		})
	}
}

func TestInvalidArgumentsShowTheSchema(t *testing.T) {
	t.Parallel()
	got := house(t, &memoryLog{}, nil).Call(t.Context(), call("pay", `{"amount": "much", "colour": 1}`))
	if got.Error == nil || got.Error.Code != tool.InvalidArgs {
		t.Fatalf("got %+v", got)
	}
	if d := cmp.Diff(paySchema, string(got.Error.InputSchema)); d != "" {
		t.Error(d)
	}
	for _, part := range []string{"amount", "colour"} {
		if !strings.Contains(got.Error.Message, part) {
			t.Errorf("message %q does not tell of %s", got.Error.Message, part)
		}
	}
}

func TestStartIsRecordedBeforeTheRun(t *testing.T) {
	t.Parallel()
	log := &memoryLog{}
	starts := -1
	g := house(t, log, map[string]runnerFunc{"pay": func(context.Context, tool.Input) (tool.Output, error) {
		starts = len(log.starts)
		return tool.TextOutput("paid"), nil
	}})
	g.Call(t.Context(), call("pay", `{"amount":1}`))
	if starts != 1 {
		t.Errorf("%d start records when the tool ran, want 1", starts)
	}
	g.Call(t.Context(), call("read", `{}`))
	for _, s := range log.starts {
		if s.Tool == "read" {
			t.Error("a read_only call has a start record")
		}
	}
}

func TestNothingRunsUnrecorded(t *testing.T) {
	t.Parallel()
	ran := false
	log := &memoryLog{startErr: errors.New("disk full"), endErr: errors.New("disk full")}
	g := house(t, log, map[string]runnerFunc{"pay": func(context.Context, tool.Input) (tool.Output, error) {
		ran = true
		return tool.Output{}, nil
	}})
	got := g.Call(t.Context(), call("pay", `{"amount":1}`))
	if ran {
		t.Error("the tool ran without a start record")
	}
	if got.Error == nil || !strings.Contains(got.Output.Text(), "was not run") || g.Ready() == nil {
		t.Fatalf("got %+v, ready: %v", got, g.Ready())
	}
	log.startErr, log.endErr = nil, nil
	if g.Call(t.Context(), call("pay", `{"amount":1}`)); g.Ready() != nil {
		t.Errorf("not ready after a record was written: %v", g.Ready())
	}
}

func TestNoAnswerWithoutRecord(t *testing.T) {
	t.Parallel()
	log := &memoryLog{endErr: errors.New("disk full")}
	got := house(t, log, nil).Call(t.Context(), call("read", `{"a":1}`))
	if got.Error == nil || got.Error.Code != tool.Internal || strings.Contains(got.Output.Text(), `"a"`) {
		t.Errorf("got %+v", got)
	}
}

func TestTimeoutAndCancel(t *testing.T) {
	t.Parallel()
	stuck := func(ctx context.Context, _ tool.Input) (tool.Output, error) {
		<-ctx.Done()
		return tool.Output{}, ctx.Err()
	}
	synctest.Test(t, func(t *testing.T) {
		g := house(t, &memoryLog{}, map[string]runnerFunc{"read": stuck})
		began := time.Now()
		got := g.Call(t.Context(), call("read", `{}`))
		if took := time.Since(began); got.Error == nil || got.Error.Code != tool.Timeout || took != 5*time.Second {
			t.Errorf("after %v: %+v", took, got)
		}
		if want := "Error: read did not finish within 5s and was stopped\nAsk for less at once, or try again later."; got.Output.Text() != want {
			t.Errorf("model reads %q, want %q", got.Output.Text(), want)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if got := g.Call(ctx, call("read", `{}`)); got.Error == nil || got.Error.Code != tool.Cancelled {
			t.Errorf("got %+v", got)
		}
	})
}

func TestToolsHidesWhatIsDenied(t *testing.T) {
	t.Parallel()
	var names []string
	for _, s := range house(t, &memoryLog{}, nil).Tools(t.Context(), tool.View{Caller: tool.Caller{Name: "ann"}}) {
		names = append(names, s.Name)
	}
	if d := cmp.Diff([]string{"pay", "read"}, names); d != "" {
		t.Error(d)
	}
}
