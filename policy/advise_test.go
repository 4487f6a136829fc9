package policy_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// proposed are the two ways out that the warning of an absent argument names.
var proposed = regexp.MustCompile(`with (.*) \?\? …, or ask with (has\(.*\))\)$`)

// TestProposals: whatever the name of an argument, what the warning proposes is
// an expression, and a rule that does so is warned of no more.
func TestProposals(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "user-id", "a b", "żółw", "1st", `say "x"`, "it's", `a\b`, `"'\`, "a.b", "$x", "in", "not", "let", "nil", ""} {
		quoted, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		warn := adviceOn(name, "args["+string(quoted)+"] == 'x'")
		m := proposed.FindStringSubmatch(warn)
		if m == nil {
			t.Errorf("%q: %s", name, warn)
			continue
		}
		for _, when := range []string{"(" + m[1] + " ?? 'x') == 'x'", m[2] + " and " + m[1] + " == 'x'"} {
			if got := adviceOn(name, when); got != "" {
				t.Errorf("%q, as proposed, %s: %s", name, when, got)
			}
		}
	}
}

// adviceOn is what is said of a deny rule about a tool with one argument.
func adviceOn(argument, when string) string {
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": map[string]any{argument: map[string]any{"type": "string"}}})
	if err != nil {
		return err.Error()
	}
	var r diag.Report
	at := diag.NewCursor(&r, nil)
	spec := &tool.Spec{Name: "do"}
	e := policy.Compile(at, &policy.Config{Default: "allow", Rules: []policy.RuleConfig{{Name: "r", When: &when, Action: "deny"}}},
		policy.Known{Spec: spec, Parameters: schema})
	if r.Problems().Err() == nil {
		e.Advise(at, func(string) diag.Cursor { return at }, []*tool.Spec{spec})
	}
	return strings.TrimSpace(r.Problems().Error())
}
