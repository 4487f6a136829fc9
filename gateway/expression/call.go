package expression

import (
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/toolgate/toolgate/gateway/diag"
)

// function is a function that expressions may call. Its arguments arrive as
// declared: texts and numbers as such, lists as []any.
type function struct {
	params   []kind // anyKind takes everything
	optional int    // how many of the last may be left out
	many     bool   // the last parameter may be given any number of times
	result   Type
	takesNil bool // nil is passed on to run; else nil as first argument gives absent
	absent   any
	run      func(f *frame, c *call, args []any) (any, error)
}

// call is one place where a function is called.
type call struct {
	name   string
	label  string   // the call itself
	labels []string // its arguments
}

// failed words a failure that is about the call as a whole.
func (c *call) failed(what string) error { return failed(c.label, what) }

func isFunction(name string) bool {
	_, ok := functions()[name]
	_, loops := looping[name]
	return ok || loops || name == hasName
}

// elsewhere are names that other languages have for functions of this one.
var elsewhere = map[string]string{
	"size": "len", "length": "len", "strlen": "len", "tolower": "lower", "toupper": "upper",
	"str": "string", "tostring": "string", "float64": "float", "number": "float", "exists": "any", "some": "any", "every": "all",
}

// judging are the functions that environments declare which judge calls, and
// those of tools do not.
var judging = [...]string{"calls", "cidr", "glob", "host", "host_in", "now", "path_in"}

// callNode is a call by a name that expr-lang has no function for.
func (l *lowerer) callNode(n *ast.CallNode) lowered {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return l.fail(n, "", "only functions can be called, and this is not the name of one")
	}
	return l.callFunction(n, callee.Value, n.Arguments)
}

// builtin is a call by a name that expr-lang has a function for.
func (l *lowerer) builtin(n *ast.BuiltinNode) lowered {
	if _, ok := looping[n.Name]; ok {
		return l.loopOver(n)
	}
	return l.callFunction(n, n.Name, n.Arguments)
}

func (l *lowerer) callFunction(n ast.Node, name string, nodes []ast.Node) lowered {
	declared := l.env.funcs[name]
	fn := functions()[name]
	if declared != nil {
		fn = declared.function()
	}
	if fn == nil {
		return l.noFunction(n, name)
	}
	if len(nodes) < len(fn.params)-fn.optional || len(nodes) > len(fn.params) && !fn.many {
		return l.fail(n, "", "%s takes %s, not %d", name, fn.arity(), len(nodes))
	}
	l.calls = append(l.calls, name)
	c := &call{name: name, label: describe(n)}
	args, mistake := l.arguments(fn, c, nodes)
	if mistake != nil {
		return *mistake
	}
	if declared != nil {
		fn.run = l.bind(declared, nodes, args)
	}
	return typed(l.applyCall(fn, c, args))
}

// noFunction reports the call of a function that there is not.
func (l *lowerer) noFunction(n ast.Node, name string) lowered {
	names := append(slices.Collect(maps.Keys(functions())), hasName)
	names = slices.AppendSeq(names, maps.Keys(looping))
	names = slices.AppendSeq(names, maps.Keys(l.env.funcs))
	slices.Sort(names)
	hint := diag.DidYouMean(name, names)
	if slices.Contains(judging[:], name) {
		return l.fail(n, "it exists in rules and hooks only", "there is no function %s here", name)
	}
	if other := elsewhere[strings.ToLower(name)]; other != "" {
		hint = "did you mean " + other + "?"
	}
	return l.fail(n, hint, "there is no function %s", name)
}

// arguments lowers what a function is given.
func (l *lowerer) arguments(fn *function, c *call, nodes []ast.Node) (args []lowered, mistake *lowered) {
	args = make([]lowered, len(nodes))
	for i, node := range nodes {
		args[i] = l.lower(node)
		c.labels = append(c.labels, args[i].label)
		want, is := fn.param(i), args[i].typ.kind
		if want != anyKind && is != anyKind && is != nilKind && is != want {
			failed := l.fail(node, "", "%s is %s, and %s needs %s", args[i].label, is, c.name, want)
			return nil, &failed
		}
	}
	return args, nil
}

func (l *lowerer) applyCall(fn *function, c *call, args []lowered) lowered {
	if len(args) == 1 {
		return apply(args[0], c.label, fn.result, func(f *frame, v any) (any, error) { return fn.invoke(f, c, []any{v}) })
	}
	return l.applyAll(args, c.label, fn.result, func(f *frame, args []any) (any, error) {
		return fn.invoke(f, c, args) // each call has a slice of its own
	})
}

// arity says how many arguments are taken.
func (fn *function) arity() string {
	least, most := len(fn.params)-fn.optional, len(fn.params)
	switch {
	case fn.many:
		return plural(least) + " or more"
	case least == most:
		return plural(most)
	}
	return digits(least) + " to " + plural(most)
}

func (fn *function) param(i int) kind { return fn.params[min(i, len(fn.params)-1)] }

// invoke checks the arguments and runs the function.
func (fn *function) invoke(f *frame, c *call, args []any) (any, error) {
	for i, v := range args {
		want, is := fn.param(i), kindOf(v)
		switch {
		case want == listKind && (is == listKind || is == nilKind):
			items := asList(v)
			args[i] = items
			if err := f.spend(loopWork + len(items)); err != nil {
				return nil, err
			}
		case is == nilKind && i == 0 && !fn.takesNil:
			return fn.absent, nil
		case is == textKind:
			if err := f.spendText(len(v.(string))); err != nil {
				return nil, err
			}
		}
		if want != anyKind && is != want && (want != listKind || is != nilKind) {
			return nil, failed(c.labels[i], " is ", is.String(), ", and ", c.name, " needs ", want.String())
		}
	}
	return fn.run(f, c, args)
}
