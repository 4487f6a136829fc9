package expression

import (
	resyntax "regexp/syntax"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// Unguarded lists the paths through a variable that the expression reads
// without asking anywhere, by ??, has or a comparison with nil, whether they
// lead to something. Each is given without the name of the variable, in the
// order in which they are read.
func (p *Program) Unguarded(variable string) [][]string {
	r := reader{variable: variable, inner: map[ast.Node]bool{}}
	ast.Walk(&p.tree, &r)
	var out [][]string
	for _, read := range r.paths {
		same := func(other []string) bool { return slices.Equal(other, read.path) }
		if !r.inner[read.node] && len(read.path) > 0 && !r.isGuarded(read.path) && !slices.ContainsFunc(out, same) {
			out = append(out, read.path)
		}
	}
	return out
}

type readPath struct {
	node ast.Node
	path []string
}

// reader collects the paths of a tree.
type reader struct {
	variable string
	paths    []readPath
	inner    map[ast.Node]bool // what is the beginning of a longer path
	guards   [][]string
}

// Visit looks at one node, after those inside it.
func (r *reader) Visit(n *ast.Node) {
	if path, ok := r.path(*n); ok {
		r.paths = append(r.paths, readPath{*n, path})
		switch n := (*n).(type) {
		case *ast.MemberNode:
			r.inner[n.Node] = true
		case *ast.ChainNode:
			r.inner[n.Node] = true
		}
		return
	}
	op, ok := (*n).(*ast.BinaryNode)
	switch {
	case !ok:
	case op.Operator == "??", isNilLiteral(op.Right):
		r.guard(op.Left)
	case isNilLiteral(op.Left):
		r.guard(op.Right)
	}
}

func (r *reader) guard(n ast.Node) {
	if path, ok := r.path(n); ok {
		r.guards = append(r.guards, path)
	}
}

func (r *reader) isGuarded(path []string) bool {
	return slices.ContainsFunc(r.guards, func(g []string) bool { return len(g) >= len(path) && slices.Equal(g[:len(path)], path) })
}

// path is a node as a path through the variable, when it is one.
func (r *reader) path(n ast.Node) ([]string, bool) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return nil, n.Value == r.variable
	case *ast.ChainNode:
		return r.path(n.Node)
	case *ast.MemberNode:
		name, isName := n.Property.(*ast.StringNode)
		if owner, ok := r.path(n.Node); ok && isName {
			return append(slices.Clip(owner), name.Value), true
		}
	}
	return nil, false
}

// Unanchored lists the patterns of matches that a text fits already when a part
// of it does. Those under a "not" are left out: there, fitting sooner is the
// careful way.
func (p *Program) Unanchored() []string {
	var out []string
	eachPattern(p.tree, false, func(pattern string) {
		re, err := resyntax.Parse(pattern, resyntax.Perl)
		if err == nil && !(anchored(re, resyntax.OpBeginText) && anchored(re, resyntax.OpEndText)) {
			out = append(out, pattern)
		}
	})
	return out
}

// eachPattern calls f for the patterns that are not under a "not".
func eachPattern(n ast.Node, negated bool, f func(string)) {
	switch n := n.(type) {
	case *ast.UnaryNode:
		eachPattern(n.Node, negated != (n.Operator == "!" || n.Operator == "not"), f)
	case *ast.BinaryNode:
		if pattern, ok := n.Right.(*ast.StringNode); ok && n.Operator == "matches" && !negated {
			f(pattern.Value)
		}
		eachPattern(n.Left, negated, f)
		eachPattern(n.Right, negated, f)
	case *ast.ConditionalNode:
		for _, part := range []ast.Node{n.Cond, n.Exp1, n.Exp2} {
			eachPattern(part, negated, f)
		}
	case *ast.VariableDeclaratorNode:
		eachPattern(n.Value, negated, f)
		eachPattern(n.Expr, negated, f)
	case *ast.BuiltinNode:
		for _, part := range n.Arguments {
			eachPattern(part, negated != (n.Name == "none"), f)
		}
	case *ast.PredicateNode:
		eachPattern(n.Node, negated, f)
	}
}

// anchored reports whether every text that fits does so at its beginning, or
// at its end.
func anchored(re *resyntax.Regexp, end resyntax.Op) bool {
	switch re.Op {
	case resyntax.OpBeginText, resyntax.OpEndText:
		return re.Op == end
	case resyntax.OpCapture:
		return anchored(re.Sub[0], end)
	case resyntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(sub *resyntax.Regexp) bool { return !anchored(sub, end) })
	case resyntax.OpConcat:
		if end == resyntax.OpBeginText {
			return anchored(re.Sub[0], end)
		}
		return anchored(re.Sub[len(re.Sub)-1], end)
	}
	return false
}

// Source is the text of the expression, on one line.
func (p *Program) Source() string { return strings.Join(strings.Fields(p.source), " ") }
