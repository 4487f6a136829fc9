// Package argument decides what the arguments of an operation are: their names,
// which parts of the request they give, and the schemas that they are shown and
// checked by.
//
// An operation has one flat list of arguments: its parameters and, where the
// body is an object that nothing but its properties describe, those properties;
// any other body is one argument. A name that two want says the place of each.
package argument

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/toolgate/toolgate/openapi/spec"
)

// Builder makes the arguments of the operations of one document; safe for
// concurrent use.
type Builder struct {
	definitions map[string]*definition
}

// New makes a Builder for operations whose schemas refer to the inputs with
// "#/$defs/KEY" (see [spec.Document]). Each of them is decoded at most once, when
// an operation needs it; the texts must not be changed later. A definition that
// is not there takes every value.
func New(inputs map[string]json.RawMessage) *Builder {
	b := &Builder{definitions: make(map[string]*definition, len(inputs))}
	for key, text := range inputs {
		b.definitions[key] = newDefinition(key, text)
	}
	return b
}

// Arrange names the arguments of an operation: it sets Arg and Order of its
// parameters, and Arg, Fields and Open of its body. Names match ^[A-Za-z0-9_.-]{1,64}$, no two are
// the same, none is the gateway's own toolcall_reason, and they depend on nothing
// of the operation but what wants the same name. The operation must not be used
// elsewhere meanwhile.
func (b *Builder) Arrange(op *spec.Operation) {
	all := make([]named, 0, len(op.Parameters))
	for i := range op.Parameters {
		p := &op.Parameters[i]
		p.Order = b.order(p)
		all = append(all, named{original: p.Name, place: p.In, into: &p.Arg})
	}
	if body := op.Body; body != nil {
		body.Arg, body.Fields, body.Open = "", nil, false
		if o := b.flat(body); o != nil {
			body.Open = o.extra != nil
			if n := len(o.properties); n > 0 { // what is empty is nil
				body.Fields = make([]spec.Field, n)
			}
			for i, p := range o.properties {
				body.Fields[i].Name = p.name
				all = append(all, named{original: p.name, place: "body", into: &body.Fields[i].Arg})
			}
		} else {
			all = append(all, named{whole: true, into: &body.Arg})
		}
	}
	name(all)
}

// Outline is what is known of the arguments of an operation without its schema.
type Outline struct {
	Names    []string // of arguments, in the order of the schema
	Required []string
	Closed   bool // there can be no others
}

// Outline tells the names of an operation that was arranged: what
// [Builder.Full] says at its top.
func (b *Builder) Outline(op *spec.Operation) Outline {
	set := b.arguments(op)
	out := Outline{Required: set.required(), Closed: set.extra == nil}
	for _, a := range set.list {
		out.Names = append(out.Names, a.name)
	}
	return out
}

// definition is a schema that others refer to.
type definition struct {
	key  string
	text json.RawMessage
	read func() *known
}

// known is what is known of a definition once it is decoded.
type known struct {
	*node
	links    []link
	lossless [len(lossless)]func() []byte // as it is shown, by how long descriptions may be
}

func newDefinition(key string, text json.RawMessage) *definition {
	return &definition{key: key, text: text, read: sync.OnceValue(func() *known {
		k := &known{node: read(text)}
		k.links = linksOf(k.node)
		for i, length := range lossless {
			k.lossless[i] = sync.OnceValue(func() []byte {
				w := writer{view: view{depth: unlimited, text: length}, most: unlimited}
				w.schema(k.node, 0)
				return w.out
			})
		}
		return k
	})}
}

// definition finds a definition by its key.
func (b *Builder) definition(key string) *definition {
	if d := b.definitions[key]; d != nil {
		return d
	}
	return newDefinition(key, json.RawMessage("{}"))
}

// target is what a schema refers to; nil when it does not.
func (b *Builder) target(n *node) *definition {
	key, ok := keyOf(n.get("$ref"))
	if !ok {
		return nil
	}
	return b.definition(key)
}

// keyOf is the key of the definition that the value of a "$ref" names.
func keyOf(ref *node) (string, bool) {
	return strings.CutPrefix(ref.string(), "#/$defs/")
}

// link is a reference to a definition, so many levels of values deep.
type link struct {
	key   string
	level int
}

// linksOf lists the references of a schema, each at its place.
func linksOf(n *node) []link {
	var out []link
	var visit func(n *node, level int)
	visit = func(n *node, level int) {
		if key, ok := keyOf(n.get("$ref")); ok {
			out = append(out, link{key, level})
		}
		eachInside(n, func(sub *node, step int) { visit(sub, level+step) })
	}
	visit(n, 0)
	return out
}

// eachInside calls f with every schema that stands in a schema; step is 1 where
// it is about a part of the value and 0 where it is about the value itself.
func eachInside(n *node, f func(sub *node, step int)) {
	if n.kind != '{' {
		return
	}
	for _, m := range n.members {
		holds, step := holding(m.name)
		switch {
		case holds == one:
			f(m.value, step)
		case holds == many || holds == byName && m.value.kind == '{':
			for _, sub := range m.value.members {
				f(sub.value, step)
			}
		}
	}
}

// What the value of a keyword holds.
const (
	none   = iota
	one    // a schema
	many   // a list of schemas
	byName // schemas by name
)

// holding tells what a keyword of JSON Schema holds, and whether that is about a
// part of the value.
func holding(keyword string) (holds, step int) {
	switch keyword {
	case "not", "if", "then", "else":
		return one, 0
	case "additionalProperties", "propertyNames", "unevaluatedProperties", "items", "contains", "unevaluatedItems", "contentSchema":
		return one, 1
	case "allOf", "anyOf", "oneOf":
		return many, 0
	case "prefixItems":
		return many, 1
	case "dependentSchemas":
		return byName, 0
	case "properties", "patternProperties":
		return byName, 1
	}
	return none, 0
}
