package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// ending is a runner that ends as the words say, one after another: ok, or the code
// of a failure, with ? for one that may pass. Then it says ok.
func ending(words string) runnerFunc {
	left := strings.Fields(words)
	return func(context.Context, tool.Input) (tool.Output, error) {
		if len(left) == 0 {
			left = []string{"ok"}
		}
		code, passes := strings.CutSuffix(left[0], "?")
		if left = left[1:]; code == "ok" {
			return tool.TextOutput("done"), nil
		}
		e := tool.Errorf(tool.Code(code), "it failed")
		e.Retryable = passes
		return tool.Output{}, e
	}
}

// prone are a generation whose tool t ends as the words say; rules let nobody call
// judged but in a chat of tier 2, and ask about asks.
func prone(t *testing.T, words string) *gateway.Generation {
	t.Helper()
	tools := toolsOf(t, "t", "judged", "asks", "changes")
	entry, _ := tools.Lookup("t")
	judged, _ := tools.Lookup("judged")
	judged.Spec.Tags = []string{tool.TagReadOnly}
	changes, _ := tools.Lookup("changes")
	changes.Runner = ending("ok ok ok")
	entry.Runner, entry.Spec.Parameters = ending(words), json.RawMessage(`{"type":"object","properties":{}}`)
	var report diag.Report
	at := diag.NewCursor(&report, nil)
	engine := policy.Compile(at, &policy.Config{Default: "allow", Rules: []policy.RuleConfig{
		{Name: "tier", Tools: []string{"judged"}, When: new(`!(chat.context.tier == "2")`), Action: "deny", Reason: "For tier 2"},
		{Name: "person", Tools: []string{"asks"}, Action: "ask"},
	}})
	hooks := hook.Compile(at, &hook.Config{}, nil, hook.Deps{})
	entry.Spec.Parameters = hooks.Bind(hook.Tool{Spec: entry.Spec, Schema: entry.Schema, Think: true})
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	return &gateway.Generation{Tools: tools, Policy: engine, Hooks: hooks}
}

