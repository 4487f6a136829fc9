package schema

import (
	"slices"
	"strings"

	js "github.com/santhosh-tekuri/jsonschema/v6"
)

// sameValue lists the subschemas and references that s holds the same value
// against.
func sameValue(s *js.Schema) []*js.Schema {
	out := []*js.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else}
	if s.DynamicRef != nil {
		out = append(out, s.DynamicRef.Ref)
	}
	for _, list := range [][]*js.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		out = append(out, list...)
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

// visit returns what becomes of a value under a schema.
type visit func(v any, s *js.Schema) any

// eachMember returns a new object with every member visited under the schemas
// that apply to it: its property, the patterns it matches, else
// additionalProperties.
func eachMember(obj map[string]any, s *js.Schema, f visit) map[string]any {
	out := make(map[string]any, len(obj))
	for name, v := range obj {
		for _, sub := range memberSchemas(s, name) {
			v = f(v, sub)
		}
		out[name] = v
	}
	return out
}

func memberSchemas(s *js.Schema, name string) []*js.Schema {
	var out []*js.Schema
	if sub := s.Properties[name]; sub != nil {
		out = append(out, sub)
	}
	for _, re := range matching(s, name) {
		out = append(out, s.PatternProperties[re])
	}
	if extra, ok := s.AdditionalProperties.(*js.Schema); ok && len(out) == 0 {
		out = append(out, extra)
	}
	return out
}

// matching lists the patterns that a name matches, in the order of their text,
// so that the outcome does not hang on the order of a map.
func matching(s *js.Schema, name string) []js.Regexp {
	var out []js.Regexp
	for re := range s.PatternProperties {
		if re.MatchString(name) {
			out = append(out, re)
		}
	}
	slices.SortFunc(out, func(a, b js.Regexp) int { return strings.Compare(a.String(), b.String()) })
	return out
}

// eachItem returns a new list with every item visited under its schema.
func eachItem(list []any, s *js.Schema, f visit) []any {
	out := make([]any, len(list))
	for i, v := range list {
		if sub := itemSchema(s, i); sub != nil {
			v = f(v, sub)
		}
		out[i] = v
	}
	return out
}

// itemSchema is the schema of the item at an index, in the words of any draft.
func itemSchema(s *js.Schema, i int) *js.Schema {
	if i < len(s.PrefixItems) {
		return s.PrefixItems[i]
	}
	switch items := s.Items.(type) {
	case *js.Schema:
		return items
	case []*js.Schema:
		if i < len(items) {
			return items[i]
		}
		extra, _ := s.AdditionalItems.(*js.Schema)
		return extra
	}
	return s.Items2020
}
