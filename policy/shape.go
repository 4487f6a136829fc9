package policy

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/gateway/expression"
)

// shape is what a JSON Schema says of the names in a value. It errs on the side
// of more: a name that some part of the schema speaks of may be there.
type shape struct {
	open     bool              // an object may have members of any name
	members  map[string]*shape // of an object
	required map[string]bool   // members that are always there
	item     *shape            // of a list; nil when nothing is known of its items
}

const (
	// maxShapeDepth is how deeply nested names are checked; deeper ones may be
	// anything.
	maxShapeDepth = 6
	// maxShapeParts is how many schemas inside one schema are read, so that one
	// that refers to itself many times over comes to an end.
	maxShapeParts = 5000
)

// shapeOf reads a schema; nil is that of a tool without arguments.
func shapeOf(schema json.RawMessage) *shape {
	if schema == nil {
		return &shape{}
	}
	var root any
	if err := json.Unmarshal(schema, &root); err != nil {
		return &shape{open: true}
	}
	return shapeIn(root)
}

// shapeIn reads a schema that was decoded.
func shapeIn(root any) *shape {
	r := shapeReader{root: root}
	return r.read(root, 0)
}

type shapeReader struct {
	root  any
	parts int
}

// found is what the parts of one schema say together.
type found struct {
	shape
	kinds  []string // empty when every kind of value is let in
	closed bool
}

// read gives the shape of the values of a schema. JSON Schema lets other
// members in unless told otherwise, and yet a name that no property has is a
// slip of the pen: only a schema that names no property, or speaks of others
// itself, leaves the names open.
func (r *shapeReader) read(schema any, depth int) *shape {
	if depth > maxShapeDepth {
		return &shape{open: true}
	}
	if isLeaf(schema) && r.parts < maxShapeParts {
		r.parts++
		return &shape{}
	}
	f := found{shape: shape{members: map[string]*shape{}, required: map[string]bool{}}}
	r.collect(&f, schema, true, depth)
	s := f.shape
	if len(f.kinds) > 0 && !slices.Contains(f.kinds, "object") {
		s.open, s.members = false, nil
		return &s
	}
	s.open = s.open || len(s.members) == 0 && !f.closed
	return &s
}

// isLeaf reports whether a schema is surely one of values that hold no others, as
// most are: of one type, and without a keyword that may say more. What it says
// yes to, collect would find nothing in.
func isLeaf(schema any) bool {
	s, ok := schema.(map[string]any)
	if !ok {
		return false
	}
	switch s["type"] {
	case "string", "number", "integer", "boolean":
	default:
		return false
	}
	for keyword := range s {
		switch keyword {
		case "type", "title", "description", "default", "examples", "enum", "const", "format", "pattern",
			"minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		default:
			return false
		}
	}
	return true
}

// collect adds what a schema says. It is certain when it holds for every value.
func (r *shapeReader) collect(f *found, schema any, certain bool, depth int) {
	if r.parts++; r.parts > maxShapeParts {
		f.open = true
		return
	}
	s, ok := schema.(map[string]any)
	if !ok {
		f.closed = f.closed || schema == false
		return
	}
	f.kinds = append(f.kinds, kinds(s["type"])...)
	r.collectMembers(f, s, certain, depth)
	r.collectItems(f, s, depth)
	r.collectParts(f, s, certain, depth)
	free := s["type"] == "object" && s["properties"] == nil && s["allOf"] == nil && s["$ref"] == nil
	if free && !certain {
		f.open = true // one of several alternatives, and it takes everything
	}
}

func kinds(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, k := range v {
			if name, ok := k.(string); ok {
				out = append(out, name)
			}
		}
		return out
	}
	return nil
}

func (r *shapeReader) collectMembers(f *found, s map[string]any, certain bool, depth int) {
	properties, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		f.members[name] = merge(f.members[name], r.read(properties[name], depth+1))
		if p, ok := properties[name].(map[string]any); ok && p["default"] != nil && certain && depth == 0 {
			f.required[name] = true // the gateway fills it in
		}
	}
	if list, ok := s["required"].([]any); ok && certain {
		for _, v := range list {
			if name, ok := v.(string); ok {
				f.required[name] = true
			}
		}
	}
	for _, keyword := range []string{"additionalProperties", "unevaluatedProperties", "patternProperties"} {
		switch v, there := s[keyword]; {
		case !there:
		case v == false:
			f.closed = true
		default:
			f.open = true
		}
	}
}

