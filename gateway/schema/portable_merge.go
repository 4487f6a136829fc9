package schema

import (
	"encoding/json"
	"math/big"
	"slices"
)

// both is a schema that fits at least what fits a and b. Where the two say
// something different with one keyword and there is no keyword for both of it,
// what a says stays.
func both(a, b piece) piece {
	if a.never || b.never {
		return piece{never: true}
	}
	out := piece{orderedObject: slices.Clone(a.orderedObject)}
	for _, m := range b.orderedObject {
		own := out.value(m.name)
		if own == nil {
			out.set(m.name, m.value)
			continue
		}
		switch m.name {
		case "properties":
			out.set(m.name, bothProperties(own, m.value))
		case "required":
			out.set(m.name, union(own, m.value))
		case "type":
			out.set(m.name, commonTypes(own, m.value))
		case "enum":
			out.set(m.name, common(own, m.value))
		case "items":
			out.set(m.name, bothTexts(own, m.value))
		case "additionalProperties":
			if string(m.value) == "false" || string(own) == "true" {
				out.set(m.name, m.value)
			}
		}
	}
	return out
}

func bothProperties(a, b json.RawMessage) json.RawMessage {
	out, _ := membersOf(a)
	more, _ := membersOf(b)
	for _, m := range more {
		own := out.value(m.name)
		if own == nil {
			out.set(m.name, m.value)
			continue
		}
		out.set(m.name, bothTexts(own, m.value))
	}
	return out.encode()
}

// bothTexts is both of two schemas that are portable already.
func bothTexts(a, b json.RawMessage) json.RawMessage {
	x, _ := membersOf(a)
	y, _ := membersOf(b)
	out := both(piece{orderedObject: x}, piece{orderedObject: y})
	out.settle()
	return out.encode()
}

// union lists the names of both lists.
func union(a, b json.RawMessage) json.RawMessage {
	var out, more []string
	_, _ = json.Unmarshal(a, &out), json.Unmarshal(b, &more) // both are lists of names
	for _, name := range more {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return encoded(append([]string{}, out...))
}

// common lists the values of a that b has, too; a where there are none, since
// then nothing fits anyway. Values that are written differently may be the same,
// and then a stays.
func common(a, b json.RawMessage) json.RawMessage {
	var left, right []any
	if decodeInto(a, &left) != nil || decodeInto(b, &right) != nil {
		return a
	}
	var out []any
	for _, v := range left {
		if !isScalarText(v) {
			return a
		}
		if slices.ContainsFunc(right, func(w any) bool { return w == v }) {
			out = append(out, v)
		}
	}
	if len(out) == 0 || slices.ContainsFunc(right, func(w any) bool { return !isScalarText(w) }) {
		return a
	}
	return encoded(out)
}

func isScalarText(v any) bool {
	switch v.(type) {
	case string, bool, nil:
		return true
	}
	return false
}

// commonTypes lists the types of a that b has; an integer is a number, too.
func commonTypes(a, b json.RawMessage) json.RawMessage {
	left, right := typesOf(a), typesOf(b)
	var out []string
	for _, t := range left {
		switch {
		case slices.Contains(right, t), t == "integer" && slices.Contains(right, "number"):
			out = append(out, t)
		case t == "number" && slices.Contains(right, "integer"):
			out = append(out, "integer")
		}
	}
	switch len(out) {
	case 0:
		return a
	case 1:
		return encoded(out[0])
	}
	return encoded(slices.Compact(out))
}

func typesOf(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		return []string{one}
	}
	var many []string
	_ = json.Unmarshal(raw, &many) // none where it is something else
	return many
}

// settle writes what hangs on several keywords: the bounds of integers, that the
// items of a list may be anything, and the type of values that are listed.
func (q *piece) settle() {
	if types := typesOf(q.value("type")); len(types) == 1 {
		switch {
		case types[0] == "integer":
			q.inclusive("exclusiveMinimum", "minimum", 1)
			q.inclusive("exclusiveMaximum", "maximum", -1)
		case types[0] == "array" && q.index("items") < 0:
			q.set("items", json.RawMessage(`{}`))
		}
	}
	if i := q.index("enum"); i >= 0 && q.index("type") < 0 {
		if name := typeOfAll(q.orderedObject[i].value); name != "" {
			q.orderedObject = slices.Insert(q.orderedObject, i, namedValue{"type", encoded(name)})
		}
	}
}

// typeOfAll is the type that all values of a list have, texts or truth values.
func typeOfAll(raw json.RawMessage) string {
	var values []any
	if decodeInto(raw, &values) != nil || len(values) == 0 {
		return ""
	}
	name := typeName(values[0])
	if name != "string" && name != "boolean" || slices.ContainsFunc(values, func(v any) bool { return typeName(v) != name }) {
		return ""
	}
	return name
}

// inclusive writes an exclusive bound of an integer as the next integer.
func (q *piece) inclusive(exclusive, bound string, step int64) {
	limit, ok := rational(q.value(exclusive))
	if !ok {
		return
	}
	next := new(big.Int).Div(limit.Num(), limit.Denom()) // rounded down
	if limit.IsInt() || step > 0 {
		next.Add(next, big.NewInt(step))
	}
	own, has := rational(q.value(bound))
	i := q.index(exclusive)
	switch {
	case !has:
		q.orderedObject[i] = namedValue{bound, json.RawMessage(next.String())}
		return
	case own.Cmp(new(big.Rat).SetInt(next))*int(step) < 0:
		q.set(bound, json.RawMessage(next.String()))
	}
	q.drop(exclusive)
}

// rational reads a number of a schema, whose digits and exponent were bounded
// when it was decoded.
func rational(raw json.RawMessage) (*big.Rat, bool) {
	if raw == nil || numberFault(string(raw)) != "" {
		return nil, false
	}
	return new(big.Rat).SetString(string(raw))
}

// decodeInto reads JSON with its numbers as they are written.
func decodeInto(raw json.RawMessage, into *[]any) error {
	v, p := decode(raw, schemaBounds())
	list, ok := v.([]any)
	if p != nil || !ok {
		return errNotObject
	}
	*into = list
	return nil
}
