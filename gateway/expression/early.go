package expression

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/toolgate/toolgate/gateway/diag"
)

// Truth is what is known of a condition.
type Truth int

// The three values of a Truth.
const (
	Unknown Truth = iota
	Yes
	No
)

// String names the truth for messages and tests.
func (t Truth) String() string { return [...]string{"unknown", "yes", "no"}[t] }

// bounds are two conditions that read no Late variable: lower implies the
// condition, which implies upper, whatever the Late variables are. They are
// nil when nothing certain can be said.
type bounds struct{ lower, upper *Program }

// Early says what is certain about a condition while its Late variables are unknown.
// Yes and No hold for every value that the Late variables can have, but for
// those with which the condition is an error; where what is known already is
// an error, the answer is Unknown. It is meant for a Program compiled with
// WantBool.
func (p *Program) Early(vars *Vars) Truth {
	b := p.bounds()
	if b.lower == nil || b.upper == nil {
		return Unknown
	}
	low, err := b.lower.Bool(vars)
	if err != nil {
		return Unknown
	}
	up, err := b.upper.Bool(vars)
	switch {
	case err != nil || low != up:
		return Unknown
	case low:
		return Yes
	}
	return No
}

// maxBounds is the most nodes that are visited for one bound: a condition in
// the condition of ?: is doubled each time.
const maxBounds = 4 * MaxNodes

func compileBounds(tree ast.Node, env *Env) bounds {
	compileBound := func(upper bool) *Program {
		b := bounder{env: env}
		bound := b.bound(tree, upper)
		if b.visited > maxBounds {
			return nil
		}
		return build(newSource(diag.NewCursor(new(diag.Report), nil), ""), bound, env, WantBool)
	}
	return bounds{lower: compileBound(false), upper: compileBound(true)}
}

// bounder rewrites a condition without its Late variables.
type bounder struct {
	env     *Env
	late    []string // lets that hold something late
	visited int
}

// bound rewrites a condition: a part that reads something late counts as true
// in the upper bound and as false in the lower one, and "not" swaps the two.
func (b *bounder) bound(n ast.Node, upper bool) ast.Node {
	if b.visited++; b.visited > maxBounds {
		return &ast.BoolNode{Value: upper}
	}
	if !b.isLate(n) {
		return n
	}
	switch n := n.(type) {
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			return &ast.UnaryNode{Operator: n.Operator, Node: b.bound(n.Node, !upper)}
		}
	case *ast.BinaryNode:
		switch n.Operator {
		case "&&", "and", "||", "or":
			return binaryNode(n.Operator, b.bound(n.Left, upper), b.bound(n.Right, upper))
		}
	case *ast.ConditionalNode:
		return b.choice(n, upper)
	case *ast.VariableDeclaratorNode:
		return b.let(n, upper)
	}
	return &ast.BoolNode{Value: upper}
}

// choice is c ? x : y. With a late c it becomes "c may be true and so may x,
// or c may be false and y may be true"; certain is it too where both x and y are.
func (b *bounder) choice(n *ast.ConditionalNode, upper bool) ast.Node {
	yes, no := b.bound(n.Exp1, upper), b.bound(n.Exp2, upper)
	if !b.isLate(n.Cond) {
		return &ast.ConditionalNode{Cond: n.Cond, Exp1: yes, Exp2: no}
	}
	is := b.bound(n.Cond, upper)
	isNot := &ast.UnaryNode{Operator: "not", Node: b.bound(n.Cond, !upper)}
	either := binaryNode("||", binaryNode("&&", is, yes), binaryNode("&&", isNot, no))
	if upper {
		return either
	}
	// The copies are made anew, for the budget to count them.
	return binaryNode("||", either, binaryNode("&&", b.bound(n.Exp1, upper), b.bound(n.Exp2, upper)))
}

// let forgets a late value; what uses it is late too.
func (b *bounder) let(n *ast.VariableDeclaratorNode, upper bool) ast.Node {
	if !b.isLate(n.Value) {
		return &ast.VariableDeclaratorNode{Name: n.Name, Value: n.Value, Expr: b.bound(n.Expr, upper)}
	}
	b.late = append(b.late, n.Name)
	defer func() { b.late = b.late[:len(b.late)-1] }()
	return b.bound(n.Expr, upper)
}

func binaryNode(op string, left, right ast.Node) ast.Node {
	return &ast.BinaryNode{Operator: op, Left: left, Right: right}
}

func (b *bounder) isLate(n ast.Node) bool {
	f := finder{b: b}
	ast.Walk(&n, &f)
	return f.found
}

// finder looks for a name whose value is late, be it a variable or a function.
type finder struct {
	b     *bounder
	found bool
}

// Visit looks at one node.
func (f *finder) Visit(n *ast.Node) {
	switch n := (*n).(type) {
	case *ast.IdentifierNode:
		f.found = f.found || f.b.env.vars[n.Value].Late || slices.Contains(f.b.late, n.Value)
	case *ast.CallNode:
		if id, ok := n.Callee.(*ast.IdentifierNode); ok {
			f.call(id.Value)
		}
	case *ast.BuiltinNode:
		f.call(n.Name)
	}
}

func (f *finder) call(name string) {
	if fn := f.b.env.funcs[name]; fn != nil {
		f.found = f.found || fn.Late
	}
}