func (r *shapeReader) collectItems(f *found, s map[string]any, depth int) {
	lists := []any{s["items"]}
	if list, ok := s["items"].([]any); ok {
		lists = list
	}
	if list, ok := s["prefixItems"].([]any); ok {
		lists = append(lists, list...)
	}
	for _, item := range lists {
		if item != nil {
			f.item = merge(f.item, r.read(item, depth+1))
		}
	}
}

// collectParts follows what is held against the same value.
func (r *shapeReader) collectParts(f *found, s map[string]any, certain bool, depth int) {
	if ref, ok := s["$ref"].(string); ok {
		r.collect(f, r.resolve(ref), certain, depth)
	}
	if s["$dynamicRef"] != nil || s["$recursiveRef"] != nil {
		f.open = true
	}
	all, _ := s["allOf"].([]any)
	for _, part := range all {
		r.collect(f, part, certain, depth)
	}
	var maybe []any
	for _, keyword := range []string{"anyOf", "oneOf"} {
		list, _ := s[keyword].([]any)
		maybe = append(maybe, list...)
	}
	for _, keyword := range []string{"if", "then", "else"} {
		if s[keyword] != nil {
			maybe = append(maybe, s[keyword])
		}
	}
	for _, keyword := range []string{"dependentSchemas", "dependencies"} {
		parts, _ := s[keyword].(map[string]any)
		maybe = slices.AppendSeq(maybe, maps.Values(parts))
	}
	for _, part := range maybe {
		r.collect(f, part, false, depth)
	}
}

// resolve finds what a reference names; one that leads elsewhere lets
// everything in.
func (r *shapeReader) resolve(ref string) any {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || pointer != "" && pointer[0] != '/' {
		return map[string]any{"additionalProperties": true}
	}
	at := r.root
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch v := at.(type) {
		case map[string]any:
			at = v[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return true
			}
			at = v[i]
		}
	}
	return at
}

// merge is the shape of a value that has one shape or the other; nil is none.
func merge(a, b *shape) *shape {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.isEmpty() && b.isEmpty(), a.isAnything() && b.isAnything():
		return a
	}
	out := &shape{open: a.open, members: maps.Clone(a.members), item: a.item}
	out.add(b)
	return out
}

// isEmpty reports whether a value of the shape holds no others.
func (s *shape) isEmpty() bool {
	return !s.open && len(s.members) == 0 && len(s.required) == 0 && s.item == nil
}

// isAnything reports whether nothing is known of a value of the shape.
func (s *shape) isAnything() bool {
	return s.open && len(s.members) == 0 && len(s.required) == 0 && s.item == nil
}

// add makes a shape that nothing else refers to that of a value which has it or
// the other one.
func (s *shape) add(other *shape) {
	s.open, s.item = s.open || other.open, merge(s.item, other.item)
	if s.members == nil {
		s.members = make(map[string]*shape, len(other.members))
	}
	for name, m := range other.members {
		s.members[name] = merge(s.members[name], m)
	}
}

// typ is the shape as expressions are checked against it.
func (s *shape) typ() expression.Type {
	var fields map[string]expression.Type
	if !s.open {
		fields = make(map[string]expression.Type, len(s.members))
		for name, m := range s.members {
			fields[name] = m.typ()
		}
	}
	if s.item == nil || len(s.members) > 0 { // a[i] could be a member as well as an item
		return expression.Shape(fields, nil)
	}
	item := s.item.typ()
	return expression.Shape(fields, &item)
}

// optional reports whether a path may lead to nothing.
func (s *shape) optional(path []string) bool {
	for _, name := range path {
		next := s.members[name]
		if next == nil || !s.required[name] {
			return true
		}
		s = next
	}
	return false
}
