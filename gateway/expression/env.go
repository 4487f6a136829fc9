package expression

import (
	"maps"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
)

// Var declares one variable. A Late variable is not known yet when a list of
// tools is made (see Program.Early).
type Var struct {
	Name string
	Type Type
	Late bool
	// Value is that of a variable that never changes. What is read of it counts
	// as a constant that stands in the expression itself.
	Value any
}

// Env declares the variables of an expression, and the functions that only
// some expressions have. It is immutable.
type Env struct {
	vars  map[string]Var
	funcs map[string]*Func
}

// NewEnv declares an environment. Of two variables of one name the last
// stands.
func NewEnv(vars ...Var) *Env {
	e := &Env{vars: make(map[string]Var, len(vars))}
	for _, v := range vars {
		e.vars[v.Name] = v
	}
	return e
}

// Vars are the values of the variables of one environment. They do not change, are
// cheap to make and safe for concurrent use, so that one serves all the
// expressions of a call.
type Vars struct {
	values  map[string]any
	numbers numbers
}

// Vars gives the variables values: nil, bool, string, int, []string, JSON values
// as decoded with UseNumber, and map[string]any for Objects. A variable left out is absent.
// The values are not copied and must not change afterwards.
func (e *Env) Vars(values map[string]any) *Vars { return &Vars{values: values} }

// orConstant says where constants may come from beside the expression itself.
func (e *Env) orConstant() string {
	var names []string
	for _, name := range e.names() {
		if e.vars[name].Value != nil {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " or come from " + strings.Join(names, " or ")
}

func (e *Env) names() []string { return slices.Sorted(maps.Keys(e.vars)) }

// unknown words that there is no variable of this name, with a hint.
func (e *Env) unknown(name string) (text, hint string) {
	const never = "an expression can never read a secret or an environment variable"
	switch name {
	case "env":
		return "env is not available here", never
	case "secret":
		return name + " exists only in the templates of runners", never
	case "null", "undefined", "None":
		return "unknown variable " + name, "write nil"
	case "True", "False":
		return "unknown variable " + name, "write true or false"
	case "$env":
		return "$env is not available", "name the variable itself"
	}
	names := e.names()
	if hint = diag.DidYouMean(name, names); hint == "" {
		hint = listed("the variables are", names)
	}
	return "unknown variable " + name, hint
}
