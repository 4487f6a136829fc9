package dialect

import (
	"slices"

	"github.com/toolgate/toolgate/openapi/document"
)

// maxParts bounds the search for properties in what a schema is composed of, in
// schemas.
const maxParts = 100

// names lists the strings of a list, each once.
func names(v *document.Node) []string {
	var out []string
	for i := range v.Members {
		if name := &v.Members[i].Value; name.Kind == document.String && !slices.Contains(out, name.Text) {
			out = append(out, name.Text)
		}
	}
	return out
}

func isNameList(v *document.Node) bool { return v != nil && v.Kind == document.Array }

// required writes the list of required properties that v is, together with those
// that say of themselves that they are required, which OpenAPI does not know but
// authors mean. Properties that are not for this side are none of them.
func (c *Converter) required(x context, s *facts, v *document.Node) {
	var list []string
	switch {
	case isNameList(v):
		list = names(v)
	case v != nil:
		return // said by the property itself; rest writes the list
	}
	if properties := s.node.Get("properties"); properties != nil && properties.Kind == document.Object {
		for i := range properties.Members {
			m := &properties.Members[i]
			own := m.Value.Get("required")
			if own == nil || own.Kind != document.Bool && own.Kind != document.String {
				continue
			}
			c.report(x.file, own, RequiredNotList, "required is a list of names in the schema around a property")
			if isTrue(own) && !slices.Contains(list, m.Name) {
				list = append(list, m.Name)
			}
		}
	}
	if list = c.visible(x, list); len(list) > 0 {
		c.name("required")
		c.list(list)
	}
}

// visible are those of the names of properties that are for this side.
func (c *Converter) visible(x context, list []string) []string {
	before := len(list)
	list = slices.DeleteFunc(list, func(name string) bool { return c.conceals(x.chain, name) })
	if len(list) < before {
		c.loose++
	}
	return list
}

// conceals reports whether a property of the schemas around is not for this side.
func (c *Converter) conceals(e *enclosing, name string) bool {
	for ; e != nil; e = e.around {
		if slices.Contains(c.hiddenOf(e.at), name) {
			return true
		}
	}
	return false
}

// hiddenOf lists the properties of a schema that are not for this side, with those
// of what it is allOf.
func (c *Converter) hiddenOf(t target) []string {
	list, ok := c.hidden[t.node]
	if ok {
		return list
	}
	for _, part := range c.whole(t) {
		properties := part.node.Get("properties")
		if properties == nil || properties.Kind != document.Object {
			continue
		}
		x := context{file: part.file, root: part, scope: part.within()}
		for i := range properties.Members {
			if m := &properties.Members[i]; c.isHidden(x, &m.Value) {
				list = append(list, m.Name)
			}
		}
	}
	c.hidden[t.node] = list
	return list
}

// isHidden reports whether a property is not for this side: the API alone sets it,
// or only takes it.
func (c *Converter) isHidden(x context, property *document.Node) bool {
	flag := "readOnly"
	if c.side == Output {
		flag = "writeOnly"
	}
	if property.Get("$ref") == nil && property.Get("allOf") == nil {
		return isTrue(property.Get(flag))
	}
	return slices.ContainsFunc(c.whole(target{file: x.file, node: property, scope: x.scope}), func(part target) bool {
		return isTrue(part.node.Get(flag)) && (c.version >= V31 || part.node.Get("$ref") == nil)
	})
}

// whole lists a schema and all those that it is all of, as far as maxParts.
func (c *Converter) whole(t target) []target {
	list := []target{t}
	for i := 0; i < len(list) && len(list) < maxParts; i++ {
		part := list[i]
		for _, next := range c.parts(context{file: part.file, root: part, scope: part.within()}, part.node) {
			if !slices.ContainsFunc(list, func(t target) bool { return t.node == next.node }) {
				list = append(list, next)
			}
		}
	}
	return list
}

// parts are the schemas that a schema is all of, by itself.
func (c *Converter) parts(x context, n *document.Node) (out []target) {
	f, ok := c.reference(x, n)
	if ok && f.code == "" {
		out = append(out, f.target)
	}
	list := n.Get("allOf")
	if list == nil || list.Kind != document.Array || ok && c.version < V31 {
		return out
	}
	for i := range list.Members {
		out = append(out, target{file: x.file, node: &list.Members[i].Value, scope: x.scope})
	}
	return out
}
