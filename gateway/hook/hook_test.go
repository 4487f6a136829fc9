package hook_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// direct is a client without limits.
type direct struct{ http *http.Client }

func (d direct) Do(req *http.Request) (*http.Response, error) { return d.http.Do(req) }

func (direct) Advise(at diag.Cursor, origin string) {
	if strings.Contains(origin, "refused") {
		at.Warnf("", "no request reaches %s", origin)
	}
}

const paySchema = `{"type":"object","properties":{"amount":{"type":"number","maximum":1000},"note":{"type":"string"},"user":{"type":"string"},"deep":{"type":"object"}},"required":["amount","user"]}`

func payTool(t testing.TB) hook.Tool {
	t.Helper()
	s, err := schema.Compile(json.RawMessage(paySchema))
	if err != nil {
		t.Fatal(err)
	}
	return hook.Tool{Spec: &tool.Spec{Name: "pay", Tags: []string{"money"}, Parameters: json.RawMessage(paySchema)}, Schema: s}
}

// plan compiles a configuration for the tool pay.
func plan(t testing.TB, cfg hook.Config, inject ...hook.InjectConfig) *hook.Plan {
	t.Helper()
	var report diag.Report
	set := hook.Compile(diag.NewCursor(&report, nil), &cfg, inject, hook.Deps{
		Client: direct{http.DefaultClient}, SecretNames: []string{"hook"},
		Secrets: map[string]secret.Value{"hook": secret.NewValue("hunter2-and-more")},
	})
	set.Bind(payTool(t))
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	return set.Plan("pay")
}

func newCall(t testing.TB, args string) *hook.Call {
	t.Helper()
	return &hook.Call{ID: "call_1", Request: policy.Request{
		Tool: payTool(t).Spec, Args: decode(t, args), Caller: tool.Caller{ID: "u1", Name: "ann", Kind: tool.KindGo, Claims: map[string]any{"team": "blue"}},
		Chat: tool.Chat{ID: "c1"}, Via: tool.ViaDirect, Reason: "for tea",
	}}
}

