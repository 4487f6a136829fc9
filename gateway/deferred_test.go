package gateway_test

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// TestAllTools holds which tools a list with deferred ones has, and that it begins
// with the list of a chat that has found nothing.
func TestAllTools(t *testing.T) {
	t.Parallel()
	tools := toolsOf(t, "a", "b_later", "c", "d_denied", "e_grouped", "f_later")
	var known []policy.Known
	for _, e := range tools.All() {
		e.Spec.Deferred = e.Spec.Name[1:] != ""
		if e.Spec.Name == "e_grouped" {
			e.Spec.Groups, e.Spec.ByGroup = []string{"g"}, true
		}
		known = append(known, policy.Known{Spec: e.Spec, Parameters: e.Spec.Parameters})
	}
	var report diag.Report
	engine := policy.Compile(diag.NewCursor(&report, nil), &policy.Config{Default: "allow", Rules: []policy.RuleConfig{{Name: "no", Tools: []string{"d_denied"}, Action: "deny"}}}, known...)
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	g := gateway.New(&gateway.Generation{
		Tools: tools, Policy: engine, Groups: gateway.NewGroups([]gateway.Group{{Name: "g"}}),
		Profiles: map[string]gateway.Profile{"few": {"c": true, "f_later": true}},
	}, &memoryLog{}, gateway.Options{Logger: slog.New(slog.DiscardHandler)})
	for name, tt := range map[string]struct {
		view tool.View
		want []string
	}{
		"all":               {tool.View{}, []string{"a", "c", "b_later", "f_later"}},
		"found before":      {tool.View{Chat: tool.Chat{ID: "x", Found: []string{"f_later"}}}, []string{"a", "c", "b_later", "f_later"}},
		"with a group":      {tool.View{Chat: tool.Chat{ID: "x", Groups: []string{"g"}}}, []string{"a", "c", "b_later", "e_grouped", "f_later"}},
		"through a profile": {tool.View{Profile: "few"}, []string{"c", "f_later"}},
	} {
		tt.view.Caller = call("", "").Caller
		var got []string
		for _, s := range g.AllTools(t.Context(), tt.view) {
			got = append(got, s.Name)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		tt.view.Steady = true
		var listed []string
		for _, s := range g.Tools(t.Context(), tt.view) {
			if !s.Deferred {
				listed = append(listed, s.Name)
			}
		}
		if !slices.Equal(listed, got[:len(listed)]) {
			t.Errorf("%s: %v does not begin with %v", name, got, listed)
		}
	}
}
