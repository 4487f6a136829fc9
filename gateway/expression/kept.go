package expression

import (
	"sync/atomic"

	"github.com/expr-lang/expr/ast"
)

// maxRead is how many numbers a call keeps read. Rules compare few of the
// arguments; further numbers are read each time.
const maxRead = 4

// numbers are the numbers of a call that comparisons have read, so that many
// rules on one argument read it once. They are safe for concurrent use.
type numbers struct {
	read [maxRead]atomic.Pointer[numberRead]
}

// numberRead is what a text was read as; it does not change.
type numberRead struct {
	text    string
	number  number
	problem string
}

// of reads a number, or finds it read. Where two goroutines read the same one
// first, both keep it, which costs a place.
func (n *numbers) of(text string) (number, string) {
	for i := range n.read {
		known := n.read[i].Load()
		if known == nil {
			known = &numberRead{text: text}
			known.number, known.problem = parseNumber(text)
			n.read[i].CompareAndSwap(nil, known)
		}
		if known.text == text {
			return known.number, known.problem
		}
	}
	return parseNumber(text)
}

// isPath reports whether a part of an expression is a variable or what stands
// in one: a value that other expressions of the call read too.
func (l *lowerer) isPath(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		_, ok := l.env.vars[n.Value]
		return ok
	case *ast.ChainNode:
		return l.isPath(n.Node)
	case *ast.MemberNode:
		return l.isPath(n.Node)
	}
	return false
}
