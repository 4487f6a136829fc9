package dialect

import "github.com/toolgate/toolgate/openapi/document"

// compose writes allOf, oneOf or anyOf.
func (c *Converter) compose(x context, s *facts, name string, v *document.Node) {
	if v.Kind != document.Array || len(v.Members) == 0 {
		return
	}
	if name == "allOf" {
		c.schemas(x.same(2), name, v)
		return
	}
	x = x.either(2)
	if x.bare && c.leadsBack(x, v) {
		c.loose++
		return
	}
	start := c.mark()
	other := map[string]string{"oneOf": "anyOf", "anyOf": "oneOf"}[name]
	alone := s.node.Get(other) == nil
	if name == "oneOf" && alone && (s.discriminated || c.hides(x, v)) {
		name = "anyOf"
	}
	if !s.discriminated || !c.pinned(x, s, name, v) {
		c.schemas(x, name, v)
	}
	if name != "oneOf" || !c.loosened(start) {
		return
	}
	// A branch that accepts more than it should would make a oneOf refuse what only
	// another is meant to accept.
	if !alone {
		c.undo(start)
		return
	}
	at := start.at + len(`"`)
	if c.out[start.at] == ',' {
		at++
	}
	copy(c.out[at:], "any") // as long as "one"
}

// hides reports whether a branch has properties that are not for this side. They may
// be what told it from the others.
func (c *Converter) hides(x context, list *document.Node) bool {
	for i := range list.Members {
		at := target{file: x.file, node: &list.Members[i].Value, scope: x.scope}
		if len(c.hiddenOf(at)) > 0 {
			return true
		}
	}
	return false
}

// schemas writes a keyword that holds a list of schemas.
func (c *Converter) schemas(x context, name string, v *document.Node) {
	c.name(name)
	c.raw("[")
	for i := range v.Members {
		c.comma('[')
		c.schema(x, &v.Members[i].Value)
	}
	c.raw("]")
}

// named writes a keyword that holds schemas by name.
func (c *Converter) named(x context, name string, v *document.Node, takes func(*document.Member) bool) {
	c.name(name)
	c.raw("{")
	for i := range v.Members {
		if m := &v.Members[i]; takes(m) {
			c.name(m.Name)
			c.schema(x, &m.Value)
		}
	}
	c.raw("}")
}

// one writes a keyword that holds a schema; nothing where something else stands.
func (c *Converter) one(x context, name string, v *document.Node) {
	if v.Kind == document.Object || v.Kind == document.Bool {
		c.name(name)
		c.schema(x, v)
	}
}

// negative writes not, or if with its then and else. What accepts more than it
// should would make them refuse more, so they are then left out.
func (c *Converter) negative(x context, s *facts, name string, v *document.Node) {
	start := c.mark()
	c.one(x.same(1), name, v)
	if c.loosened(start) {
		c.undo(start)
		return
	}
	if name == "not" || len(c.out) == start.at {
		return
	}
	for _, branch := range []string{"then", "else"} {
		if n := s.node.Get(branch); n != nil {
			c.one(x.same(1), branch, n)
		}
	}
}

// ofArray writes a keyword about items.
func (c *Converter) ofArray(x context, s *facts, name string, v *document.Node) {
	list := v.Kind == document.Array
	switch {
	case name == "prefixItems" && list && len(v.Members) > 0:
		c.schemas(x.inner(2), name, v)
	case name == "prefixItems":
	case name == "items" && list: // a tuple, as older drafts write it
		if len(v.Members) > 0 && s.node.Get("prefixItems") == nil {
			c.schemas(x.inner(2), "prefixItems", v)
		}
		if more := s.node.Get("additionalItems"); more != nil {
			c.one(x.inner(1), "items", more)
		}
	default:
		c.one(x.inner(1), name, v)
	}
}

