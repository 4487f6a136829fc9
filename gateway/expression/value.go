package expression

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// encode writes a value as compact JSON: numbers as they were sent, no escapes
// for web pages.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// textOf is a value as text: a text itself, anything else as JSON.
func textOf(label string, v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case json.Number:
		return string(v), nil
	}
	data, err := encode(v)
	if err != nil {
		return "", failed(label, " has no form as text")
	}
	return string(data), nil
}

// text is textOf for a value that may have been put together in an expression.
func (f *frame) text(label string, v any) (string, error) {
	if err := f.weigh(v, 0); err != nil {
		return "", err
	}
	return textOf(label, v)
}

// asList is a value of listKind as a list; nil is the empty one.
func asList(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case []string:
		items := make([]any, len(v))
		for i, s := range v {
			items[i] = s
		}
		return items
	}
	return nil
}

// wholeNumber reads an integer that fits an int; label names it.
func wholeNumber(label string, v any) (int, error) {
	if k := kindOf(v); k != numberKind {
		return 0, failed(label, " is ", k.String(), ", and a whole number is needed")
	}
	n, problem := numberOf(v)
	switch {
	case problem != "":
		return 0, failed(label, problem)
	case n.asDecimal().exp < 0:
		return 0, failed(label, " is not a whole number")
	case !n.isInt() && (!n.isFloat || math.Abs(n.float) >= maxExact):
		return 0, failed(label, tooLarge)
	case n.isFloat:
		return int(n.float), nil
	}
	return int(n.int), nil
}

// decode reads JSON with every digit of its numbers.
func decode(text string) (any, error) {
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, fmt.Errorf("more than one value")
	}
	return v, nil
}
