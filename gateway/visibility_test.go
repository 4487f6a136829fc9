package gateway_test

import (
	"log/slog"
	"testing"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// ruled is a gateway of tools that echo, under rules.
func ruled(t *testing.T, log gateway.Log, cfg *policy.Config, names ...string) *gateway.Gateway {
	t.Helper()
	var known []policy.Known
	tools := toolsOf(t, names...)
	for _, e := range tools.All() {
		known = append(known, policy.Known{Spec: e.Spec, Parameters: e.Spec.Parameters})
	}
	var report diag.Report
	engine := policy.Compile(diag.NewCursor(&report, nil), cfg, known...)
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	return gateway.New(&gateway.Generation{Tools: tools, Policy: engine}, log, gateway.Options{Logger: slog.New(slog.DiscardHandler)})
}

// TestToldTool: a denied tool whose rule has show is in no list, and a call of
// it is denied with the reason; without show it reads like an unknown one.
func TestToldTool(t *testing.T) {
	t.Parallel()
	log := &memoryLog{}
	g := ruled(t, log, &policy.Config{Default: "allow", Rules: []policy.RuleConfig{
		{Name: "closed", Tools: []string{"closed"}, Action: "deny", Reason: "${tool.name} is closed for ${caller.name}.", Show: true},
		{Name: "hidden", Tools: []string{"hidden"}, Action: "deny", Reason: "Never told."},
	}}, "closed", "hidden", "open")
	var names []string
	for _, s := range g.Tools(t.Context(), tool.View{Caller: call("", "").Caller}) {
		names = append(names, s.Name)
	}
	if len(names) != 1 || names[0] != "open" {
		t.Errorf("listed: %v", names)
	}
	for name, want := range map[string]string{
		"closed":  "Error: calling closed is not allowed: closed is closed for ann\nDo not call it again; use another tool, or tell the user.",
		"hidden":  "Error: no tool is named \"hidden\"\nCall one of the tools in your tool list by its exact name.",
		"C_losed": "Error: no tool is named \"C_losed\"\nCall one of the tools in your tool list by its exact name.",
	} {
		if got := g.Call(t.Context(), call(name, `{}`)); got.Output.Text() != want {
			t.Errorf("%s: got %q, want %q", name, got.Output.Text(), want)
		}
	}
	var recorded []string
	for _, r := range log.ends {
		recorded = append(recorded, r.Rule+"/"+r.Decision)
	}
	if len(log.starts) != 0 || len(recorded) != 3 {
		t.Errorf("recorded %v, started %d", recorded, len(log.starts))
	}
}

// TestCallsAreCounted: calls(window, by) counts what was allowed, per caller,
// and nothing else.
func TestCallsAreCounted(t *testing.T) {
	t.Parallel()
	g := ruled(t, &memoryLog{}, &policy.Config{Default: "allow", Rules: []policy.RuleConfig{
		{Name: "never", Tools: []string{"read"}, When: new(`args.no == true`), Action: "deny"},
		{Name: "limit", Tools: []string{"read"}, When: new(`calls("1h", "caller") >= 2`), Action: "deny", Reason: `${calls("1h", "caller")} calls are enough.`},
	}}, "read", "other")
	want := []struct {
		tool, args, caller string
		code               tool.Code
	}{
		{"read", `{"no": true}`, "ann", tool.Denied},
		{"other", `{}`, "ann", ""},
		{"read", `{}`, "ann", ""},
		{"read", `{}`, "ann", ""},
		{"read", `{}`, "ann", tool.Denied},
		{"read", `{}`, "bob", ""},
		{"other", `{}`, "ann", ""},
	}
	for i, w := range want {
		c := call(w.tool, w.args)
		c.Caller.ID, c.Caller.Name = w.caller, w.caller
		got := g.Call(t.Context(), c)
		var code tool.Code
		if got.Error != nil {
			code = got.Error.Code
		}
		if code != w.code {
			t.Errorf("call %d: got %q (%s), want %q", i, code, got.Output.Text(), w.code)
		}
	}
}
