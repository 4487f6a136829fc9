package dialect

import (
	"slices"

	"github.com/toolgate/toolgate/openapi/document"
)

// maxParts bounds the search for properties in what a schema is composed of, in
// schemas.
const maxParts = 100

// nameList is a list of names, each once.
type nameList struct {
	list []string
	seen map[string]bool
}

func (l *nameList) add(name string) {
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	if !l.seen[name] {
		l.seen[name] = true
		l.list = append(l.list, name)
	}
}

// names lists the strings of a list; of nil, none.
func names(v *document.Node) (l nameList) {
	for i := 0; v != nil && i < len(v.Members); i++ {
		if name := &v.Members[i].Value; name.Kind == document.String {
			l.add(name.Text)
		}
	}
	return l
}

func isNameList(v *document.Node) bool { return v != nil && v.Kind == document.Array }

// required writes the list of required properties that v is, together with those
// that say of themselves that they are required, which OpenAPI does not know but
// authors mean. Properties that are not for this side are none of them.
func (c *Converter) required(x context, s *facts, v *document.Node) {
	if v != nil && !isNameList(v) {
		return // said by the property itself; rest writes the list
	}
	list := names(v)
	c.eachProperty(x, s.node.Get("properties"), func(x context, m *document.Member) {
		own := m.Value.Get("required")
		if own == nil || own.Kind != document.Bool && own.Kind != document.String {
			return
		}
		c.report(x.file, own, RequiredNotList, "required is a list of names in the schema around a property")
		if isTrue(own) {
			list.add(m.Name)
		}
	})
	if visible := c.visible(x, list); len(visible) > 0 {
		c.name("required")
		c.list(visible)
	}
}

// visible are those of the names of properties that are for this side.
func (c *Converter) visible(x context, l nameList) []string {
	list := slices.DeleteFunc(l.list, func(name string) bool { return c.conceals(x.chain, name) })
	if len(list) < len(l.seen) {
		c.loose++
	}
	return list
}

// conceals reports whether a property of the schemas around is not for this side.
func (c *Converter) conceals(e *enclosing, name string) bool {
	for ; e != nil; e = e.around {
		if c.hiddenOf(e.at)[name] {
			return true
		}
	}
	return false
}

// hiddenOf are the properties of a schema that are not for this side, with those of
// what it is allOf.
func (c *Converter) hiddenOf(t target) map[string]bool {
	hidden, ok := c.hidden[t.node]
	if ok {
		return hidden
	}
	for _, part := range c.whole(t) {
		for _, name := range c.hiddenIn(part) {
			if hidden == nil {
				hidden = map[string]bool{}
			}
			hidden[name] = true
		}
	}
	c.hidden[t.node] = hidden
	return hidden
}

// hiddenIn lists the properties of one schema by itself that are not for this side.
func (c *Converter) hiddenIn(t target) (list []string) {
	properties := t.node.Get("properties")
	if list, ok := c.hiding[properties]; ok {
		return list
	}
	c.eachProperty(context{file: t.file, root: t, scope: t.within()}, properties, func(x context, m *document.Member) {
		if c.isHidden(x, &m.Value) {
			list = append(list, m.Name)
		}
	})
	if properties != nil {
		c.hiding[properties] = list
	}
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
