package gateway_test

import (
	"log/slog"
	"testing"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// TestLoggedAsTheToolSays: how much is recorded of a call is said by its tool,
// also where the call never comes to it.
func TestLoggedAsTheToolSays(t *testing.T) {
	t.Parallel()
	tools := toolsOf(t, "closed", "hidden", "apart", "open")
	var known []policy.Known
	for _, e := range tools.All() {
		e.Spec.Logged = tool.Logged{Arguments: tool.LogArgumentsNone}
		known = append(known, policy.Known{Spec: e.Spec, Parameters: e.Spec.Parameters})
	}
	var report diag.Report
	engine := policy.Compile(diag.NewCursor(&report, nil), &policy.Config{Default: "allow", Rules: []policy.RuleConfig{
		{Name: "closed", Tools: []string{"closed"}, Action: "deny", Show: true},
		{Name: "hidden", Tools: []string{"hidden"}, Action: "deny"},
	}}, known...)
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	log := &memoryLog{}
	g := gateway.New(&gateway.Generation{
		Tools: tools, Policy: engine, Logged: tool.Logged{Arguments: tool.LogArgumentsFull},
		Profiles: map[string]gateway.Profile{"some": {"open": true, "closed": true, "hidden": true}},
	}, log, gateway.Options{Logger: slog.New(slog.DiscardHandler)})
	for _, name := range []string{"closed", "hidden", "apart", "open", "unknown"} {
		c := call(name, `{}`)
		c.Profile = "some"
		g.Call(t.Context(), c)
	}
	g.Refuse(t.Context(), call("open", `{}`), tool.Stopping())
	for i, r := range log.ends {
		want := tool.LogArgumentsNone
		if r.Tool == "unknown" {
			want = tool.LogArgumentsFull
		}
		if r.Logged.Arguments != want {
			t.Errorf("%d, %s (%s): %q, want %q", i, r.Tool, r.Code, r.Logged.Arguments, want)
		}
	}
	if len(log.ends) != 6 {
		t.Errorf("%d records, want 6", len(log.ends))
	}
}