// TestRepeated makes calls "TIME TOOL{ARGS} CALLER CHAT" in their order; each ends
// well unless it says otherwise after ->, with ! where it was not tried. "reload"
// serves another generation from then on.
func TestRepeated(t *testing.T) {
	t.Parallel()
	const failing = "upstream_error upstream_error upstream_error upstream_error upstream_error"
	for _, tt := range []struct{ name, words, calls string }{
		{"the third time it is not tried", failing, `
			0s t ann c -> upstream_error; 1s t ann c -> upstream_error; 2s t ann c -> upstream_error!; 3s t ann c -> upstream_error!`},
		{"the window passes", failing, `
			0s t ann c -> upstream_error; 100s t ann c -> upstream_error; 219s t ann c -> upstream_error!; 220s t ann c -> upstream_error;
			221s t ann c -> upstream_error; 222s t ann c -> upstream_error!`},
		{"those that lie far apart do not add up", failing, `
			0s t ann c -> upstream_error; 120s t ann c -> upstream_error; 240s t ann c -> upstream_error; 241s t ann c -> upstream_error; 242s t ann c -> upstream_error!`},
		{"a change takes it back", failing, `
			0s t ann c -> upstream_error; 1s t ann c -> upstream_error; 2s changes ann d; 2s t ann c -> upstream_error!; 3s changes ann c; 4s t ann c -> upstream_error`},
		{"a success takes it back", "upstream_error ok upstream_error upstream_error ok", `
			0s t ann c -> upstream_error; 0s t ann c; 0s t ann c -> upstream_error; 0s t ann c -> upstream_error; 0s t ann c -> upstream_error!`},
		{"other arguments are free", failing, `
			0s t{"a":1} ann c -> upstream_error; 0s t{"a":1} ann c -> upstream_error; 0s t{"a":1} ann c -> upstream_error!; 0s t{"a":2} ann c -> upstream_error; 0s t{} ann c -> upstream_error`},
		{"however arguments are written", failing, `
			0s t{"a":1,"b":2} ann c -> upstream_error; 0s t{"b":2,"a":1} ann c -> upstream_error; 0s t{"arguments":{"a":1,"b":2}} ann c -> upstream_error!; 0s t"{\"a\":1,\"b\":2}" ann c -> upstream_error!`},
		{"whatever reason is given", failing, `
			0s t{"toolcall_reason":"x"} ann c -> upstream_error; 0s t{"toolcall_reason":"y"} ann c -> upstream_error; 0s t ann c -> upstream_error!`},
		{"other chats and callers are free", failing, `
			0s t ann c -> upstream_error; 0s t ann c -> upstream_error; 0s t ann c -> upstream_error!; 0s t ann d -> upstream_error; 0s t bob c -> upstream_error`},
		{"a caller who is known, in no chat", failing, `0s t ann default -> upstream_error; 0s t ann default -> upstream_error; 0s t ann default -> upstream_error!`},
		{"nobody, in a chat", failing, `0s t anonymous c -> upstream_error; 0s t anonymous c -> upstream_error; 0s t anonymous c -> upstream_error!`},
		{"nobody, in no chat", failing, `0s t anonymous default -> upstream_error; 0s t anonymous default -> upstream_error; 0s t anonymous default -> upstream_error`},
		{"a reload lets it be tried again", failing, `0s t ann c -> upstream_error; 0s t ann c -> upstream_error; reload; 0s t ann c -> upstream_error; 0s t ann c -> upstream_error; 0s t ann c -> upstream_error!`},
		{"the last failure is told", "upstream_error too_large", `0s t ann c -> upstream_error; 0s t ann c -> too_large; 0s t ann c -> too_large!`},
		{"what may pass does not count", "upstream_unavailable? upstream_unavailable? upstream_unavailable? upstream_error upstream_error", `
			0s t ann c -> upstream_unavailable; 0s t ann c -> upstream_unavailable; 0s t ann c -> upstream_unavailable; 0s t ann c -> upstream_error; 0s t ann c -> upstream_error; 0s t ann c -> upstream_error!`},
		{"nor what lies elsewhere", "cancelled cancelled interrupted interrupted overloaded overloaded internal internal rate_limited rate_limited", `
			0s t ann c -> cancelled; 0s t ann c -> cancelled; 0s t ann c -> interrupted; 0s t ann c -> interrupted; 0s t ann c -> overloaded; 0s t ann c -> overloaded;
			0s t ann c -> internal; 0s t ann c -> internal; 0s t ann c -> rate_limited; 0s t ann c -> rate_limited; 0s t ann c`},
		{"a question does not count", "", `0s asks ann c -> needs_approval; 0s asks ann c -> needs_approval; 0s asks ann c -> needs_approval`},
		{"denied", "", `0s judged ann c -> denied; 0s judged ann c -> denied; 0s judged ann c -> denied!`},
		{"the chat holds something else", "", `
			0s judged ann c tier=1 -> denied; 0s judged ann c tier=1 -> denied; 0s judged ann c tier=1 -> denied!; 0s judged ann c tier=2; 0s judged ann c tier=1 -> denied!`},
		{"no such tool", "", `0s none ann c -> not_found; 0s none ann c -> not_found; 0s none ann c -> not_found!; 0s non ann c -> not_found`},
		{"arguments that cannot be read", "", `0s t{"a": ann c -> invalid_args; 0s t{"a": ann c -> invalid_args; 0s t{"a": ann c -> invalid_args!; 0s t{"a":1} ann c`},
		{"a boundary", "boundary boundary", `0s t ann c -> boundary; 0s t ann c -> boundary; 0s t ann c -> boundary!`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { repeatedCalls(t, tt.words, tt.calls) })
		})
	}
}

