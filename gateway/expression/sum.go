package expression

import "github.com/expr-lang/expr/ast"

// arithmetic is - * / % ** ^, and + for numbers.
func (l *lowerer) arithmetic(n *ast.BinaryNode, a, b lowered) lowered {
	for _, side := range []lowered{a, b} {
		if k := side.typ.kind; k != anyKind && k != numberKind {
			return l.fail(n, "", "%s is %s, and %s needs numbers", side.label, k, n.Operator)
		}
	}
	label := describe(n)
	return l.apply2(a, b, label, Int, func(f *frame, x, y any) (any, error) {
		return calculate(f, n.Operator, label, a.label, b.label, x, y)
	})
}

func calculate(f *frame, op, label, left, right string, x, y any) (any, error) {
	if err := f.spendNumbers(x, y); err != nil {
		return nil, err
	}
	m, err := operand(op, left, x)
	if err != nil {
		return nil, err
	}
	k, err := operand(op, right, y)
	if err != nil {
		return nil, err
	}
	result, problem := compute(op, m, k)
	if problem != "" {
		return nil, failed(label, problem)
	}
	return result.value(), f.spendDigits(&result)
}

// plus adds numbers or joins texts.
func (l *lowerer) plus(n *ast.BinaryNode, a, b lowered) lowered {
	ka, kb := a.typ.kind, b.typ.kind
	switch {
	case ka == numberKind || kb == numberKind:
		return l.arithmetic(n, a, b)
	case ka != anyKind && ka != textKind:
		return l.fail(n, "", "%s is %s, and + needs numbers or texts", a.label, ka)
	case kb != anyKind && kb != textKind:
		return l.fail(n, "", "%s is %s, and + needs numbers or texts", b.label, kb)
	}
	label := describe(n)
	return l.apply2(a, b, label, either(a.typ, b.typ), func(f *frame, x, y any) (any, error) {
		s, ok := x.(string)
		if !ok {
			return calculate(f, "+", label, a.label, b.label, x, y)
		}
		t, ok := y.(string)
		if !ok {
			return nil, notText("+ after a text", b.label, y)
		}
		if err := f.spendText(len(s) + len(t)); err != nil {
			return nil, err
		}
		return s + t, nil
	})
}
