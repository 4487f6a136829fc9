package expression

import (
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
)

// mostLabel is the longest text, in bytes, that names a part of an expression.
const mostLabel = 60

// describe names a part of an expression by its source, if that is short.
func describe(n ast.Node) string {
	var c counter
	ast.Walk(&n, &c)
	if c > mostLabel/4 {
		return "this expression"
	}
	return shorten(n.String())
}

// counter counts the nodes of a tree.
type counter int

// Visit counts one node.
func (c *counter) Visit(*ast.Node) { *c++ }

func shorten(text string) string {
	if len(text) <= mostLabel {
		return text
	}
	end := mostLabel
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// literal names a constant.
func literal(v any) string {
	if v == nil {
		return "nil"
	}
	text, err := encode(v)
	if err != nil {
		return "this constant"
	}
	return shorten(string(text))
}

// condition makes a value that decides something a bool: nil is false, and
// what is no bool is an error.
func (l *lowerer) condition(n ast.Node, x lowered) lowered {
	switch k := x.typ.kind; {
	case x.sure:
		return x
	case k != anyKind && k != boolKind:
		return l.fail(n, "", "%s is %s, and true or false is needed", x.label, k)
	}
	return apply(x, x.label, Bool, func(_ *frame, v any) (any, error) {
		switch v := v.(type) {
		case bool:
			return v, nil
		case nil:
			return false, nil
		}
		return nil, failed(x.label, " is ", kindOf(v).String(), ", and true or false is needed")
	})
}

func (l *lowerer) conditional(n *ast.ConditionalNode) lowered {
	cond := l.condition(n.Cond, l.lower(n.Cond))
	yes, no := l.lower(n.Exp1), l.lower(n.Exp2)
	return lowered{
		typ: either(yes.typ, no.typ), label: describe(n), sure: yes.sure && no.sure,
		node: &ast.ConditionalNode{Cond: l.node(cond), Exp1: l.node(yes), Exp2: l.node(no)},
	}
}

// let is "let name = value; rest".
func (l *lowerer) let(n *ast.VariableDeclaratorNode) lowered {
	if l.taken(n.Name) {
		return l.fail(n, "choose another name", "%s is already the name of something else", n.Name)
	}
	value := l.lower(n.Value)
	l.lets = append(l.lets, let{n.Name, value.typ})
	rest := l.lower(n.Expr)
	l.lets = l.lets[:len(l.lets)-1]
	return lowered{
		typ: rest.typ, label: rest.label, sure: rest.sure,
		node: &ast.VariableDeclaratorNode{Name: n.Name, Value: l.node(value), Expr: l.node(rest)},
	}
}

func (l *lowerer) taken(name string) bool {
	_, isVar := l.env.vars[name]
	for _, let := range l.lets {
		isVar = isVar || let.name == name
	}
	return isVar || isFunction(name) || l.env.funcs[name] != nil
}

// list is [a, b]; one of constants is a constant.
func (l *lowerer) list(n *ast.ArrayNode) lowered {
	items, values, fixed := make([]ast.Node, len(n.Nodes)), make([]any, len(n.Nodes)), true
	typ := JSON
	for i, item := range n.Nodes {
		x := l.lower(item)
		items[i], values[i], fixed = l.node(x), x.value, fixed && x.constant
		if i == 0 {
			typ = x.typ
		}
		typ = either(typ, x.typ)
	}
	if fixed {
		x := constant(values)
		x.typ = listOf(typ)
		return x
	}
	return lowered{typ: listOf(typ), label: describe(n), node: &ast.ArrayNode{Nodes: items}}
}

// object is {a: 1, "b": 2, (key): 3}.
func (l *lowerer) object(n *ast.MapNode) lowered {
	pairs := make([]ast.Node, len(n.Pairs))
	fields := make(map[string]Type, len(n.Pairs))
	for i, p := range n.Pairs {
		pair := p.(*ast.PairNode)
		value := l.lower(pair.Value)
		key := l.key(pair.Key)
		if name, ok := key.value.(string); ok && fields != nil {
			fields[name] = value.typ
		} else {
			fields = nil
		}
		pairs[i] = &ast.PairNode{Key: l.node(key), Value: l.node(value)}
	}
	return lowered{typ: Type{kind: mapKind, fields: fields}, label: describe(n), node: &ast.MapNode{Pairs: pairs}}
}

// key is the name of a member, which must be a text.
func (l *lowerer) key(n ast.Node) lowered {
	key := l.lower(n)
	if k := key.typ.kind; k == textKind && key.constant {
		return key
	} else if k != textKind && k != anyKind {
		return l.fail(n, "", "%s is %s, and the name of a member is text", key.label, k)
	}
	return apply(key, key.label, String, func(_ *frame, v any) (any, error) {
		if _, ok := v.(string); ok {
			return v, nil
		}
		return nil, failed(key.label, " is ", kindOf(v).String(), ", and the name of a member is text")
	})
}
