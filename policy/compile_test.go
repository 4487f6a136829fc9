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

// shop is a catalogue whose arguments are described.
func shop() []policy.Known {
	known := func(name, parameters string, tags ...string) policy.Known {
		return policy.Known{Spec: &tool.Spec{Name: name, Tags: tags, Groups: []string{"shop"}}, Parameters: json.RawMessage(parameters)}
	}
	return []policy.Known{
		known("pay", `{"type":"object","required":["amount","to"],"properties":{"amount":{"type":"number"},"note":{"type":"string"},
			"user-id":{"type":"string"},"currency":{"type":"string","default":"EUR"},
			"to":{"type":"object","required":["iban"],"properties":{"iban":{"type":"string"},"name":{"type":"string"}}},
			"items":{"type":"array","items":{"type":"object","properties":{"sku":{"type":"string"},"count":{"type":"integer"}}}}}}`, "destructive"),
		known("find", `{"type":"object","properties":{"query":{"type":"string"},"node":{"$ref":"#/$defs/node"},
			"by":{"anyOf":[{"type":"string"},{"type":"object","properties":{"name":{}}}]}},
			"$defs":{"node":{"type":"object","properties":{"left":{"$ref":"#/$defs/node"},"value":{}}}}}`, "read_only"),
		known("free", `{"type":"object","properties":{"x":{}},"additionalProperties":true}`, "open"),
		{Spec: &tool.Spec{Name: "ping", Tags: []string{"read_only"}}},
	}
}

// report compiles one rule for the shop and gives what was said, one problem a
// line; warnings too where it compiles.
func report(rule policy.RuleConfig, data map[string]json.RawMessage) string {
	var r diag.Report
	at := diag.NewCursor(&r, nil).Key("policy")
	if rule.Name == "" && rule.Preset == "" {
		rule.Name = "r"
	}
	if rule.Action == "" && rule.Preset == "" {
		rule.Action = "deny"
	}
	cfg := &policy.Config{Default: "allow", Rules: []policy.RuleConfig{rule}, Data: data}
	policy.CheckGroups(at, cfg, []string{"empty", "shop"})
	e := policy.Compile(at, cfg, shop()...)
	if r.Problems().Err() == nil {
		var specs []*tool.Spec
		for _, k := range shop() {
			specs = append(specs, k.Spec)
		}
		e.Advise(at, func(string) diag.Cursor { return at }, specs)
	}
	return strings.ReplaceAll(r.Problems().Error(), "policy.rules.0.", "")
}

func TestArgumentsOfTools(t *testing.T) {
	t.Parallel()
	pay, all := []string{"pay"}, []string(nil)
	tests := []struct {
		tools []string
		when  string
		want  string
	}{
		{pay, `args.amount > 1`, ""},
		{pay, `args.amuont > 1`, "when: args has no field amuont (did you mean amount?)"},
		{pay, `args.query == "x"`, "when: args has no field query (it has amount, currency, items, note, to, user-id)"},
		{all, `(args.query ?? "") == "x" and (args.amount ?? 1) > 1`, "when: args has no field query"},
		{pay, `args.to.iban == "x" and args.currency == "EUR"`, ""},
		{pay, `args.to.ibna == "x"`, "when: args.to has no field ibna (did you mean iban?)"},
		{pay, `args.to.iban.x == 1`, "when: args.to.iban has no field x (it has none)"},
		{pay, `has("args.note.x")`, "when: args.note has no field x (it has none)"},
		{pay, `any(args.items ?? [], .sku == "x")`, ""},
		{pay, `has("args.items") and any(args.items, .ksu == "x")`, "when: # has no field ksu (did you mean sku?)"},
		{pay, `has("args.items") and args.items[0].skuu == "x"`, "when: args.items[0] has no field skuu (did you mean sku?)"},
		{pay, `args["user-id"] != nil`, ""},
		{pay, `args["user_id"] != nil`, `when: args has no field user_id (did you mean user-id?)`},
		{[]string{"find"}, `has("args.node.left.left.value")`, ""},
		{[]string{"find"}, `has("args.node.left.rigth")`, "when: args.node.left has no field rigth (it has left, value)"},
		{[]string{"find"}, `has("args.by.name")`, ""},
		{[]string{"find"}, `has("args.by.nmae")`, "when: args.by has no field nmae (did you mean name?)"},
		{[]string{"free"}, `has("args.anything.at.all")`, ""},
		{[]string{"ping"}, `has("args.x")`, "when: args has no field x (it has none)"},
		{[]string{"none"}, `has("args.x")`, ": warning: rule \"r\" reaches none of the tools (check the names in tools and tags)"},
		{[]string{"pay", "find"}, `has("args.x")`, "when: args has no field x (it has amount, by, currency, items, node, note, query, to, user-id)"},
	}
	for _, tt := range tests {
		got := report(policy.RuleConfig{Tools: tt.tools, When: &tt.when}, nil)
		if tt.tools == nil { // free is among them, and takes anything
			tt.want = ""
		}
		got = strings.Replace(got, "policy.rules.0", "", 1)
		if got != tt.want {
			t.Errorf("%v %s\n got %s\nwant %s", tt.tools, tt.when, got, tt.want)
		}
	}
}

