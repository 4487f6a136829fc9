package argument

import "slices"

// maxChain is how many schemas are looked at to tell what values one takes, and
// how many references in a row are followed. Unions of unions would be
// exponentially many.
const maxChain = 200

// guess tells what values a schema surely takes, by so many looks.
type guess struct {
	builder *Builder
	left    int
}

// types are the JSON types that a value can have: none where that is not sure.
func (b *Builder) types(n *node) []string {
	g := guess{b, maxChain}
	return g.types(n)
}

func (g *guess) types(n *node) []string {
	if g.left--; n.kind != '{' || g.left < 0 {
		return nil
	}
	if t := n.get("type").strings(); len(t) > 0 {
		return t
	}
	if d := g.builder.target(n); d != nil {
		if t := g.types(d.read().node); t != nil {
			return t
		}
	}
	if all := n.get("allOf"); all != nil {
		for _, part := range all.members {
			if t := g.types(part.value); t != nil {
				return t
			}
		}
	}
	for _, union := range []string{"anyOf", "oneOf"} {
		if t := g.typesOfAny(n.get(union)); t != nil {
			return t
		}
	}
	return nil
}

// typesOfAny are the types of all the branches of a union.
func (g *guess) typesOfAny(union *node) []string {
	if union == nil {
		return nil
	}
	var out []string
	for _, branch := range union.members {
		t := g.types(branch.value)
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
func (g *guess) takesNull(n *node) bool {
	if g.left--; n.kind != '{' || g.left < 0 {
		return n.kind == 't'
	}
	return !slices.ContainsFunc(n.members, func(m member) bool { return !g.keywordTakesNull(m.name, m.value) })
}

func (g *guess) keywordTakesNull(name string, v *node) bool {
	takes := func(m member) bool { return g.takesNull(m.value) }
	switch name {
	case "type":
		return slices.Contains(v.strings(), "null")
	case "enum":
		return slices.ContainsFunc(v.members, isNull)
	case "const":
		return v.kind == 'n'
	case "anyOf":
		return slices.ContainsFunc(v.members, takes)
	case "allOf":
		return !slices.ContainsFunc(v.members, func(m member) bool { return !takes(m) })
	case "$ref":
		key, ok := keyOf(v)
		return ok && g.takesNull(g.builder.definition(key).read().node)
	case "oneOf", "not", "if", "$dynamicRef":
		return false
	}
	return true // about values of other types
}

func isNull(m member) bool { return m.value.kind == 'n' }

// orNull is a schema that takes null too.
func (b *Builder) orNull(n *node) *node {
	g := guess{b, maxChain}
	if g.takesNull(n) {
		return n
	}
	t := n.get("type")
	if t == nil || t.kind != '"' || bindsNull(n) {
		return object(member{"anyOf", list(n, object(member{"type", text("null")}))})
	}
	n = n.with("type", list(t, text("null")))
	if enum := n.get("enum"); enum != nil && !slices.ContainsFunc(enum.members, isNull) {
		null := member{value: &node{kind: 'n', raw: "null"}}
		n = n.with("enum", &node{kind: '[', members: append(slices.Clone(enum.members), null)})
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
