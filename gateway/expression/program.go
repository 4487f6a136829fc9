package expression

import (
	"slices"
	"sync"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"

	"github.com/toolgate/toolgate/gateway/diag"
)

// Want is the type an expression must have.
type Want int

// What an expression may be wanted to give. WantBool takes an expression whose
// type is not known before it runs; nil then counts as false, and a value that
// is neither nil nor a bool is an error.
const (
	WantAny Want = iota
	WantBool
)

// Program is a compiled expression; safe for concurrent use.
type Program struct {
	source string
	tree   ast.Node
	env    *Env
	label  string                         // names the expression in messages
	direct func(*frame, any) (any, error) // the whole expression as one function, or nil
	code   *vm.Program                    // else
	nested bool                           // a list function stands inside another one
	reads  []string
	calls  []string
	bounds func() bounds
}

// Compile compiles an expression that is the value of the key at. It reports every mistake there and
// then returns nil.
func Compile(at diag.Cursor, source string, env *Env, want Want) *Program {
	return compile(newSource(at, source), env, want)
}

func compile(src *source, env *Env, want Want) *Program {
	tree := src.parse()
	if tree == nil {
		return nil
	}
	p := build(src, tree, env, want)
	if p == nil {
		return nil
	}
	p.bounds = sync.OnceValue(func() bounds { return compileBounds(tree, env) })
	return p
}

// build checks and rewrites a tree and compiles what comes out.
func build(src *source, tree ast.Node, env *Env, want Want) *Program {
	l := &lowerer{source: src, env: env}
	root := l.lower(tree)
	if want == WantBool && !src.failed {
		root = l.condition(tree, root)
	}
	if src.failed {
		return nil
	}
	p := &Program{source: src.text, tree: tree, env: env, label: root.label, reads: l.reads, calls: l.calls, nested: l.nested}
	if root.fn != nil && root.base == nil {
		p.direct = root.fn
		return p
	}
	code, err := l.code(root)
	if err != nil {
		src.report(0, "the expression does not fit together", "")
		return nil
	}
	p.code = code
	return p
}

// Reads reports whether the expression uses the variable.
func (p *Program) Reads(name string) bool { return slices.Contains(p.reads, name) }

// Calls reports whether the expression calls the function, one that its
// environment declares or one of every expression.
func (p *Program) Calls(name string) bool { return slices.Contains(p.calls, name) }

// Eval runs the expression. Numbers of the result are json.Number or types that encode themselves exactly.
// An error is an [EvalError].
func (p *Program) Eval(vars *Vars) (any, error) { return p.run(vars) }

// Bool runs an expression compiled with WantBool. An error is an [EvalError].
func (p *Program) Bool(vars *Vars) (bool, error) {
	v, err := p.run(vars)
	if err != nil {
		return false, err
	}
	yes, ok := v.(bool)
	if !ok && v != nil {
		return false, failed(p.label, " is ", kindOf(v).String(), ", and true or false is needed")
	}
	return yes, nil
}
