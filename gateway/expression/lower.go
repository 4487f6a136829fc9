package expression

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"
)

// unary, binary and variadic are operators of this package.
type (
	unary    func(f *frame, v any) (any, error)
	binary   func(f *frame, a, b any) (any, error)
	variadic func(f *frame, args []any) (any, error)
)

// lowered is a part of an expression in the form that runs. It is a constant,
// or fn applied to the value of base (or to nothing but the frame when there
// is no base), or else node. Operators on one value are put together into one
// fn, so that "args.a.b > 3" is a single step of the virtual machine.
type lowered struct {
	typ      Type
	label    string // names it in messages
	sure     bool   // its value is always a bool
	mistaken bool   // a mistake in it was reported
	constant bool
	value    any // of a constant
	fn       unary
	base     ast.Node
	node     ast.Node
}

// lowerer checks a syntax tree and rewrites it.
type lowerer struct {
	*source
	env       *Env
	functions map[string]*builtin.Function
	lets      []let
	loops     []loop
	reads     []string
	calls     []string
	nested    bool
}

type let struct {
	name string
	typ  Type
}

// loop is a list function whose condition is being lowered.
type loop struct {
	item Type
	acc  bool // reduce: #acc and #index exist
}

// fail reports a mistake at a node; what is returned takes part in no other.
func (l *lowerer) fail(n ast.Node, hint, format string, args ...any) lowered {
	l.report(n.Location().From, fmt.Sprintf(format, args...), hint)
	return lowered{constant: true, label: "this", mistaken: true}
}

// lower rewrites a part of an expression and what it is made of.
func (l *lowerer) lower(n ast.Node) lowered {
	switch n := n.(type) {
	case *ast.NilNode:
		return constant(nil)
	case *ast.BoolNode:
		return constant(n.Value)
	case *ast.IntegerNode:
		return constant(n.Value)
	case *ast.ConstantNode: // of literals
		return constant(n.Value)
	case *ast.StringNode:
		return constant(n.Value)
	case *ast.IdentifierNode:
		return l.identifier(n)
	case *ast.PointerNode:
		return l.pointer(n)
	case *ast.ChainNode: // every path is safe here, so a?.b is a.b
		return l.lower(n.Node)
	case *ast.MemberNode:
		return l.member(n)
	case *ast.SliceNode:
		return l.slice(n)
	case *ast.UnaryNode:
		return l.unary(n)
	case *ast.BinaryNode:
		return l.binary(n)
	case *ast.CallNode:
		return l.callNode(n)
	case *ast.BuiltinNode:
		return l.builtin(n)
	}
	return l.lowerStructure(n)
}

func (l *lowerer) lowerStructure(n ast.Node) lowered {
	switch n := n.(type) {
	case *ast.ConditionalNode:
		return l.conditional(n)
	case *ast.VariableDeclaratorNode:
		return l.let(n)
	case *ast.ArrayNode:
		return l.list(n)
	case *ast.MapNode:
		return l.object(n)
	case *ast.SequenceNode:
		return l.fail(n, "keep the last one", "an expression gives one value, and here are several")
	}
	return l.fail(n, "", "this cannot be used in an expression")
}

func constant(v any) lowered {
	return lowered{constant: true, value: v, typ: Type{kind: kindOf(v)}, label: literal(v), sure: kindOf(v) == boolKind}
}

// apply puts fn on top of a value.
func apply(x lowered, label string, typ Type, fn unary) lowered {
	out := lowered{typ: typ, label: label, sure: typ.kind == boolKind}
	switch {
	case x.constant:
		value := x.value
		out.fn = func(f *frame, _ any) (any, error) { return fn(f, value) }
	case x.fn != nil:
		inner := x.fn
		out.base = x.base
		out.fn = func(f *frame, v any) (any, error) {
			v, err := inner(f, v)
			if err != nil {
				return nil, err
			}
			return fn(f, v)
		}
	default:
		out.fn, out.base = fn, x.node
	}
	return out
}

// free reports whether the value needs nothing but the frame.
func (x *lowered) free() bool { return x.constant || x.fn != nil && x.base == nil }

// asFree is a free value as a function of the frame.
func (x *lowered) asFree() unary {
	if !x.constant {
		return x.fn
	}
	value := x.value
	return func(*frame, any) (any, error) { return value, nil }
}

// apply2 puts fn on top of two values.
func (l *lowerer) apply2(a, b lowered, label string, typ Type, fn binary) lowered {
	switch {
	case b.constant:
		value := b.value
		return apply(a, label, typ, func(f *frame, v any) (any, error) { return fn(f, v, value) })
	case a.constant:
		value := a.value
		return apply(b, label, typ, func(f *frame, v any) (any, error) { return fn(f, value, v) })
	case a.free() && b.free():
		left, right := a.fn, b.fn
		return apply(lowered{}, label, typ, func(f *frame, _ any) (any, error) {
			x, err := left(f, nil)
			if err != nil {
				return nil, err
			}
			y, err := right(f, nil)
			if err != nil {
				return nil, err
			}
			return fn(f, x, y)
		})
	}
	return l.applyAll([]lowered{a, b}, label, typ, func(f *frame, args []any) (any, error) { return fn(f, args[0], args[1]) })
}

// applyAll puts fn on top of any number of values.
func (l *lowerer) applyAll(args []lowered, label string, typ Type, fn variadic) lowered {
	nodes := make([]ast.Node, len(args))
	for i, arg := range args {
		nodes[i] = l.node(arg)
	}
	sure := typ.kind == boolKind
	return lowered{typ: typ, label: label, sure: sure, node: l.call(fn, sure, nodes...)}
}

// node is the value as a syntax tree for the compiler.
func (l *lowerer) node(x lowered) ast.Node {
	switch {
	case x.constant:
		return constantNode(x.value)
	case x.fn == nil:
		return x.node
	case x.base == nil:
		return l.call(func(f *frame, _ []any) (any, error) { return x.fn(f, nil) }, x.sure)
	}
	return l.call(func(f *frame, args []any) (any, error) { return x.fn(f, args[0]) }, x.sure, x.base)
}

func constantNode(v any) ast.Node {
	switch v := v.(type) {
	case nil:
		return &ast.NilNode{}
	case bool:
		return &ast.BoolNode{Value: v}
	}
	return &ast.ConstantNode{Value: v}
}

var boolFunc = reflect.TypeFor[func(...any) bool]()

// call makes a function for this one call, whose first argument is the frame.
func (l *lowerer) call(fn variadic, sure bool, args ...ast.Node) ast.Node {
	name := "function " + strconv.Itoa(len(l.functions)) // no expression can name it
	function := &builtin.Function{Name: name, Func: func(args ...any) (any, error) {
		return fn(args[0].(*frame), args[1:])
	}}
	if sure { // saves the virtual machine a step at each && and ||
		function.Types = []reflect.Type{boolFunc}
	}
	if l.functions == nil {
		l.functions = map[string]*builtin.Function{}
	}
	l.functions[name] = function
	return &ast.CallNode{
		Callee:    &ast.IdentifierNode{Value: name},
		Arguments: append([]ast.Node{&ast.IdentifierNode{Value: "$env"}}, args...),
	}
}

// code compiles what was lowered. It fails only where this package is wrong
// about what expr-lang takes.
func (l *lowerer) code(root lowered) (*vm.Program, error) {
	tree := &parser.Tree{Node: l.node(root)}
	config := &conf.Config{Functions: l.functions, ShortCircuit: true, Optimize: true}
	if _, err := checker.Check(tree, config); err != nil {
		return nil, err
	}
	return compiler.Compile(tree, config)
}
