package expression

import (
	"maps"

	"github.com/expr-lang/expr/ast"
)

// Func declares a function of an environment. An argument that is absent, or
// null, as the first one gives nil without a call, or false where the result is
// a Bool.
type Func struct {
	Name     string
	Params   []Param
	Optional int  // how many of the last parameters may be left out
	Result   Type // what Run gives
	Late     bool // the result is not known yet when a list of tools is made
	// Bind is given the arguments of the Fixed parameters when an expression is
	// compiled, and nil in place of the others. It makes what runs, or says why
	// one of them does not do.
	Bind func(fixed []any) (Run, *Unfit)
}

// Param is a parameter of a Func. A text or a number arrives as declared, a
// list as []any. The argument of a Fixed one must stand in the expression
// itself, so that no caller can choose it.
type Param struct {
	Type  Type
	Fixed bool
}

// Run gives the result of one call. It is safe for concurrent use. The text of
// its error goes on where the name of the first argument ends: "is no URL".
type Run func(known Known, args []any) (any, error)

// Unfit says why a fixed argument does not do.
type Unfit struct {
	Arg  int // counted from 0
	Text string
	Hint string // what to write instead; may be empty
}

// Known are the values of one run, for functions that need more than their
// arguments.
type Known struct{ values map[string]any }

// Value is the value of a variable, or whatever else stands among the values
// under a name that no expression can write; nil when there is none.
func (k Known) Value(name string) any { return k.values[name] }

// With returns an environment that has functions too. Of two functions of one
// name the last stands; one that has the name of a function of every
// expression replaces it.
func (e *Env) With(funcs ...Func) *Env {
	out := &Env{vars: e.vars, funcs: maps.Clone(e.funcs)}
	if out.funcs == nil {
		out.funcs = make(map[string]*Func, len(funcs))
	}
	for i := range funcs {
		out.funcs[funcs[i].Name] = &funcs[i]
	}
	return out
}

// Declare returns an environment in which a variable is declared anew.
func (e *Env) Declare(v Var) *Env {
	out := &Env{vars: maps.Clone(e.vars), funcs: e.funcs}
	out.vars[v.Name] = v
	return out
}

// function is the declared function but for what runs.
func (d *Func) function() *function {
	fn := &function{optional: d.Optional, result: d.Result}
	for _, p := range d.Params {
		fn.params = append(fn.params, p.Type.kind)
	}
	if d.Result.kind == boolKind {
		fn.absent = false
	}
	return fn
}

// bind makes what runs of a declared function for one place where it is called.
func (l *lowerer) bind(d *Func, nodes []ast.Node, args []lowered) func(*frame, *call, []any) (any, error) {
	fixed := make([]any, len(d.Params))
	for i, arg := range args {
		if !d.Params[i].Fixed {
			continue
		}
		if arg.mistaken {
			return nil // it is reported already
		}
		if !arg.constant || arg.value == nil {
			l.fail(nodes[i], "", "%s of %s must stand in the expression itself%s", ordinal(i), d.Name, l.env.orConstant())
			return nil
		}
		fixed[i] = arg.value
	}
	run, unfit := d.Bind(fixed)
	if unfit != nil {
		l.fail(nodes[min(unfit.Arg, len(nodes)-1)], unfit.Hint, "%s", unfit.Text)
		return nil
	}
	return func(f *frame, c *call, args []any) (any, error) {
		v, err := run(Known{f.values}, args)
		switch {
		case err == nil:
			return v, nil
		case len(c.labels) == 0:
			return nil, failed(c.label, " ", err.Error())
		}
		return nil, failed(c.labels[0], " ", err.Error())
	}
}

func ordinal(i int) string {
	return [...]string{"the first argument", "the second argument", "the third argument", "an argument"}[min(i, 3)]
}
