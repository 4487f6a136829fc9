package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// diary writes down what happens to a call, in order. It is the log, the
// webhooks and the tool of a gateway.
type diary struct {
	lines  []string
	record runlog.Record
	answer func(question string) string // of a webhook; allow when nil
}

func (d *diary) write(line string) { d.lines = append(d.lines, line) }

func (d *diary) Start(r runlog.Record) error {
	d.write("start " + string(r.Arguments))
	return nil
}

func (d *diary) End(r runlog.Record) error {
	d.record = r
	d.write("end " + string(r.Code))
	return nil
}

func (d *diary) Do(req *http.Request) (*http.Response, error) {
	data, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	var q struct {
		Hook   string          `json:"hook"`
		Args   json.RawMessage `json:"args"`
		Reason string          `json:"toolcall_reason"`
		Result *struct {
			Text string `json:"text"`
		} `json:"result"`
	}
	if err := json.Unmarshal(data, &q); err != nil {
		return nil, err
	}
	line := q.Hook + " " + string(q.Args) + " " + q.Reason
	if q.Result != nil {
		line = q.Hook + " " + q.Result.Text
	}
	d.write(strings.TrimSpace(line))
	answer := `{"action":"allow"}`
	if d.answer != nil {
		answer = d.answer(line)
	}
	w := httptest.NewRecorder()
	_, err = io.WriteString(w, answer)
	return w.Result(), err
}

func (*diary) Advise(diag.Cursor, string) {}

func (d *diary) Run(_ context.Context, in tool.Input) (tool.Output, error) {
	data, err := json.Marshal(in.Args)
	d.write("run " + string(data))
	if in.Args["note"] == "fail" {
		return tool.Output{}, tool.Errorf(tool.UpstreamError, "it failed")
	}
	return tool.TextOutput("done"), err
}

const hookedSchema = `{"type":"object","properties":{"amount":{"type":"number"},"note":{"type":"string","default":"none"},"user":{"type":"string"}},"required":["amount","user"],"additionalProperties":false}`

// hooked is a gateway of one tool, pay, under hooks.
func hooked(t *testing.T, d *diary, cfg hook.Config, logger *slog.Logger) *gateway.Gateway {
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
	inject := []hook.InjectConfig{{Tools: []string{"pay"}, Set: map[string]string{"user": `len(caller.name)`}}}
	hooks := hook.Compile(root, &cfg, inject, hook.Deps{Client: d})
	spec.Parameters = hooks.Bind(hook.Tool{Spec: spec, Schema: s, Think: true, Hints: map[string]string{"*": "Be kind."}})
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	tools, err := registry.New([]*registry.Entry{{Spec: spec, Schema: s, Runner: d}, caller(t)})
	if err != nil {
		t.Fatal(err)
	}
	return gateway.New(&gateway.Generation{
		Tools: tools, Policy: engine, Hooks: hooks, Masker: secret.NewMasker(secret.NewValue("hunter2-and-more")),
	}, d, gateway.Options{Logger: logger})
}

func webhooks() hook.Config {
	web := &hook.WebhookConfig{URL: "https://desk"}
	return hook.Config{
		Before: []hook.BeforeConfig{
			{Name: "b1", HTTP: web},
			{Name: "double", When: new("args.amount < 0"), Set: map[string]string{"args.amount": "args.amount * -100"}},
			{Name: "b2", HTTP: web},
		},
		After: []hook.AfterConfig{{Name: "a1", HTTP: web}, {Name: "more", Append: new(`"more"`)}, {Name: "a2", HTTP: web}},
	}
}

