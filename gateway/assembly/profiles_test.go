package assembly_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
)

func TestProfiles(t *testing.T) {
	t.Parallel()
	a, problems := build(t, threeTools+`groups: {money: {tools: [pay_back]}}
profiles:
  all: {tools: ["*"]}
  mixed: {tools: [find, fnd], tags: [destructive, destuctive], groups: [money]}
  none: {tags: [nothing]}
  empty: {}
`, assembly.Declared)
	want := map[string]gateway.Profile{
		"all":   {"find": true, "pay": true, "pay_back": true},
		"mixed": {"find": true, "pay": true, "pay_back": true},
		"none":  {},
		"empty": {},
	}
	if d := cmp.Diff(want, a.Generation.Profiles); d != "" {
		t.Error(d)
	}
	wantProblems := `tools.yaml:11:25: profiles.mixed.tools.1: warning: "fnd" fits none of the tools (did you mean find?)
tools.yaml:11:51: profiles.mixed.tags.1: warning: no tool has the tag destuctive (did you mean destructive?)
tools.yaml:12:3: profiles.none: warning: no tool is in this profile (name tools, tags or groups that there are)
tools.yaml:13:3: profiles.empty: warning: no tool is in this profile (name tools, tags or groups that there are)`
	if d := cmp.Diff(wantProblems, problems); d != "" {
		t.Error(d)
	}
}
