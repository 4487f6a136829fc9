package dialect

import (
	"slices"

	"github.com/toolgate/toolgate/openapi/document"
)

// A discriminator tells the branches of a oneOf apart by the value of a property.
// JSON Schema has no such thing: it refuses a value that two branches accept. So
// such a oneOf is written as anyOf, and each branch asks for the values of the
// property that belong to it.

// pinned writes a discriminated oneOf or anyOf with the property's values in each
// branch. It reports false, having written nothing, where a branch is no reference.
func (c *Converter) pinned(x context, s *facts, name string, v *document.Node) bool {
	d := s.node.Get("discriminator")
	property := d.String("propertyName")
	branches := make([]found, len(v.Members))
	for i := range v.Members {
		f, ok := c.reference(x, &v.Members[i].Value)
		if !ok || f.code != "" {
			return false
		}
		branches[i] = f
	}
	if property == "" {
		return false
	}
	values := c.mapped(x, d, v, branches)
	c.name(name)
	c.raw("[")
	for i := range v.Members {
		c.comma('[')
		c.schema(x, &v.Members[i].Value)
		own := v.Members[i].Value
		if own.Get("properties") == nil && own.Get("required") == nil && c.fits(branches[i].target, property, values[i]) {
			c.out = c.out[:len(c.out)-1] // reopened
			c.pin(property, values[i], d.Get("defaultMapping") == nil)
		}
	}
	c.raw("]")
	return true
}

// pin writes what a branch asks of the property.
func (c *Converter) pin(property string, values []string, required bool) {
	c.name("properties")
	c.raw("{")
	c.name(property)
	c.raw(`{"enum":`)
	c.list(values)
	c.raw("}}")
	if required {
		c.name("required")
		c.list([]string{property})
	}
	c.raw("}")
}

// mapped lists the values of the property for each branch: those that the mapping
// gives it, else the name of its schema.
func (c *Converter) mapped(x context, d, v *document.Node, branches []found) [][]string {
	values := make([][]string, len(branches))
	if mapping := d.Get("mapping"); mapping != nil && mapping.Kind == document.Object {
		for i := range mapping.Members {
			m := &mapping.Members[i]
			to, ok := c.variant(x, textOf(&m.Value))
			at := slices.IndexFunc(branches, func(f found) bool { return ok && f.node == to })
			if at >= 0 {
				values[at] = append(values[at], m.Name)
			}
		}
	}
	for i := range values {
		if ref := v.Members[i].Value.String("$ref"); values[i] == nil && isNamed(ref) {
			values[i] = []string{nameOf(ref)}
		}
	}
	return values
}

// variant is the schema that an entry of a mapping means, by name or by reference.
func (c *Converter) variant(x context, word string) (*document.Node, bool) {
	if word == "" {
		return nil, false
	}
	for _, ref := range []string{componentPrefix + word, word} {
		if f := c.resolve(x, ref); f.code == "" {
			return f.node, true
		}
	}
	return nil, false
}

const componentPrefix = "#/components/schemas/"

// isNamed reports whether a reference is to a schema by the name of a component.
func isNamed(ref string) bool {
	return len(ref) > len(componentPrefix) && ref[:len(componentPrefix)] == componentPrefix
}

// fits reports whether a branch can have the values in the property. A branch that
// says itself which ones it takes, or that the property is no text, is left as it is.
func (c *Converter) fits(t target, property string, values []string) bool {
	if len(values) == 0 || c.hiddenOf(t)[property] {
		return false
	}
	declared, closed := false, false
	for _, part := range c.whole(t) {
		if more := part.node.Get("additionalProperties"); more != nil && more.Kind == document.Bool && !isTrue(more) {
			closed = true
		}
		p := part.node.Get("properties").Get(property)
		if p == nil {
			continue
		}
		declared = true
		for _, of := range c.whole(target{file: part.file, node: p, scope: part.within()}) {
			if !takes(of.node, values) {
				return false
			}
		}
	}
	return declared || !closed
}

// takes reports whether a schema of a property takes texts.
func takes(n *document.Node, values []string) bool {
	if n.Kind != document.Object {
		return true
	}
	s := facts{node: n}
	if t := n.Get("type"); t != nil {
		s.readTypes(t)
	}
	if len(s.types) > 0 && !s.has("string") {
		return false
	}
	if v := n.Get("const"); v != nil && (v.Kind != document.String || !slices.Equal(values, []string{v.Text})) {
		return false
	}
	list := n.Get("enum")
	if list == nil || list.Kind != document.Array {
		return true
	}
	for _, value := range values {
		if all(list.Members, func(v *document.Node) bool { return v.Text != value }) {
			return false
		}
	}
	return true
}
