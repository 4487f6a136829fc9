package config

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
)

// namedLists are the lists whose items have names. A later layer changes an
// item in place; new ones go last, or where keyBefore or keyAfter says.
var namedLists = []string{"policy.rules", "policy.tests", "hooks.before", "hooks.after", "hooks.tests"}

// The keys of an item of a named list that say beside which other item it
// stands. They are gone once the item is there.
const (
	keyBefore = "before"
	keyAfter  = "after"
)

// itemName is the name of an item, or "" when it has none that can be read.
func itemName(n *node) string {
	if name := n.get("name"); name != nil && name.kind == text {
		return name.text
	}
	return ""
}

// positions are the indexes of a list's items by name: of several with the
// same name, the first.
func positions(items []*node) map[string]int {
	out := make(map[string]int, len(items))
	for i, item := range items {
		if _, twice := out[itemName(item)]; !twice && itemName(item) != "" {
			out[itemName(item)] = i
		}
	}
	return out
}

// named merges two lists of named things. A name that the later one has twice
// goes last the second time, where the check for names finds it.
func (m *merger) named(into, from *node) *node {
	n := m.mine(into)
	known := positions(n.items)
	for _, item := range from.items {
		name := itemName(item)
		i, ok := known[name]
		if !ok {
			n.items = append(n.items, item)
			continue
		}
		delete(known, name)
		m.inside(strconv.Itoa(i), func() { n.items[i] = m.maps(n.items[i], item) })
	}
	return n
}

// setItem changes the value at a path that starts with the index of an item.
func (m *merger) setItem(into *node, steps []string, value *node) *node {
	n := m.mine(into)
	i, ok := n.itemAt(steps[0])
	if !ok {
		hint := "count from 0, or set the whole list"
		if isNamedList(m.path) {
			hint = "count from 0, or set the list to [{name: …, …}]: its items merge by name"
		}
		m.report(value.place, hint, "the list %s has %s, and %s is the number of none of them",
			into.place.seenFrom(value.place), counted(len(n.items), "item", "items"), shorten(steps[0], maxShownKey))
		return n
	}
	m.inside(steps[0], func() { n.items[i] = m.set(n.items[i], steps[1:], value) })
	return n
}

// arrange moves the items of named lists that say where they stand.
func (m *merger) arrange(root *node) *node {
	for _, name := range namedLists {
		path := strings.Split(name, ".")
		l := root.get(path...)
		if l == nil || l.kind != list || !slices.ContainsFunc(l.items, saysWhere) {
			continue
		}
		root = m.mine(root)
		parent := root.find(path[0])
		parent.value = m.mine(parent.value)
		m.path = path
		parent.value.find(path[1]).value = m.arranged(l)
		m.path = nil
	}
	return root
}

func saysWhere(n *node) bool {
	return n.kind == mapping && (n.find(keyBefore) != nil || n.find(keyAfter) != nil)
}

// order is a list that is being arranged: which items stand right before and
// right after which others, by index.
type order struct {
	items         []*node
	before, after map[int][]int
	done          []bool
	out           []*node
}

// arranged puts every item beside the one it names. Several that name the same
// one keep their order.
func (m *merger) arranged(l *node) *node {
	o := &order{items: slices.Clone(l.items), before: map[int][]int{}, after: map[int][]int{}, done: make([]bool, len(l.items))}
	known := positions(l.items)
	moved := make([]bool, len(l.items))
	for i, item := range l.items {
		if !saysWhere(item) {
			continue
		}
		m.inside(strconv.Itoa(i), func() { moved[i] = m.anchor(o, known, i) })
		c := m.mine(item)
		c.remove(map[string]bool{keyBefore: true, keyAfter: true})
		o.items[i] = c
	}
	for i := range o.items {
		if !moved[i] {
			o.emit(i)
		}
	}
	m.circles(o)
	n := m.mine(l)
	n.items = o.out
	return n
}

// circles reports the items that were not reached from one that keeps its
// place.
func (m *merger) circles(o *order) {
	for i, item := range o.items {
		if o.done[i] {
			continue
		}
		m.inside(strconv.Itoa(i), func() {
			m.report(item.place, "let one of them keep its place", "the places of this item and of others depend on each other in a circle")
		})
		o.emit(i)
	}
}

// emit puts an item out with all that stand beside it.
func (o *order) emit(i int) {
	if o.done[i] {
		return
	}
	o.done[i] = true
	for _, j := range o.before[i] {
		o.emit(j)
	}
	o.out = append(o.out, o.items[i])
	for _, j := range o.after[i] {
		o.emit(j)
	}
}

// anchor notes beside which item the i-th one stands; false after a mistake.
func (m *merger) anchor(o *order, known map[string]int, i int) (ok bool) {
	item := o.items[i]
	where, beside := item.find(keyBefore), o.before
	if second := item.find(keyAfter); where == nil {
		where, beside = second, o.after
	} else if second != nil {
		m.inside(keyAfter, func() {
			m.report(second.place, "remove one of them", "an item stands before another or after one, and this says both")
		})
		return false
	}
	m.inside(where.key, func() {
		var target int
		if target, ok = m.target(where, known); ok {
			beside[target] = append(beside[target], i)
		}
	})
	return ok
}

// target is the index of the item that keyBefore or keyAfter names.
func (m *merger) target(where *member, known map[string]int) (int, bool) {
	if where.value.kind != text {
		if where.value.kind != broken {
			m.report(where.place, "write the name of an item of this list", "must be text, got %s", describe(where.value))
		}
		return 0, false
	}
	target, ok := known[where.value.text]
	if !ok && !m.findings.full() {
		var names []string
		if len(known) <= maxNear {
			names = slices.Sorted(maps.Keys(known))
		}
		m.report(where.place, diag.DidYouMean(where.value.text, names), "nothing in this list is named %q", shorten(where.value.text, maxShown))
	}
	return target, ok
}
