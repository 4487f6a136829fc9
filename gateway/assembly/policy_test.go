package assembly_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// injectTool has an argument that the server owns, one with a default, and a
// reason that the model may give.
const injectTool = `
version: 1
tools:
  pay:
    description: Pay.
    think_augment: true
    parameters: {type: object, properties: {owner: {type: string}, amount: {type: number, default: 1}, big: {type: string}}, required: [owner]}
    expr: args.owner
inject:
  - {tools: [pay], set: {owner: caller.id, big: 'args.amount > 100 ? "yes" : nil'}}
policy:
  default: deny
  rules:
    - {name: why, when: call.reason == "none", action: deny}
    - {name: big, when: args.big == "yes", action: deny}
    - {name: root, when: args.owner == "root", action: deny}
    - {name: one, when: args.owner == "ann" and args.amount == 1, action: allow}
`

// TestTestsSeeWhatIsInjected: tests of rules and explanations decide about the
// arguments that the gate would see.
func TestTestsSeeWhatIsInjected(t *testing.T) {
	t.Parallel()
	calls := []struct{ args, caller, rule string }{
		{`{}`, "ann", "one"},
		{`{"amount": 1.0, "owner": 7}`, "ann", "one"},
		{`{"owner": "root"}`, "ann", "one"},
		{`{"owner": "ann"}`, "root", "root"},
		{`{"amount": 1}`, "bob", ""},
		{`{"amount": 101}`, "ann", "big"},
		{`{"amount": 5, "big": "yes"}`, "ann", ""},
		{`{"toolcall_reason": "none"}`, "ann", "why"},
		{`{"arguments": {"amount": 101}, "toolcall_reason": "why not"}`, "ann", "big"},
	}
	a, problems := build(t, injectTool, assembly.Resolved)
	if a.Generation == nil {
		t.Fatal(problems)
	}
	entry, _ := a.Generation.Tools.Lookup("pay")
	for _, c := range calls {
		effect := "deny"
		if c.rule == "one" {
			effect = "allow"
		}
		config := policy.TestConfig{Name: c.args, Call: "pay", Args: json.RawMessage(c.args), Caller: &policy.CallerConfig{ID: c.caller}}
		results := a.RuleTests([]policy.TestConfig{config}).Run()
		if len(results) != 1 || string(results[0].Decision.Effect) != effect || results[0].Decision.Rule != c.rule {
			t.Errorf("%s by %s: the test gives %+v", c.args, c.caller, results)
		}
		req := policy.Request{Tool: entry.Spec, Caller: tool.Caller{ID: c.caller, Name: c.caller}, Via: tool.ViaDirect}
		if err := a.Prepare(entry, &req, json.RawMessage(c.args)); err != nil {
			t.Fatal(err)
		}
		if d := a.Generation.Policy.Explain(&req); string(d.Effect) != effect || d.Rule != c.rule {
			t.Errorf("%s by %s: explained %+v", c.args, c.caller, d)
		}
	}
	for args, denied := range map[string]bool{`{"owner": "root"}`: false, `{"amount": 101}`: true} { // the gate itself
		if got := callOf(t, injectTool, "pay", args); (got.Error != nil) != denied {
			t.Errorf("%s: the gate says %s", args, got.Output.Text())
		}
	}
}

// TestTestWhoseInjectionFails does not reach the rules, as its call would not.
func TestTestWhoseInjectionFails(t *testing.T) {
	t.Parallel()
	_, problems := build(t, injectTool+`  tests:
    - {name: text, call: pay, args: {amount: many}, expect: deny}
`, assembly.Declared)
	const want = "policy.tests.0.args: a call of pay with these arguments does not reach the rules: "
	if !strings.Contains(problems, want) || !strings.Contains(problems, "args.amount is text") {
		t.Error(problems)
	}
}
