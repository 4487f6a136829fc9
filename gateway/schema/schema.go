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
	"sync"

	js "github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is an argument schema that compiles; safe for concurrent use.
type Schema struct {
	outline
	suspects
	body    func() *body // compiled when it is first asked for
	example []string     // a few of names, the required ones first
	// What Later made: the outline is all that may be asked of it before a call.
	later func() json.RawMessage // makes the text; nil for all others
	fills map[string]any         // what Defaults fills in
}

// outline is what a schema tells of its top-level properties.
type outline struct {
	names    []string // in declared order
	required []string
	closed   bool // there can be no others
	others   bool // it says itself whether there can be others
}

// suspects are what is valid and perhaps not meant; see [Schema.DefaultMistake]
// and [Schema.Misspelt].
type suspects struct {
	defaulted []string
	misspelt  []*Mistake
}

// body is what a schema is checked with.
type body struct {
	doc   any // the decoded schema; never changed
	pool  *pool
	quick *quick
}

// Compile compiles an object schema of JSON Schema draft 2020-12, or of the
// older draft that its "$schema" names (4, 6, 7, 2019-09). The formats of the
// drafts are checked, not only noted. References reach into the schema itself
// and to the metaschemas of the drafts; nothing is ever loaded from a file or
// the network. A schema without "type" is taken for an object schema when it
// could be one, as {} is. The error is a *Mistake. The text must not be changed
// later: a schema that surely compiles is compiled when it is first needed.
func Compile(raw json.RawMessage) (*Schema, error) {
	d, err := Read(raw)
	if err != nil {
		return nil, err
	}
	return d.Compile()
}

// Document is the text of a schema, decoded.
type Document struct {
	raw   json.RawMessage
	value any
}

// Read decodes a schema for [Document.Compile]. The error is a *Mistake.
func Read(raw json.RawMessage) (*Document, error) {
	doc, p := decode(raw, schemaBounds())
	if p == nil {
		p = objectRule(doc)
	}
	if p != nil {
		return nil, p.mistake()
	}
	return &Document{raw: raw, value: doc}, nil
}

// Value is the schema as a JSON value, its numbers as json.Number. It is not to be
// changed.
func (d *Document) Value() any { return d.value }

// Compile is [Compile] for what was decoded already.
func (d *Document) Compile() (*Schema, error) {
	raw, doc := d.raw, d.value
	if isPlain(doc) { // and so has no keyword that is none
		s := planned(raw, doc)
		s.suspects = suspects{defaulted: defaulted(doc)}
		return s, nil
	}
	s, err := compile(raw, doc, nil)
	if err != nil {
		return nil, mistakeOf(err, doc).mistake()
	}
	if p := s.body().endless(); p != nil {
		return nil, p.mistake()
	}
	s.suspects = suspects{defaulted: defaulted(doc), misspelt: misspelt(nil, doc)}
	return s, nil
}

// planned makes a Schema of a plain document. Of the document only the text is
// kept until it is needed.
func planned(raw json.RawMessage, doc any) *Schema {
	s := &Schema{outline: plainOutline(raw, members(doc))}
	s.example = s.few()
	s.body = sync.OnceValue(func() *body {
		doc, _ := decode(raw, schemaBounds()) // as before
		return &body{doc: doc, pool: newPool(doc, nil), quick: newQuick(doc)}
	})
	return s
}

// compile makes a Schema of any kind, with remote documents from remote.
func compile(raw []byte, doc any, remote loader) (*Schema, error) {
	prog, err := build(doc, remote)
	if err != nil {
		return nil, err
	}
	b := &body{doc: doc, pool: newPool(doc, remote), quick: newQuick(doc)}
	b.pool.idle <- prog
	s := &Schema{body: func() *body { return b }}
	s.outline = outline{names: propertyOrder(raw, prog.root), required: prog.root.Required, closed: closedTo(prog.root)}
	_, s.others = members(doc)["additionalProperties"]
	s.example = s.few()
	return s, nil
}

// Properties names the top-level properties in declared order, those behind a
// top-level "$ref" or "allOf" included; closed says that no other can be sent.
func (s *Schema) Properties() (names []string, closed bool) {
	return slices.Clone(s.names), s.closed
}

// SpeaksOfOthers reports whether the schema says itself, with
// "additionalProperties" at its top, whether properties that it does not name can
// be sent.
func (s *Schema) SpeaksOfOthers() bool { return s.others }

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

// few are the names that a hint shows.
func (o *outline) few() []string {
	var out []string
	for _, n := range o.names {
		if slices.Contains(o.required, n) {
			out = append(out, n)
		}
	}
	for _, n := range o.names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out[:min(len(out), maxSuggested)]
}
