package schema

import (
	js "github.com/santhosh-tekuri/jsonschema/v6"
)

// Defaults returns args with the defaults of absent properties filled in: of
// top-level properties and of those in objects and lists that are present,
// also behind "$ref" and "allOf", never from the alternatives of a union. A
// default is taken as it is declared, but a null that its own property does
// not accept is left out: it says that there is no default. Args is not
// changed. Of a schema of [Later] no default is filled in: those are somebody
// else's, who fills them in too. What [Schema.Filling] says is.
func (s *Schema) Defaults(args map[string]any) map[string]any {
	if s.later != nil {
		return s.filled(args)
	}
	if out, ok := s.body().quick.fill(args); ok {
		return out
	}
	out := args
	err := s.body().pool.use(func(p *program) error {
		f := filler{program: p}
		filled, _ := f.fill(args, p.root).(map[string]any)
		out = filled
		return nil
	})
	if err != nil {
		out = args
	}
	return members(clone(out))
}

func members(v any) map[string]any {
	m, _ := v.(map[string]any)
	if m == nil {
		m = map[string]any{}
	}
	return m
}

// filler fills defaults into one value.
type filler struct {
	*program
	depth int
}

func (f *filler) fill(v any, s *js.Schema) any {
	f.budget.step()
	if f.depth++; f.depth > maxWalkDepth {
		panic(exhausted{})
	}
	defer func() { f.depth-- }()
	switch value := v.(type) {
	case map[string]any:
		v = f.object(value, s)
	case []any:
		v = eachItem(value, s, f.fill)
	default:
		return v
	}
	if s.Ref != nil {
		v = f.fill(v, s.Ref)
	}
	for _, part := range s.AllOf {
		v = f.fill(v, part)
	}
	return v
}

func (f *filler) object(obj map[string]any, s *js.Schema) any {
	out := eachMember(obj, s, f.fill)
	for name, sub := range s.Properties {
		if _, present := obj[name]; present {
			continue
		}
		if value, ok := f.declared(sub); ok {
			out[name] = value
		}
	}
	return out
}

// declared is the default of a property's schema, or of what it refers to.
func (f *filler) declared(s *js.Schema) (any, bool) {
	var found *any
	eachPart(s, func(part *js.Schema) {
		if found == nil {
			found = part.Default
		}
	})
	if found == nil || *found == nil && !f.fits(s, nil) {
		return nil, false
	}
	return *found, true
}

// clone copies maps and lists, so that nobody changes the schema's own.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, item := range v {
			out[k] = clone(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = clone(item)
		}
		return out
	}
	return v
}
