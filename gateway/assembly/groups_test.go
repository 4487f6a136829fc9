package assembly_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/assembly"
)

func TestGroups(t *testing.T) {
	t.Parallel()
	a, problems := build(t, threeTools+`groups:
  zebra: {description: Z., tools: ["*"]}
  money: {tools: ["pay*", fnd]}
  none: {tools: [nothing, "not_*"]}
`, assembly.Declared)
	got := map[string][]string{}
	for _, s := range ofFile(a) {
		got[s.Name] = s.Groups
	}
	want := map[string][]string{"find": {"zebra"}, "pay": {"money", "zebra"}, "pay_back": {"money", "zebra"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	wantProblems := `tools.yaml:10:27: groups.money.tools.1: warning: "fnd" fits none of the tools (did you mean find?)
tools.yaml:11:3: groups.none: warning: no tool is in this group (check the names in tools)`
	if d := cmp.Diff(wantProblems, problems); d != "" {
		t.Error(d)
	}
}

func TestGroupsMistake(t *testing.T) {
	t.Parallel()
	_, problems := build(t, threeTools+`groups: {bad: {tools: ["{a,b}"]}}`+"\n", assembly.Declared)
	if want := `tools.yaml:8:24: groups.bad.tools.0: bad pattern "{a,b}": "{" has no meaning in it, only * and ? have`; problems != want {
		t.Errorf("got %s, want %s", problems, want)
	}
}

// TestGroupsInRules: what "groups" says is what rules match.
func TestGroupsInRules(t *testing.T) {
	t.Parallel()
	a, problems := build(t, `
version: 1
tools:
  find: {description: F., expr: "1"}
  pay: {description: P., expr: "1"}
groups: {money: {tools: [pay]}}
policy: {default: allow, rules: [{name: none, groups: [money], action: deny}]}
`, assembly.Declared)
	if problems != "" {
		t.Fatal(problems)
	}
	pay, _ := a.Generation.Tools.Lookup("pay")
	find, _ := a.Generation.Tools.Lookup("find")
	caller := cliCaller()
	if a.Generation.Policy.Lists(pay.Spec, caller) || !a.Generation.Policy.Lists(find.Spec, caller) {
		t.Error("the rule on the group does not match as it should")
	}
}

// TestGroupsOfRulesMistake: a rule names groups that are declared.
func TestGroupsOfRulesMistake(t *testing.T) {
	t.Parallel()
	_, problems := build(t, `
version: 1
tools: {find: {description: F., expr: "1"}}
groups: {code: {tools: [find]}}
policy: {default: allow, rules: [{name: none, groups: [codee], action: deny}]}
`, assembly.Declared)
	if want := `tools.yaml:5:56: policy.rules.0.groups.0: there is no group "codee" (did you mean code?)`; problems != want {
		t.Errorf("got %s, want %s", problems, want)
	}
}