func decode(t testing.TB, text string) map[string]any {
	t.Helper()
	var v map[string]any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func encode(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// ending is what became of a call, in one line.
func ending(err error) string {
	if err == nil {
		return ""
	}
	e := tool.AsError(err)
	return string(e.Code) + ": " + e.Message
}

func TestSet(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		set  map[string]string
		args string
		want string // the arguments, or the ending
	}{
		{"arithmetic", map[string]string{"args.amount": "args.amount * 10"}, `{"amount":2,"user":"u"}`, `{"amount":20,"user":"u"}`},
		{"digits stay", map[string]string{"args.deep.n": "args.deep.m"}, `{"amount":1,"user":"u","deep":{"m":12345678901234567890.10}}`, `{"amount":1,"deep":{"m":12345678901234567890.10,"n":12345678901234567890.10},"user":"u"}`},
		{"all see the arguments as they were", map[string]string{"args.note": "args.user", "args.user": `args.note ?? "none"`}, `{"amount":1,"user":"u"}`, `{"amount":1,"note":"u","user":"none"}`},
		{"way made", map[string]string{"args.deep.a.b": "[1, {k: 2}]"}, `{"amount":1,"user":"u"}`, `{"amount":1,"deep":{"a":{"b":[1,{"k":2}]}},"user":"u"}`},
		{"nil takes out", map[string]string{"args.note": "nil"}, `{"amount":1,"user":"u","note":"x"}`, `{"amount":1,"user":"u"}`},
		{"nil makes no way", map[string]string{"args.deep.a.b": "nil"}, `{"amount":1,"user":"u"}`, `{"amount":1,"user":"u"}`},
		{"cast", map[string]string{"args.note": "args.amount"}, `{"amount":1.50,"user":"u"}`, `{"amount":1.50,"note":"1.50","user":"u"}`},
		{"sees the caller", map[string]string{"args.note": `caller.claims.team + " " + chat.id + " " + call.reason + " " + tool.name`}, `{"amount":1,"user":"u"}`, `{"amount":1,"note":"blue c1 for tea pay","user":"u"}`},
		{"invalid", map[string]string{"args.amount": "1001"}, `{"amount":1,"user":"u"}`, "internal: the gateway rewrote the arguments of this call into ones that the tool does not take"},
		{"fails", map[string]string{"args.amount": "args.user * 2"}, `{"amount":1,"user":"u"}`, "denied: a check of this call is not available"},
		{"no object on the way", map[string]string{"args.user.a": "1"}, `{"amount":1,"user":"u"}`, "denied: a check of this call is not available"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newCall(t, tt.args)
			before := encode(t, c.Request.Args)
			sent := c.Request.Args
			got := ending(plan(t, hook.Config{Before: []hook.BeforeConfig{{Name: "h", Set: tt.set}}}).Before(t.Context(), c))
			if got == "" {
				got = encode(t, c.Request.Args)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if encode(t, sent) != before {
				t.Error("the arguments were changed in place")
			}
			skipping := newCall(t, tt.args)
			if err := plan(t, hook.Config{Before: []hook.BeforeConfig{{Name: "h", Set: tt.set, OnError: "skip"}}}).Before(t.Context(), skipping); err != nil {
				t.Errorf("with on_error skip: %v", err)
			}
			if failed := !strings.HasPrefix(tt.want, "{"); failed != (len(skipping.Notes) == 1) || failed && encode(t, skipping.Request.Args) != before {
				t.Errorf("skipped: notes %q, arguments %s", skipping.Notes, encode(t, skipping.Request.Args))
			}
		})
	}
}

func TestBeforeInOrder(t *testing.T) {
	t.Parallel()
	p := plan(t, hook.Config{Before: []hook.BeforeConfig{
		{Name: "off", Enabled: new(false), Refuse: new("Never.")},
		{Name: "other tool", Tools: []string{"read*"}, Refuse: new("Not read.")},
		{Name: "other tag", Tags: []string{"read_only"}, Refuse: new("Not read.")},
		{Name: "cap", Tools: []string{"p*"}, Tags: []string{"money", "x"}, When: new("args.amount > 20"), Set: map[string]string{"args.amount": "20"}},
		{Name: "capped", When: new(`args.amount == 20`), Set: map[string]string{"args.note": `"capped"`}},
		{Name: "prod", When: new(`args.user == "prod"`), Refuse: new("Not on production.")},
		{Name: "odd", When: new(`args.deep.n > 1`), Refuse: new("Odd.")},
	}})
	tests := []struct{ args, want string }{
		{`{"amount":5,"user":"u"}`, `{"amount":5,"user":"u"}`},
		{`{"amount":500,"user":"u"}`, `{"amount":20,"note":"capped","user":"u"}`},
		{`{"amount":5,"user":"prod"}`, "denied: Not on production"},
		{`{"amount":5,"user":"u","deep":{"n":"x"}}`, "denied: a check of this call is not available"},
	}
	for _, tt := range tests {
		c := newCall(t, tt.args)
		got := ending(p.Before(t.Context(), c))
		if got == "" {
			got = encode(t, c.Request.Args)
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.args, got, tt.want)
		}
	}
}

