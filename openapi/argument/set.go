package argument

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolgate/toolgate/openapi/spec"
)

// set is the arguments of an operation.
type set struct {
	list  []argument
	extra *node // what arguments that are not listed must be; nil when there can be none
	// Of a body that may be left out, whose fields stand in list from here on, the
	// fields it needs when it is given.
	fields int
	needs  []string
}

// argument is one argument.
type argument struct {
	name     string
	schema   *node
	note     string // what stands at the end of its description
	required bool
	nullable bool // null says that it is absent
}

// arguments reads an operation that was arranged.
func (b *Builder) arguments(op *spec.Operation) set {
	var s set
	for i := range op.Parameters {
		s.list = append(s.list, b.parameter(&op.Parameters[i]))
	}
	s.fields = len(s.list)
	body := op.Body
	switch {
	case body == nil:
	case body.Arg != "":
		s.list = append(s.list, b.whole(body))
	default:
		b.addFields(&s, body)
	}
	return s
}

func (b *Builder) parameter(p *spec.Parameter) argument {
	required := p.Required || p.In == spec.InPath
	schema := read(p.Schema)
	if p.Deprecated && schema.kind != 'f' {
		schema = asObject(schema).with("deprecated", truth(true))
	}
	sent := ""
	if p.Arg != p.Name {
		sent = "Sent as " + placeName(p.In) + " " + codeOf(p.Name) + "."
	}
	return argument{name: p.Arg, schema: described(schema, p.Description), note: sent, required: required, nullable: !required}
}

// placeName says in what a parameter is sent.
func placeName(in string) string {
	switch in {
	case spec.InHeader, spec.InCookie:
		return in
	}
	return in + " parameter"
}

// codeOf quotes a name of the document.
func codeOf(name string) string {
	if utf8.RuneCountInString(name) > maxShownName {
		name = string([]rune(name)[:maxShownName]) + "…"
	}
	return "`" + name + "`"
}

// addFields adds the properties of a body, and what holds for those that are not
// listed.
func (b *Builder) addFields(s *set, body *spec.Body) {
	o := b.flat(body)
	if o == nil { // arranged by somebody else
		o = &flatObject{}
	}
	if body.Open {
		if s.extra = o.extra; s.extra == nil {
			s.extra = truth(true)
		}
	}
	required, schemas := map[string]bool{}, map[string]*node{}
	for _, name := range o.required {
		required[name] = true
	}
	for _, p := range o.properties {
		schemas[p.name] = p.schema
	}
	for _, f := range body.Fields {
		needed, schema := required[f.Name], schemas[f.Name]
		if schema == nil {
			schema = object() // of one that is not there, anything
		}
		sent := ""
		if f.Arg != f.Name {
			sent = "Sent as body property " + codeOf(f.Name) + "."
		}
		s.list = append(s.list, argument{name: f.Arg, schema: schema, note: sent, required: needed && body.Required})
		if needed && !body.Required {
			s.needs = append(s.needs, f.Arg)
		}
	}
}

// whole is the argument that is a body.
func (b *Builder) whole(body *spec.Body) argument {
	a := argument{name: body.Arg, schema: read(body.Schema), required: body.Required}
	switch {
	case body.Kind == spec.BodyBinary:
		a.schema, a.note = asText(a.schema).with("contentEncoding", text("base64")), "The bytes to send, as "+body.Media+", in base64."
	case body.Kind == spec.BodyText && !b.isScalar(a.schema):
		a.schema, a.note = asText(a.schema), "The text to send, as "+body.Media+"."
	}
	if isForm(body) && a.schema.kind != 'f' && b.types(a.schema) == nil {
		a.schema = ofObjects(a.schema)
	}
	a.schema = described(a.schema, body.Description)
	return a
}

// isForm reports whether only an object can be sent, as its properties.
func isForm(body *spec.Body) bool {
	return body.Kind == spec.BodyForm || body.Kind == spec.BodyMultipart
}

// ofObjects is a schema that leaves the type open, of which only objects can be
// sent.
func ofObjects(n *node) *node {
	if n.kind != '{' {
		n = object()
	}
	return n.with("type", text("object"))
}

// asText is a schema of texts that keeps what another says of it in words.
func asText(n *node) *node {
	out := object(member{"type", text("string")})
	if d := n.get("description"); d != nil {
		out = out.with("description", d)
	}
	return out
}

// isScalar reports whether every value of a schema is surely a text, a number or a
// truth value.
func (b *Builder) isScalar(n *node) bool {
	types := b.types(n)
	return len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool {
		return t == "object" || t == "array" || t == "null"
	})
}

// described gives a schema another description, where there is one.
func described(schema *node, description string) *node {
	description = strings.TrimSpace(description)
	if description == "" || schema.kind == 'f' {
		return schema
	}
	return asObject(schema).with("description", text(description))
}

// asObject is a schema that keywords can be added to, of one that is not false.
func asObject(schema *node) *node {
	if schema.kind != '{' {
		return object()
	}
	return schema
}

// worded is the schema with the note, and with so many characters of description
// before it.
func (a *argument) worded(length int) *node {
	if a.note == "" || length == 0 {
		return a.schema
	}
	description := capped(a.schema.get("description").string(), length)
	return described(a.schema, strings.TrimSpace(description+"\n"+a.note))
}

// required names the arguments that every call needs.
func (s *set) required() []string {
	var out []string
	for _, a := range s.list {
		if a.required {
			out = append(out, a.name)
		}
	}
	return out
}
