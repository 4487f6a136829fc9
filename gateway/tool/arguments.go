package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// roomForArgs is what the text of arguments takes, in bytes: enough for nearly all.
const roomForArgs = 256

// decodeArgs decodes checked arguments into a struct, as encoding/json decodes their text:
// an integer keeps every digit, and nothing that has no field is let pass.
func decodeArgs(args map[string]any, into any) error {
	if t := reflect.TypeOf(into).Elem(); len(args) == 0 && t.Kind() == reflect.Struct {
		return nil // all that is required was looked for
	}
	data, err := appendValue(make([]byte, 0, roomForArgs), args)
	if err != nil {
		return Errorf(InvalidArgs, "the arguments cannot be read").Because(err)
	}
	if err := decodeStrictly(data, into); err != nil {
		at, why := blame(args, reflect.TypeOf(into).Elem(), "", err)
		return misfit(at, why)
	}
	return nil
}

// decodeStrictly decodes one JSON text and refuses members that have no field.
func decodeStrictly(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// misfit words for a model that what stands at a path is no value of its field.
func misfit(at string, err error) *Error {
	what := err.Error()
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		what = ofType(e)
	}
	if at != "" {
		what = at + ": " + what
	}
	return Errorf(InvalidArgs, "invalid arguments: %s", what).Because(err).
		WithHint("Correct the arguments to match the tool's input schema and call it again.")
}

// ofType words that a value does not fit the type of its field.
func ofType(e *json.UnmarshalTypeError) string {
	value, isNumber := strings.CutPrefix(e.Value, "number ")
	if !isNumber {
		value = "a JSON " + e.Value
	}
	switch e.Type.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		most := uint64(1)<<(e.Type.Bits()-1) - 1
		return fmt.Sprintf("%s is not an integer from -%d to %d", value, most+1, most)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return fmt.Sprintf("%s is not an integer from 0 to %d", value, ^uint64(0)>>(64-e.Type.Bits()))
	case reflect.Float32, reflect.Float64:
		return fmt.Sprintf("%s is not a number that %d bits can hold", value, e.Type.Bits())
	}
	return value + " does not fit here"
}

// blame finds the innermost value that cannot be decoded, for encoding/json does not say
// where it stands. It costs a decoding for each level, of failed calls only.
func blame(value any, t reflect.Type, at string, err error) (string, error) {
	t = base(t)
	if decodesItself(t) {
		return at, err
	}
	switch v := value.(type) {
	case map[string]any:
		if t.Kind() != reflect.Struct && t.Kind() != reflect.Map {
			return at, err
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			member, inner, path := v[name], memberType(t, name), join(at, name)
			if inner == nil {
				return path, errors.New("there is no such argument")
			}
			if err := decodesAs(member, inner); err != nil {
				return blame(member, inner, path, err)
			}
		}
	case []any:
		if t.Kind() != reflect.Slice && t.Kind() != reflect.Array {
			return at, err
		}
		for i, item := range v {
			if err := decodesAs(item, t.Elem()); err != nil {
				return blame(item, t.Elem(), at+"["+strconv.Itoa(i)+"]", err)
			}
		}
	}
	return at, err
}

// memberType is the type of what stands under a name in a value of the type; nil where
// nothing can.
func memberType(t reflect.Type, name string) reflect.Type {
	switch t.Kind() {
	case reflect.Map:
		return t.Elem()
	case reflect.Struct:
		fields, _ := fieldsOf(t)
		for i := range fields {
			if fields[i].name == name {
				return fields[i].Type
			}
		}
	}
	return nil
}

// join adds a name to a path.
func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

// decodesAs is why a value cannot be decoded into the type.
func decodesAs(value any, t reflect.Type) error {
	data, err := appendValue(nil, value)
	if err != nil {
		return err
	}
	return decodeStrictly(data, reflect.New(t).Interface())
}

// appendValue writes a JSON value as encoding/json does, but for the order of members and
// in a fraction of its time: arguments are nearly always of these types alone.
func appendValue(out []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(out, "null"...), nil
	case bool:
		return strconv.AppendBool(out, v), nil
	case json.Number:
		return append(out, v...), nil
	case string:
		return appendText(out, v)
	case []any:
		return appendList(out, v)
	case map[string]any:
		return appendMembers(out, v)
	}
	data, err := EncodeJSON(value)
	return append(out, data...), err
}

func appendList(out []byte, list []any) (_ []byte, err error) {
	out = append(out, '[')
	for i, item := range list {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = appendValue(out, item); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), nil
}

func appendMembers(out []byte, members map[string]any) (_ []byte, err error) {
	out = append(out, '{')
	first := true
	for name, value := range members {
		if !first {
			out = append(out, ',')
		}
		first = false
		if out, err = appendText(out, name); err != nil {
			return nil, err
		}
		if out, err = appendValue(append(out, ':'), value); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}

func appendText(out []byte, text string) ([]byte, error) {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			data, err := EncodeJSON(text)
			return append(out, data...), err
		}
	}
	return append(append(append(out, '"'), text...), '"'), nil
}
