package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// errNotObject is an edit of a text that is not a JSON object.
var errNotObject = errors.New("the schema is not a JSON object")

// With returns an object schema with one more property, the last one, that is
// not required. added is false, and the schema the same, when it has no
// "properties" or a property of this name already.
func With(raw json.RawMessage, name string, property json.RawMessage) (out json.RawMessage, added bool, err error) {
	top, err := membersOf(raw)
	if err != nil {
		return nil, false, err
	}
	i := top.index("properties")
	if i < 0 {
		return raw, false, nil
	}
	props, err := membersOf(top[i].value)
	if err != nil || props.index(name) >= 0 {
		return raw, false, err
	}
	top[i].value = append(props, namedValue{name, property}).encode()
	return top.encode(), true, nil
}

// namedValue is a member of an object as it is written.
type namedValue struct {
	name  string
	value json.RawMessage
}

// orderedObject is an object whose members keep their order.
type orderedObject []namedValue

// membersOf reads an object; errNotObject for any other value.
func membersOf(raw json.RawMessage) (orderedObject, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, errNotObject
	}
	var out orderedObject
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		out = append(out, namedValue{name, value})
	}
	return out, nil
}

func (o orderedObject) index(name string) int {
	return slices.IndexFunc(o, func(m namedValue) bool { return m.name == name })
}

func (o orderedObject) encode() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(m.name) // a text always encodes
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}
