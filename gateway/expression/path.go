package expression

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/expr-lang/expr/ast"

	"github.com/toolgate/toolgate/gateway/diag"
)

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// identifier is a let or a variable.
func (l *lowerer) identifier(n *ast.IdentifierNode) lowered {
	for _, let := range l.lets {
		if let.name == n.Value {
			return lowered{typ: let.typ, label: n.Value, node: &ast.IdentifierNode{Value: n.Value}}
		}
	}
	name := n.Value
	v, ok := l.env.vars[name]
	if !ok {
		text, hint := l.env.unknown(name)
		if _, ok := l.env.vars["secret"]; ok && name == "env" {
			text, hint = "env is not built yet", declareSecret(l.behind(n))
		}
		return l.fail(n, hint, "%s", text)
	}
	if !slices.Contains(l.reads, name) {
		l.reads = append(l.reads, name)
	}
	if v.Value != nil {
		return lowered{typ: v.Type, label: name, constant: true, value: v.Value}
	}
	return lowered{typ: v.Type, label: name, fn: func(f *frame, _ any) (any, error) { return f.values[name], nil }}
}

// pointer is #, #acc or #index.
func (l *lowerer) pointer(n *ast.PointerNode) lowered {
	if len(l.loops) == 0 {
		return l.fail(n, "", "# stands outside the condition of a list function")
	}
	in := l.loops[len(l.loops)-1]
	switch n.Name {
	case "":
		return lowered{typ: in.item, label: "#", node: &ast.PointerNode{}}
	case "index":
		if in.acc {
			return lowered{typ: Int, label: "#index", node: &ast.PointerNode{Name: n.Name}}
		}
	case "acc":
		if in.acc {
			return lowered{label: "#acc", node: &ast.PointerNode{Name: n.Name}}
		}
	}
	return l.fail(n, "# is the item; #acc and #index are known in reduce only", "#%s is not known here", n.Name)
}

// member is a.b, a["b"] or a[i].
func (l *lowerer) member(n *ast.MemberNode) lowered {
	x := l.lower(n.Node)
	if key, ok := n.Property.(*ast.StringNode); ok {
		return l.field(n, x, key.Value)
	}
	key := l.lower(n.Property)
	label := x.label + "[" + key.label + "]"
	if k := x.typ.kind; k != anyKind && k != nilKind && k != listKind && k != mapKind {
		return l.fail(n, "", "%s is %s and has no members", x.label, k)
	}
	return l.apply2(x, key, label, x.typ.itemType(), func(_ *frame, v, key any) (any, error) { return index(x.label, label, v, key) })
}

func (l *lowerer) field(n *ast.MemberNode, x lowered, name string) lowered {
	typ := JSON
	switch k := x.typ.kind; {
	case x.typ.fields != nil:
		var ok bool
		if typ, ok = x.typ.fields[name]; !ok {
			return l.noField(n, x, name)
		}
	case k != anyKind && k != nilKind && k != mapKind:
		return l.fail(n, "", "%s is %s and has no fields", x.label, k)
	}
	owner := x.label
	if object, ok := x.value.(map[string]any); ok && x.constant {
		out := constant(object[name])
		out.label = member(owner, name)
		return out
	}
	return typed(apply(x, member(owner, name), typ, func(_ *frame, v any) (any, error) {
		switch v := v.(type) {
		case map[string]any:
			return v[name], nil
		case nil:
			return nil, nil
		}
		return nil, failed(owner, " is ", kindOf(v).String(), " and has no fields")
	}))
}

// typed takes back that a value of type Bool is always a bool: what a path
// gives may be absent, whatever was declared.
func typed(x lowered) lowered {
	x.sure = false
	return x
}

func (l *lowerer) noField(n *ast.MemberNode, x lowered, name string) lowered {
	names := x.typ.names()
	hint := diag.DidYouMean(name, names)
	switch {
	case hint != "":
	case x.label == "secret":
		hint = "declare it under secrets, as " + name + ": {env: VARIABLE} or " + name + ": {file: PATH}"
	case len(names) == 0:
		hint = "it has none"
	default:
		hint = listed("it has", names)
	}
	return l.fail(n, hint, "%s has no field %s", x.label, name)
}

// member spells the path of a field.
func member(owner, name string) string {
	if plainName.MatchString(name) {
		return owner + "." + name
	}
	return owner + "[" + strconv.Quote(name) + "]"
}

// index gives the member of an object or the item of a list, counted from the
// end when negative; nil where there is none.
func index(owner, label string, v, key any) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case map[string]any:
		name, ok := key.(string)
		if !ok && key != nil {
			return nil, failed(owner, " is an object, and the name in ", label, " is ", kindOf(key).String())
		}
		return v[name], nil
	case []any, []string:
		items := asList(v)
		i, err := position(label, key, len(items))
		if err != nil || i < 0 || i >= len(items) {
			return nil, err
		}
		return items[i], nil
	}
	return nil, failed(owner, " is ", kindOf(v).String(), " and has no members")
}

// position is the index that key means in a list of n items; -1 for nil.
func position(label string, key any, n int) (int, error) {
	if key == nil {
		return -1, nil
	}
	i, err := wholeNumber("the position in "+label, key)
	if i < 0 && err == nil {
		i += n
	}
	return i, err
}

// slice is a[from:to], of a list or a text.
func (l *lowerer) slice(n *ast.SliceNode) lowered {
	args := []lowered{l.lower(n.Node), constant(nil), constant(nil)}
	for i, bound := range []ast.Node{n.From, n.To} {
		if bound != nil {
			args[i+1] = l.lower(bound)
		}
	}
	x := args[0]
	if k := x.typ.kind; k != anyKind && k != nilKind && k != listKind && k != textKind {
		return l.fail(n, "", "%s is %s and has no parts", x.label, k)
	}
	label := x.label + "[…]"
	return l.applyAll(args, label, Type{kind: x.typ.kind, item: x.typ.item}, func(f *frame, args []any) (any, error) {
		switch v := args[0].(type) {
		case nil:
			return nil, nil
		case string:
			if err := f.spendText(4 * len(v)); err != nil {
				return nil, err
			}
			from, to, err := sliceBounds(label, args, len([]rune(v)))
			if err != nil {
				return nil, err
			}
			return string([]rune(v)[from:to]), nil
		case []any, []string:
			items := asList(v)
			from, to, err := sliceBounds(label, args, len(items))
			return items[from:to:to], err
		}
		return nil, failed(x.label, " is ", kindOf(args[0]).String(), " and has no parts")
	})
}

// sliceBounds reads from and to, which may be negative, and keeps them within
// a length of n.
func sliceBounds(label string, args []any, n int) (from, to int, err error) {
	to = n
	if args[1] != nil {
		if from, err = position(label, args[1], n); err != nil {
			return 0, 0, err
		}
	}
	if args[2] != nil {
		if to, err = position(label, args[2], n); err != nil {
			return 0, 0, err
		}
	}
	to = max(0, min(to, n))
	return max(0, min(from, to)), to, nil
}
