package clients

import (
	"bytes"
	"encoding/json"
	"strings"
)

// style is how a file is written.
type style struct {
	newline string
	unit    string // of indentation
}

func styleOf(text []byte, root *value) style {
	st := style{newline: "\n", unit: "  "}
	if bytes.Contains(text, []byte("\r\n")) {
		st.newline = "\r\n"
	}
	if len(root.members) > 0 {
		if own := indentAt(text, firstKey(text, root)); own != "" && own != indentAt(text, root.start) {
			st.unit = strings.TrimPrefix(own, indentAt(text, root.start))
		}
	}
	return st
}

// firstKey is where the first member of an object starts, or its end.
func firstKey(text []byte, v *value) int {
	s := &scanner{text: text, at: v.start + 1}
	if s.space() != nil {
		return v.end - 1
	}
	return s.at
}

// indentAt is the white space at the start of the line of a place.
func indentAt(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// insert puts a member at the end of an object. Comments stay where they are.
func insert(text []byte, v *value, st style, key string, content any) ([]byte, error) {
	outer := indentAt(text, v.start)
	inner := outer + st.unit
	oneLine := len(v.members) > 0 && !bytes.Contains(text[v.start:v.end], []byte("\n"))
	if len(v.members) > 0 && !oneLine {
		if own := indentAt(text, firstKey(text, v)); own != "" {
			inner = own
		}
	}
	name, err := write(key, "", style{})
	if err != nil {
		return nil, err
	}
	body, err := write(content, inner, st)
	if oneLine {
		body, err = write(content, "", style{})
	}
	if err != nil {
		return nil, err
	}
	added := name + ": " + body
	if oneLine {
		last := v.members[len(v.members)-1].value.end
		return splice(text, last, last, ", "+added), nil
	}
	at := contentEnd(text, v)
	tail := ""
	if !bytes.Contains(text[at:v.end], []byte("\n")) {
		tail = st.newline + outer
		text = splice(text, at, v.end-1, "")
	}
	text = splice(text, at, at, st.newline+inner+added+tail)
	if n := len(v.members); n > 0 {
		if last := v.members[n-1].value.end; commaAfter(text, last) < 0 {
			text = splice(text, last, last, ",")
		}
	}
	return text, nil
}

// contentEnd is the end of the last thing in an object, be it a comment.
func contentEnd(text []byte, v *value) int {
	inside := bytes.TrimRight(text[:v.end-1], " \t\r\n")
	return max(len(inside), v.start+1)
}

// commaAfter is where a comma is that follows a place; -1 where none does.
func commaAfter(text []byte, at int) int {
	s := &scanner{text: text, at: at}
	if s.space() == nil && s.peek() == ',' {
		return s.at
	}
	return -1
}

func splice(text []byte, from, to int, with string) []byte {
	out := make([]byte, 0, len(text)+len(with))
	return append(append(append(out, text[:from]...), with...), text[to:]...)
}

// write writes a value as JSON: on one line without a style, else with every line
// but the first indented.
func write(content any, indent string, st style) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if st.newline != "" {
		enc.SetIndent(indent, st.unit)
	}
	err := enc.Encode(content)
	text := strings.TrimSuffix(b.String(), "\n")
	if st.newline == "\r\n" {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text, err
}
