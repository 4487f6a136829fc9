package schema

import (
	"maps"
	"slices"

	"github.com/toolgate/toolgate/gateway/diag"
)

// DefaultMistake finds the first default of a top-level property that the
// property does not accept, not even after [Schema.Cast]: every call that leaves
// the argument out would fail. It is nil when there is none. A default of null is
// none.
func (s *Schema) DefaultMistake() *Mistake {
	if len(s.defaulted) == 0 {
		return nil
	}
	properties := members(members(s.body().doc)["properties"])
	for _, name := range s.defaulted {
		value := members(properties[name])["default"]
		if why := s.refuses(name, value); why != "" {
			return &Mistake{
				Path: []string{"properties", name, "default"},
				Text: "the property does not accept its own default: " + why,
				Hint: "every call without " + name + " would fail",
			}
		}
	}
	return nil
}

// refuses says why a top-level property does not accept a value; empty when it
// does, or when nobody can tell.
func (s *Schema) refuses(name string, value any) string {
	args := s.Cast(map[string]any{name: value})
	problems, err := s.check(args)
	if err != nil {
		return ""
	}
	sortProblems(problems)
	for _, p := range problems {
		if len(p.at) > 0 && p.at[0] == name {
			return p.worded().text
		}
	}
	return ""
}

// defaulted are the top-level properties with a default that is not surely
// accepted, sorted.
func defaulted(doc any) []string {
	properties, _ := members(doc)["properties"].(map[string]any)
	var names []string
	for name, property := range properties {
		object, _ := property.(map[string]any)
		value := object["default"]
		if value == nil {
			continue
		}
		if p := newSimple(property); !p.fits(value) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Misspelt are the members of the schema, at any depth, that are no keyword of
// JSON Schema and look like a slip of the pen: those a keyword is close to.
// JSON Schema itself ignores what it does not know.
func (s *Schema) Misspelt() []*Mistake { return s.misspelt }

// misspelt walks a decoded schema. What stands in place of a schema and is none
// is reported elsewhere.
func misspelt(at location, doc any) []*Mistake {
	object, _ := doc.(map[string]any)
	var found []*Mistake
	for _, key := range slices.Sorted(maps.Keys(object)) {
		switch holderOf(key) {
		case holdsSchema:
			found = append(found, misspelt(at.with(key), object[key])...)
		case holdsList:
			list, _ := object[key].([]any)
			for i, item := range list {
				found = append(found, misspelt(at.with(key).with(i), item)...)
			}
		case holdsNamed:
			named := members(object[key])
			for _, name := range slices.Sorted(maps.Keys(named)) {
				found = append(found, misspelt(at.with(key).with(name), named[name])...)
			}
		case holdsNothing:
			if near := nearKeyword(key); near != "" {
				found = append(found, &Mistake{Path: at.with(key).keys(), Text: "is no keyword of JSON Schema", Hint: near})
			}
		}
	}
	return found
}

func nearKeyword(key string) string {
	if slices.Contains(keywords(), key) {
		return ""
	}
	return diag.DidYouMean(key, keywords())
}

// holder says what kind of value a keyword has.
type holder int

const (
	holdsNothing holder = iota // no schema
	holdsSchema
	holdsList  // of schemas
	holdsNamed // schemas by name
)

func holderOf(key string) holder {
	switch key {
	case "additionalProperties", "propertyNames", "unevaluatedProperties", "not", "if", "then", "else",
		"items", "contains", "additionalItems", "unevaluatedItems", "contentSchema":
		return holdsSchema
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return holdsList
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		return holdsNamed
	}
	return holdsNothing
}

// keywords are those of JSON Schema draft 2020-12 and of the drafts before it,
// and of OpenAPI's dialect.
func keywords() []string {
	return []string{
		"$anchor", "$comment", "$defs", "$dynamicAnchor", "$dynamicRef", "$id", "$ref", "$schema", "$vocabulary",
		"additionalItems", "additionalProperties", "allOf", "anyOf", "const", "contains", "contentEncoding", "contentMediaType",
		"contentSchema", "default", "definitions", "dependencies", "dependentRequired", "dependentSchemas", "deprecated", "description",
		"discriminator", "else", "enum", "example", "examples", "exclusiveMaximum", "exclusiveMinimum", "externalDocs", "format", "id", "if",
		"items", "maxContains", "maxItems", "maxLength", "maxProperties", "maximum", "minContains", "minItems", "minLength",
		"minProperties", "minimum", "multipleOf", "not", "nullable", "oneOf", "pattern", "patternProperties", "prefixItems",
		"properties", "propertyNames", "readOnly", "required", "then", "title", "type", "unevaluatedItems", "unevaluatedProperties",
		"uniqueItems", "writeOnly", "xml",
	}
}
