package config

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// jsonSchema is the part of JSON Schema 2020-12 that describes the file, in
// the order in which it is written.
type jsonSchema struct {
	Dialect     string                 `json:"$schema,omitempty"`
	Title       string                 `json:"title,omitempty"`
	Description string                 `json:"description,omitempty"`
	Type        any                    `json:"type,omitempty"` // one name, or a list of names
	Const       any                    `json:"const,omitempty"`
	Enum        []any                  `json:"enum,omitempty"`
	Default     any                    `json:"default,omitempty"`
	Minimum     int                    `json:"minimum,omitempty"`
	Pattern     string                 `json:"pattern,omitempty"`
	Items       *jsonSchema            `json:"items,omitempty"`
	MinItems    int                    `json:"minItems,omitempty"`
	Properties  map[string]*jsonSchema `json:"properties,omitempty"`
	Required    []string               `json:"required,omitempty"`
	Names       *jsonSchema            `json:"propertyNames,omitempty"`
	Additional  any                    `json:"additionalProperties,omitempty"` // false, or a schema
	Not         *jsonSchema            `json:"not,omitempty"`
	AllOf       []*jsonSchema          `json:"allOf,omitempty"`
	AnyOf       []*jsonSchema          `json:"anyOf,omitempty"`
	OneOf       []*jsonSchema          `json:"oneOf,omitempty"`
	If          *jsonSchema            `json:"if,omitempty"`
	Then        *jsonSchema            `json:"then,omitempty"`
	Else        *jsonSchema            `json:"else,omitempty"`
	Ref         string                 `json:"$ref,omitempty"`
	Defs        map[string]*jsonSchema `json:"$defs,omitempty"`
}

// dialect is the version of JSON Schema that [Schema] writes.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// Patterns of texts that have to be readable in some way. They let in all that
// the reader lets in, and some more: what a value means is the reader's to
// say.
const (
	someDigit       = `[1-9]` // what is more than zero has one
	someText        = `\S`
	decimal         = `([0-9]+(\.[0-9]*)?|\.[0-9]+)`
	durationUnits   = `(` + decimal + `(ns|us|µs|μs|ms|s|m|h))+` // both signs for micro, as Go has it
	durationPattern = `^(\+?` + durationUnits + `|[0-9]+d([-+]?(0|` + durationUnits + `))?)$`
	sizePattern     = `^\s*\+?[0-9]+\s*(B|KB|MB|GB|KiB|MiB|GiB)?$`
	prefixPattern   = `^[0-9a-fA-F:.]+/[0-9]{1,3}$`
	storePattern    = `^` + StorePrefix + `[\s\S]`
)

// The two schemas of a file: one that stands alone, and one that is a layer
// over others. What a layer leaves out can stand in those below it, and null
// removes what stands there.
const (
	defWhole = "whole"
	defLayer = "layer"
)

