package expression

import (
	"regexp"
	"strings"

	"github.com/expr-lang/expr/ast"
)

func (l *lowerer) unary(n *ast.UnaryNode) lowered {
	x := l.lower(n.Node)
	label := describe(n)
	switch n.Operator {
	case "!", "not":
		x = l.condition(n.Node, x)
		return apply(x, label, Bool, func(_ *frame, v any) (any, error) { return v != true, nil })
	}
	if k := x.typ.kind; k != anyKind && k != numberKind {
		return l.fail(n, "", "%s is %s, and %s needs a number", x.label, k, n.Operator)
	}
	minus := func(_ *frame, v any) (any, error) {
		num, err := operand(n.Operator, x.label, v)
		if err != nil || n.Operator == "+" {
			return v, err
		}
		num, problem := negate(num)
		if problem != "" {
			return nil, failed(label, problem)
		}
		return num.value(), nil
	}
	if x.constant {
		if v, err := minus(nil, x.value); err == nil {
			return constant(v)
		}
	}
	return apply(x, label, Int, minus)
}

// operand reads one side of an arithmetic operator.
func operand(op, label string, v any) (number, error) {
	if k := kindOf(v); k != numberKind {
		return number{}, failed(label, " is ", k.String(), ", and ", op, " needs a number")
	}
	num, problem := numberOf(v)
	if problem != "" {
		return number{}, failed(label, problem)
	}
	return num, nil
}

func (l *lowerer) binary(n *ast.BinaryNode) lowered {
	if hint := l.dashed(n); hint != "" {
		return l.fail(n.Right, hint, "unknown variable %s", n.Right.(*ast.IdentifierNode).Value)
	}
	a, b := l.lower(n.Left), l.lower(n.Right)
	switch n.Operator {
	case "&&", "and", "||", "or":
		return l.logic(n, a, b)
	case "==", "!=", "<", "<=", ">", ">=":
		return l.comparison(n, a, b)
	case "in":
		return l.in(n, a, b)
	case "contains", "startsWith", "endsWith":
		return l.textTest(n, a, b)
	case "matches":
		return l.matches(n, a)
	case "??":
		return lowered{typ: either(a.typ, b.typ), label: describe(n), sure: false, node: &ast.BinaryNode{Operator: "??", Left: l.node(a), Right: l.node(b)}}
	case "..":
		return l.span(n, a, b)
	case "+":
		return l.plus(n, a, b)
	}
	return l.arithmetic(n, a, b)
}

// dashed gives a hint for args.user-id, which reads as args.user minus id.
func (l *lowerer) dashed(n *ast.BinaryNode) string {
	path, isPath := n.Left.(*ast.MemberNode)
	right, isName := n.Right.(*ast.IdentifierNode)
	if n.Operator != "-" || !isPath || !isName || l.taken(right.Value) {
		return ""
	}
	last, ok := path.Property.(*ast.StringNode)
	if !ok {
		return ""
	}
	return "for a name with a dash write " + member(shorten(path.Node.String()), last.Value+"-"+right.Value)
}

// logic is "and" and "or". Two sides that need only the frame become one
// function; else the virtual machine jumps.
func (l *lowerer) logic(n *ast.BinaryNode, a, b lowered) lowered {
	a, b = l.condition(n.Left, a), l.condition(n.Right, b)
	label := describe(n)
	op, stop := "&&", false
	if n.Operator == "||" || n.Operator == "or" {
		op, stop = "||", true
	}
	if !a.free() || !b.free() {
		return lowered{typ: Bool, label: label, sure: true, node: &ast.BinaryNode{Operator: op, Left: l.node(a), Right: l.node(b)}}
	}
	left, right := a.asFree(), b.asFree()
	return apply(lowered{}, label, Bool, func(f *frame, _ any) (any, error) {
		v, err := left(f, nil)
		if err != nil || v == stop {
			return v, err
		}
		return right(f, nil)
	})
}

// textTest is contains, startsWith or endsWith.
func (l *lowerer) textTest(n *ast.BinaryNode, a, b lowered) lowered {
	if k := a.typ.kind; k == listKind && n.Operator == "contains" {
		return l.fail(n, "write "+b.label+" in "+a.label, "%s is a list, and contains is for text", a.label)
	}
	for _, side := range []lowered{a, b} {
		if k := side.typ.kind; k != anyKind && k != textKind && k != nilKind {
			return l.fail(n, "", "%s is %s, and %s needs text", side.label, k, n.Operator)
		}
	}
	test := map[string]func(string, string) bool{
		"contains": strings.Contains, "startsWith": strings.HasPrefix, "endsWith": strings.HasSuffix,
	}[n.Operator]
	return l.apply2(a, b, describe(n), Bool, func(f *frame, x, y any) (any, error) {
		if x == nil || y == nil {
			return false, nil
		}
		s, ok := x.(string)
		if !ok {
			return nil, notText(n.Operator, a.label, x)
		}
		part, ok := y.(string)
		if !ok {
			return nil, notText(n.Operator, b.label, y)
		}
		if err := f.spendText(len(s)); err != nil {
			return nil, err
		}
		return test(s, part), nil
	})
}

func notText(op, label string, v any) error {
	return failed(label, " is ", kindOf(v).String(), ", and ", op, " needs text")
}

// matches tests against a pattern of Go's regexp syntax, whose time is linear
// in the length of the text. The pattern is a constant, so that no caller can
// choose it.
func (l *lowerer) matches(n *ast.BinaryNode, a lowered) lowered {
	pattern, ok := n.Right.(*ast.StringNode)
	if !ok {
		return l.fail(n.Right, "", "the pattern of matches must be a text that stands in the expression itself")
	}
	if k := a.typ.kind; k != anyKind && k != textKind && k != nilKind {
		return l.fail(n, "", "%s is %s, and matches needs text", a.label, k)
	}
	re, err := regexp.Compile(pattern.Value)
	if err != nil {
		return l.fail(n.Right, "", "the pattern is wrong: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return apply(a, describe(n), Bool, func(f *frame, v any) (any, error) {
		if v == nil {
			return false, nil
		}
		s, ok := v.(string)
		if !ok {
			return nil, notText("matches", a.label, v)
		}
		if err := f.spendText(4 * len(s)); err != nil {
			return nil, err
		}
		return re.MatchString(s), nil
	})
}

// span is a..b, the whole numbers from a to b.
func (l *lowerer) span(n *ast.BinaryNode, a, b lowered) lowered {
	for _, side := range []lowered{a, b} {
		if k := side.typ.kind; k != anyKind && k != numberKind {
			return l.fail(n, "", "%s is %s, and .. needs whole numbers", side.label, k)
		}
	}
	return l.apply2(a, b, describe(n), listOf(Int), func(f *frame, x, y any) (any, error) {
		from, err := wholeNumber(a.label, x)
		if err != nil {
			return nil, err
		}
		to, err := wholeNumber(b.label, y)
		if err != nil || to < from {
			return []any{}, err
		}
		size := uint64(to) - uint64(from)
		if size >= maxWork {
			return nil, f.spend(maxWork + 1)
		}
		list := make([]any, 0, size+1)
		for i := range int(size) + 1 {
			list = append(list, from+i)
		}
		return list, f.spend(len(list))
	})
}
