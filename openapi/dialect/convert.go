package dialect

import (
	"slices"
	"strings"

	"github.com/toolgate/toolgate/openapi/document"
)

// schema writes a schema.
func (c *Converter) schema(x context, n *document.Node) {
	switch {
	case n.Kind == document.Bool:
		c.raw(n.Text)
	case n.Kind != document.Object:
		c.loose++
		c.raw("{}")
		if n.Kind != document.Null {
			c.report(x.file, n, NotASchema, "a schema is expected here")
		}
	case x.depth >= maxLevels:
		c.apart(x, n)
	default:
		c.object(x, n)
	}
}

// apart makes a definition of a schema that is nested too deep.
func (c *Converter) apart(x context, n *document.Node) {
	x.depth = 0
	key := c.define(x, "part", definition{node: n, owner: x.owner, bare: x.bare})
	c.raw(`{"$ref":"#/$defs/` + key + `"}`)
}

func (c *Converter) object(x context, n *document.Node) {
	if ref := n.Get("$ref"); c.version < V31 && ref != nil && ref.Kind == document.String {
		c.referenceOnly(x, n)
		return
	}
	at := target{file: x.file, node: n, scope: x.scope}
	x.scope = at.within()
	x.chain = &enclosing{at: at, around: x.chain}
	s := c.read(n)
	c.raw("{")
	if s.wrap {
		c.each(&s, func(m *document.Member) { c.annotation(&s, m) })
		c.describe(&s)
		c.name("anyOf")
		c.raw("[{")
		x.depth += 2
		c.each(&s, func(m *document.Member) { c.assertion(x, &s, m) })
		c.rest(x, &s)
		c.raw(`},{"type":"null"}]}`)
		return
	}
	c.each(&s, func(m *document.Member) {
		c.annotation(&s, m)
		c.assertion(x, &s, m)
	})
	c.rest(x, &s)
	c.describe(&s)
	c.raw("}")
}

func (c *Converter) each(s *facts, f func(*document.Member)) {
	for i := range s.node.Members {
		f(&s.node.Members[i])
	}
}

// referenceOnly writes a schema whose reference makes all else void, as it does up
// to OpenAPI 3.0; but for null, which many authors write next to it.
func (c *Converter) referenceOnly(x context, n *document.Node) {
	null := c.nullable(n)
	if null {
		c.raw(`{"anyOf":[`)
	}
	c.raw("{")
	c.refer(x, n)
	c.raw("}")
	if null {
		c.raw(`,{"type":"null"}]}`)
	}
}

// annotation writes a keyword that says something to the reader.
func (c *Converter) annotation(s *facts, m *document.Member) {
	v := &m.Value
	switch m.Name {
	case "title":
		if text := strings.TrimSpace(textOf(v)); text != "" {
			c.name("title")
			c.quote(text)
		}
	case "description":
		if text := strings.TrimSpace(textOf(v)); text != "" {
			c.name("description")
			c.quote(joined(text, s.note))
			s.note = ""
		}
	case "default":
		if sound(v, maxValueLevels) {
			c.name("default")
			c.out = v.AppendJSON(c.out)
		}
	case "deprecated":
		if isTrue(v) {
			c.name("deprecated")
			c.raw("true")
		}
	}
}

// describe writes the note that no description took.
func (c *Converter) describe(s *facts) {
	if s.note != "" {
		c.name("description")
		c.quote(s.note)
	}
}

// joined adds a note to a description.
func joined(text, note string) string {
	if note == "" {
		return text
	}
	if !strings.ContainsAny(text[len(text)-1:], ".!?:)>") {
		text += "."
	}
	return text + " " + note
}

// assertion writes a keyword that values are checked with.
func (c *Converter) assertion(x context, s *facts, m *document.Member) {
	switch v := &m.Value; m.Name {
	case "type", "format", "enum", "const", "pattern", "contentEncoding", "contentMediaType":
		c.ofValue(s, m.Name, v)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		c.number(s, m.Name, v)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		c.count(s, m.Name, v)
	case "uniqueItems":
		if isTrue(v) {
			c.name(m.Name)
			c.raw("true")
		}
	case "$ref", "$dynamicRef", "$recursiveRef":
		if refers(s.node, m.Name) {
			c.refer(x, s.node)
		}
	case "allOf", "oneOf", "anyOf":
		c.compose(x, s, m.Name, v)
	case "not", "if":
		c.negative(x, s, m.Name, v)
	case "items", "prefixItems", "contains", "unevaluatedItems":
		c.ofArray(x, s, m.Name, v)
	default:
		c.ofObject(x, s, m.Name, v)
	}
}

// rest writes what no keyword of the document stands for.
func (c *Converter) rest(x context, s *facts) {
	if s.node.Get("type") == nil && len(s.types) > 0 {
		c.writeType(s)
	}
	if (s.binary || s.encoded) && textOf(s.node.Get("contentEncoding")) == "" {
		c.name("contentEncoding")
		c.raw(`"base64"`)
	}
	if format := impliedFormat(s.node.Get("type")); format != "" && textOf(s.node.Get("format")) == "" {
		c.name("format")
		c.quote(format)
	}
	if !isNameList(s.node.Get("required")) {
		c.required(x, s, nil)
	}
}

// isKeyword reports whether a keyword is written or decides on others.
func isKeyword(name string) bool {
	if strings.HasPrefix(name, "x-") {
		return false
	}
	return !slices.Contains([]string{
		"$id", "$schema", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$comment", "$vocabulary", "$defs", "definitions", "id",
		"discriminator", "xml", "externalDocs", "example", "examples", "nullable", "readOnly", "writeOnly",
	}, name)
}
