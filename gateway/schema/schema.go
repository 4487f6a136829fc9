// Package schema checks the arguments of a call against a tool's JSON Schema
// and words what is wrong for a model.
package schema

import "encoding/json"

// Schema is a compiled argument schema; safe for concurrent use.
type Schema struct{}

// Error says what is wrong with arguments, one sentence a problem.
type Error struct{ Problems []string }

func (e *Error) Error() string { panic("todo") }

// Mistake is what is wrong with a schema itself.
type Mistake struct {
	Path []string // keys and indexes from the root of the schema
	Text string
	Hint string
}

func (m *Mistake) Error() string { panic("todo") }

// Compile compiles an object schema. The error is a *Mistake.
func Compile(raw json.RawMessage) (*Schema, error) { panic("todo") }

// Normalise decodes arguments as sent into an object; numbers are json.Number.
func (s *Schema) Normalise(raw json.RawMessage) (map[string]any, error) { panic("todo") }

// Defaults returns args with the schema's top-level and nested property defaults filled in.
func (s *Schema) Defaults(args map[string]any) map[string]any { panic("todo") }

// Cast returns args with values converted to the type the schema asks for where nothing is invented.
func (s *Schema) Cast(args map[string]any) map[string]any { panic("todo") }

// Validate checks args; the error is an *Error with every problem.
func (s *Schema) Validate(args map[string]any) error { panic("todo") }

// Properties names the top-level properties; closed says no other can be sent.
func (s *Schema) Properties() (names []string, closed bool) { panic("todo") }
