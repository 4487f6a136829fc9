package argument

import (
	"slices"

	"github.com/toolgate/toolgate/openapi/spec"
)

// flatObject is a body that is described by its properties alone.
type flatObject struct {
	properties []property
	required   []string
	extra      *node // what other properties must be; nil when there can be none
}

type property struct {
	name   string
	schema *node
}

// flat reads a body whose properties can be arguments of their own; nil for one
// that has to be an argument as a whole.
func (b *Builder) flat(body *spec.Body) *flatObject {
	switch body.Kind {
	case spec.BodyJSON, spec.BodyForm, spec.BodyMultipart:
	default:
		return nil
	}
	f := flattener{builder: b}
	if !f.add(read(body.Schema)) {
		return nil
	}
	return f.object()
}

// flattener puts together what a schema, what it refers to and the parts of
// "allOf" say of an object.
type flattener struct {
	builder *Builder
	open    []string // keys of definitions that are being added
	order   []string
	schemas map[string][]*node
	need    []string
	needed  map[string]bool // those of need
	extras  []*node         // what each part says of other properties
	parts   int             // those that speak of properties
	steps   int             // schemas that were added
	typed   bool            // one says that it is an object
}

// maxParts is how many schemas a flat object may be put together of. Definitions
// that each name the next one twice would be exponentially many.
const maxParts = 200

// add takes a schema in; false when it says more than that an object has
// properties.
func (f *flattener) add(n *node) bool {
	if f.steps++; n.kind != '{' || f.steps > maxParts {
		return n.kind == 't' && f.steps <= maxParts // true says nothing
	}
	if n.get("properties") != nil || n.get("additionalProperties") != nil {
		f.parts++
	}
	for _, m := range n.members {
		if !f.keyword(m.name, m.value) {
			return false
		}
	}
	return true
}

func (f *flattener) keyword(name string, v *node) bool {
	switch name {
	case "title", "description", "default", "deprecated", "examples", "$comment", "format":
		return true
	case "type":
		f.typed = true
		return slices.Equal(v.strings(), []string{"object"})
	case "properties":
		return f.properties(v)
	case "required":
		for _, name := range v.strings() {
			if !f.needed[name] {
				if f.needed == nil {
					f.needed = map[string]bool{}
				}
				f.needed[name] = true
				f.need = append(f.need, name)
			}
		}
		return v.kind == '['
	case "additionalProperties":
		f.extras = append(f.extras, v)
		return true
	case "$ref":
		return f.reference(v)
	case "allOf":
		return v.kind == '[' && !slices.ContainsFunc(v.members, func(m member) bool { return !f.add(m.value) })
	}
	return false
}

func (f *flattener) properties(v *node) bool {
	if f.schemas == nil {
		f.schemas = map[string][]*node{}
	}
	for _, m := range v.members {
		if f.schemas[m.name] == nil {
			f.order = append(f.order, m.name)
		}
		f.schemas[m.name] = append(f.schemas[m.name], m.value)
	}
	return v.kind == '{'
}

func (f *flattener) reference(ref *node) bool {
	key, ok := keyOf(ref)
	if !ok || slices.Contains(f.open, key) {
		return false
	}
	f.open = append(f.open, key)
	ok = f.add(f.builder.definition(key).read().node)
	f.open = f.open[:len(f.open)-1]
	return ok
}

// object is what was put together; nil where that is no flat object. What one
// part says of other properties is about those of the other parts too, so then
// there must be one part only, or nothing said.
func (f *flattener) object() *flatObject {
	o := &flatObject{required: f.need}
	for _, extra := range f.extras {
		if !anything(extra) && f.parts > 1 {
			return nil
		}
		if extra.kind != 'f' {
			o.extra = extra
		}
	}
	if len(f.order) == 0 && !f.holdsNothing() {
		return nil
	}
	for _, name := range f.order {
		schema := f.schemas[name][0]
		if same := f.schemas[name]; len(same) > 1 {
			schema = object(member{"allOf", list(same...)})
		}
		o.properties = append(o.properties, property{name, schema})
	}
	return f.withUndeclared(o)
}

// holdsNothing reports whether the object can have no member at all. Such a body
// has no arguments: the bodies of Stripe's GET operations are of this kind.
func (f *flattener) holdsNothing() bool {
	return f.typed && len(f.need) == 0 && slices.ContainsFunc(f.extras, func(extra *node) bool { return extra.kind == 'f' })
}

// withUndeclared adds the properties that are required and nowhere described; nil
// where the schema refuses what it requires.
func (f *flattener) withUndeclared(o *flatObject) *flatObject {
	for _, name := range f.need {
		if f.schemas[name] != nil {
			continue
		}
		schema := object()
		if len(f.extras) > 0 {
			schema = f.extras[0]
		}
		if schema.kind == 'f' {
			return nil
		}
		o.properties = append(o.properties, property{name, schema})
	}
	return o
}

// anything reports whether every value is valid under a schema.
func anything(n *node) bool { return n.kind == 't' || n.kind == '{' && len(n.members) == 0 }
