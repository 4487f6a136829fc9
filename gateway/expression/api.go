// Package expression compiles and runs the expressions and templates of a
// configuration. It is the only import of expr-lang: it declares what an
// expression may see, gives numbers their exact values, says what absent
// values mean, and words every mistake with its place.
package expression

import (
	"encoding/json"

	"github.com/toolgate/toolgate/gateway/diag"
)

// Type is the declared type of a variable or a field.
type Type struct {
	kind   string
	fields map[string]Type
}

// The types. A field of an Object that is not declared is an error when the
// expression is compiled; a field of a Closed value may be absent and holds
// any JSON value, but its name must be one of those given; JSON is any JSON
// value at all.
var (
	String  = Type{kind: "string"}
	Int     = Type{kind: "int"}
	Bool    = Type{kind: "bool"}
	Strings = Type{kind: "strings"}
	JSON    = Type{kind: "json"}
)

// Object is a value with exactly these fields, all present.
func Object(fields map[string]Type) Type { panic("todo") }

// Closed is a JSON object that can only have members of these names.
func Closed(names []string) Type { panic("todo") }

// Env declares the variables of an expression. It is immutable.
type Env struct{}

// Var declares one variable. A Late variable is not known yet when a list of
// tools is made (see Program.Early).
type Var struct {
	Name string
	Type Type
	Late bool
}

// NewEnv declares an environment.
func NewEnv(vars ...Var) *Env { panic("todo") }

// Vars are the values of the variables of one environment.
type Vars struct{}

// Vars gives the variables values: nil, bool, string, int, []string, JSON values
// as decoded with UseNumber, and map[string]any for Objects. A variable left out is absent.
func (e *Env) Vars(values map[string]any) *Vars { panic("todo") }

// Want is the type an expression must have.
type Want int

// What an expression may be wanted to give.
const (
	WantAny Want = iota
	WantBool
)

// Program is a compiled expression; safe for concurrent use.
type Program struct{}

// Compile compiles an expression that is the value of the key at. It reports every mistake there and
// then returns nil.
func Compile(at diag.Cursor, source string, env *Env, want Want) *Program { panic("todo") }

// Eval runs the expression. Numbers of the result are json.Number or types that encode themselves exactly.
func (p *Program) Eval(vars *Vars) (any, error) { panic("todo") }

// Bool runs an expression compiled with WantBool.
func (p *Program) Bool(vars *Vars) (bool, error) { panic("todo") }

// Truth is what is known of a condition.
type Truth int

// The three values of a Truth.
const (
	Unknown Truth = iota
	Yes
	No
)

// Early says what is certain about a condition while its Late variables are unknown.
func (p *Program) Early(vars *Vars) Truth { panic("todo") }

// Template is a text with ${…} parts; safe for concurrent use.
type Template struct{}

// ParseTemplate compiles the template at a key; it reports every mistake and then returns nil.
func ParseTemplate(at diag.Cursor, text string, env *Env) *Template { panic("todo") }

// Literal returns the text of a template without ${…}, and whether it is one.
func (t *Template) Literal() (string, bool) { panic("todo") }

// Exact reports whether the template is exactly one ${…}.
func (t *Template) Exact() bool { panic("todo") }

// Value gives the raw value of an exact template (nil when absent or null), the text of any other.
func (t *Template) Value(vars *Vars) (any, error) { panic("todo") }

// Text gives the text; present is false when the template is exact and its value absent or null.
func (t *Template) Text(vars *Vars) (text string, present bool, err error) { panic("todo") }

// List is Text, but a list value of an exact template gives one text an item.
func (t *Template) List(vars *Vars) ([]string, error) { panic("todo") }

// Escaped is Text with every ${…} value (never the literal parts) passed through escape.
func (t *Template) Escaped(vars *Vars, escape func(value string) (string, error)) (text string, present bool, err error) {
	panic("todo")
}

// Document is a JSON value whose texts are templates; keys are literal. Order is kept.
type Document struct{}

// ParseDocument compiles the templates in raw.
func ParseDocument(at diag.Cursor, raw json.RawMessage, env *Env) *Document { panic("todo") }

// Render gives the JSON; members whose template is exact and absent or null are left out.
func (d *Document) Render(vars *Vars) ([]byte, error) { panic("todo") }
