package discovery

import (
	"encoding/json"
	"maps"
	"slices"
)

const (
	maxDepth = 6         // of schemas in each other that are read
	maxEnum  = 50        // values of an enumeration that are read
	maxText  = 16 << 10  // bytes of a field of a document that are read
	maxSize  = 256 << 10 // bytes of the longest schema that is read
)

// parameters are the texts of a schema.
type parameters struct {
	names []string
	texts []string // descriptions and enumerations
	left  int      // bytes of them that may still be read
	depth int      // the deepest to read
}

// readParameters takes from a schema the names of properties and what is said of them,
// in the order of names. A schema that is broken has none.
func readParameters(schema json.RawMessage, depth int) parameters {
	p := parameters{left: maxText, depth: depth}
	var root any
	if len(schema) <= maxSize && json.Unmarshal(schema, &root) == nil {
		p.read(root, 0)
	}
	return p
}

func (p *parameters) read(schema any, depth int) {
	s, ok := schema.(map[string]any)
	if !ok || depth >= p.depth {
		return
	}
	properties, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		p.names = p.take(p.names, name)
		p.describe(properties[name])
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		p.read(properties[name], depth+1)
	}
	for _, key := range []string{"items", "additionalProperties"} {
		p.below(s[key], depth)
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		branches, _ := s[key].([]any)
		for _, b := range branches {
			p.below(b, depth)
		}
	}
	for _, key := range []string{"$defs", "definitions"} {
		named, _ := s[key].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(named)) {
			p.below(named[name], depth)
		}
	}
}

// below reads a schema that is not a property's.
func (p *parameters) below(schema any, depth int) {
	if depth+1 < p.depth {
		p.describe(schema)
		p.read(schema, depth+1)
	}
}

// describe reads what is said of a property.
func (p *parameters) describe(schema any) {
	s, _ := schema.(map[string]any)
	for _, key := range []string{"title", "description"} {
		if text, ok := s[key].(string); ok && (key != "title" || s["description"] == nil) {
			p.texts = p.take(p.texts, text)
		}
	}
	values, _ := s["enum"].([]any)
	for _, v := range values[:min(len(values), maxEnum)] {
		if text, ok := v.(string); ok {
			p.texts = p.take(p.texts, text)
		}
	}
}

func (p *parameters) take(list []string, text string) []string {
	text = cut(text, p.left)
	p.left -= len(text)
	if text == "" {
		return list
	}
	return append(list, text)
}
