package schema

import (
	js "github.com/santhosh-tekuri/jsonschema/v6"
)

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
	for re, sub := range s.PatternProperties {
		if re.MatchString(name) {
			out = append(out, sub)
		}
	}
	if extra, ok := s.AdditionalProperties.(*js.Schema); ok && len(out) == 0 {
		out = append(out, extra)
	}
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