// TestOrder holds the sequence of the path: a reason is taken out, arguments
// are injected, filled in and cast, hooks see and change them, policy sees what
// they became, the start is recorded, the tool runs, hooks see what it
// answered, and every ending is recorded. It is the same for a call inside of another.
func TestOrder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, tool, args string
		answer           func(string) string
		want             []string
		text             string
	}{
		{
			"all of it", "pay", `{"amount":"2","user":"root","toolcall_reason":"tea"}`, nil,
			[]string{
				`b1 {"amount":2,"note":"none","user":"3"} tea`, `b2 {"amount":2,"note":"none","user":"3"} tea`,
				`start {"amount":2,"note":"none","user":"3"}`, `run {"amount":2,"note":"none","user":"3"}`,
				"a1 done", "a2 done\nmore", "end ",
			},
			"done\nmore\nHint: Be kind.",
		},
		{
			"policy sees what hooks made", "pay", `{"amount":-2}`, nil,
			[]string{`b1 {"amount":-2,"note":"none","user":"3"}`, `b2 {"amount":200,"note":"none","user":"3"}`, "end denied"},
			"Error: calling pay with these arguments is not allowed: Too much for 3\nDo not repeat the call unchanged; use other arguments or another tool, or tell the user.",
		},
		{
			"a hook refuses", "pay", `{"amount":2}`,
			func(string) string { return `{"action":"deny","reason":"Closed."}` },
			[]string{`b1 {"amount":2,"note":"none","user":"3"}`, "end denied"},
			"Error: Closed\nDo not repeat the call unchanged; use other arguments or another tool, or tell the user.",
		},
		{
			"a hook after withholds", "pay", `{"amount":2}`,
			func(line string) string {
				if strings.HasPrefix(line, "a1") {
					return `{"action":"deny","reason":"Confidential."}`
				}
				return `{"action":"allow"}`
			},
			[]string{
				`b1 {"amount":2,"note":"none","user":"3"}`, `b2 {"amount":2,"note":"none","user":"3"}`,
				`start {"amount":2,"note":"none","user":"3"}`, `run {"amount":2,"note":"none","user":"3"}`, "a1 done", "end denied",
			},
			"Error: Confidential\nThe tool has run and may have had an effect; only its result is withheld. Do not repeat the call; tell the user.",
		},
		{
			"a failure of the tool", "pay", `{"amount":2,"note":"fail"}`, nil,
			[]string{
				`b1 {"amount":2,"note":"fail","user":"3"}`, `b2 {"amount":2,"note":"fail","user":"3"}`,
				`start {"amount":2,"note":"fail","user":"3"}`, `run {"amount":2,"note":"fail","user":"3"}`,
				"a1 Error: it failed", "a2 Error: it failed", "end upstream_error",
			},
			"Error: it failed",
		},
		{"invalid arguments reach no hook", "pay", `{"amount":"much"}`, nil, []string{"end invalid_args"}, ""},
		{"unknown tools reach no hook", "pax", `{"amount":2}`, nil, []string{"end not_found"}, ""},
		{
			"a panic", "pay", `{"amount":2}`, func(string) string { panic("hunter2-and-more") },
			[]string{`b1 {"amount":2,"note":"none","user":"3"}`, "end denied"},
			"",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range []tool.Call{call(tt.tool, tt.args), inside(tt.tool, tt.args)} {
				d := &diary{answer: tt.answer}
				var lines strings.Builder
				got := hooked(t, d, webhooks(), slog.New(slog.NewJSONHandler(&lines, nil))).Call(t.Context(), c)
				if diff := cmp.Diff(tt.want, d.lines); diff != "" {
					t.Errorf("%s: %s", c.Tool, diff)
				}
				if text := got.Output.Text(); tt.text != "" && text != tt.text {
					t.Errorf("%s: the model reads %q, want %q", c.Tool, text, tt.text)
				}
				all, err := json.Marshal([]any{got, d.record})
				if err != nil || strings.Contains(string(all)+lines.String(), "hunter2") {
					t.Errorf("a secret left the gateway: %s %s, %v", all, lines.String(), err)
				}
			}
		})
	}
}

// TestShownSchema: what a model is told of wrong arguments is about what it
// may send, and the record tells of the reason and of what was dropped.
func TestShownSchema(t *testing.T) {
	t.Parallel()
	d := &diary{}
	g := hooked(t, d, hook.Config{}, nil)
	got := g.Call(t.Context(), call("pay", `{"amount":"much","other":1}`))
	if got.Error == nil || strings.Contains(got.Output.Text()+string(got.Error.InputSchema), "user") ||
		!strings.Contains(string(got.Error.InputSchema), "toolcall_reason") || strings.Contains(string(got.Error.InputSchema), `"required":["amount","user"]`) {
		t.Errorf("a model reads %q and is shown %s", got.Output.Text(), got.Error.InputSchema)
	}
	got = g.Call(t.Context(), call("pay", `{"amount":1,"user":"root","toolcall_reason":"for hunter2-and-more"}`))
	if got.Error != nil || d.record.CallReason != "for [secret]" ||
		!slices.Equal(d.record.Notes, []string{"what was sent for user was dropped: the gateway sets it"}) {
		t.Errorf("got %+v, recorded %+v", got, d.record)
	}
}