// Schema returns the JSON Schema (draft 2020-12) of the configuration file,
// indented and with a description of every key, for editors. It is read from
// the same types and notes as the strict check and accepts every file that
// [Load] takes without an error; what concerns more than the form of values,
// such as what an expression means, it cannot tell. A file that includes others
// is held to less, because they may hold the rest.
func Schema() ([]byte, error) {
	shape := shapeOf(reflect.TypeFor[Config](), nil)
	root := &jsonSchema{
		Dialect: dialect, Title: "tools.yaml of Toolgate", Description: descriptions[""],
		If:   &jsonSchema{Type: "object", Required: []string{includeKey}},
		Then: &jsonSchema{Ref: "#/$defs/" + defLayer},
		Else: &jsonSchema{Ref: "#/$defs/" + defWhole},
		Defs: map[string]*jsonSchema{
			defWhole: schemaWriter{}.place(shape, nil),
			defLayer: schemaWriter{layer: true}.place(shape, nil),
		},
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// Sections returns the keys that may stand at the top of the file, sorted.
func Sections() []string { return shapeOf(reflect.TypeFor[Config](), nil).keys }

// schemaWriter turns shapes into JSON Schema.
type schemaWriter struct {
	layer bool // for a file that is a layer over others
}

// place describes what may be written at one place; the pattern is its path,
// as notes have it.
func (w schemaWriter) place(s *shape, pattern []string) *jsonSchema {
	var out *jsonSchema
	switch s.form {
	case formObject:
		out = w.object(s, pattern)
		if s.alone != "" {
			out = &jsonSchema{AnyOf: []*jsonSchema{scalarSchema(s.fields[s.alone]), out}}
		}
	case formDict:
		out = &jsonSchema{Type: "object", Additional: w.member(s.elem, further(pattern, "*"))}
	case formList:
		out = &jsonSchema{Type: "array", Items: w.place(s.elem, further(pattern, "*"))}
		if s.note.filled {
			out.MinItems = 1
		}
	default:
		out = scalarSchema(s)
	}
	place := strings.Join(pattern, ".")
	out.Description = descriptions[place]
	if refine := refinements[place]; refine != nil {
		refine(out)
	}
	if slices.Contains(namedLists, strings.TrimSuffix(place, ".*")) && s.form == formObject {
		placeItems(out)
	}
	if demand := demands[place]; demand != nil && !w.layer {
		demand(out)
	}
	return out
}

// member describes the value of a key.
func (w schemaWriter) member(s *shape, pattern []string) *jsonSchema {
	out := w.place(s, pattern)
	if w.layer {
		out.letNull()
	}
	return out
}

// letNull lets null stand beside what the schema takes.
func (s *jsonSchema) letNull() {
	const null = "null"
	switch names := s.Type.(type) {
	case string:
		s.Type = []string{names, null}
	case []string:
		s.Type = append(slices.Clip(names), null)
	}
	if s.Enum != nil {
		s.Enum = append(slices.Clip(s.Enum), nil)
	}
	if s.AnyOf != nil {
		s.AnyOf = append(slices.Clip(s.AnyOf), &jsonSchema{Type: null})
	}
	s.Not = nil
}

func (w schemaWriter) object(s *shape, pattern []string) *jsonSchema {
	out := &jsonSchema{Type: "object", Properties: map[string]*jsonSchema{}, Additional: false}
	for _, key := range s.keys {
		field := s.fields[key]
		out.Properties[key] = w.member(field, further(pattern, key))
		if field.note.required != "" && s.fields[field.note.unless] == nil && !w.layer {
			out.Required = append(out.Required, key)
		}
	}
	return out
}

// scalarSchema describes a value that has no parts that the file's format
// knows.
func scalarSchema(s *shape) *jsonSchema {
	switch s.form {
	case formBool:
		return &jsonSchema{Type: "boolean"}
	case formInt:
		return &jsonSchema{Type: "integer"}
	case formDuration:
		if s.note.none {
			return &jsonSchema{Type: "string", Pattern: durationPattern}
		}
		return &jsonSchema{Type: "string", Pattern: durationPattern, AllOf: []*jsonSchema{{Pattern: someDigit}}}
	case formSize:
		return &jsonSchema{AnyOf: []*jsonSchema{
			{Type: "integer", Minimum: 1},
			{Type: "string", Pattern: sizePattern, AllOf: []*jsonSchema{{Pattern: someDigit}}},
		}}
	case formPrefix:
		return &jsonSchema{Type: "string", Pattern: prefixPattern}
	case formTexts:
		one := []string{"string", "number", "boolean"}
		several := &jsonSchema{Type: "array", Items: &jsonSchema{Type: one}}
		if s.note.filled {
			several.MinItems = 1
		}
		return &jsonSchema{AnyOf: []*jsonSchema{{Type: one}, several}}
	case formJSON:
		return &jsonSchema{Not: &jsonSchema{Type: "null"}}
	}
	return textSchema(&s.note)
}

func textSchema(n *note) *jsonSchema {
	out := &jsonSchema{Type: "string"}
	for _, word := range n.oneOf {
		out.Enum = append(out.Enum, word)
	}
	if n.filled {
		out.Pattern = someText
	}
	if n.literal != "" {
		out.Not = &jsonSchema{Pattern: `\$\{`}
	}
	if n.path {
		out.Not = &jsonSchema{Pattern: `\$\{|^-----BEGIN|\n`}
	}
	return out
}
