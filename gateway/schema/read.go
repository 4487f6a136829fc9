package schema

import (
	"bytes"
	"encoding/json"
)

// reader reads a text that is known to be valid JSON. Whatever has to be
// refused, or might have to be, it leaves to the decoder, which words it: it is
// there for the arguments of every call, and those are nearly always fine.
type reader struct {
	raw  []byte
	at   int
	left int // values that may still come
}

// read reads one value; ok is false when the decoder has to.
func read(raw []byte, most bounds) (v any, ok bool) {
	if !json.Valid(raw) {
		return nil, false
	}
	r := reader{raw: raw, left: most.values}
	return r.value(false)
}

// space moves on to the next byte that is no white space, of which there is one.
func (r *reader) space() byte {
	for {
		switch c := r.raw[r.at]; c {
		case ' ', '\t', '\r', '\n':
			r.at++
		default:
			return c
		}
	}
}

func (r *reader) value(inside bool) (any, bool) {
	if r.left--; r.left < 0 {
		return nil, false
	}
	switch c := r.space(); c {
	case '{':
		return r.object()
	case '[':
		return r.list()
	case '"':
		return r.text()
	case 't':
		r.at += len("true")
		return true, true
	case 'f':
		r.at += len("false")
		return false, true
	case 'n':
		r.at += len("null")
		return nil, true
	}
	n := r.number()
	return n, !inside || numberFault(n.String()) == ""
}

func (r *reader) number() json.Number {
	start := r.at
	for r.at < len(r.raw) {
		switch r.raw[r.at] {
		case '-', '+', '.', 'e', 'E', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			r.at++
			continue
		}
		break
	}
	return json.Number(r.raw[start:r.at])
}

func (r *reader) text() (string, bool) {
	start := r.at + 1
	end := start + bytes.IndexByte(r.raw[start:], '"')
	if bytes.IndexByte(r.raw[start:end], '\\') < 0 {
		r.at = end + 1
		return string(r.raw[start:end]), true
	}
	for end = start; r.raw[end] != '"'; end++ {
		if r.raw[end] == '\\' {
			end++
		}
	}
	r.at = end + 1
	var text string
	err := json.Unmarshal(r.raw[start-1:r.at], &text)
	return text, err == nil
}

func (r *reader) object() (any, bool) {
	members := map[string]any{}
	r.at++
	for r.space() != '}' {
		if r.raw[r.at] == ',' {
			r.at++
			r.space()
		}
		key, ok := r.text()
		if _, twice := members[key]; twice || !ok {
			return nil, false
		}
		r.space()
		r.at++ // the colon
		v, ok := r.value(true)
		if !ok {
			return nil, false
		}
		members[key] = v
	}
	r.at++
	return members, true
}

func (r *reader) list() (any, bool) {
	items := []any{}
	r.at++
	for r.space() != ']' {
		if r.raw[r.at] == ',' {
			r.at++
		}
		v, ok := r.value(true)
		if !ok {
			return nil, false
		}
		items = append(items, v)
	}
	r.at++
	return items, true
}
