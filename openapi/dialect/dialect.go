// Package dialect turns the schemas of OpenAPI documents of any version into
// JSON Schema 2020-12, keeping what they mean.
//
// What a reference refers to becomes a definition, converted once, and the
// reference "#/$defs/KEY". Keywords that JSON Schema has not are dropped or said in
// its own; what cannot be understood is repaired or left out, so that what comes
// out compiles and never refuses more than the author meant. The result is for
// one side: what the API sets itself is in no argument, and what it only takes is
// in no answer.
package dialect

import (
	"encoding/json"
	"slices"

	"github.com/toolgate/toolgate/openapi/document"
)

// Finder finds what a reference of a file refers to, one step; [document.Set]
// does. Its errors are [document.RefError].
type Finder interface {
	Find(from *document.File, ref string) (*document.File, *document.Node, error)
}

// Version is the dialect that schemas are written in.
type Version int

// The dialects: of Swagger 2.0, of OpenAPI 3.0, and of 3.1 and 3.2, whose schemas
// are JSON Schema.
const (
	V20 Version = iota
	V30
	V31
)

// Side is what the schemas are for.
type Side int

// The sides: schemas of arguments have no readOnly properties, those of answers no
// writeOnly ones.
const (
	Input Side = iota
	Output
)

// maxLevels is how deep the JSON of one text is nested, in levels; what lies deeper
// becomes a definition of its own. Package schema takes 100, of which a value that
// stands in a schema may have maxValueLevels and what wraps a schema the rest.
const (
	maxLevels      = 56
	maxValueLevels = 30
)

// Codes of a [Problem], beside those of a [document.RefError].
const (
	NotASchema      = "not-a-schema"      // what stands there, or is referred to, is something else
	RequiredNotList = "required-not-list" // OpenAPI takes a list of names where a boolean stands; told once per file
)

// Problem is something in a document that had to be repaired or left out.
type Problem struct {
	File         string
	Line, Column uint32 // from 1; 0 where the place is not known
	Code         string
	Text         string
}

// Converter converts the schemas of one document for one side. It is not safe for
// concurrent use.
type Converter struct {
	find    Finder
	version Version
	side    Side

	out   []byte // the text under way
	loose int    // how often something was left out that the author had written

	done     map[*document.Node]json.RawMessage
	texts    map[string]json.RawMessage
	keys     map[definition]string
	taken    map[string]int // keys that are in use, with the number from which on one is looked for that is free
	waiting  []task
	problems []Problem
	told     map[Problem]bool

	targets  map[lookup]found
	patterns map[string]bool
	hidden   map[*document.Node]map[string]bool
	hiding   map[*document.Node][]string
	rings    [3]*components
	edgesOf  map[*document.Node][]edge
	known    map[*document.Node]target
}

// New makes a Converter of the schemas that find finds.
func New(find Finder, v Version, side Side) *Converter {
	c := &Converter{
		find: find, version: v, side: side,
		done: map[*document.Node]json.RawMessage{}, texts: map[string]json.RawMessage{},
		keys: map[definition]string{}, taken: map[string]int{}, told: map[Problem]bool{},
		targets: map[lookup]found{}, patterns: map[string]bool{}, hidden: map[*document.Node]map[string]bool{}, hiding: map[*document.Node][]string{},
		edgesOf: map[*document.Node][]edge{}, known: map[*document.Node]target{},
	}
	for kind := range c.rings {
		c.rings[kind] = newComponents()
	}
	return c
}

// Schema converts a schema that stands in a file. A nil node is the schema of
// everything. References in the result are to [Converter.Definitions]; it is not to
// be changed.
func (c *Converter) Schema(in *document.File, n *document.Node) json.RawMessage {
	if n == nil {
		return json.RawMessage("{}")
	}
	if out, ok := c.done[n]; ok {
		return out
	}
	at := target{file: in, node: n}
	out := c.text(context{file: in, root: at}, n)
	c.done[n] = out
	for len(c.waiting) > 0 {
		next := c.waiting[len(c.waiting)-1]
		c.waiting = c.waiting[:len(c.waiting)-1]
		c.texts[next.key] = c.text(next.context, next.node)
	}
	return out
}

// Definitions are the schemas that those converted so far refer to, and each
// other, by key. The map is not to be changed; it grows with what is converted.
func (c *Converter) Definitions() map[string]json.RawMessage { return c.texts }

// Problems lists what was repaired or left out in the schemas converted so far,
// each once, in the order in which it was found.
func (c *Converter) Problems() []Problem { return slices.Clone(c.problems) }

// text converts one schema to a text of its own.
func (c *Converter) text(x context, n *document.Node) json.RawMessage {
	c.out = c.out[:0]
	c.schema(x, n)
	return slices.Clone(c.out)
}

// report tells a problem of a place, once.
func (c *Converter) report(in *document.File, at *document.Node, code, text string) {
	p := Problem{Code: code, Text: text}
	if in != nil {
		p.File = in.Name
	}
	once := Problem{File: p.File, Code: code}
	if code != RequiredNotList {
		once.Line, once.Column, once.Text = at.Line, at.Column, text
	}
	if c.told[once] {
		return
	}
	c.told[once] = true
	p.Line, p.Column = at.Line, at.Column
	c.problems = append(c.problems, p)
}

// task is a definition that is still to be converted.
type task struct {
	context
	key  string
	node *document.Node
}

// context is where the conversion stands.
type context struct {
	file  *document.File
	root  target     // the schema that the text is of: what "#" means in a schema
	scope *scope     // the schemas around, which may have definitions of their own
	chain *enclosing // the schemas around that hold the same value
	owner *document.Node
	depth int  // levels of JSON around
	bare  bool // unions that lead back to the schema itself are left out
	union bool // between the owner and here is a oneOf or anyOf
}

// inner is the context of a schema of another value, levels deeper.
func (x context) inner(levels int) context {
	x.chain, x.owner, x.bare, x.union = nil, nil, false, false
	x.depth += levels
	return x
}

// same is the context of a schema of the same value, levels deeper.
func (x context) same(levels int) context {
	x.depth += levels
	return x
}

// either is same for a branch of a union.
func (x context) either(levels int) context {
	x.union = true
	return x.same(levels)
}

// enclosing is a schema and those around it that hold the same value.
type enclosing struct {
	at     target
	around *enclosing
}
