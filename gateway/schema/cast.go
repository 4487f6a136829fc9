package schema

import (
	"encoding/json"
	"slices"
	"strings"

	js "github.com/santhosh-tekuri/jsonschema/v6"
)

// Cast returns args with values converted to the type the schema asks for
// where nothing is invented: a text that is a number, or one of true, yes, 1,
// false, no, 0 in any case, becomes what it says; a number or a truth value
// becomes text, digit for digit. A value that already has one of the types
// asked for stays, and so do arguments that are valid as they are; of several
// types the first declared that works is taken. A number that has to be an
// integer is written as one, 5.0 and 5e0 as 5, so that a tool reads in it
// what a rule compared, however the tool reads numbers. What cannot be converted
// stays for Validate to name. Args is not changed, and is what is returned where
// nothing in it had to change.
func (s *Schema) Cast(args map[string]any) map[string]any {
	if s.body().quick.fits(args) {
		return args
	}
	out := args
	err := s.body().pool.use(func(p *program) error {
		if numberFaults(args) != nil {
			return nil
		}
		valid := p.fits(p.root, args)
		if valid && !respellable(args) {
			return nil
		}
		c := caster{program: p, doc: s.body().doc, spellOnly: valid}
		out = members(c.cast(args, p.root))
		return nil
	})
	if err != nil {
		out = args
	}
	return members(clone(out))
}

// caster converts one value.
type caster struct {
	*program
	doc       any
	depth     int
	spellOnly bool // the arguments are valid, and only integers are written anew
}

func (c *caster) cast(v any, s *js.Schema) any {
	c.budget.step()
	if c.depth++; c.depth > maxWalkDepth {
		panic(exhausted{})
	}
	defer func() { c.depth-- }()
	if s.Ref != nil {
		v = c.cast(v, s.Ref)
	}
	switch value := v.(type) {
	case map[string]any:
		v = c.object(value, s)
	case []any:
		v = eachItem(value, s, c.cast)
	default:
		v = c.scalar(v, s)
	}
	for _, part := range s.AllOf {
		v = c.cast(v, part)
	}
	return c.conditional(c.union(c.union(v, s.AnyOf), s.OneOf), s)
}

func (c *caster) object(obj map[string]any, s *js.Schema) any {
	var out any = eachMember(obj, s, c.cast)
	for name, sub := range s.DependentSchemas {
		if _, present := obj[name]; present {
			out = c.cast(out, sub)
		}
	}
	return out
}

// union converts v to the first branch that accepts the outcome. When none
// does, the only branch of v's own type still helps: its other faults are then
// all that is left to say.
func (c *caster) union(v any, branches []*js.Schema) any {
	for _, b := range branches {
		if !c.fits(b, v) {
			continue
		}
		if respellable(v) {
			return c.spell(v, b)
		}
		return v
	}
	if c.spellOnly {
		return v
	}
	var likely []any
	for _, b := range branches {
		out := c.cast(v, b)
		if c.fits(b, out) {
			return out
		}
		if c.allows(b, v) {
			likely = append(likely, out)
		}
	}
	if len(likely) == 1 {
		return likely[0]
	}
	return v
}

// spell casts a value that is valid under s.
func (c *caster) spell(v any, s *js.Schema) any {
	before := c.spellOnly
	c.spellOnly = true
	defer func() { c.spellOnly = before }()
	return c.cast(v, s)
}

// allows reports whether no part of s refuses the type of v.
func (c *caster) allows(s *js.Schema, v any) bool {
	ok := true
	eachPart(s, func(part *js.Schema) {
		ok = ok && !never(part) && (part.Types == nil || hasType(v, part.Types.ToStrings()))
	})
	return ok
}

func (c *caster) conditional(v any, s *js.Schema) any {
	switch {
	case s.If == nil:
	case c.fits(s.If, v):
		if s.Then != nil {
			return c.cast(v, s.Then)
		}
	case s.Else != nil:
		return c.cast(v, s.Else)
	}
	return v
}

func (c *caster) scalar(v any, s *js.Schema) any {
	if s.Types == nil {
		return v
	}
	types := s.Types.ToStrings()
	if hasType(v, types) {
		return asInteger(v, types)
	}
	if c.spellOnly {
		return v
	}
	for _, t := range c.declaredTypes(s) {
		if out, ok := convert(v, t); ok {
			return asInteger(out, types)
		}
	}
	return v
}

// asInteger writes a number anew where the types make it an integer.
func asInteger(v any, types []string) any {
	n, ok := v.(json.Number)
	if !ok || !integersOnly(types) {
		return v
	}
	n, _ = respelled(n)
	return n
}

// integersOnly reports whether a number of these types must be whole.
func integersOnly(types []string) bool {
	return slices.Contains(types, "integer") && !slices.Contains(types, "number")
}

// declaredTypes lists the types of s in the order of the document, which the
// compiled schema does not keep.
func (c *caster) declaredTypes(s *js.Schema) []string {
	list, ok := keyword(c.doc, s.Location, "type").([]any)
	if !ok {
		return s.Types.ToStrings()
	}
	var out []string
	for _, t := range list {
		if name, ok := t.(string); ok {
			out = append(out, name)
		}
	}
	return out
}

// hasType reports whether v is of one of the JSON types.
func hasType(v any, types []string) bool {
	for _, t := range types {
		if t == typeName(v) {
			return true
		}
		if n, ok := v.(json.Number); ok && (t == "number" || t == "integer" && integral(n)) {
			return true
		}
	}
	return false
}

// convert gives v as another JSON type where it says the same.
func convert(v any, want string) (any, bool) {
	switch v := v.(type) {
	case string:
		return convertText(v, want)
	case json.Number:
		return v.String(), want == "string"
	case bool:
		if v {
			return "true", want == "string"
		}
		return "false", want == "string"
	}
	return nil, false
}

func convertText(text, want string) (any, bool) {
	switch want {
	case "number":
		return readNumber(text)
	case "integer":
		n, ok := readNumber(text)
		return n, ok && integral(n)
	case "boolean":
		switch strings.ToLower(text) {
		case "true", "1", "yes":
			return true, true
		case "false", "0", "no":
			return false, true
		}
	}
	return nil, false
}
