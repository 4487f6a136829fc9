package argument

import "slices"

// maxChain is how many references in a row are followed to tell the type of a
// value.
const maxChain = 10

// types are the JSON types that a value can have: none where that is not sure.
func (b *Builder) types(n *node, chain int) []string {
	if n.kind != '{' || chain == 0 {
		return nil
	}
	if t := n.get("type").strings(); len(t) > 0 {
		return t
	}
	if d := b.target(n); d != nil {
		if t := b.types(d.read().node, chain-1); t != nil {
			return t
		}
	}
	if all := n.get("allOf"); all != nil {
		for _, part := range all.members {
			if t := b.types(part.value, chain-1); t != nil {
				return t
			}
		}
	}
	for _, union := range []string{"anyOf", "oneOf"} {
		if t := b.typesOfAny(n.get(union), chain-1); t != nil {
			return t
		}
	}
	return nil
}

// typesOfAny are the types of all the branches of a union.
func (b *Builder) typesOfAny(union *node, chain int) []string {
	if union == nil {
		return nil
	}
	var out []string
	for _, branch := range union.members {
		t := b.types(branch.value, chain)
		if t == nil {
			return nil
		}
		for _, name := range t {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// takesNull reports whether null is surely valid under a schema.
func (b *Builder) takesNull(n *node, chain int) bool {
	if n.kind != '{' || chain == 0 {
		return n.kind == 't'
	}
	for _, m := range n.members {
		if !b.keywordTakesNull(m.name, m.value, chain-1) {
			return false
		}
	}
	return true
}

func (b *Builder) keywordTakesNull(name string, v *node, chain int) bool {
	null := func(m member) bool { return m.value.kind == 'n' }
	takes := func(m member) bool { return b.takesNull(m.value, chain) }
	switch name {
	case "type":
		return slices.Contains(v.strings(), "null")
	case "enum":
		return slices.ContainsFunc(v.members, null)
	case "const":
		return v.kind == 'n'
	case "anyOf":
		return slices.ContainsFunc(v.members, takes)
	case "allOf":
		return !slices.ContainsFunc(v.members, func(m member) bool { return !takes(m) })
	case "$ref":
		key, ok := keyOf(v)
		return ok && b.takesNull(b.definition(key).read().node, chain)
	case "oneOf", "not", "if", "$dynamicRef":
		return false
	}
	return true // about values of other types
}

// orNull is a schema that takes null too.
func (b *Builder) orNull(n *node) *node {
	if b.takesNull(n, maxChain) {
		return n
	}
	t := n.get("type")
	if t == nil || t.kind != '"' || bindsNull(n) {
		return object(member{"anyOf", list(n, object(member{"type", text("null")}))})
	}
	n = n.with("type", list(t, text("null")))
	if enum := n.get("enum"); enum != nil && !slices.ContainsFunc(enum.members, func(m member) bool { return m.value.kind == 'n' }) {
		with := list()
		with.members = append(slices.Clone(enum.members), member{value: &node{kind: 'n', raw: "null"}})
		n = n.with("enum", with)
	}
	return n
}

// bindsNull reports whether something but "type" and "enum" may refuse null.
func bindsNull(n *node) bool {
	return slices.ContainsFunc(n.members, func(m member) bool {
		switch m.name {
		case "const", "anyOf", "allOf", "oneOf", "not", "if", "$ref", "$dynamicRef":
			return true
		}
		return m.name == "enum" && m.value.kind != '['
	})
}
