package expression

import (
	"slices"

	"github.com/expr-lang/expr/ast"
)

// ReadsPath reports whether the expression uses the value at a path through
// the variable, given without the variable's name, or something inside it. One
// that takes the variable, or a value on the way, as a whole or by a key that
// is computed uses all of it. The nil Program reads nothing.
func (p *Program) ReadsPath(variable string, path ...string) bool {
	if p == nil {
		return false
	}
	r := reader{variable: variable, inner: map[ast.Node]bool{}}
	ast.Walk(&p.tree, &r)
	return slices.ContainsFunc(r.paths, func(read readPath) bool {
		n := min(len(read.path), len(path))
		return !r.inner[read.node] && slices.Equal(read.path[:n], path[:n])
	})
}