// ofObject writes a keyword about the members of objects; nothing for one that is
// not known.
func (c *Converter) ofObject(x context, s *facts, name string, v *document.Node) {
	object := v.Kind == document.Object
	switch name {
	case "additionalProperties", "propertyNames", "unevaluatedProperties", "contentSchema":
		c.one(x.inner(1), name, v)
	case "required":
		c.required(x, s, v)
	case "dependentRequired":
		c.dependentRequired(x, v, object)
	case "dependencies":
		c.dependencies(x, s, v)
	case "properties":
		if object {
			c.properties(x.inner(2), v)
		}
	case "patternProperties":
		if object {
			c.named(x.inner(2), name, v, func(m *document.Member) bool {
				if !c.compiles(m.Name) {
					c.loose++
				}
				return c.compiles(m.Name)
			})
		}
	case "dependentSchemas":
		if object {
			c.named(x.same(2), name, v, func(*document.Member) bool { return true })
		}
	}
}

// properties writes the properties that are for this side.
func (c *Converter) properties(x context, v *document.Node) {
	c.name("properties")
	c.raw("{")
	c.eachProperty(x, v, func(x context, m *document.Member) {
		if !c.isHidden(x, &m.Value) {
			c.name(m.Name)
			c.schema(x, &m.Value)
		}
	})
	c.raw("}")
	if ref := v.Get("$ref"); ref != nil && ref.Kind == document.String {
		if _, err := c.include(x, ref.Text); err != nil {
			f := broken(ref.Text, err)
			c.loose++
			c.report(x.file, ref, f.code, f.text)
		}
	}
}

// eachProperty calls f with the properties of a schema, and with those of a
// reference among them, which no version of OpenAPI knows but many authors of
// several files write.
func (c *Converter) eachProperty(x context, properties *document.Node, f func(context, *document.Member)) {
	if properties == nil || properties.Kind != document.Object {
		return
	}
	var ref *document.Node
	for i := range properties.Members {
		if m := &properties.Members[i]; isInclude(m) {
			ref = &m.Value
		} else {
			f(x, m)
		}
	}
	if ref == nil {
		return
	}
	list, err := c.include(x, ref.Text)
	if err != nil {
		return
	}
	own := make(map[string]bool, len(properties.Members))
	for i := range properties.Members {
		own[properties.Members[i].Name] = true
	}
	for i := range list.node.Members {
		if m := &list.node.Members[i]; !own[m.Name] { // nor another reference
			f(list.context, m)
		}
	}
}

// propertyList is a list of properties and where it stands.
type propertyList struct {
	context
	node *document.Node
}

func (c *Converter) include(x context, ref string) (propertyList, error) {
	file, node, err := c.find.Find(x.file, ref)
	if err == nil && (node == nil || node.Kind != document.Object) {
		err = &document.RefError{Ref: ref, Code: NotASchema, Text: "what stands there are no properties"}
	}
	x.file, x.scope = file, nil
	return propertyList{x, node}, err
}

// isInclude reports whether a member of properties is a reference to more of them.
func isInclude(m *document.Member) bool {
	return m.Name == "$ref" && m.Value.Kind == document.String
}

// dependentRequired writes the names that a property makes required, of those that
// are for this side.
func (c *Converter) dependentRequired(x context, v *document.Node, object bool) {
	if !object {
		return
	}
	c.name("dependentRequired")
	c.raw("{")
	for i := range v.Members {
		if m := &v.Members[i]; m.Value.Kind == document.Array {
			c.name(m.Name)
			c.list(c.visible(x, names(&m.Value)))
		}
	}
	c.raw("}")
}

// dependencies writes what older drafts have in one keyword and later ones in two.
func (c *Converter) dependencies(x context, s *facts, v *document.Node) {
	if v.Kind != document.Object {
		return
	}
	if s.node.Get("dependentRequired") == nil {
		c.dependentRequired(x, v, true)
	}
	if s.node.Get("dependentSchemas") == nil {
		c.named(x.same(2), "dependentSchemas", v, func(m *document.Member) bool { return m.Value.Kind != document.Array })
	}
}
