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

var specs = map[string]*tool.Spec{
	"find":        {Name: "find", Method: "find", Source: "declared", Tags: []string{"read_only", "network"}, Groups: []string{"web"}},
	"pay":         {Name: "pay", Method: "pay", Source: "declared", Tags: []string{"destructive"}},
	"pay_back":    {Name: "pay_back", Method: "pay_back", Source: "declared", Tags: []string{"destructive"}},
	"git-issue":   {Name: "git-issue", Namespace: "git", Method: "issue", Source: "declared", Deferred: true},
	"read_result": {Name: "read_result", Method: "read_result", Source: "builtin", Tags: []string{"read_only"}, Groups: []string{"web"}},
}

func compile(t *testing.T, cfg policy.Config) (*policy.Engine, diag.Problems) {
	t.Helper()
	var report diag.Report
	at := diag.NewCursor(&report, nil).Key("policy")
	list := []*tool.Spec{specs["find"], specs["pay"], specs["pay_back"], specs["git-issue"]}
	e := policy.Compile(at, &cfg)
	e.Advise(at, func(name string) diag.Cursor { return diag.NewCursor(&report, nil).Key("tools").Key(name) }, list)
	return e, report.Problems()
}

func mustCompile(t *testing.T, cfg policy.Config) *policy.Engine {
	t.Helper()
	e, problems := compile(t, cfg)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return e
}

// rules is the policy of the README with some more.
var rules = policy.Config{
	Default: "deny",
	Rules: []policy.RuleConfig{
		{Name: "off", Enabled: new(false), Action: "allow"},
		{Name: "no robots", Callers: []string{"robot-*"}, Action: "deny", Reason: "${caller.name} may do nothing."},
		{Name: "reads", Tags: []string{"read_only", "other"}, Action: "allow"},
		{Name: "big", Tools: []string{"pay*"}, When: new("args.amount > 100"), Action: "deny", Reason: "Payment of ${args.amount}."},
		{Name: "middle", Tools: []string{"pay"}, Tags: []string{"destructive"}, When: new("args.amount > 50"), Action: "ask"},
		{Name: "small", Tools: []string{"pay"}, When: new(`args.amount <= 50 and call.via == "direct"`), Action: "allow"},
		{Name: "broken reason", Tools: []string{"pay"}, When: new("args.note != nil"), Action: "allow", Reason: "x ${args.gone} y"},
	},
}

