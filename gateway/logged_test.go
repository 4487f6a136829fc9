package gateway_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/runlog"
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

// TestUnreadableIsNotLogged: what a call of a call holds is not recorded where it cannot
// be told which tool it is for, in whatever way that is, and as its tool says else.
func TestUnreadableIsNotLogged(t *testing.T) {
	t.Parallel()
	specs := shop()
	specs[1].Logged = tool.Logged{Arguments: tool.LogArgumentsNone, Results: tool.LogResultsNone}
	gen := library(t, nil, specs...)
	gen.Logged.Arguments = tool.LogArgumentsFull
	for _, tt := range []struct{ tool, args string }{
		{"call_tool", `{"name":"list_issues","arguments":{"label":"4711"}}`},
		{"call_tool", `{"name":"ListIssues","arguments":{"label":"4711"}}`},
		{"List-Issues", `{"label":"4711"}`},
		{"call_tool", `{"name":"list_issues","arguments":{"label":"4711"},"stray":1}`},
		{"call_tool", `{"name":"call_tool","arguments":{"name":"list_issues","arguments":{"label":"4711"}}}`},
		{"call_tool", `{"name":"list_issues","arguments":{"label":"4711","label":2}}`},
		{"call_tool", `{"NAME":"list_issues","arguments":{"label":"4711"}}`},
		{"call_tool", `{"name":"list_issues","arguments":{"label":"4711"}`},
		{"call_tool", `{"name":"list_issues","arguments":{"label": "4711" x}}`},
		{"call_tool", `{"arguments":"{\"name\":\"list_issues\",\"arguments\":{\"label\":\"4711\",\"label\":1}}"}`},
		{"call_tool", `["list_issues","4711"]`},
		{"call_tool", `{"name":["4711"]}`},
		{"call_read_tool", `{"name":"list_issues","arguments":{"label":"4711"},"stray":1}`},
		{"callTool", `{"name":"list_issues","arguments":{"label":"4711"}}`},
		{"Call_Read-Tool", `{"name":"list_issues","arguments":{"label":"4711"}}`},
	} {
		dir := t.TempDir()
		log, err := runlog.Open(dir, runlog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g := gateway.New(gen, log, gateway.Options{})
		for range 3 { // the third is told how the second ended
			g.Call(t.Context(), call(tt.tool, tt.args))
		}
		g.Refuse(t.Context(), call(tt.tool, tt.args), tool.Stopping())
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		if text := written(t, dir); strings.Contains(text, "4711") || strings.Count(text, `"kind":"end"`) != 4 || strings.Count(text, `"code":"interrupted"`) != 1 {
			t.Errorf("%s %s: recorded\n%s", tt.tool, tt.args, text)
		}
	}
}

// TestNoCallReadTool: the same holds where there is no such tool to call.
func TestNoCallReadTool(t *testing.T) {
	t.Parallel()
	log := &memoryLog{}
	g := ruled(t, log, &policy.Config{Default: "allow"}, "read")
	g.Call(t.Context(), call("call_read_tool", `{"name":"read","arguments":{"label":"4711"}}`))
	if got := log.ends[0].Logged.Arguments; got != tool.LogArgumentsNone {
		t.Errorf("recorded %q", got)
	}
}

// written is all that a journal has written.
func written(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	for _, file := range files {
		data, readErr := os.ReadFile(file)
		err = errors.Join(err, readErr)
		all.Write(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