func TestFunctionMistakes(t *testing.T) {
	t.Parallel()
	for when, want := range map[string]string{
		`glob(args.x, "a[b]")`:                `bad pattern "a[b]": "[" has no meaning in it, only * and ? have`,
		`glob(args.x, args.y)`:                "the second argument of glob must stand in the expression itself or come from data",
		`glob(args.x)`:                        "glob takes 2 arguments, not 1",
		`calls("1 hour", "caller") > 1`:       `"1 hour" is no time to look back (write "1h" for example)`,
		`calls("0s", "caller") > 1`:           `"0s" is no time to look back (write "1h" for example)`,
		`calls("32d", "caller") > 1`:          `calls are counted for 31 days, and "32d" is longer (write "1h" for example)`,
		`calls("1h", "user") > 1`:             `calls are not counted by "user" (write caller, chat or tool)`,
		`calls(args.x, "user") > 1`:           "the first argument of calls must stand in the expression itself or come from data",
		`calls("1h") > 1`:                     "calls takes 2 arguments, not 1",
		`host_in(args.x, "x.com")`:            `"x.com" is text, and host_in needs a list`,
		`host_in(args.x, [])`:                 `host_in needs a list of hosts (write ["x.com", ".y.com"] for example)`,
		`host_in(args.x, ["http://x.com"])`:   `http://x.com is no host (write x.com for one host, .x.com for it and all below it)`,
		`host_in(args.x, ["X.com"])`:          `X.com is no host (write x.com for one host, .x.com for it and all below it)`,
		`host_in(args.x, ["*.x.com"])`:        `*.x.com is no host (write x.com for one host, .x.com for it and all below it)`,
		`host_in(args.x, ["x.com:80"])`:       `x.com:80 is no host (write x.com for one host, .x.com for it and all below it)`,
		`host_in(args.x, ["127.1"])`:          `127.1 is no host (write x.com for one host, .x.com for it and all below it)`,
		`host_in(args.x, ["x.com.."])`:        `x.com.. is no host (write x.com for one host, .x.com for it and all below it)`,
		`host_in(args.x, ["0::1"])`:           `0::1 is never the host of a URL here (write ::1)`,
		`host_in(args.x, ["::ffff:a00:1"])`:   `::ffff:a00:1 is never the host of a URL here (write 10.0.0.1)`,
		`host_in(args.x, ["x.com."])`:         `x.com. is never the host of a URL here (write x.com)`,
		`path_in(args.x, "~/a")`:              `"~/a" is no folder (write "/data" for example)`,
		`path_in(args.x, "file:///a")`:        `"file:///a" is no folder (write "/data" for example)`,
		`cidr(args.x, "::ffff:10.0.0.1/104")`: `"::ffff:10.0.0.1/104" has bits set outside its prefix (write ::ffff:10.0.0.0/104)`,
		`host_in(args.x, [1])`:                `1 is no host (write x.com for one host, .x.com for it and all below it)`,
		`path_in(args.x, "/a/../b")`:          `"/a/../b" is no folder (write "/data" for example)`,
		`path_in(args.x, "")`:                 `"" is no folder (write "/data" for example)`,
		`cidr(args.x, "10.0.0.0")`:            `"10.0.0.0" is no network (write "10.0.0.0/8" for example)`,
		`cidr(args.x, "10.0.0.1/8")`:          `"10.0.0.1/8" has bits set outside its prefix (write 10.0.0.0/8)`,
		`cidr(args.x, [])`:                    `cidr needs a network, or a list of them (write "10.0.0.0/8" for example)`,
		`cidr(args.x, ["10.0.0.0/8", "x"])`:   `"x" is no network (write "10.0.0.0/8" for example)`,
		`cidr(args.x, ["10.0.0.1/8"])`:        `"10.0.0.1/8" has bits set outside its prefix (write 10.0.0.0/8)`,
		`cidr(args.x, [1])`:                   `a network is a text (write "10.0.0.0/8" for example)`,
		`cidr(args.x, 1)`:                     `a network is a text (write "10.0.0.0/8" for example)`,
		`cidr(args.x, args.y)`:                "the second argument of cidr must stand in the expression itself or come from data",
		`cidr(args.x, data.limits)`:           `"many" is no network (write "10.0.0.0/8" for example)`,
		`now() > 5`:                           "now() is an object and 5 is a number",
		`now().hours > 5`:                     "now() has no field hours (did you mean hour?)",
		`now("UTC").hour > 5`:                 "now takes 0 arguments, not 1",
		`data.limit > 5`:                      "data has no field limit (did you mean limits?)",
		`data.limits > 5`:                     "data.limits is text and 5 is a number",
		`path_on(args.x, "/")`:                "there is no function path_on (did you mean path_in?)",
	} {
		got := report(policy.RuleConfig{Tools: []string{"free"}, When: &when}, map[string]json.RawMessage{"limits": json.RawMessage(`"many"`)})
		if got != "when: "+want {
			t.Errorf("%s\n got %s\nwant %s", when, got, want)
		}
	}
}

