package document

import "slices"

// Text is a string that stands in no text.
func Text(s string) Node { return Node{Kind: String, Text: s} }

// Flag is a boolean that stands in no text.
func Flag(b bool) Node {
	if b {
		return Node{Kind: Bool, Text: "true"}
	}
	return Node{Kind: Bool, Text: "false"}
}

// Digits is a number that stands in no text; Null when s is not a JSON number.
func Digits(s string) Node {
	if s == "" || numberLength(s) != len(s) {
		return Node{}
	}
	return Node{Kind: Number, Text: s}
}

// Items is an array that stands in no text.
func Items(items ...Node) Node {
	n := Node{Kind: Array, Members: make([]Member, len(items))}
	for i := range items {
		n.Members[i].Value = items[i]
	}
	return n
}

// Map is an object that stands in no text. A name that is there twice has the
// last value.
func Map(members ...Member) Node {
	return Node{Kind: Object, Members: unique(slices.Clone(members))}
}

// String is the text of a member that is a string; empty for any other.
func (n *Node) String(name string) string {
	if m := n.Get(name); m != nil && m.Kind == String {
		return m.Text
	}
	return ""
}

// Bool reports a member that is true.
func (n *Node) Bool(name string) bool {
	m := n.Get(name)
	return m != nil && m.Kind == Bool && m.Text == "true"
}

// With is a copy of an object in which the member with the name has the value. A
// nil node counts as an object without members.
func (n *Node) With(name string, v Node) *Node {
	out := n.copy()
	for i := range out.Members {
		if out.Members[i].Name == name {
			out.Members[i].Value = v
			return out
		}
	}
	out.Members = append(out.Members, Member{Name: name, Value: v})
	return out
}

// Without is a copy of an object that has no members with the names.
func (n *Node) Without(names ...string) *Node {
	out := n.copy()
	out.Members = slices.DeleteFunc(out.Members, func(m Member) bool { return slices.Contains(names, m.Name) })
	return out
}

// copy is a node with a list of members of its own.
func (n *Node) copy() *Node {
	if n == nil {
		return &Node{Kind: Object}
	}
	out := *n
	out.Members = slices.Clone(n.Members)
	return &out
}
