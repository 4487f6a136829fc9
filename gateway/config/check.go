package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
)

// trail is the way from the root to a value that is being checked. It becomes
// a path only when there is something to report. A trail has one way on at a time:
// the next one takes its place, so that a file needs no more of them than it is
// deep.
type trail struct {
	parent *trail
	key    string
	place  position // of the key, or of the item
	on     *trail   // the way on; nil before the first
}

func (t *trail) member(m *member) *trail { return t.step(m.key, m.place) }

func (t *trail) item(i int, n *node) *trail { return t.step(strconv.Itoa(i), n.place) }

func (t *trail) step(key string, place position) *trail {
	if t.on == nil {
		t.on = &trail{parent: t}
	}
	t.on.key, t.on.place = key, place
	return t.on
}

func (t *trail) path() []string {
	var out []string
	for ; t.parent != nil; t = t.parent {
		out = append(out, t.key)
	}
	slices.Reverse(out)
	return out
}

// checker walks the tree along a shape. What fits comes out as plain maps,
// lists, texts, booleans and integers for koanf; what does not is reported and
// left out.
type checker struct {
	findings *findings
	writer   *jsonWriter // of values that stay JSON; nil before the first
}

// report puts a problem at a place within the value at t.
func (c *checker) report(t *trail, at position, hint, format string, args ...any) {
	c.findings.add(t.path(), diag.Problem{Place: at.place(), Text: fmt.Sprintf(format, args...), Hint: hint})
}

// value checks one value; ok is false when it has to be left out.
func (c *checker) value(t *trail, n *node, s *shape) (out any, ok bool) {
	switch {
	case n.kind == broken, c.findings.full():
		return nil, false
	case n.kind == null:
		c.report(t, t.place, "give it one, or remove the key", "has no value")
		return nil, false
	}
	switch s.form {
	case formObject:
		return c.object(t, n, s)
	case formDict:
		return c.dict(t, n, s)
	case formList:
		return c.list(t, n, s)
	case formTexts:
		return c.texts(t, n, s)
	case formJSON:
		return c.json(t, n)
	}
	return c.scalar(t, n, s)
}

// wrongKind reports that a value is not of the kind it must be.
func (c *checker) wrongKind(t *trail, n *node, s *shape, want, hint string) (any, bool) {
	got := describe(n)
	if s.note.private && n.scalar() {
		got = kindNames[n.kind]
	}
	c.report(t, t.place, hint, "must be %s, got %s", want, got)
	return nil, false
}

func (c *checker) object(t *trail, n *node, s *shape) (any, bool) {
	if s.alone != "" && n.scalar() {
		v, ok := c.value(t, n, s.fields[s.alone])
		return map[string]any{s.alone: v}, ok
	}
	if n.kind != mapping {
		return c.wrongKind(t, n, s, "a map", cmp.Or(s.note.instead, "its keys: "+strings.Join(s.keys, ", ")))
	}
	out := make(map[string]any, len(n.members))
	for i := range n.members {
		m := &n.members[i]
		field, known := s.fields[m.key]
		if !known {
			if !c.cutByComma(t, n, i, s) {
				c.unknownKey(t.member(m), m, s)
			}
			continue
		}
		if v, ok := c.value(t.member(m), m.value, field); ok {
			out[m.key] = v
		}
	}
	c.missingKeys(t, n, s)
	return out, true
}

func (c *checker) unknownKey(t *trail, m *member, s *shape) {
	if s.unbuilt[m.key] {
		c.report(t, m.place, "remove it; this version of gateway does not read it", "this key is not built yet")
		return
	}
	hint := cmp.Or(s.strayed[m.key], diag.DidYouMean(m.key, s.keys), "known here: "+strings.Join(s.keys, ", "))
	if src := m.place.src; src != nil && src.origin == originEnv {
		hint = envHint(t.parent.path(), m, s.keys)
	}
	c.report(t, m.place, hint, "unknown key")
}

func (c *checker) missingKeys(t *trail, n *node, s *shape) {
	for _, key := range s.keys {
		note := &s.fields[key].note
		if note.unless != "" && n.find(note.unless) != nil {
			continue
		}
		if hint := note.required; hint != "" && n.find(key) == nil {
			c.report(&trail{parent: t, key: key}, t.place, hint, "%s", cmp.Or(note.absent, "is missing"))
		}
	}
}

func (c *checker) dict(t *trail, n *node, s *shape) (any, bool) {
	if n.kind != mapping {
		return c.wrongKind(t, n, s, "a map from names to values", cmp.Or(s.note.instead, "write {name: value}"))
	}
	out := make(map[string]any, len(n.members))
	for i := range n.members {
		m := &n.members[i]
		if c.cutByComma(t, n, i, s) {
			continue
		}
		if v, ok := c.value(t.member(m), m.value, s.elem); ok {
			out[m.key] = v
		}
	}
	return out, true
}

func (c *checker) list(t *trail, n *node, s *shape) (any, bool) {
	if n.kind != list {
		hint := s.note.instead
		if hint == "" && n.scalar() && !s.note.private && s.elem.form != formObject {
			hint = "write [" + shorten(n.text, maxShown) + "]"
		}
		return c.wrongKind(t, n, s, "a list", hint)
	}
	if len(n.items) == 0 && s.note.filled {
		c.report(t, t.place, cmp.Or(s.note.instead, "give it an entry, or remove the key to leave the choice open"), "must not be empty")
		return nil, false
	}
	out := make([]any, 0, len(n.items))
	for i, item := range n.items {
		if v, ok := c.value(t.item(i, item), item, s.elem); ok {
			out = append(out, v)
		}
	}
	return out, true
}

// texts takes one scalar or a list of scalars, each as it is written.
func (c *checker) texts(t *trail, n *node, s *shape) (any, bool) {
	if n.kind == mapping {
		return c.wrongKind(t, n, s, "text or a list of texts", "")
	}
	if n.kind != list {
		c.cutByComment(t, n, false)
		return []any{n.text}, true
	}
	if len(n.items) == 0 && s.note.filled {
		c.report(t, t.place, s.note.required, "%s", cmp.Or(s.note.absent, "must not be empty"))
		return nil, false
	}
	out := make([]any, 0, len(n.items))
	for i, item := range n.items {
		at := t.item(i, item)
		switch {
		case item.kind == null:
			c.report(at, item.place, "write '' for an empty text", "has no value")
		case item.kind == list, item.kind == mapping:
			_, _ = c.wrongKind(at, item, s, "text", "")
		case item.kind != broken:
			c.cutByComment(at, item, false)
			out = append(out, item.text)
		}
	}
	return out, true
}

// cutByComment reports a plain text that was cut where a comment starts, in
// the middle of a ${…} or, in an expression, of a bracket.
func (c *checker) cutByComment(t *trail, n *node, expression bool) {
	open := strings.LastIndex(n.text, "${")
	cut := open >= 0 && !strings.Contains(n.text[open:], "}")
	if !cut && expression {
		cut = strings.Count(n.text, "(") > strings.Count(n.text, ")") || strings.Count(n.text, "{") > strings.Count(n.text, "}")
	}
	if !cut {
		return
	}
	if comment := n.place.src.comment(n); comment != "" {
		c.report(t, t.place, quoteAdvice("", n.text+" "+comment),
			"the value ends before %q, because \" #\" starts a comment", shorten(comment, maxShown))
	}
}
