package expression

import (
	"encoding/json"
	"maps"
	"slices"
)

// kind is what a JSON value can be.
type kind uint8

const (
	anyKind kind = iota // not known before the expression runs
	nilKind
	boolKind
	textKind
	numberKind
	listKind
	mapKind
	otherKind // not a JSON value
)

// String names the kind as messages do: "args.x is <kind>".
func (k kind) String() string {
	return [...]string{"any value", "absent", "true or false", "text", "a number", "a list", "an object", "of an unknown kind"}[k]
}

// known reports whether values of the kind are there and of that kind for
// certain.
func (k kind) known() bool { return k != anyKind && k != nilKind }

// Type is the declared type of a variable or a field.
type Type struct {
	kind   kind
	fields map[string]Type // the only members that a value has; nil when they are not known
	item   *Type           // of a list; nil when it is not known
}

// The types. A field of an Object that is not declared is an error when the
// expression is compiled; a field of a Closed value may be absent and holds
// any JSON value, but its name must be one of those given; JSON is any JSON
// value at all.
var (
	String  = Type{kind: textKind}
	Int     = Type{kind: numberKind}
	Bool    = Type{kind: boolKind}
	Strings = Type{kind: listKind, item: &Type{kind: textKind}}
	JSON    = Type{}
)

// Object is a value with exactly these fields, all present.
func Object(fields map[string]Type) Type {
	return Type{kind: mapKind, fields: maps.Clone(nonNil(fields))}
}

// Secrets declares the variable "secret" of templates, which has a text of each
// of these names.
func Secrets(names []string) Var {
	fields := make(map[string]Type, len(names))
	for _, name := range names {
		fields[name] = String
	}
	return Var{Name: "secret", Type: Object(fields)}
}

// Args declares the variable "args" of a tool. Closed says that no other
// property than those named can be sent; without it, and without names, any
// property may be read.
func Args(names []string, closed bool) Var {
	if closed || len(names) > 0 {
		return Var{Name: "args", Type: Closed(names)}
	}
	return Var{Name: "args", Type: JSON}
}

// Closed is a JSON object that can only have members of these names.
func Closed(names []string) Type {
	fields := make(map[string]Type, len(names))
	for _, name := range names {
		fields[name] = JSON
	}
	return Type{kind: mapKind, fields: fields}
}

// Shape is a JSON value of which this much is known: an object has members of
// no other names than fields, and the items of a list are of the type item. Where
// fields or item is nil, nothing is known. Unlike a Closed value it need not be
// an object at all.
func Shape(fields map[string]Type, item *Type) Type {
	return Type{fields: maps.Clone(fields), item: item}
}

func nonNil(fields map[string]Type) map[string]Type {
	if fields == nil {
		return map[string]Type{}
	}
	return fields
}

// names lists the declared members, sorted.
func (t Type) names() []string { return slices.Sorted(maps.Keys(t.fields)) }

// itemType is the type of an item of a list.
func (t Type) itemType() Type {
	if t.item == nil {
		return JSON
	}
	return *t.item
}

// listOf is a list whose items have the type.
func listOf(item Type) Type { return Type{kind: listKind, item: &item} }

// either is the type of a value that is one or the other.
func either(a, b Type) Type {
	switch {
	case a.kind == nilKind:
		return Type{kind: b.kind, item: b.item}
	case b.kind == nilKind:
		return Type{kind: a.kind, item: a.item}
	case a.kind == b.kind:
		return Type{kind: a.kind}
	}
	return JSON
}

// kindOf tells what a value is.
func kindOf(v any) kind {
	switch v.(type) {
	case nil:
		return nilKind
	case bool:
		return boolKind
	case string:
		return textKind
	case json.Number, int, int64, float64:
		return numberKind
	case []any, []string:
		return listKind
	case map[string]any:
		return mapKind
	}
	return otherKind
}