func TestAfter(t *testing.T) {
	t.Parallel()
	ok := tool.Output{Content: tool.TextOutput(`{"n":1.50}`).Content, Structured: json.RawMessage(`{"n":1.50}`)}
	failure := tool.Errorf(tool.UpstreamError, "the upstream said no").WithHint("Ask it.")
	tests := []struct {
		name string
		hook hook.AfterConfig
		out  tool.Output
		err  *tool.Error
		want string
	}{
		{"result", hook.AfterConfig{Result: new(`{items: result.value.n, text: result.text}`)}, ok, nil, `{"items":1.50,"text":"{\"n\":1.50}"}`},
		{"text result", hook.AfterConfig{Result: new(`"It is " + result.value`)}, tool.TextOutput("3"), nil, "It is 3"},
		{"nothing", hook.AfterConfig{Result: new(`nil`)}, ok, nil, ""},
		{"a number", hook.AfterConfig{Result: new(`result.value + 1`)}, valued(`41`), nil, "42"},
		{"its digits", hook.AfterConfig{Result: new(`{n: result.value}`)}, valued(`12345678901234567890.10`), nil, `{"n":12345678901234567890.10}`},
		{"a list", hook.AfterConfig{Result: new(`{n: len(result.value), first: result.value[0]}`)}, valued(`[1.50,2]`), nil, `{"first":1.50,"n":2}`},
		{"a truth", hook.AfterConfig{When: new(`result.value`), Result: new(`"yes"`)}, valued(`true`), nil, "yes"},
		{"null", hook.AfterConfig{Result: new(`result.value == nil ? "none" : "some"`)}, valued(`null`), nil, "none"},
		{"JSON text", hook.AfterConfig{Result: new(`"It is " + result.value`)}, valued(`"a"`), nil, "It is a"},
		{"content", hook.AfterConfig{Result: new(`result.content[0].type`)}, ok, nil, "text"},
		{"append", hook.AfterConfig{Append: new(`"by " + caller.name`)}, ok, nil, "{\"n\":1.50}\nby ann"},
		{"append nothing", hook.AfterConfig{Append: new(`args.gone`)}, ok, nil, "{\"n\":1.50}"},
		{"refuse", hook.AfterConfig{When: new(`result.text contains "n"`), Refuse: new("Secret.")}, ok, nil, "denied: Secret"},
		{"refuse not", hook.AfterConfig{When: new(`result.text contains "m"`), Refuse: new("Secret.")}, ok, nil, `{"n":1.50}`},
		{"refuse a failure", hook.AfterConfig{When: new(`result.text contains "no"`), Refuse: new("Secret.")}, tool.Output{}, failure, "denied: Secret"},
		{"fails", hook.AfterConfig{Result: new(`result.value.n + "x"`)}, ok, nil, "denied: a check of this call's result is not available"},
		{"when fails", hook.AfterConfig{When: new(`result.value.n > "x"`), Result: new(`1`)}, ok, nil, "denied: a check of this call's result is not available"},
		{"skipped", hook.AfterConfig{Result: new(`result.value.n + "x"`), OnError: "skip"}, ok, nil, `{"n":1.50}`},
		{"no success of a failure", hook.AfterConfig{Result: new(`{items: result.value}`)}, tool.Output{}, failure, "upstream_error: the upstream said no"},
		{"nor an appendix", hook.AfterConfig{Append: new(`"x"`)}, tool.Output{}, failure, "upstream_error: the upstream said no"},
		{"nor by a word in a text", hook.AfterConfig{Result: new(`result.text + " is_error"`)}, tool.Output{}, failure, "upstream_error: the upstream said no"},
		{"nor by a member of another value", hook.AfterConfig{Result: new(`{is_error: result.value.is_error}`)}, tool.Output{}, failure, "upstream_error: the upstream said no"},
		{"the whole result holds is_error", hook.AfterConfig{Result: new(`let r = result; r.is_error ? r.value : 1`)}, tool.Output{}, failure, "the upstream said no"},
		{"the whole result holds content", hook.AfterConfig{Result: new(`let r = result; r.content[0].type`)}, ok, nil, "text"},
		{"but when asked for", hook.AfterConfig{When: new("result.is_error"), Result: new(`{ok: false, why: result.value}`)}, tool.Output{}, failure, `{"ok":false,"why":"the upstream said no"}`},
		{"unless nothing is given", hook.AfterConfig{Result: new(`result.is_error ? nil : 1`)}, tool.Output{}, failure, "upstream_error: the upstream said no"},
		{"an appendix when asked for", hook.AfterConfig{When: new("result.is_error"), Append: new(`"Call Jo."`)}, tool.Output{}, failure, "upstream_error: the upstream said no"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.hook.Name = "h"
			c := newCall(t, `{"amount":1,"user":"u"}`)
			out, err := plan(t, hook.Config{After: []hook.AfterConfig{tt.hook}}).After(t.Context(), c, tt.out, tt.err)
			got := ending(err)
			if err == nil {
				got = out.Text()
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if tt.name == "an appendix when asked for" && tool.AsError(err).Hint != "Ask it.\nCall Jo." {
				t.Errorf("hint %q", tool.AsError(err).Hint)
			}
		})
	}
	if failure.Hint != "Ask it." || len(ok.Content) != 1 {
		t.Error("what the runner gave was changed")
	}
}

