package assembly

import (
	"bytes"
	"encoding/json"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// heldSecret is whether the value of a secret stands in what is told of a tool.
type heldSecret int

const (
	noSecret heldSecret = iota
	maskedSecret
	keptSecret // in the schema, in the place of a name or a keyword: calls need that
)

// mask takes the values of secrets out of what is told of the tools, before anybody is
// told it: every list, answer and refusal then shows the same text. What the tools take
// stays, so that a value that is an argument's default or choice still is one.
func (b *builder) mask(all []*candidate) {
	b.masker.Know(b.revealed()...)
	if !b.masker.Knows() {
		return
	}
	held := make([]heldSecret, len(all))
	each(len(all), func(i int) { held[i] = maskSpec(b.masker, all[i].entry.Spec) })
	ofSources := map[*imported]map[heldSecret]int{}
	for i, c := range all {
		if c.source == nil {
			adviseHeld(c.at, held[i], "the tool")
			continue
		}
		if ofSources[c.source] == nil {
			ofSources[c.source] = map[heldSecret]int{}
		}
		ofSources[c.source][held[i]]++
	}
	for _, s := range b.imported {
		for _, how := range []heldSecret{maskedSecret, keptSecret} {
			if n := ofSources[s][how]; n > 0 {
				adviseHeld(s.at, how, counted(n, "tool")+" of this source")
			}
		}
	}
}

// adviseHeld warns of secrets in what is told of tools.
func adviseHeld(at diag.Cursor, how heldSecret, what string) {
	switch how {
	case maskedSecret:
		at.As(diag.SecretInText).Warnf("take it out of there; what a tool sends may name it as ${secret.…}", "the value of a secret stands in what is told of %s, and [secret] is shown in its place", what)
	case keptSecret:
		at.As(diag.SecretInText).Warnf("rename it, or choose a secret that is no such word", "the value of a secret is the name of an argument, or a word of the schema, of %s, and everybody is shown it", what)
	}
}

// maskSpec takes secrets out of what is told of a tool.
func maskSpec(m *secret.Masker, s *tool.Spec) heldSecret {
	held := noSecret
	for _, text := range []*string{&s.Title, &s.Description, &s.SearchHint} {
		if masked := m.Text(*text); masked != *text {
			*text, held = masked, maskedSecret
		}
	}
	switch masked := m.Bytes(s.Parameters); {
	case bytes.Equal(masked, s.Parameters):
		return held
	case !sameCalls(s.Parameters, masked):
		return keptSecret
	default:
		s.Parameters = masked
		return maskedSecret
	}
}

// sameCalls reports whether calls are written by a masked schema as by its original.
func sameCalls(original, masked json.RawMessage) bool {
	var before, after any
	if json.Unmarshal(original, &before) != nil || json.Unmarshal(masked, &after) != nil || !sameNames(before, after) {
		return false
	}
	_, err := schema.Compile(masked)
	return err == nil
}

// sameNames reports whether the objects of one value have the names that those of the
// other have.
func sameNames(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name := range a {
			if other, ok := b[name]; !ok || !sameNames(a[name], other) {
				return false
			}
		}
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !sameNames(a[i], b[i]) {
				return false
			}
		}
	}
	return true
}
