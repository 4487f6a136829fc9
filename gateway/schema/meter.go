package schema

import (
	"encoding/json"
	"errors"

	js "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// meter makes s count against the budget, and puts checks of our own in the
// place of those that the validator does badly.
func meter(s *js.Schema, b *budget) {
	s.Extensions = append(s.Extensions, charge{b, 1 + len(s.AllOf) + len(s.AnyOf) + len(s.OneOf)})
	if s.Types != nil && integersOnly(s.Types.ToStrings()) {
		s.Extensions = append(s.Extensions, integerCheck{})
	}
	if s.PropertyNames != nil {
		s.Extensions = append(s.Extensions, nameCheck{s.PropertyNames})
		s.PropertyNames = nil
	}
	if check, ok := enumOf(s); ok {
		s.Extensions = append(s.Extensions, check)
		s.Enum = nil
	}
}

// enumCheck does the work of an enum of texts. The validator's own compares
// with every value in turn, which is slow for a long list of items.
type enumCheck struct {
	values map[string]bool
	want   []any
}

// enumOf makes the check of an enum that holds nothing but texts.
func enumOf(s *js.Schema) (enumCheck, bool) {
	if s.Enum == nil {
		return enumCheck{}, false
	}
	c := enumCheck{values: map[string]bool{}, want: s.Enum.Values}
	for _, v := range c.want {
		text, ok := v.(string)
		if !ok {
			return enumCheck{}, false
		}
		c.values[text] = true
	}
	return c, true
}

// Validate checks one value; it makes enumCheck a js.SchemaExt.
func (c enumCheck) Validate(ctx *js.ValidatorContext, v any) {
	if text, ok := v.(string); !ok || !c.values[text] {
		ctx.AddError(&kind.Enum{Got: v, Want: c.want})
	}
}

// integerCheck refuses integers that are too long to be written out.
type integerCheck struct{}

// Validate checks one value; it makes integerCheck a js.SchemaExt.
func (integerCheck) Validate(ctx *js.ValidatorContext, v any) {
	if n, ok := v.(json.Number); ok && tooLongInteger(n) {
		ctx.AddError(&kind.Type{Got: "number", Want: []string{"integer"}})
	}
}

// nameCheck does the work of the keyword propertyNames. The validator's own
// does not copy the path it reports, so that later steps overwrite it.
type nameCheck struct{ names *js.Schema }

// Validate checks the names of an object; it makes nameCheck a js.SchemaExt.
func (c nameCheck) Validate(ctx *js.ValidatorContext, v any) {
	obj, _ := v.(map[string]any)
	for name := range obj {
		if bad, ok := errors.AsType[*js.ValidationError](c.names.Validate(name)); ok {
			ctx.AddErrors(bad.Causes, &kind.PropertyNames{Property: name})
		}
	}
}

// children lists the subschemas and references of s; some may be nil.
func children(s *js.Schema) []*js.Schema {
	out := []*js.Schema{
		s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.PropertyNames, s.UnevaluatedProperties,
		s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema,
	}
	if s.DynamicRef != nil {
		out = append(out, s.DynamicRef.Ref)
	}
	for _, list := range [][]*js.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems} {
		out = append(out, list...)
	}
	for _, v := range []any{s.AdditionalProperties, s.AdditionalItems, s.Items} {
		switch v := v.(type) {
		case *js.Schema:
			out = append(out, v)
		case []*js.Schema:
			out = append(out, v...)
		}
	}
	return append(out, named(s)...)
}

func named(s *js.Schema) []*js.Schema {
	var out []*js.Schema
	for _, sub := range s.Properties {
		out = append(out, sub)
	}
	for _, sub := range s.PatternProperties {
		out = append(out, sub)
	}
	for _, sub := range s.DependentSchemas {
		out = append(out, sub)
	}
	for _, dep := range s.Dependencies {
		if sub, ok := dep.(*js.Schema); ok {
			out = append(out, sub)
		}
	}
	return out
}