// TestReasonBesideWrapper: a model that wraps its arguments may give its reason
// next to them or among them.
func TestReasonBesideWrapper(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, args, tool, reason string }{
		{"among", `{"arguments":{"amount":1,"toolcall_reason":"tea"}}`, `{"amount":1,"note":"none","user":"3"}`, "tea"},
		{"beside", `{"arguments":{"amount":1},"toolcall_reason":"tea"}`, `{"amount":1,"note":"none","user":"3"}`, "tea"},
		{"beside a text", `{"arguments":"{\"amount\":1.50}","toolcall_reason":"tea"}`, `{"amount":1.50,"note":"none","user":"3"}`, "tea"},
		{"both", `{"arguments":{"amount":1,"toolcall_reason":"in"},"toolcall_reason":"out"}`, `{"amount":1,"note":"none","user":"3"}`, "in"},
		{"beside something else", `{"arguments":{"amount":1},"toolcall_reason":"tea","more":1}`, "", "tea"},
		{"beside no object", `{"arguments":"amount","toolcall_reason":"tea"}`, "", "tea"},
	}
	for _, tt := range tests {
		d := &diary{}
		got := hooked(t, d, hook.Config{}, nil).Call(t.Context(), call("pay", tt.args))
		if ran := slices.Contains(d.lines, "run "+tt.tool); ran != (tt.tool != "") || d.record.CallReason != tt.reason {
			t.Errorf("%s: %v, reason %q, %s", tt.name, d.lines, d.record.CallReason, got.Output.Text())
		}
	}
}

// TestHooksSeeMaskedValues: a value that is JSON reaches hooks as such and
// without secrets; one that is a secret as a number comes as masked text.
func TestHooksSeeMaskedValues(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`12345678901234567890.10`:       `12345678901234567890.10`,
		`[1.50,"sk-live-token",null]`:   `[1.50,"[secret]",null]`,
		`"sk-live-token"`:               `"[secret]"`,
		`8675309867`:                    `"[secret]"`,
		`[8675309867]`:                  `["[secret]"]`,
		`{"a":["sk-live-token",false]}`: `{"a":["[secret]",false]}`,
	} {
		g := maskedHouse(t, &diary{}, "sk-live-token", runnerFunc(func(context.Context, tool.Input) (tool.Output, error) {
			return tool.RenderJSON([]byte(value), tool.OutputAuto)
		}), nil, hook.AfterConfig{Name: "seen", Result: new("[result.value]")})
		got := g.Call(t.Context(), call("say", `{}`))
		if text := got.Output.Text(); text != "["+want+"]" {
			t.Errorf("%s: a hook sees %s, want %s", value, text, want)
		}
	}
}

// TestSkippedHookIsNoted: a hook that may be skipped leaves a note, masked.
func TestSkippedHookIsNoted(t *testing.T) {
	t.Parallel()
	d := &diary{answer: func(string) string { return `{"action":"hunter2-and-more"}` }}
	cfg := hook.Config{Before: []hook.BeforeConfig{{Name: "b", HTTP: &hook.WebhookConfig{URL: "https://desk"}, OnError: "skip"}}}
	var lines strings.Builder
	got := hooked(t, d, cfg, slog.New(slog.NewJSONHandler(&lines, nil))).Call(t.Context(), call("pay", `{"amount":1}`))
	if line := lines.String(); !strings.Contains(line, "failed and was skipped") || strings.Contains(line, "hunter2") {
		t.Errorf("the operator reads %s", line)
	}
	want := []string{`hook "b" failed and was skipped: the webhook answered the action "[secret]" (known here: allow, deny and set)`}
	if diff := cmp.Diff(want, d.record.Notes); got.Error != nil || diff != "" {
		t.Errorf("%v %s", got.Error, diff)
	}
}

