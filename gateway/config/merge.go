package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
)

// merger puts one tree on another. Nodes that a file made have several parents
// where aliases are used and are never changed: what has to change is copied
// first, and a copy belongs to the merger, which changes it further.
type merger struct {
	findings *findings
	own      map[*node]bool
	path     []string
}

func newMerger(f *findings) *merger { return &merger{findings: f, own: map[*node]bool{}} }

// mine returns a node that may be changed: the node itself or a copy.
func (m *merger) mine(n *node) *node {
	if m.own[n] {
		return n
	}
	c := *n
	c.items, c.members, c.index = slices.Clone(n.items), slices.Clone(n.members), maps.Clone(n.index)
	m.own[&c] = true
	return &c
}

func (m *merger) report(at position, hint, format string, args ...any) {
	m.findings.add(m.path, diag.Problem{Place: at.place(), Text: fmt.Sprintf(format, args...), Hint: hint})
}

// inside runs f with the path one key further in.
func (m *merger) inside(key string, f func()) {
	outer := m.path
	m.path = append(m.path, key)
	f()
	m.path = outer
}

// value returns what becomes of a value that a later layer speaks of: maps
// merge, lists of named things too, and everything else is replaced. at is
// where the later layer does so.
func (m *merger) value(at position, into, from *node) *node {
	switch {
	case into.kind == broken, into.kind == null, from.kind == broken:
		return from
	case sortOf(into) != sortOf(from):
		m.report(at, "write "+kindNames[into.kind]+"; a later layer changes values, not their kind",
			"is %s here and %s %s", kindNames[from.kind], kindNames[into.kind], into.place.seenFrom(at))
		return into
	case from.kind == mapping:
		return m.maps(into, from)
	case from.kind == list && isNamedList(m.path):
		m.emptyList(at, into, from)
		return m.named(into, from)
	}
	return from
}

// sortOf is the sort of a value that no layer may change: one for all scalars.
func sortOf(n *node) kind {
	if n.scalar() {
		return text
	}
	return n.kind
}

// maps merges the members of two maps. A member without a value removes its
// entry.
func (m *merger) maps(into, from *node) *node {
	n := m.mine(into)
	removed := map[string]bool{}
	for i := range from.members {
		if m.findings.full() {
			break
		}
		f := &from.members[i]
		m.inside(f.key, func() { m.member(n, f, removed) })
	}
	n.remove(removed)
	return n
}

func (m *merger) member(n *node, f *member, removed map[string]bool) {
	at := n.find(f.key)
	m.loosens(n, f)
	switch {
	case at == nil && f.value.kind == null:
		m.report(f.place, nearestKey(n, f.key), "there is no such entry to remove")
	case at == nil:
		n.put(*f)
	case f.value.kind == null:
		removed[f.key] = true
	default:
		merged := m.value(f.place, at.value, f.value)
		if merged == f.value {
			at.place = f.place
		}
		at.value = merged
	}
}

// maxNear is the number of names up to which the nearest one is looked for.
const maxNear = 10_000

// nearestKey is the hint for a key that is not in a map.
func nearestKey(n *node, key string) string {
	const otherwise = "null removes what an earlier layer says"
	if len(n.members) > maxNear {
		return otherwise
	}
	keys := make([]string, len(n.members))
	for i := range n.members {
		keys[i] = n.members[i].key
	}
	if near := diag.DidYouMean(key, keys); near != "" {
		return near
	}
	return otherwise
}

// without returns a map without one of its members.
func (m *merger) without(n *node, key string) *node {
	n = m.mine(n)
	n.remove(map[string]bool{key: true})
	return n
}

// remove takes members out of a map.
func (n *node) remove(keys map[string]bool) {
	if len(keys) == 0 {
		return
	}
	n.members = slices.DeleteFunc(n.members, func(m member) bool { return keys[m.key] })
	if n.index == nil {
		return
	}
	n.index = make(map[string]int, len(n.members))
	for i := range n.members {
		n.index[n.members[i].key] = i
	}
}

// isNamedList reports whether the list at a path is one of things with names,
// which merge by name.
func isNamedList(path []string) bool {
	return slices.Contains(namedLists, strings.Join(path, ".")) || isTests(path)
}
