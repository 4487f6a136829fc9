package expression

import (
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
)

// hasName is the function that asks whether a path leads to something. It is
// no function of values: has("args.a.b") is read as args.a.b != nil, so that
// its path is checked, and counts as late, like any other.
const hasName = "has"

// expandHas replaces each has(…) of a tree, or reports why it cannot.
func (s *source) expandHas(tree ast.Node) ast.Node {
	ast.Walk(&tree, &hasExpander{s})
	if s.failed {
		return nil
	}
	return tree
}

type hasExpander struct{ source *source }

// Visit replaces one node.
func (h *hasExpander) Visit(n *ast.Node) {
	call, ok := (*n).(*ast.CallNode)
	if !ok {
		return
	}
	if name, ok := call.Callee.(*ast.IdentifierNode); !ok || name.Value != hasName {
		return
	}
	const example = `write has("args.a.b") for example`
	at := call.Location()
	var text *ast.StringNode
	if len(call.Arguments) == 1 {
		at = call.Arguments[0].Location()
		text, _ = call.Arguments[0].(*ast.StringNode)
	}
	if text == nil {
		h.source.report(at.From, "has takes one path, as a text that stands in the expression itself", example)
		return
	}
	path, err := parse(text.Value)
	if err != nil || !isPath(path) {
		h.source.report(at.From, literal(text.Value)+" is not a path", example)
		return
	}
	ast.Walk(&path, mover(at.From+1))
	out := binaryNode("!=", path, &ast.NilNode{})
	out.SetLocation(call.Location())
	*n = out
}

// isPath reports whether a tree is a variable with at least one step behind it,
// and nothing else.
func isPath(n ast.Node) bool {
	steps := 0
	for {
		switch at := n.(type) {
		case *ast.ChainNode:
			n = at.Node
		case *ast.MemberNode:
			if !isStep(at.Property) {
				return false
			}
			n = at.Node
			steps++
		case *ast.IdentifierNode:
			return steps > 0
		default:
			return false
		}
	}
}

func isStep(n ast.Node) bool {
	switch n.(type) {
	case *ast.StringNode, *ast.IntegerNode:
		return true
	}
	return false
}

// mover moves the places of nodes by so many characters.
type mover int

// Visit moves one node.
func (m mover) Visit(n *ast.Node) {
	at := (*n).Location()
	(*n).SetLocation(file.Location{From: at.From + int(m), To: at.To + int(m)})
}
