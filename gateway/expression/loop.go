package expression

import (
	"github.com/expr-lang/expr/ast"
)

// looping are the list functions that run a condition or a value for each
// item. What is true of each says how it is lowered.
var looping = map[string]struct {
	decides bool // the part in braces is a condition
	result  Type // zero: an item
	items   bool // the result is a list of items
}{
	"any": {decides: true, result: Bool}, "all": {decides: true, result: Bool},
	"none": {decides: true, result: Bool}, "one": {decides: true, result: Bool},
	"filter": {decides: true, items: true}, "count": {decides: true, result: Int},
	"find": {decides: true}, "findLast": {decides: true},
	"findIndex": {decides: true, result: Int}, "findLastIndex": {decides: true, result: Int},
	"map": {}, "sum": {}, "sortBy": {}, "groupBy": {}, "reduce": {},
}

// loopOver lowers the call of a list function.
func (l *lowerer) loopOver(n *ast.BuiltinNode) lowered {
	list := l.lower(n.Arguments[0])
	if k := list.typ.kind; k != anyKind && k != nilKind && k != listKind {
		return l.fail(n.Arguments[0], "", "%s is %s, and %s needs a list", list.label, k, n.Name)
	}
	if len(n.Arguments) == 1 && n.Name == "sum" {
		return l.apply1(n, list, Int, func(f *frame, v any) (any, error) { return sum(f, list.label, v) })
	}
	l.nested = l.nested || len(l.loops) > 0
	item := list.typ.itemType()
	start := l.node(l.items(n.Name, list, n.Name == "reduce" && len(n.Arguments) == 2))
	switch n.Name {
	case "reduce":
		return l.reduce(n, start)
	case "map", "sum", "sortBy", "groupBy":
		return l.mapped(n, list.label, start, item)
	}
	spec := looping[n.Name]
	cond := l.body(n, loop{item: item}, spec.decides)
	out := lowered{typ: spec.result, label: describe(n), sure: spec.result.kind == boolKind, node: native(n.Name, start, l.node(cond))}
	switch {
	case spec.items:
		out.typ = listOf(item)
	case out.typ.kind == anyKind:
		out.typ = item
	}
	return out
}

// native is a list function as the virtual machine knows it.
func native(name string, list, body ast.Node, more ...ast.Node) ast.Node {
	return &ast.BuiltinNode{Name: name, Arguments: append([]ast.Node{list, &ast.PredicateNode{Node: body}}, more...)}
}

// items makes a list of the value that a list function runs over: nil is the
// empty list, which only reduce without a starting value cannot take.
func (l *lowerer) items(name string, list lowered, filled bool) lowered {
	return apply(list, list.label, list.typ, func(f *frame, v any) (any, error) {
		if err := f.spend(loopWork); err != nil {
			return nil, err
		}
		k := kindOf(v)
		switch {
		case k != listKind && k != nilKind:
			return nil, failed(list.label, " is ", k.String(), ", and ", name, " needs a list")
		case filled && len(asList(v)) == 0:
			return nil, failed(list.label, " is empty, and reduce has no starting value")
		case k == nilKind:
			return []any{}, nil
		}
		return v, nil
	})
}

// body lowers what runs for each item; each turn is paid for.
func (l *lowerer) body(n *ast.BuiltinNode, in loop, decides bool) lowered {
	l.loops = append(l.loops, in)
	defer func() { l.loops = l.loops[:len(l.loops)-1] }()
	x := lowered{typ: in.item, label: "#", node: &ast.PointerNode{}} // count(list) counts what is true
	at := n.Arguments[0]
	if len(n.Arguments) > 1 {
		at = n.Arguments[1].(*ast.PredicateNode).Node
		x = l.lower(at)
	}
	if decides {
		x = l.condition(at, x)
	}
	sure := x.sure
	x = apply(x, x.label, x.typ, func(f *frame, v any) (any, error) { return v, f.spend(1) })
	x.sure = sure
	return x
}

// mapped lowers map, and what is made of a map: sum, sortBy and groupBy, whose
// own forms in the virtual machine know neither our numbers nor our order.
func (l *lowerer) mapped(n *ast.BuiltinNode, list string, start ast.Node, item Type) lowered {
	body := l.body(n, loop{item: item}, false)
	label := describe(n)
	if n.Name == "map" || n.Name == "sum" {
		out := lowered{typ: listOf(body.typ), label: label, node: native("map", start, l.node(body))}
		if n.Name == "sum" {
			return apply(out, label, Int, func(f *frame, v any) (any, error) { return sum(f, label, v) })
		}
		return out
	}
	pair := &ast.ArrayNode{Nodes: []ast.Node{l.node(body), &ast.PointerNode{}}}
	pairs := lowered{label: label, node: native("map", start, pair)}
	if n.Name == "groupBy" {
		return apply(pairs, label, Type{kind: mapKind}, func(f *frame, v any) (any, error) { return groupPairs(f, body.label, v) })
	}
	order := constant("asc")
	if len(n.Arguments) == 3 {
		order = l.lower(n.Arguments[2])
	}
	return l.apply2(pairs, order, label, listOf(item), func(f *frame, v, order any) (any, error) {
		return sortPairs(f, list, body.label, v, order)
	})
}

func (l *lowerer) reduce(n *ast.BuiltinNode, start ast.Node) lowered {
	body := l.body(n, loop{acc: true}, false)
	var more []ast.Node
	if len(n.Arguments) == 3 {
		more = append(more, l.node(l.lower(n.Arguments[2])))
	}
	return lowered{label: describe(n), node: native(n.Name, start, l.node(body), more...)}
}

// apply1 puts fn on a value and names the result by its source.
func (l *lowerer) apply1(n ast.Node, x lowered, typ Type, fn unary) lowered {
	return apply(x, describe(n), typ, fn)
}
