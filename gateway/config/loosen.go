package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
)

// emptyList reports a later layer that means to empty a list of named things:
// lists merge by name, so it would change nothing, and nobody would hear of it.
func (m *merger) emptyList(at position, into, from *node) {
	if len(from.items) > 0 || len(into.items) == 0 {
		return
	}
	hint := "null in place of the list removes it"
	if m.path[len(m.path)-1] != "tests" { // a test has no switch
		hint = "switch an item off with {name: …, enabled: false}; " + hint
	}
	m.report(at, hint, "an empty list removes none of the items %s: this list merges by name", into.place.seenFrom(at))
}

// loosens warns of a member of a later layer that takes away what an earlier
// one refuses: whoever reads that one believes what it says.
func (m *merger) loosens(n *node, f *member) {
	gone, above := n.get(f.key), m.path[:len(m.path)-1]
	switch {
	case isRule(above) && f.key == "enabled":
		if isFalse(f.value) && !isFalse(gone) && refuses(n) {
			m.warn(f.place, "this layer switches off the deny rule %q %s", shownRule(n), n.place.seenFrom(f.place))
		}
	case f.value.kind != null || gone == nil || gone.kind == null:
	case len(above) == 0 && f.key == "policy":
		m.warn(f.place, "this layer removes the policy %s", gone.place.seenFrom(f.place))
	case slices.Equal(above, []string{"policy"}) && f.key == "rules" && slices.ContainsFunc(gone.items, refuses):
		m.warn(f.place, "this layer removes the rules %s, and deny rules with them", gone.place.seenFrom(f.place))
	}
}

func (m *merger) warn(at position, format string, args ...any) {
	m.findings.add(m.path, diag.Problem{Place: at.place(), Text: fmt.Sprintf(format, args...), Warning: true, Class: diag.LoosenedPolicy})
}

// isRule reports whether a path is that of a rule of the policy.
func isRule(path []string) bool {
	return len(path) == 3 && path[0] == "policy" && path[1] == "rules"
}

// refuses reports a rule that denies and is not switched off.
func refuses(rule *node) bool {
	if rule.kind != mapping || isFalse(rule.get("enabled")) {
		return false
	}
	action, preset := rule.get("action"), rule.get("preset")
	return action != nil && action.text == "deny" || preset != nil && preset.text == presetDeny
}

// presetDeny is the preset whose rules deny.
const presetDeny = "deny_privileged"

func isFalse(n *node) bool {
	return n != nil && n.kind == boolean && strings.EqualFold(n.text, "false")
}

// shownRule names a rule in a problem.
func shownRule(rule *node) string {
	name := itemName(rule)
	if preset := rule.get("preset"); name == "" && preset != nil {
		name = preset.text
	}
	return shorten(name, maxShown)
}
