// Package schema checks the arguments of a call against a tool's JSON Schema
// and words what is wrong for a model.
//
// Arguments go through it in this order: Normalise reads what was sent,
// Defaults fills in what was left out, Cast repairs texts that stand for other
// types, Validate says everything that is still wrong.
package schema

import (
	"encoding/json"
	"slices"

	js "github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is a compiled argument schema; safe for concurrent use.
type Schema struct {
	doc     any // the decoded schema; never changed
	pool    *pool
	quick   *quick
	names   []string // top-level properties in declared order
	closed  bool
	example []string // a few of names, the required ones first
}

// Compile compiles an object schema of JSON Schema draft 2020-12, or of the
// older draft that its "$schema" names (4, 6, 7, 2019-09). The formats of the
// drafts are checked, not only noted. References reach into the schema itself
// and to the metaschemas of the drafts; nothing is ever loaded from a file or
// the network. A schema without "type" is taken for an object schema when it
// could be one, as {} is. The error is a *Mistake.
func Compile(raw json.RawMessage) (*Schema, error) {
	doc, p := decode(raw, schemaBounds())
	if p == nil {
		p = objectRule(doc)
	}
	if p != nil {
		return nil, p.mistake()
	}
	s, err := compile(raw, doc, nil)
	if err != nil {
		return nil, mistakeOf(err, doc).mistake()
	}
	if p := s.endless(); p != nil {
		return nil, p.mistake()
	}
	return s, nil
}

// compile makes a Schema of any kind, with remote documents from remote.
func compile(raw []byte, doc any, remote loader) (*Schema, error) {
	prog, err := build(doc, remote)
	if err != nil {
		return nil, err
	}
	s := &Schema{doc: doc, pool: newPool(doc, remote, prog), quick: newQuick(doc)}
	s.names = propertyOrder(raw, prog.root)
	s.closed = closedTo(prog.root)
	s.example = exampleNames(s.names, prog.root.Required)
	return s, nil
}

// Properties names the top-level properties in declared order, those behind a
// top-level "$ref" or "allOf" included; closed says that no other can be sent.
func (s *Schema) Properties() (names []string, closed bool) {
	return slices.Clone(s.names), s.closed
}

// closedTo reports whether an object may have no more than the properties
// that are named.
func closedTo(s *js.Schema) bool {
	closed := false
	eachPart(s, func(part *js.Schema) { closed = closed || closes(part) })
	return closed
}

func closes(s *js.Schema) bool {
	if len(s.PatternProperties) > 0 {
		return false
	}
	switch extra := s.AdditionalProperties.(type) {
	case bool:
		return !extra || never(s.UnevaluatedProperties)
	case *js.Schema:
		return never(extra) || never(s.UnevaluatedProperties)
	}
	return never(s.UnevaluatedProperties)
}

// never reports whether s is the schema false.
func never(s *js.Schema) bool { return s != nil && s.Bool != nil && !*s.Bool }

func exampleNames(names, required []string) []string {
	var out []string
	for _, n := range names {
		if slices.Contains(required, n) {
			out = append(out, n)
		}
	}
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out[:min(len(out), maxSuggested)]
}