// valued is an answer that is JSON.
func valued(text string) tool.Output {
	out := tool.TextOutput(text)
	out.Structured = json.RawMessage(text)
	return out
}

// TestAfterInRow: a hook sees what the one before it gave, in its kind.
func TestAfterInRow(t *testing.T) {
	t.Parallel()
	p := plan(t, hook.Config{After: []hook.AfterConfig{
		{Name: "list", Result: new("[result.value, 2.50]")},
		{Name: "sum", Result: new("sum(result.value)")},
		{Name: "kind", Result: new("{n: result.value * 2}")},
	}})
	out, err := p.After(t.Context(), newCall(t, `{}`), valued("1"), nil)
	if got := ending(err) + out.Text(); got != `{"n":7}` && got != `{"n":7.0}` && got != `{"n":7.00}` {
		t.Error(got)
	}
}

func TestInject(t *testing.T) {
	t.Parallel()
	p := plan(t, hook.Config{},
		hook.InjectConfig{Tools: []string{"*"}, Set: map[string]string{"user": "caller.id", "nowhere": "1"}},
		hook.InjectConfig{Tools: []string{"pay"}, Set: map[string]string{"note": `args.user == nil ? "clean" : "seen"`}},
	)
	c := newCall(t, `{"amount":1,"user":"root","nowhere":2}`)
	if err := p.Inject(c); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(`{"amount":1,"note":"clean","nowhere":2,"user":"u1"}`, encode(t, c.Request.Args)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"what was sent for user was dropped: the gateway sets it"}, c.Notes); d != "" {
		t.Error(d)
	}
	for name, inject := range map[string]hook.InjectConfig{
		"fails":   {Tools: []string{"pay"}, Set: map[string]string{"user": "caller.claims.team * 2"}},
		"invalid": {Tools: []string{"pay"}, Set: map[string]string{"user": "caller.claims.gone"}},
	} {
		tl, p, c := payTool(t), plan(t, hook.Config{}, inject), newCall(t, `{"amount":1}`)
		err := p.Inject(c)
		if err == nil {
			err = p.Blame(c.Request.Args, tl.Schema.Validate(c.Request.Args))
		}
		if got := ending(err); got != "internal: the arguments of pay that the gateway itself sets could not be set" {
			t.Errorf("%s: got %s", name, got)
		}
	}
	err := p.Blame(decode(t, `{"amount":"x","user":"u1"}`), nil)
	if err == nil || strings.Contains(err.Error(), "user") {
		t.Errorf("a model is told %v", err)
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		think  bool
		inject []hook.InjectConfig
		want   string
	}{
		{"as declared", false, nil, paySchema},
		{"reason", true, nil, strings.Replace(paySchema, `"deep":{"type":"object"}`, `"deep":{"type":"object"},"toolcall_reason":{"type":"string","description":"Why you chose this tool and what you expect from it."}`, 1)},
		{"injected", false, []hook.InjectConfig{{Tools: []string{"*"}, Set: map[string]string{"user": "1", "deep": "{}"}}}, `{"type":"object","properties":{"amount":{"type":"number","maximum":1000},"note":{"type":"string"}},"required":["amount"]}`},
	}
	for _, tt := range tests {
		var report diag.Report
		set := hook.Compile(diag.NewCursor(&report, nil), &hook.Config{}, tt.inject, hook.Deps{})
		tl := payTool(t)
		tl.Think = tt.think
		if d := cmp.Diff(tt.want, string(set.Bind(tl))); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
		rest, reason := set.Plan("pay").Reason(decode(t, `{"amount":1,"toolcall_reason":"tea"}`))
		if got := encode(t, rest) + reason; tt.think && got != `{"amount":1}tea` || !tt.think && got != `{"amount":1,"toolcall_reason":"tea"}` {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}

// TestStillShown: a schema that names an injected argument where it cannot be
// taken out is warned of.
func TestStillShown(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, parameters string
		warned           bool
	}{
		{"clean", paySchema, false},
		{"combined", `{"type":"object","properties":{"user":{}},"anyOf":[{"required":["user"]},{"required":["a"]}]}`, false},
		{"a reference", `{"type":"object","properties":{"user":{}},"anyOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":{"required":["user"]}}}`, true},
		{"referred to", `{"type":"object","properties":{"user":{},"other":{"$ref":"#/properties/user"}}}`, true},
		{"a pattern", `{"type":"object","properties":{"user":{}},"patternProperties":{"^(user|x)$":{}}}`, true},
	}
	for _, tt := range tests {
		s, err := schema.Compile(json.RawMessage(tt.parameters))
		if err != nil {
			t.Fatal(err)
		}
		var report diag.Report
		inject := []hook.InjectConfig{{Tools: []string{"*"}, Set: map[string]string{"user": "1"}}}
		set := hook.Compile(diag.NewCursor(&report, nil), &hook.Config{}, inject, hook.Deps{})
		shown := set.Bind(hook.Tool{Spec: &tool.Spec{Name: "x", Parameters: json.RawMessage(tt.parameters)}, Schema: s})
		if _, err := schema.Compile(shown); err != nil {
			t.Errorf("%s: models are shown %s: %v", tt.name, shown, err)
		}
		if got := len(report.Problems()) == 1; got != tt.warned || report.Problems().Err() != nil {
			t.Errorf("%s: %v", tt.name, report.Problems())
		}
	}
}