func repeatedCalls(t *testing.T, words, calls string) {
	t.Helper()
	log := &memoryLog{}
	g := gateway.New(prone(t, words), log, gateway.Options{})
	began := time.Now()
	for line := range strings.SplitSeq(calls, ";") {
		if line = strings.TrimSpace(line); line == "reload" {
			g.Swap(prone(t, words))
			continue
		}
		what, want, _ := strings.Cut(line, " -> ")
		part := strings.Fields(what)
		at, err := time.ParseDuration(part[0])
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Until(began.Add(at)))
		name, args := part[1], ""
		if i := strings.IndexAny(name, `{"`); i > 0 {
			name, args = name[:i], name[i:]
		}
		c := call(name, args)
		c.Caller.ID, c.Caller.Name, c.Chat.ID = part[2], part[2], part[3]
		if len(part) > 4 {
			c.Chat.Context = map[string]any{"tier": strings.TrimPrefix(part[4], "tier=")}
		}
		result, got := g.Call(t.Context(), c), ""
		if result.Error != nil {
			got = string(result.Error.Code)
		}
		if notes := log.ends[len(log.ends)-1].Notes; len(notes) > 0 {
			got += "!"
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

// TestRepeatedAnswer holds what a model reads and what is recorded.
func TestRepeatedAnswer(t *testing.T) {
	t.Parallel()
	log := &memoryLog{}
	g := gateway.New(prone(t, "boundary boundary"), log, gateway.Options{})
	var texts []string
	for _, name := range []string{"t", "judged", "nothing"} {
		var last tool.Result
		for range 3 {
			last = g.Call(t.Context(), call(name, `{"a": 1}`))
		}
		texts = append(texts, last.Output.Text())
		if e := last.Error; e.Retryable || e.RetryAfter != 0 || e.Fatal || last.MayHaveActed {
			t.Errorf("%s: got %+v", name, e)
		}
	}
	const course = "\nChange course: use other arguments or another tool, or tell the user."
	want := []string{
		"Error: calling t with these arguments was refused twice, the last time less than 2m ago, and was not tried a third time: it failed" + course,
		"Error: calling judged with these arguments was refused twice, the last time less than 2m ago, and was not tried a third time: calling judged this way is not allowed: For tier 2" + course,
		"Error: calling nothing with these arguments was refused twice, the last time less than 2m ago, and was not tried a third time: no tool is named \"nothing\"" + course,
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Error(diff)
	}
	last := log.ends[2]
	if note := fmt.Sprint(last.Notes); note != "[not run, because the same call was refused or failed twice shortly before]" ||
		last.Decision != "" || last.Code != tool.Boundary || string(last.Arguments) != `{"a": 1}` {
		t.Errorf("recorded is %+v", last)
	}
	if len(log.ends) != 9 || len(log.starts) != 2 {
		t.Errorf("%d starts and %d ends", len(log.starts), len(log.ends))
	}
}

// TestRepeatedShowsSchema: who sent wrong arguments is shown the schema once more.
func TestRepeatedShowsSchema(t *testing.T) {
	t.Parallel()
	g := house(t, &memoryLog{}, nil)
	var last tool.Result
	for range 3 {
		last = g.Call(t.Context(), call("pay", `{"amount": "hunter2"}`))
	}
	if e := last.Error; e.Code != tool.InvalidArgs || !json.Valid(e.InputSchema) || !strings.Contains(e.Message, "a third time: invalid arguments for pay") || strings.Contains(e.Message, "hunter2") {
		t.Errorf("got %+v", e)
	}
}

// TestRepeatedOtherway: what call_read_tool refuses is not held against the call that
// its hint asks for, nor is one way of calling against another.
func TestRepeatedOtherway(t *testing.T) {
	t.Parallel()
	const pay, much = `{"name":"crm-pay","arguments":{"amount":1}}`, `{"name":"crm-pay","arguments":{"amount":13}}`
	g := gateway.New(library(t, shopRules(), shop()...), &memoryLog{}, gateway.Options{})
	for i, tt := range []struct{ tool, args, want string }{
		{"call_read_tool", pay, "Error: crm-pay does more than read"},
		{"call_read_tool", pay, "Error: crm-pay does more than read"},
		{"call_read_tool", pay, "Error: calling crm-pay with these arguments was refused twice"},
		{"call_tool", pay, `{"amount":1}`},
		{"call_tool", much, "Error: calling crm-pay with these arguments is not allowed: Unlucky"},
		{"call_tool", much, "Error: calling crm-pay with these arguments is not allowed: Unlucky"},
		{"call_tool", much, "Error: calling crm-pay with these arguments was refused twice"},
		{"crm-pay", `{"amount":13}`, `{"amount":13}`},
	} {
		if got := textOf(g, call(tt.tool, tt.args)); !strings.HasPrefix(got, tt.want) {
			t.Errorf("call %d: got %s", i, got)
		}
	}
}
