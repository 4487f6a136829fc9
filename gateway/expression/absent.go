package expression

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/toolgate/toolgate/gateway/diag"
)

// absentName is a variable without a value that stands for what a path would
// lead to; no expression can write it.
const absentName = "what is absent"

// Evades reports whether leaving out what a path through a variable leads to
// may make a condition false that would be true with it. The path is one of
// those that [Program.Unguarded] gives. Every part of the condition that reads
// the path is run once without it, and with sample values of the other
// variables: where each of them then speaks for the condition, or the whole
// holds whatever the variables are, leaving it out gains nothing. What cannot
// be told counts as a way out. It is meant for a Program compiled with WantBool.
func (p *Program) Evades(variable string, path []string, sample *Vars) bool {
	whole := p.without(variable, path)
	if whole == nil {
		return true
	}
	all := p.absentEnv(func(v Var) bool { return v.Value == nil })
	if early(whole, all, sample) == Yes {
		return false
	}
	g := gain{tainted: []string{absentName}}
	parts := p.absentEnv(func(v Var) bool { return v.Name == variable })
	return early(g.speaks(whole, true), parts, sample) != Yes
}

// without is the condition's tree with the path replaced by what is absent.
func (p *Program) without(variable string, path []string) ast.Node {
	tree := newSource(diag.NewCursor(new(diag.Report), nil), p.source).parse()
	if tree != nil {
		ast.Walk(&tree, &remover{reader{variable: variable}, path})
	}
	return tree
}

type remover struct {
	reader reader
	path   []string
}

// Visit replaces one node.
func (r *remover) Visit(n *ast.Node) {
	if path, ok := r.reader.path(*n); ok && slices.Equal(path, r.path) {
		*n = &ast.IdentifierNode{Value: absentName}
	}
}

// absentEnv is the environment with what is absent, in which other variables
// are late.
func (p *Program) absentEnv(late func(Var) bool) *Env {
	vars := []Var{{Name: absentName, Type: JSON}}
	for _, v := range p.env.vars {
		v.Late = late(v)
		vars = append(vars, v)
	}
	return &Env{vars: NewEnv(vars...).vars, funcs: p.env.funcs}
}

func early(tree ast.Node, env *Env, vars *Vars) Truth {
	p := Program{bounds: func() bounds { return compileBounds(tree, env) }}
	return p.Early(vars)
}

// gain makes of a condition one that is true where its parts that read
// something tainted all speak for it.
type gain struct{ tainted []string }

// speaks is true where the tainted parts of n are as they have to be for n to
// come out as wanted.
func (g *gain) speaks(n ast.Node, wanted bool) ast.Node {
	if !g.taints(n) {
		return &ast.BoolNode{Value: true}
	}
	switch n := n.(type) {
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			return g.speaks(n.Node, !wanted)
		}
	case *ast.BinaryNode:
		switch n.Operator {
		case "&&", "and", "||", "or":
			return binaryNode("&&", g.speaks(n.Left, wanted), g.speaks(n.Right, wanted))
		}
	case *ast.ConditionalNode:
		if g.taints(n.Cond) { // which of the two it was with the value, nobody knows
			return &ast.BoolNode{Value: false}
		}
		return binaryNode("&&", g.speaks(n.Exp1, wanted), g.speaks(n.Exp2, wanted))
	case *ast.VariableDeclaratorNode:
		if g.taints(n.Value) {
			g.tainted = append(g.tainted, n.Name)
		}
		return &ast.VariableDeclaratorNode{Name: n.Name, Value: n.Value, Expr: g.speaks(n.Expr, wanted)}
	}
	if wanted {
		return n
	}
	return &ast.UnaryNode{Operator: "not", Node: n}
}

func (g *gain) taints(n ast.Node) bool {
	f := nameFinder{names: g.tainted}
	ast.Walk(&n, &f)
	return f.found
}

// nameFinder looks for one of some names.
type nameFinder struct {
	names []string
	found bool
}

// Visit looks at one node.
func (f *nameFinder) Visit(n *ast.Node) {
	if id, ok := (*n).(*ast.IdentifierNode); ok {
		f.found = f.found || slices.Contains(f.names, id.Value)
	}
}