func TestRuleMistakesAndWarnings(t *testing.T) {
	t.Parallel()
	const part = "warning: the pattern \"x\" allows every text that fits in part (write ^ before and $ behind it)"
	leaves := func(name, action string) string {
		return "when: warning: a call may leave out args." + name + ", and comparing what is absent is false, so that such a call gets past this rule of action " + action +
			" (say what holds then with args." + name + " ?? …, or ask with has(\"args." + name + "\"))"
	}
	tests := []struct {
		name string
		rule policy.RuleConfig
		want string
	}{
		{"preset", policy.RuleConfig{Preset: "deny_privileged", Tools: []string{"pay"}}, "policy.rules.0: warning: rule \"deny_privileged\" reaches none of the tools (check the names in tools and tags)"},
		{"preset, narrowed", policy.RuleConfig{Preset: "allow_readonly", Name: "reads", Callers: []string{"ann"}, Via: []string{"direct"}}, ""},
		{"preset, unknown", policy.RuleConfig{Preset: "ask_networks"}, `preset: there is no preset "ask_networks" (did you mean ask_network?)` + "\nwhole"},
		{"preset with its own", policy.RuleConfig{Preset: "allow_readonly", Tags: []string{"x"}, Action: "deny", Reason: "y"}, "action: the preset allow_readonly has action of its own (remove it, or write the rule without preset)\n" +
			"reason: the preset allow_readonly has reason of its own (remove it, or write the rule without preset)\n" +
			"tags: the preset allow_readonly has tags of its own (remove it, or write the rule without preset)"},
		{"action, unknown", policy.RuleConfig{Action: "refuse"}, `action: unknown action "refuse" (write allow, deny or ask)`},
		{"show without deny", policy.RuleConfig{Action: "allow", Show: true}, "show: only a deny rule keeps anyone from a tool, and this one is of action allow (remove it)"},
		{"optional", policy.RuleConfig{Tools: []string{"pay"}, When: new(`args.note == "x"`)}, leaves("note", "deny")},
		{"optional, asked", policy.RuleConfig{Tools: []string{"pay"}, Action: "ask", When: new(`args.to.name == "x"`)}, leaves("to.name", "ask")},
		{"optional, allowed", policy.RuleConfig{Tools: []string{"pay"}, Action: "allow", When: new(`args.note == "x"`)}, ""},
		{"optional, guarded", policy.RuleConfig{Tools: []string{"pay"}, When: new(`(args.note ?? "") == "x" or has("args.to.name") and args.to.name == "y"`)}, ""},
		{"required", policy.RuleConfig{Tools: []string{"pay"}, When: new(`args.amount > 1 and args.to.iban == "x" and args.currency == "EUR"`)}, ""},
		{"optional of another tool", policy.RuleConfig{Tags: []string{"destructive"}, When: new(`args.amount > 1`)}, ""},
		{"pattern", policy.RuleConfig{Tools: []string{"pay"}, Action: "allow", When: new(`args.note matches "x"`)}, "when: " + part},
		{"pattern of a deny rule", policy.RuleConfig{Tools: []string{"pay"}, When: new(`(args.note ?? "") matches "x"`)}, ""},
		{"pattern, negated", policy.RuleConfig{Tools: []string{"pay"}, Action: "allow", When: new(`not (args.note matches "x")`)}, ""},
		{"tag", policy.RuleConfig{Tags: []string{"destructiv", "read_only"}}, "tags.0: "},
		{"group", policy.RuleConfig{Groups: []string{"shopp", "shop"}}, `groups.0: there is no group "shopp" (did you mean shop?)`},
		{"group, like none", policy.RuleConfig{Groups: []string{"orders"}}, `groups.0: there is no group "orders" (declare it under groups)`},
		{"group of no tool", policy.RuleConfig{Groups: []string{"empty"}}, `policy.rules.0: warning: rule "r" reaches none of the tools (check the names in tools and tags)`},
		{"tool, unknown", policy.RuleConfig{Tools: []string{"pya"}}, `policy.rules.0: warning: rule "r" reaches none of the tools (did you mean pay?)`},
		{"tools, one unknown", policy.RuleConfig{Tools: []string{"pay", "pign"}}, "tools.1: warning: no tool is named pign (did you mean ping?)"},
		{"tools, one like none", policy.RuleConfig{Tools: []string{"elsewhere", "p*", "x*"}}, "tools.0: warning: no tool is named elsewhere (check the name)"},
		{"absent denies", policy.RuleConfig{Tools: []string{"pay"}, When: new(`!args.note`)}, ""},
		{"absent denies, of a list", policy.RuleConfig{Tools: []string{"pay"}, When: new(`!(args.note in ["x"]) and args.amount > 1`)}, ""},
		{"absent denies, of the caller", policy.RuleConfig{Tools: []string{"pay"}, When: new(`!(args.note in caller.groups)`)}, ""},
		{"absent is false", policy.RuleConfig{Tools: []string{"pay"}, When: new(`args.note != caller.id`)}, leaves("note", "deny")},
		{"odd name", policy.RuleConfig{Tools: []string{"pay"}, When: new(`args["user-id"] == "x"`)}, "when: warning: a call may leave out args[\"user-id\"], and comparing what is absent is false, " +
			"so that such a call gets past this rule of action deny (say what holds then with args[\"user-id\"] ?? …, or ask with has('args[\"user-id\"]'))"},
		{"odd name, as proposed", policy.RuleConfig{Tools: []string{"pay"}, When: new(`(args["user-id"] ?? "x") == "x" and has('args["user-id"]')`)}, ""},
	}
	for _, tt := range tests {
		got := report(tt.rule, nil)
		switch tt.name {
		case "tag": // places are known in files only
			tt.want = ""
		case "preset, unknown":
			got += "\nwhole"
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

func TestPresetNames(t *testing.T) {
	t.Parallel()
	var r diag.Report
	policy.Compile(diag.NewCursor(&r, nil), &policy.Config{Rules: []policy.RuleConfig{
		{Preset: "ask_network"},
		{Preset: "ask_network", Name: "other"},
		{Preset: "ask_network"},
		{Action: "deny"},
		{Name: "x"},
		{Preset: "deny_privileged"},
		{Name: "deny_privileged", Action: "allow"},
	}})
	const want = "rules.2.preset: another rule has the name ask_network too (give this one a name of its own)\n" +
		"rules.3.name: is missing (a rule is known by its name in lists, records and answers)\n" +
		"rules.4.action: is missing (write action: allow, deny or ask)\n" +
		"rules.5.preset: another rule has the name deny_privileged too (give this one a name of its own)"
	if got := r.Problems().Error(); got != want {
		t.Errorf("got %s", got)
	}
}

func TestVisibility(t *testing.T) {
	t.Parallel()
	deny := func(name string, show bool, when string) policy.RuleConfig {
		r := policy.RuleConfig{Name: name, Tools: []string{"pay"}, Action: "deny", Show: show, Reason: name + " for ${caller.name}"}
		if when != "" {
			r.When = &when
		}
		return r
	}
	late := deny("late", true, "")
	late.Reason = "Not ${args.amount}."
	tests := []struct {
		name   string
		rules  []policy.RuleConfig
		want   policy.Visibility
		reason string
	}{
		{"no rule", nil, policy.Shown, ""},
		{"hidden", []policy.RuleConfig{deny("a", false, "")}, policy.Hidden, ""},
		{"told", []policy.RuleConfig{deny("a", true, "")}, policy.Told, "a for ann"},
		{"told, the first may hide", []policy.RuleConfig{deny("a", false, "args.x == 1"), deny("b", true, "")}, policy.Hidden, ""},
		{"told, both", []policy.RuleConfig{deny("a", true, "args.x == 1"), deny("b", true, "")}, policy.Told, "b for ann"},
		{"told, another is out", []policy.RuleConfig{deny("a", false, "caller.name == 'bob'"), deny("b", true, "")}, policy.Told, "b for ann"},
		{"some calls only", []policy.RuleConfig{deny("a", true, "args.x == 1")}, policy.Shown, ""},
		{"a reason that hangs on the call", []policy.RuleConfig{late}, policy.Told, ""},
	}
	for _, tt := range tests {
		e := mustCompile(t, policy.Config{Default: "allow", Rules: tt.rules})
		v, d := e.Visibility(specs["pay"], tool.Caller{Name: "ann"})
		if v != tt.want || d.Reason != tt.reason {
			t.Errorf("%s: got %v %+v", tt.name, v, d)
		}
	}
}
