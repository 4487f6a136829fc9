package policy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// TestBuiltinAhead: what is certain of a built-in tool before there is a call.
func TestBuiltinAhead(t *testing.T) {
	t.Parallel()
	named := []string{"read_result"}
	tests := []struct {
		name       string
		rule       policy.RuleConfig
		visibility policy.Visibility
		outlook    string
	}{
		{"no rule names it", policy.RuleConfig{Action: "deny"}, policy.Shown, "allow by its being built in"},
		{"denied by name", policy.RuleConfig{Tools: named, Action: "deny"}, policy.Hidden, `deny by rule "r"`},
		{"denied and told", policy.RuleConfig{Tools: named, Action: "deny", Show: true}, policy.Told, `deny by rule "r"`},
		{"denied by a pattern", policy.RuleConfig{Tools: []string{"*", "read_*"}, Action: "deny"}, policy.Hidden, `deny by rule "r"`},
		{"denied for some arguments", policy.RuleConfig{Tools: named, When: new("args.a == 1"), Action: "deny"}, policy.Shown, `depends by rule "r" or its being built in`},
		{"asked for some arguments", policy.RuleConfig{Tools: named, When: new("args.a == 1"), Action: "ask"}, policy.Shown, `depends by rule "r" or its being built in`},
		{"denied to others", policy.RuleConfig{Tools: named, Callers: []string{"bob"}, Action: "deny"}, policy.Shown, "allow by its being built in"},
	}
	for _, tt := range tests {
		tt.rule.Name = "r"
		e := policy.Compile(diag.NewCursor(&diag.Report{}, nil), &policy.Config{Rules: []policy.RuleConfig{tt.rule}}, known()...)
		spec, caller := specs["read_result"], tool.Caller{Name: "ann"}
		visibility, _ := e.Visibility(spec, caller)
		if outlook := e.Outlook(spec, caller).String(); visibility != tt.visibility || outlook != tt.outlook || e.Lists(spec, caller) != (visibility == policy.Shown) {
			t.Errorf("%s: got %v, %s; want %v, %s", tt.name, visibility, outlook, tt.visibility, tt.outlook)
		}
	}
}

// TestBuiltinExplain: each rule that is passed over says why.
func TestBuiltinExplain(t *testing.T) {
	t.Parallel()
	e := mustCompile(t, policy.Config{Rules: []policy.RuleConfig{
		{Name: "all", Action: "deny"}, {Name: "star", Tools: []string{"*"}, Action: "deny"}, {Name: "other", Tools: []string{"pay"}, Action: "deny"},
	}})
	x := e.Explain(request(t, "read_result", `{}`, "ann"))
	got := x.String()
	for _, try := range x.Tried {
		got += "\n" + try.Rule + ": " + try.Why
	}
	want := `allow by its being built in
all: the tool is built in, and the rule does not name it
star: the tool is built in, and the rule does not name it
other: the name read_result fits none of its tools: pay`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestBuiltinAdvice: a catalogue with a built-in tool changes no mistake and no
// warning, but that a rule may name it.
func TestBuiltinAdvice(t *testing.T) {
	t.Parallel()
	builtin := policy.Known{
		Spec:       &tool.Spec{Name: "read_result", Source: tool.SourceBuiltin, Tags: []string{"read_only", "openn"}, Groups: []string{"shop"}},
		Parameters: json.RawMessage(`{"type":"object","properties":{"handle":{"type":"string"}},"required":["handle"]}`),
	}
	for _, rule := range []policy.RuleConfig{
		{},
		{Tools: []string{"*"}, When: new("args.handle == 'x'")},
		{Tools: []string{"find"}, When: new("args.handle == 'x'")},
		{When: new("args.amount > 1")},
		{Tags: []string{"openn"}},
		{Tags: []string{"read_onli"}},
		{Groups: []string{"shop"}, When: new("args.handel == 'x'")},
		{Tools: []string{"read_results"}},
		{Preset: "allow_readonly"},
	} {
		without := reportOn(rule, shop())
		if diff := cmp.Diff(without, reportOn(rule, append(shop(), builtin))); diff != "" && !strings.Contains(diff, "did you mean read_result?") {
			t.Errorf("%+v: %s", rule, diff)
		}
	}
	for _, tt := range []struct {
		when, want string
	}{
		{"args.handle == 'x'", ""},
		{"args.handel == 'x'", "when: args has no field handel (did you mean handle?)"},
	} {
		got := reportOn(policy.RuleConfig{Tools: []string{"read_result"}, When: &tt.when}, append(shop(), builtin))
		if got = strings.TrimSpace(got); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.when, got, tt.want)
		}
	}
}

// reportOn is what is said of a rule over some tools, where the default denies.
func reportOn(rule policy.RuleConfig, tools []policy.Known) string {
	var r diag.Report
	at := diag.NewCursor(&r, nil)
	if rule.Preset == "" {
		rule.Name, rule.Action = "r", "deny"
	}
	e := policy.Compile(at, &policy.Config{Default: "deny", Rules: []policy.RuleConfig{rule, {Name: "rest", Tools: []string{"pay", "find", "free", "ping"}, Action: "allow"}}}, tools...)
	if r.Problems().Err() == nil {
		var list []*tool.Spec
		for _, k := range tools {
			list = append(list, k.Spec)
		}
		e.Advise(at, func(name string) diag.Cursor { return at.Key(name) }, list)
	}
	return strings.ReplaceAll(r.Problems().Error(), "rules.0.", "")
}

// TestBuiltinInTests: a rule test may be about a built-in tool; one that does
// not name it does not see it.
func TestBuiltinInTests(t *testing.T) {
	t.Parallel()
	cfg := policy.Config{Default: "deny", Rules: []policy.RuleConfig{{Name: "a", Tools: []string{"read_result"}, When: new("args.a == 1"), Action: "deny"}}}
	e := policy.Compile(diag.NewCursor(&diag.Report{}, nil), &cfg, known()...)
	results := e.CompileTests(diag.NewCursor(&diag.Report{}, nil), []policy.TestConfig{
		{Name: "call", Call: "read_result", Args: json.RawMessage(`{}`), Expect: "allow", Rule: new("")},
		{Name: "call denied", Call: "read_result", Args: json.RawMessage(`{"a":1}`), Expect: "deny", Rule: new("a")},
		{Name: "wrong", Call: "read_result", Args: json.RawMessage(`{}`), Expect: "deny", Rule: new("a")},
		{Name: "lists", Lists: map[string]bool{"find": false}},
		{Name: "lists named", Lists: map[string]bool{"find": false, "read_result": true}},
		{Name: "lists wrong", Lists: map[string]bool{"read_result": false}},
	}, decodeArgs, nil).Run()
	want := map[string][]string{
		"wrong": {
			"expected deny, got allow by its being built in",
			`expected that rule "a" decides, and it was its being built in (rule "a": when is false)`,
		},
		"lists wrong": {`read_result is listed, and should not be (depends by rule "a" or its being built in)`},
	}
	got := map[string][]string{}
	for _, r := range results {
		if !r.OK() {
			got[r.Name] = r.Differences
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(results) != 6 {
		t.Errorf("%d results: %s", len(results), diff)
	}
}