func TestDecide(t *testing.T) {
	t.Parallel()
	e := mustCompile(t, rules)
	tests := []struct {
		name, tool, args, caller string
		want                     policy.Decision
		failed                   bool
	}{
		{"first match", "find", `{}`, "ann", policy.Decision{Effect: policy.Allow, Rule: "reads"}, false},
		{"caller first", "find", `{}`, "robot-7", policy.Decision{Effect: policy.Deny, Rule: "no robots", Reason: "robot-7 may do nothing."}, false},
		{"condition true", "pay", `{"amount":100.5}`, "ann", policy.Decision{Effect: policy.Deny, Rule: "big", Reason: "Payment of 100.5."}, false},
		{"reason keeps digits", "pay", `{"amount":12345678901234567890123}`, "ann", policy.Decision{Effect: policy.Deny, Rule: "big", Reason: "Payment of 12345678901234567890123."}, false},
		{"all matchers", "pay", `{"amount":51}`, "ann", policy.Decision{Effect: policy.Ask, Rule: "middle"}, false},
		{"at the bound", "pay", `{"amount":50}`, "ann", policy.Decision{Effect: policy.Allow, Rule: "small"}, false},
		{"absent is no match", "pay", `{}`, "ann", policy.Decision{Effect: policy.Deny}, false},
		{"default", "git-issue", `{}`, "ann", policy.Decision{Effect: policy.Deny}, false},
		{"glob reaches the other tool", "pay_back", `{"amount":101}`, "ann", policy.Decision{Effect: policy.Deny, Rule: "big", Reason: "Payment of 101."}, false},
		{"text against number denies", "pay", `{"amount":"many"}`, "ann", policy.Decision{Effect: policy.Deny, Rule: "big"}, true},
		{"broken reason denies", "pay", `{"note":"x"}`, "ann", policy.Decision{Effect: policy.Deny, Rule: "broken reason"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := e.Decide(request(t, tt.tool, tt.args, tt.caller))
			if (got.Err != nil) != tt.failed {
				t.Errorf("error %v, want one: %v", got.Err, tt.failed)
			}
			if (got.Ask != nil) != (got.Effect == policy.Ask) {
				t.Errorf("asks with %+v", got.Ask)
			}
			got.Err, got.Ask = nil, nil
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func request(t *testing.T, name, args, caller string) *policy.Request {
	t.Helper()
	req := &policy.Request{Tool: specs[name], Caller: tool.Caller{ID: caller, Name: caller, Kind: tool.KindGo}, Via: tool.ViaDirect}
	dec := json.NewDecoder(strings.NewReader(args))
	dec.UseNumber()
	if err := dec.Decode(&req.Args); err != nil {
		t.Fatal(err)
	}
	return req
}

// rule is one that the tests of lists are made of, with a condition where there is one.
func rule(action, when string, tools ...string) policy.RuleConfig {
	r := policy.RuleConfig{Name: action + when, Tools: tools, Action: action}
	if when != "" {
		r.When = &when
	}
	return r
}

func TestLists(t *testing.T) {
	t.Parallel()
	const always, never = "true", "false"
	tests := []struct {
		name     string
		fallback string
		rules    []policy.RuleConfig
		want     bool
	}{
		{"default allow", "allow", nil, true},
		{"default deny", "deny", nil, false},
		{"default unsaid", "", nil, false},
		{"denied by name", "allow", []policy.RuleConfig{rule("deny", "", "pay")}, false},
		{"other tool denied", "allow", []policy.RuleConfig{rule("deny", "", "find")}, true},
		{"denied for some arguments", "allow", []policy.RuleConfig{rule("deny", "args.amount > 100", "pay")}, true},
		{"allowed for some arguments", "deny", []policy.RuleConfig{rule("allow", "args.amount < 100", "pay")}, true},
		{"asked", "deny", []policy.RuleConfig{rule("ask", "", "pay")}, true},
		{"denied before allowed", "allow", []policy.RuleConfig{rule("deny", always, "pay"), rule("allow", "", "pay")}, false},
		{"maybe allowed, else denied", "deny", []policy.RuleConfig{rule("allow", "args.ok", "pay"), rule("deny", "", "pay")}, true},
		{"maybe denied, then denied", "allow", []policy.RuleConfig{rule("deny", "args.no", "pay"), rule("deny", "", "pay")}, false},
		{"never true", "deny", []policy.RuleConfig{rule("allow", never, "pay")}, false},
		{"certainly false beside an argument", "deny", []policy.RuleConfig{rule("allow", `tool.name == "find" && args.ok`, "pay")}, false},
		{"certainly true beside an argument", "allow", []policy.RuleConfig{rule("deny", `tool.destructive || args.ok`, "pay")}, false},
		{"not deferred", "allow", []policy.RuleConfig{rule("deny", `tool.deferred && args.ok`, "pay")}, true},
		{"by caller", "allow", []policy.RuleConfig{rule("deny", `caller.name == "ann"`, "pay")}, false},
		{"by other caller", "allow", []policy.RuleConfig{rule("deny", `caller.name == "bob"`, "pay")}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := mustCompile(t, policy.Config{Default: tt.fallback, Rules: tt.rules})
			if got := e.Lists(specs["pay"], tool.Caller{Name: "ann"}); got != tt.want {
				t.Errorf("listed: %v, want %v", got, tt.want)
			}
		})
	}
}

// TestListsToSome: what is certain of a tool's lists where nothing is known of the
// caller.
func TestListsToSome(t *testing.T) {
	t.Parallel()
	bobs := func(r policy.RuleConfig) policy.RuleConfig {
		r.Callers = []string{"bob"}
		return r
	}
	tests := []struct {
		name     string
		fallback string
		rules    []policy.RuleConfig
		want     bool
	}{
		{"default allow", "allow", nil, true},
		{"default deny", "deny", nil, false},
		{"denied to all", "allow", []policy.RuleConfig{rule("deny", "", "pay")}, false},
		{"denied to one", "allow", []policy.RuleConfig{bobs(rule("deny", "", "pay"))}, true},
		{"allowed to one", "deny", []policy.RuleConfig{bobs(rule("allow", "", "pay"))}, true},
		{"allowed to one, never", "deny", []policy.RuleConfig{bobs(rule("allow", "tool.deferred", "pay"))}, false},
		{"denied by what the caller is", "allow", []policy.RuleConfig{rule("deny", `caller.kind == "mcp"`, "pay")}, true},
		{"allowed by what the caller is", "deny", []policy.RuleConfig{rule("allow", `caller.name == "nobody"`, "pay")}, true},
		{"allowed behind a rule that denies all", "deny", []policy.RuleConfig{rule("deny", "", "pay"), bobs(rule("allow", "", "pay"))}, false},
		{"denied for some arguments", "allow", []policy.RuleConfig{rule("deny", "args.amount > 100", "pay")}, true},
	}
	for _, tt := range tests {
		e := mustCompile(t, policy.Config{Default: tt.fallback, Rules: tt.rules})
		if got := e.ListsToSome(specs["pay"]); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if !(*policy.Engine)(nil).ListsToSome(specs["pay"]) {
		t.Error("a tool is hidden without a policy")
	}
}

func TestNoPolicyAllows(t *testing.T) {
	t.Parallel()
	var e *policy.Engine
	if got := e.Decide(&policy.Request{Tool: specs["pay"]}); got.Effect != policy.Allow {
		t.Errorf("got %v", got)
	}
	if !e.Lists(specs["pay"], tool.Caller{}) {
		t.Error("a tool is hidden without a policy")
	}
}

func TestCompileReportsEverything(t *testing.T) {
	t.Parallel()
	_, problems := compile(t, policy.Config{Rules: []policy.RuleConfig{
		{Name: "a", Tools: []string{"pay[12]", ""}, Callers: []string{"{x}"}, Action: "allow"},
		{Name: "b", When: new("tool.nme == 'x'"), Reason: "${args.x", Action: "deny"},
		{Name: "c", Tools: []string{"nothing_*"}, Action: "deny"},
		{Name: "d", Action: "ask"},
	}})
	want := []string{
		`policy.rules.0.callers.0: bad pattern "{x}": "{" has no meaning in it, only * and ? have`,
		`policy.rules.0.tools.0: bad pattern "pay[12]": "[" has no meaning in it, only * and ? have`,
		`policy.rules.0.tools.1: the pattern is empty`,
		`policy.rules.1.reason: `,
		`policy.rules.1.when: `,
		`policy.rules.2: warning: rule "c" reaches none of the tools (check the names in tools and tags)`,
	}
	if len(problems) != len(want) {
		t.Fatalf("got %d problems, want %d:\n%v", len(problems), len(want), problems)
	}
	for i, p := range problems {
		if got := p.String(); len(got) < len(want[i]) || got[:len(want[i])] != want[i] {
			t.Errorf("got  %s\nwant %s", got, want[i])
		}
	}
}