// TestNoSecretLeaves lets a tool say a secret in every way there is: neither
// an answer, nor the record, nor a log line shows any of it.
func TestNoSecretLeaves(t *testing.T) {
	t.Parallel()
	const token = "sk/live+9f8e7d6c5b4a&3210"
	text := func(parts ...string) (out tool.Output) {
		for _, p := range parts {
			out.Content = append(out.Content, tool.TextOutput(p).Content...)
		}
		return out
	}
	quoted, err := json.Marshal(map[string]string{"k": token})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		out  tool.Output
		err  error
	}{
		{"body", text("it is " + token + "."), nil},
		{"structured", tool.Output{Content: text(string(quoted)).Content, Structured: quoted}, nil},
		{"a number", tool.Output{Content: text("x").Content, Structured: json.RawMessage(`{"n":8675309867}`)}, nil},
		{"error", tool.Output{}, tool.Errorf(tool.UpstreamError, "it said %s", token).WithHint("Not %s.", token)},
		{"cause", tool.Output{}, tool.Errorf(tool.UpstreamError, "no").Because(errors.New("dial " + token))},
		{"foreign error", tool.Output{}, errors.New(token)},
		{"base64", text("Basic dTpzay9saXZlKzlmOGU3ZDZjNWI0YSYzMjEw"), nil},
		{"in a URL", text("https://x/?k=sk%2Flive%2B9f8e7d6c5b4a%263210"), nil},
		{"over lines", text("it is " + token[:10] + "\r\n  " + token[10:]), nil},
		{"over blocks", text("it is "+token[:10], token[10:]+" yes"), nil},
		{"over three blocks", text("it is "+token[:5]+"\n", token[5:9], token[9:]+" yes"), nil},
		{"elsewhere in a block", tool.Output{Content: []tool.Content{{Type: tool.ContentResourceLink, URI: "https://x/" + token, Name: token, Title: token, Description: token}}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var lines strings.Builder
			d := &diary{}
			g := maskedHouse(t, d, token, runnerFunc(func(context.Context, tool.Input) (tool.Output, error) { return tt.out, tt.err }), slog.New(slog.NewJSONHandler(&lines, nil)),
				hook.AfterConfig{Name: "spelt out", When: new("not result.is_error"), Append: new(`join(split(result.text, ""), "")`)})
			got := g.Call(t.Context(), call("say", `{}`))
			all, err := json.Marshal([]any{got, d.record})
			if err != nil {
				t.Fatal(err)
			}
			shown := got.Output.Text() + string(all) + d.record.Cause + lines.String()
			for i := range len(token) - 8 {
				if strings.Contains(shown, token[i:i+8]) {
					t.Errorf("%q is shown: %s", token[i:i+8], shown)
					break
				}
			}
			if strings.Contains(shown, "8675309867") || strings.Contains(shown, "saXZlKzlmOGU3") || strings.Contains(shown, "sk%2Flive") {
				t.Errorf("shown: %s", shown)
			}
		})
	}
}

// maskedHouse is a gateway of one tool, say, whose configuration has secrets
// and hooks after the call.
func maskedHouse(t *testing.T, log gateway.Log, token string, run tool.Runner, logger *slog.Logger, after ...hook.AfterConfig) *gateway.Gateway {
	t.Helper()
	spec := &tool.Spec{Name: "say", Tags: []string{tool.TagReadOnly}, Parameters: json.RawMessage(`{"type":"object"}`), Timeout: time.Second, MaxOutput: 1 << 20}
	s, err := schema.Compile(spec.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	var report diag.Report
	hooks := hook.Compile(diag.NewCursor(&report, nil), &hook.Config{After: after}, nil, hook.Deps{})
	hooks.Bind(hook.Tool{Spec: spec, Schema: s})
	tools, err := registry.New([]*registry.Entry{{Spec: spec, Schema: s, Runner: run}})
	if err := errors.Join(err, report.Problems().Err()); err != nil {
		t.Fatal(err)
	}
	masker := secret.NewMasker(secret.NewValue(token), secret.NewValue("8675309867"))
	return gateway.New(&gateway.Generation{Tools: tools, Hooks: hooks, Masker: masker}, log, gateway.Options{Logger: logger})
}