func TestReason(t *testing.T) {
	t.Parallel()
	bind := func(parameters string) *hook.Plan {
		s, err := schema.Compile(json.RawMessage(parameters))
		if err != nil {
			t.Fatal(err)
		}
		set := hook.Compile(diag.NewCursor(&diag.Report{}, nil), &hook.Config{}, nil, hook.Deps{})
		set.Bind(hook.Tool{Spec: &tool.Spec{Name: "x", Parameters: json.RawMessage(parameters)}, Schema: s, Think: true})
		return set.Plan("x")
	}
	tests := []struct{ name, parameters, args, rest, reason string }{
		{"text", `{"type":"object","properties":{}}`, `{"toolcall_reason":"tea","a":1}`, `{"a":1}`, "tea"},
		{"none", `{"type":"object","properties":{}}`, `{"a":1}`, `{"a":1}`, ""},
		{"null", `{"type":"object","properties":{}}`, `{"toolcall_reason":null}`, `{}`, ""},
		{"no text", `{"type":"object","properties":{}}`, `{"toolcall_reason":{"a":1.0}}`, `{}`, `{"a":1.0}`},
		{"no properties", `{"type":"object"}`, `{"toolcall_reason":"tea"}`, `{"toolcall_reason":"tea"}`, ""},
		{"its own", `{"type":"object","properties":{"toolcall_reason":{}}}`, `{"toolcall_reason":"tea"}`, `{"toolcall_reason":"tea"}`, ""},
		{"its own in a part", `{"type":"object","properties":{},"anyOf":[{"properties":{"toolcall_reason":{}}},{"required":["a"]}]}`, `{"toolcall_reason":"tea"}`, `{"toolcall_reason":"tea"}`, ""},
		{"its own behind a reference", `{"type":"object","properties":{},"allOf":[{"properties":{"toolcall_reason":{}}}]}`, `{"toolcall_reason":"tea"}`, `{"toolcall_reason":"tea"}`, ""},
	}
	for _, tt := range tests {
		rest, reason := bind(tt.parameters).Reason(decode(t, tt.args))
		if got := encode(t, rest); got != tt.rest || reason != tt.reason {
			t.Errorf("%s: got %s %q", tt.name, got, reason)
		}
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		hints      map[string]string
		structured string
		want       string
	}{
		{"action", map[string]string{"created": "Tell the user.", "fast": "F", "*": "All."}, `{"action":"created","mode":"fast"}`, "Tell the user."},
		{"mode", map[string]string{"fast": "F", "*": "All."}, `{"action":"created","mode":"fast"}`, "F"},
		{"any", map[string]string{"fast": "F", "*": "All."}, `{"action":1}`, "All."},
		{"text", map[string]string{"fast": "F", "*": "All."}, ``, "All."},
		{"none", map[string]string{"fast": "F"}, `{"mode":"slow"}`, ""},
		{"no hints", nil, `{"mode":"slow"}`, ""},
		{"star is no word", map[string]string{"*": "All."}, `{"mode":"*"}`, "All."},
	}
	for _, tt := range tests {
		set := hook.Compile(diag.NewCursor(&diag.Report{}, nil), &hook.Config{}, nil, hook.Deps{})
		tl := payTool(t)
		tl.Hints = tt.hints
		set.Bind(tl)
		out := tool.TextOutput("done")
		if tt.structured != "" {
			out.Structured = json.RawMessage(tt.structured)
		}
		want := "done"
		if tt.want != "" {
			want += "\nHint: " + tt.want
		}
		if got := set.Plan("pay").Hint(out); got.Text() != want {
			t.Errorf("%s: got %q, want %q", tt.name, got.Text(), want)
		}
	}
}

