package document

import "strings"

// index holds what can be referred to by name in a file; of two with one name
// the first.
type index struct {
	anchors map[string]*Node // by $anchor
	ids     map[string]*Node // by $id, and by $self of OpenAPI 3.2
}

// index is made when a file is first asked for a name.
func (s *Set) index(f *File) *index {
	if x, ok := s.places[f]; ok {
		return x
	}
	x := &index{anchors: map[string]*Node{}, ids: map[string]*Node{}}
	x.add(f.Root, false)
	if self := f.Root.String("$self"); self != "" {
		put(x.ids, self, f.Root)
	}
	s.places[f] = x
	return x
}

func put(m map[string]*Node, name string, n *Node) {
	if _, ok := m[name]; !ok && name != "" {
		m[name] = n
	}
}

// add looks through a node; names says that its members are named by the writer
// of the document, as those of properties are.
func (x *index) add(n *Node, names bool) {
	if n.Kind == Object && !names {
		put(x.anchors, n.String("$anchor"), n)
		put(x.anchors, n.String("$dynamicAnchor"), n)
		id := n.String("$id")
		if fragment, ok := strings.CutPrefix(id, "#"); ok { // as before 2019-09
			put(x.anchors, fragment, n)
		} else {
			put(x.ids, strings.TrimSuffix(id, "#"), n)
		}
	}
	for i := range n.Members {
		m := &n.Members[i]
		if names || !isData(m.Name) {
			x.add(&m.Value, !names && n.Kind == Object && holdsNames(m.Name))
		}
	}
}

// isData reports members that hold values of an API, in which $id and $anchor mean
// nothing.
func isData(name string) bool {
	switch name {
	case "example", "examples", "default", "enum", "const", "value":
		return true
	}
	return false
}

// holdsNames reports members whose own members are named by the writer.
func holdsNames(name string) bool {
	switch name {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "schemas", "parameters", "responses",
		"requestBodies", "headers", "pathItems", "paths", "webhooks", "callbacks", "content":
		return true
	}
	return false
}
