package config

import "strconv"

// kind is what a value of a file is.
type kind uint8

const (
	broken kind = iota // reported already; nothing more is said about it
	null
	text
	boolean
	integer
	float
	list
	mapping
)

// node is one value of a file, with aliases followed, merges applied and
// duplicate keys taken out. An aliased value is one node with several parents,
// so a node is never changed once it is built.
type node struct {
	kind    kind
	quote   byte   // the quote around a text, '|' or '>' for a block text, 0 for a plain one
	text    string // a scalar as it is written, without quotes and escapes
	place   position
	items   []*node
	members []member
	index   map[string]int // position in members by key; nil for small maps
	size    int            // number of values in it and itself, aliases followed; a long text is several
	height  int            // levels of maps and lists below it
}

// member is one entry of a map.
type member struct {
	key   string
	place position // of the key
	value *node
}

// textUnit is how many bytes of text count as one value more: an alias to a
// long text costs what the text costs.
const textUnit = 16

// indexFrom is the number of members from which on a map has an index.
const indexFrom = 9

func (n *node) scalar() bool {
	switch n.kind {
	case null, text, boolean, integer, float:
		return true
	}
	return false
}

// find returns the member of a map with the key, or nil.
func (n *node) find(key string) *member {
	if n.index != nil {
		if i, ok := n.index[key]; ok {
			return &n.members[i]
		}
		return nil
	}
	for i := range n.members {
		if n.members[i].key == key {
			return &n.members[i]
		}
	}
	return nil
}

// child returns the value of a map's key or a list's index in decimal, and the
// place of the key or the item.
func (n *node) child(step string) (position, *node, bool) {
	switch n.kind {
	case mapping:
		if m := n.find(step); m != nil {
			return m.place, m.value, true
		}
	case list:
		if i, ok := n.itemAt(step); ok {
			return n.items[i].place, n.items[i], true
		}
	}
	return position{}, nil, false
}

// itemAt is the index of a list's item that a step means: in decimal, as lists
// of problems write it, without a sign or zeros before it.
func (n *node) itemAt(step string) (int, bool) {
	i, err := strconv.Atoi(step)
	return i, err == nil && i >= 0 && i < len(n.items) && strconv.Itoa(i) == step
}

// get follows keys of maps and returns the value there, or nil.
func (n *node) get(path ...string) *node {
	for _, key := range path {
		var ok bool
		if _, n, ok = n.child(key); !ok {
			return nil
		}
	}
	return n
}

// put appends a member and counts it.
func (n *node) put(m member) {
	n.members = append(n.members, m)
	if n.index != nil {
		n.index[m.key] = len(n.members) - 1
	} else if len(n.members) >= indexFrom {
		n.index = make(map[string]int, max(2*len(n.members), cap(n.members)))
		for i := range n.members {
			n.index[n.members[i].key] = i
		}
	}
	n.size += len(m.key) / textUnit
	n.count(m.value)
}

func (n *node) count(child *node) {
	n.size += child.size
	n.height = max(n.height, child.height+1)
}
