package expression

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// comparison is == != < <= > >=.
func (l *lowerer) comparison(n *ast.BinaryNode, a, b lowered) lowered {
	label := describe(n)
	equality := n.Operator == "==" || n.Operator == "!="
	if isNilLiteral(n.Left) || isNilLiteral(n.Right) {
		if !equality {
			return l.fail(n, "write == nil to ask whether a value is absent", "%s with nil is never true", n.Operator)
		}
		if isNilLiteral(n.Left) {
			a = b
		}
		want := n.Operator == "=="
		return apply(a, label, Bool, func(_ *frame, v any) (any, error) { return (v == nil) == want, nil })
	}
	c := comparison{op: n.Operator, equality: equality, left: l.side(n.Left, a), right: l.side(n.Right, b)}
	if problem := c.clash(a.typ.kind, b.typ.kind); problem != "" {
		hint := ""
		if not, ok := n.Left.(*ast.UnaryNode); ok && a.sure {
			hint = not.Operator + " binds first: write " + not.Operator + " (a " + n.Operator + " b)"
		}
		return l.fail(n, hint, "%s", problem)
	}
	return l.apply2(a, b, label, Bool, c.run)
}

func isNilLiteral(n ast.Node) bool { _, ok := n.(*ast.NilNode); return ok }

// comparison is one place in an expression where two values are compared.
type comparison struct {
	op          string
	equality    bool // == or !=
	left, right side
}

// side is one of the two values of a comparison.
type side struct {
	label string
	fixed *number // a constant number
	path  bool    // other comparisons of the call read it too
}

func (l *lowerer) side(n ast.Node, x lowered) side {
	s := side{label: x.label, path: l.isPath(n)}
	if x.constant && x.typ.kind == numberKind {
		if n, problem := numberOf(x.value); problem == "" {
			s.fixed = &n
		}
	}
	return s
}

// number reads the value of the side, which is one of numberKind.
func (s *side) number(f *frame, v any) (number, string) {
	if s.fixed != nil {
		return *s.fixed, ""
	}
	if text, ok := v.(json.Number); ok && s.path {
		return f.numbers.of(string(text))
	}
	return numberOf(v)
}

// clash says why values of two kinds cannot be compared; empty when they can,
// or when that is not known yet.
func (c *comparison) clash(a, b kind) string {
	switch {
	case a == anyKind || b == anyKind || a == nilKind || b == nilKind:
		return ""
	case a != b:
		return c.left.label + " is " + a.String() + " and " + c.right.label + " is " + b.String()
	case a == otherKind, !c.equality && a != numberKind && a != textKind:
		return c.left.label + " is " + a.String() + ", and " + c.op + " compares numbers or texts"
	}
	return ""
}

// run compares; with nil on either side every comparison is false.
func (c *comparison) run(f *frame, a, b any) (any, error) {
	if a == nil || b == nil {
		return false, nil
	}
	k := kindOf(a)
	if problem := c.clash(k, kindOf(b)); problem != "" {
		return nil, failed(problem)
	}
	if c.equality {
		same, err := c.equal(f, k, a, b)
		return same == (c.op == "=="), err
	}
	order, err := c.order(f, k, a, b)
	if err != nil {
		return nil, err
	}
	switch c.op {
	case "<":
		return order < 0, nil
	case "<=":
		return order <= 0, nil
	case ">":
		return order > 0, nil
	}
	return order >= 0, nil
}

// order compares two texts or two numbers.
func (c *comparison) order(f *frame, k kind, a, b any) (int, error) {
	if k == textKind {
		x, y := a.(string), b.(string)
		return strings.Compare(x, y), f.spendText(min(len(x), len(y)))
	}
	if x, y, ok := integers(a, b); ok {
		return cmp.Compare(x, y), nil
	}
	if err := f.spendNumbers(a, b); err != nil {
		return 0, err
	}
	x, problem := c.left.number(f, a)
	if problem != "" {
		return 0, failed(c.left.label, problem)
	}
	y, problem := c.right.number(f, b)
	if problem != "" {
		return 0, failed(c.right.label, problem)
	}
	return x.compare(&y), nil
}

func (c *comparison) equal(f *frame, k kind, a, b any) (bool, error) {
	switch k {
	case textKind, numberKind:
		order, err := c.order(f, k, a, b)
		return order == 0, err
	case boolKind:
		return a == b, nil
	}
	return equal(f, a, b)
}

// equal compares two values of any kind, item by item; different kinds are
// unequal.
func equal(f *frame, a, b any) (bool, error) {
	if err := f.spend(1); err != nil {
		return false, err
	}
	k := kindOf(a)
	if k != kindOf(b) {
		return false, nil
	}
	switch k {
	case textKind, numberKind:
		item := side{label: "a number in a list or object"}
		c := comparison{left: item, right: item}
		order, err := c.order(f, k, a, b)
		return order == 0, err
	case listKind:
		return equalLists(f, asList(a), asList(b))
	case mapKind:
		return equalObjects(f, a.(map[string]any), b.(map[string]any))
	case nilKind, boolKind:
		return a == b, nil
	}
	return false, nil
}

func equalLists(f *frame, a, b []any) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	for i := range a {
		if same, err := equal(f, a[i], b[i]); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

func equalObjects(f *frame, a, b map[string]any) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	for name, x := range a {
		y, ok := b[name]
		if !ok {
			return false, nil
		}
		if same, err := equal(f, x, y); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// in is "x in list" or "name in object".
func (l *lowerer) in(n *ast.BinaryNode, a, b lowered) lowered {
	switch k := b.typ.kind; k {
	case anyKind, nilKind, listKind, mapKind:
	case textKind:
		return l.fail(n, "write "+b.label+" contains "+a.label, "%s is text, and in needs a list or an object", b.label)
	default:
		return l.fail(n, "", "%s is %s, and in needs a list or an object", b.label, k)
	}
	if item := b.typ.itemType().kind; b.typ.kind == listKind && item.known() && a.typ.kind.known() && item != a.typ.kind {
		return l.fail(n, "", "%s is %s, and no item of %s is", a.label, a.typ.kind, b.label)
	}
	m := membership{left: a.label, right: b.label}
	return l.apply2(a, b, describe(n), Bool, m.run)
}

// membership is one place in an expression where in stands.
type membership struct{ left, right string }

// run looks for x in y; nil is in nothing, and nothing is in nil.
func (m *membership) run(f *frame, x, y any) (any, error) {
	if x == nil || y == nil {
		return false, nil
	}
	switch y := y.(type) {
	case []string:
		if s, ok := x.(string); ok { // spares a copy for the most common question, of tags and groups
			return slices.Contains(y, s), f.spend(len(y))
		}
		return m.among(f, x, asList(y))
	case []any:
		return m.among(f, x, y)
	case map[string]any:
		name, ok := x.(string)
		if !ok {
			return nil, failed(m.left, " is ", kindOf(x).String(), ", and ", m.right, " is an object with names")
		}
		_, ok = y[name]
		return ok, nil
	}
	return nil, failed(m.right, " is ", kindOf(y).String(), ", and in needs a list or an object")
}

// among looks for x among items. A list whose items are all of other kinds
// is a mistake, as comparing with one of them would be.
func (m *membership) among(f *frame, x any, items []any) (any, error) {
	k, comparable := kindOf(x), len(items) == 0
	for _, item := range items {
		same, err := equal(f, x, item)
		if same || err != nil {
			return same, err
		}
		comparable = comparable || item == nil || kindOf(item) == k
	}
	if !comparable {
		return nil, failed(m.left, " is ", k.String(), ", and no item of ", m.right, " is")
	}
	return false, nil
}
