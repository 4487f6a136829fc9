package assembly_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/tool"
)

// names are the tools of an assembly in list order.
// names are those of the tools of the file: the gateway's own come and go with
// them.
func names(a *assembly.Assembly) []string {
	var out []string
	for _, s := range ofFile(a) {
		out = append(out, s.Name)
	}
	return out
}

func ofFile(a *assembly.Assembly) []*tool.Spec {
	var out []*tool.Spec
	for _, e := range a.Generation.Tools.All() {
		if e.Spec.Source != tool.SourceBuiltin {
			out = append(out, e.Spec)
		}
	}
	return out
}

const threeTools = `
version: 1
tools:
  find: {description: F., tags: [read_only], expr: "1"}
  pay: {description: P., tags: [destructive], expr: "1"}
  pay_back: {description: B., expr: "1"}
policy: {default: allow}
`

func TestAdmit(t *testing.T) {
	t.Parallel()
	tests := []struct{ admit, want, problems string }{
		{`{}`, "find pay pay_back", ""},
		{`{allow: ["*"]}`, "find pay pay_back", ""},
		{`{allow: ["pay*"]}`, "pay pay_back", ""},
		{`{deny: ["pay*"]}`, "find", ""},
		{`{deny: ["tag:destructive"]}`, "find pay_back", ""},
		{`{allow: ["tag:read_only", "pay_?ack"]}`, "find pay_back", ""},
		{`{allow: ["pay"], deny: ["tag:destructive"]}`, "", ""},
		{`{deny: ["*-delete_*", drop]}`, "find pay pay_back", `tools.yaml:8:30: admit.deny.1: warning: "drop" fits none of the tools`},
		{
			`{allow: [fnd, "tag:read_onl"], deny: ["*"]}`, "",
			`tools.yaml:8:17: admit.allow.0: warning: "fnd" fits none of the tools (did you mean find?)
tools.yaml:8:22: admit.allow.1: warning: no tool has the tag read_onl (did you mean read_only?)`,
		},
	}
	for _, tt := range tests {
		a, problems := build(t, threeTools+"admit: "+tt.admit+"\n", assembly.Declared)
		if d := cmp.Diff(tt.want, strings.Join(names(a), " ")); d != "" {
			t.Errorf("%s: %s", tt.admit, d)
		}
		if d := cmp.Diff(tt.problems, problems); d != "" {
			t.Errorf("%s: %s", tt.admit, d)
		}
	}
}

func TestAdmitMistakes(t *testing.T) {
	t.Parallel()
	a, problems := build(t, threeTools+`admit: {allow: [], deny: ["[x]", "tag:"]}`+"\n", assembly.Declared)
	want := `tools.yaml:8:9: admit.allow: must not be empty (give it an entry, or remove the key to admit every tool)
tools.yaml:8:27: admit.deny.0: bad pattern "[x]": "[" has no meaning in it, only * and ? have
tools.yaml:8:34: admit.deny.1: names no tag (write tag:read_only for example)`
	if d := cmp.Diff(want, problems); d != "" || a.Generation != nil {
		t.Error(d)
	}
}

// TestNotAdmitted: a tool that is not admitted is checked, can be named by
// rules, and needs no secret.
func TestNotAdmitted(t *testing.T) {
	t.Parallel()
	const text = `
version: 1
secrets: {never: {env: ASSEMBLY_NEVER_SET}}
tools:
  on: {description: On., expr: "1"}
  off: {description: Off., tags: [destructive], command: {argv: [cat], stdin: "${secret.never}"}}
  disabled: {enabled: false, description: D., expr: "1"}
admit: {deny: ["tag:destructive"]}
policy: {rules: [{name: a, tools: [off], action: deny}, {name: b, tools: [disabled], action: deny}, {name: c, tools: ["on"], action: allow}]}
`
	a, problems := build(t, text, assembly.Resolved)
	if problems != "" || !slices.Equal(names(a), []string{"on"}) {
		t.Errorf("problems: %s", problems)
	}
	_, problems = build(t, strings.Replace(text, "${secret.never}", "${args.x}", 1), assembly.Declared)
	if want := "tools.yaml:6:87: tools.off.command.stdin: args has no field x (it has none)"; problems != want {
		t.Errorf("got %s, want %s", problems, want)
	}
}