func TestNilDoesNothing(t *testing.T) {
	t.Parallel()
	var set *hook.Set
	p, c := set.Plan("x"), newCall(t, `{"a":1}`)
	out, err := p.After(t.Context(), c, tool.TextOutput("x"), nil)
	out = p.Hint(out)
	if p.Inject(c) != nil || p.Before(t.Context(), c) != nil || err != nil || out.Text() != "x" || p.Shown() != nil {
		t.Error("a plan of nothing does something")
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	web := func(url string, headers map[string]expression.Texts) *hook.WebhookConfig {
		return &hook.WebhookConfig{URL: url, Headers: headers}
	}
	cfg := hook.Config{
		Before: []hook.BeforeConfig{
			{Name: "nothing"},
			{Name: "paths", Set: map[string]string{"amount": "1", "args": "1", "args.": "1", `args["x"]`: "1"}},
			{Name: "twice", Set: map[string]string{"args.a": "1", "args.a.b": "2"}},
			{Name: "disabled", Enabled: new(false), When: new("tool.nme == 1"), Set: map[string]string{"args.a": "nope"}},
			{Name: "empty", Set: map[string]string{}},
			{Name: "secret", Set: map[string]string{"args.a": "secret.hook"}, Tools: []string{"[x]"}},
			{Name: "web", HTTP: web("ftp://x", map[string]expression.Texts{"Host": {"x"}, "b d": {"x"}, "X": {"${secret.none}"}})},
			{Name: "web host", HTTP: web("https://${args.host}/x", nil)},
			{Name: "web user", HTTP: web("https://a:b@x/", nil)},
			{Name: "web none", HTTP: web("", nil)},
			{Name: "web bad", HTTP: web("https://:90:/", nil)},
			{Name: "web refused", HTTP: web("https://refused/", nil)},
			{Name: "reaches nothing", Tools: []string{"gone"}, Refuse: new("x")},
		},
		After: []hook.AfterConfig{
			{Name: "nothing"},
			{Name: "fields", When: new("result.txt == ''"), Append: new("result.values")},
		},
	}
	inject := []hook.InjectConfig{
		{Tools: []string{"pay", "x*"}, Set: map[string]string{"usr": "1", "user": "nope"}},
		{Tools: []string{"pay"}, Set: map[string]string{"usr": "1", "amount": "1"}},
		{Tools: []string{"p*"}, Set: map[string]string{"usr": "1"}},
		{Tools: []string{"gone"}, Set: map[string]string{"usr": "1"}},
	}
	var report diag.Report
	set := hook.Compile(diag.NewCursor(&report, nil), &cfg, inject, hook.Deps{Client: direct{}, SecretNames: []string{"hook"}})
	tl := payTool(t)
	set.Bind(tl)
	set.Advise([]*tool.Spec{tl.Spec})
	want := []string{
		`hooks.after.0: the hook does not say what it does (give it exactly one of result, append, refuse and http)`,
		`hooks.after.1.append: result has no field values (did you mean value?)`,
		`hooks.after.1.when: result has no field txt (did you mean text?)`,
		`hooks.before.0: the hook does not say what it does (give it exactly one of set, refuse and http)`,
		`hooks.before.10.http.url: ":90:" is not a host, with or without a port (write it as https://host or https://host/path)`,
		`hooks.before.11.http.url: warning: no request reaches https://refused`,
		`hooks.before.12: warning: hook "reaches nothing" reaches none of the tools (check the names in tools and tags)`,
		`hooks.before.1.set.amount: "amount" does not name an argument (write args.NAME, or args.NAME.NAME for a member of an object)`,
		`hooks.before.1.set.args: "args" does not name an argument (write args.NAME, or args.NAME.NAME for a member of an object)`,
		`hooks.before.1.set.args.: "args." does not name an argument (write args.NAME, or args.NAME.NAME for a member of an object)`,
		`hooks.before.1.set.args["x"]: "args[\"x\"]" does not name an argument (write args.NAME, or args.NAME.NAME for a member of an object)`,
		`hooks.before.2.set.args.a.b: it is set twice, also by args.a (set one of them)`,
		`hooks.before.3.set.args.a: unknown variable nope`,
		`hooks.before.3.when: tool has no field nme (did you mean name?)`,
		`hooks.before.4.set: it names no argument (write args.NAME and an expression)`,
		`hooks.before.5.set.args.a: secret exists only in the templates of runners`,
		`hooks.before.5.tools.0: bad pattern "[x]"`,
		`hooks.before.6.http.headers.Host: the header Host is set by the gateway alone`,
		`hooks.before.6.http.headers.X: secret has no field none`,
		`hooks.before.6.http.headers.b d: "b d" cannot be the name of a header (letters, digits and hyphens)`,
		`hooks.before.6.http.url: the address does not start with http:// or https://`,
		`hooks.before.7.http.url: scheme and host must be literal text, so that no caller can choose them (only what follows the host may hold ${…})`,
		`hooks.before.8.http.url: the address holds a user name or a password`,
		`hooks.before.9.http.url: the webhook has no address`,
		`inject.0.set.user: unknown variable nope`,
		`inject.0.set.usr: the tool pay has no argument usr (did you mean user?)`,
		`inject.0.tools.1: warning: "x*" fits none of the tools`,
		`inject.1.set.usr: the tool pay has no argument usr (did you mean user?)`,
		`inject.3: warning: this entry reaches none of the tools (check the names in tools and tags)`,
	}
	var got []string
	for _, p := range report.Problems() {
		got = append(got, p.String())
	}
	if len(got) != len(want) {
		t.Fatalf("%d problems, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for _, line := range want {
		found := false
		for _, g := range got {
			found = found || strings.HasPrefix(g, line)
		}
		if !found {
			t.Errorf("missing %s\nin\n%s", line, strings.Join(got, "\n"))
		}
	}
}
