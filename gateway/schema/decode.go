package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
)

// bounds are the limits of one kind of document.
type bounds struct {
	noun   string // what the document is called in sentences, a plural
	size   int    // bytes
	depth  int    // levels
	values int    // JSON values in all
}

func argsBounds() bounds {
	return bounds{noun: "arguments", size: maxArgsSize, depth: maxArgsDepth, values: maxArgsValues}
}

func schemaBounds() bounds {
	return bounds{noun: "the contents", size: maxSchemaSize, depth: maxSchemaDepth, values: maxSchemaValues}
}

// decode reads exactly one JSON value (RFC 8259). Numbers are json.Number with
// every digit. Unlike encoding/json it refuses what could only be guessed:
// duplicate keys, text that is not UTF-8, halves of surrogate pairs, anything
// after the value.
func decode(raw []byte, most bounds) (any, *problem) {
	if len(raw) > most.size {
		return nil, &problem{text: fmt.Sprintf("%s of %d bytes are too large; at most %d bytes are accepted", most.noun, len(raw), most.size)}
	}
	if !utf8.Valid(raw) {
		return nil, &problem{text: most.noun + " hold bytes that are not UTF-8 text"}
	}
	if p := scan(raw, most); p != nil {
		return nil, p
	}
	if v, ok := read(raw, most); ok {
		return v, nil
	}
	return decodeSlowly(raw, most)
}

// decodeSlowly finds what is wrong, where anything is.
func decodeSlowly(raw []byte, most bounds) (any, *problem) {
	if p := syntax(raw, most); p != nil {
		return nil, p
	}
	d := decoder{dec: json.NewDecoder(bytes.NewReader(raw)), most: most, left: most.values}
	d.dec.UseNumber()
	return d.value()
}

// Decode reads exactly one JSON value (RFC 8259) as strictly as arguments are
// read: no name may stand twice in one object, at any depth, all text must be
// UTF-8 and nothing but white space may follow the value. Numbers are
// json.Number with every digit. At most 4 MiB, 64 levels and 100,000 values
// are accepted.
func Decode(raw []byte) (any, error) {
	most := argsBounds()
	most.noun = "the contents"
	v, p := decode(raw, most)
	if p != nil {
		return nil, errors.New(p.sentence())
	}
	return v, nil
}

// syntax reports where raw is not one JSON value.
func syntax(raw []byte, most bounds) *problem {
	dec := json.NewDecoder(bytes.NewReader(raw))
	var whole json.RawMessage
	err := dec.Decode(&whole)
	bad, isSyntax := errors.AsType[*json.SyntaxError](err)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &problem{text: most.noun + " are not valid JSON: the text ends too early; send it whole"}
	case isSyntax:
		at := int(bad.Offset) - 1
		return &problem{text: fmt.Sprintf("%s are not valid JSON at character %d, near %s", most.noun, runesBefore(raw, at)+1, near(raw, at))}
	case err != nil:
		return &problem{text: most.noun + " are not valid JSON"}
	}
	end := int(dec.InputOffset())
	if rest := bytes.TrimLeft(raw[end:], " \t\r\n"); len(rest) > 0 {
		return &problem{text: fmt.Sprintf("%s hold more after the end of the JSON value, near %s; send one value", most.noun, near(raw, len(raw)-len(rest)))}
	}
	return nil
}

func runesBefore(raw []byte, at int) int { return utf8.RuneCount(raw[:max(0, min(at, len(raw)))]) }

// near quotes the text around a byte of raw.
func near(raw []byte, at int) string {
	at = max(0, min(at, len(raw)))
	before, after := []rune(string(raw[:at])), []rune(string(raw[at:]))
	before = before[max(0, len(before)-contextBefore):]
	after = after[:min(len(after), contextAfter)]
	return "`" + string(before) + string(after) + "`"
}

// scan reports too deep nesting, before anything recursive reads raw, and
// escapes of half a surrogate pair, which encoding/json would replace.
func scan(raw []byte, most bounds) *problem {
	depth, inText := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inText && c == '\\':
			n, ok := escape(raw[i:])
			if !ok {
				return &problem{text: fmt.Sprintf("%s hold half of a surrogate pair, near %s; write both halves or the character itself", most.noun, near(raw, i))}
			}
			i += n - 1
		case c == '"':
			inText = !inText
		case inText:
		case c == '{', c == '[':
			if depth++; depth > most.depth {
				return &problem{text: fmt.Sprintf("%s are nested too deep; at most %d levels are accepted", most.noun, most.depth)}
			}
		case c == '}', c == ']':
			depth--
		}
	}
	return nil
}

// escape measures the escape at the start of raw; ok is false for half of a
// surrogate pair (RFC 8259 section 7). What is no escape at all is left for
// the syntax check.
func escape(raw []byte) (n int, ok bool) {
	unit, isUnit := codeUnit(raw)
	if !isUnit {
		return 2, true
	}
	if unit < 0xD800 || unit > 0xDFFF {
		return 6, true
	}
	low, isUnit := codeUnit(raw[6:])
	return 12, unit < 0xDC00 && isUnit && low >= 0xDC00 && low <= 0xDFFF
}

func codeUnit(raw []byte) (uint64, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	return unit, err == nil
}

// decoder reads a value that is known to be valid JSON.
type decoder struct {
	dec  *json.Decoder
	most bounds
	left int      // values that may still come
	at   location // where the value under way stands
}

func (d *decoder) value() (any, *problem) {
	token, err := d.dec.Token()
	if err != nil {
		return nil, d.broken()
	}
	if d.left--; d.left < 0 {
		return nil, &problem{text: fmt.Sprintf("%s hold too many values; at most %d are accepted", d.most.noun, d.most.values)}
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return d.object()
		}
		return d.list()
	case json.Number:
		if fault := numberFault(token.String()); fault != "" && len(d.at) > 0 {
			return nil, d.fault(fault)
		}
	}
	return token, nil
}

func (d *decoder) object() (any, *problem) {
	members := map[string]any{}
	for d.dec.More() {
		token, err := d.dec.Token()
		key, ok := token.(string)
		if err != nil || !ok {
			return nil, d.broken()
		}
		d.at = append(d.at, key)
		if _, twice := members[key]; twice {
			return nil, d.fault("is given twice; give it once")
		}
		v, p := d.value()
		if p != nil {
			return nil, p
		}
		d.at = d.at[:len(d.at)-1]
		members[key] = v
	}
	return members, d.close()
}

func (d *decoder) list() (any, *problem) {
	items := []any{}
	for d.dec.More() {
		d.at = append(d.at, len(items))
		v, p := d.value()
		if p != nil {
			return nil, p
		}
		d.at = d.at[:len(d.at)-1]
		items = append(items, v)
	}
	return items, d.close()
}

// close reads the end of an object or a list.
func (d *decoder) close() *problem {
	if _, err := d.dec.Token(); err != nil {
		return d.broken()
	}
	return nil
}

func (d *decoder) fault(text string) *problem {
	return &problem{at: slices.Clone(d.at), text: text}
}

func (d *decoder) broken() *problem { return &problem{text: d.most.noun + " are not valid JSON"} }
