package argument

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// node is a JSON value whose members keep their order and whose leaves keep
// their text. It is never changed once it is made.
type node struct {
	raw     string   // the text; "" for a node that was put together
	members []member // of an object; of a list its items, without names
	kind    byte     // the first byte of the text
}

type member struct {
	name  string
	value *node
}

// read reads a text; what is no JSON is read as {}, which takes every value.
func read(text json.RawMessage) *node {
	if !json.Valid(text) {
		return object()
	}
	p := parser{text: string(text)}
	return p.value()
}

// object puts an object together.
func object(members ...member) *node { return &node{kind: '{', members: members} }

// list puts a list together.
func list(items ...*node) *node {
	out := &node{kind: '['}
	for _, item := range items {
		out.members = append(out.members, member{value: item})
	}
	return out
}

// text makes a text.
func text(s string) *node { return &node{kind: '"', raw: string(appendText(nil, s))} }

// texts makes a list of texts.
func texts(all []string) *node {
	out := list()
	for _, s := range all {
		out.members = append(out.members, member{value: text(s)})
	}
	return out
}

// truth makes true or false.
func truth(v bool) *node {
	if v {
		return &node{kind: 't', raw: "true"}
	}
	return &node{kind: 'f', raw: "false"}
}

// get is the member with a name; nil when there is none.
func (n *node) get(name string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// with is an object with one member more, or another value of it.
func (n *node) with(name string, value *node) *node {
	members := slices.Clone(n.members)
	i := slices.IndexFunc(members, func(m member) bool { return m.name == name })
	if i < 0 {
		return object(append(members, member{name, value})...)
	}
	members[i].value = value
	return object(members...)
}

// string is the text that a node is; "" where it is none.
func (n *node) string() string {
	if n == nil || n.kind != '"' {
		return ""
	}
	return unquote(n.raw)
}

// strings are the texts of a list, or the one text.
func (n *node) strings() []string {
	switch {
	case n == nil:
		return nil
	case n.kind == '"':
		return []string{n.string()}
	case n.kind != '[':
		return nil
	}
	var out []string
	for _, m := range n.members {
		if m.value.kind == '"' {
			out = append(out, m.value.string())
		}
	}
	return out
}

// append writes the node.
func (n *node) append(b []byte) []byte {
	if n.raw != "" {
		return append(b, n.raw...)
	}
	b = append(b, n.kind)
	for i, m := range n.members {
		if i > 0 {
			b = append(b, ',')
		}
		if n.kind == '{' {
			b = append(appendText(b, m.name), ':')
		}
		b = m.value.append(b)
	}
	return append(b, n.kind+2) // the bracket that closes
}

// size is how many bytes the node takes.
func (n *node) size() int {
	if n.raw != "" {
		return len(n.raw)
	}
	return len(n.append(nil))
}

// appendText writes a text as JSON has it. What is not UTF-8 in it becomes U+FFFD.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r < ' ':
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

func unquote(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var s string
	_ = json.Unmarshal([]byte(raw), &s) // it is valid
	return s
}

// parser reads a text that is valid JSON.
type parser struct {
	text string
	at   int
}

// space moves on to what is no white space.
func (p *parser) space() byte {
	for {
		switch c := p.text[p.at]; c {
		case ' ', '\t', '\r', '\n':
			p.at++
		default:
			return c
		}
	}
}

func (p *parser) value() *node {
	c := p.space()
	start := p.at
	n := &node{kind: c}
	switch c {
	case '{', '[':
		p.inside(n)
	case '"':
		p.skipText()
	default:
		for p.at < len(p.text) && !strings.ContainsRune(" \t\r\n,]}", rune(p.text[p.at])) {
			p.at++
		}
	}
	n.raw = p.text[start:p.at]
	return n
}

// inside reads the members of an object or the items of a list.
func (p *parser) inside(n *node) {
	p.at++
	for p.space() != n.kind+2 {
		if p.text[p.at] == ',' {
			p.at++
			p.space()
		}
		var m member
		if n.kind == '{' {
			start := p.at
			p.skipText()
			m.name = unquote(p.text[start:p.at])
			p.space()
			p.at++ // the colon
		}
		m.value = p.value()
		n.members = append(n.members, m)
	}
	p.at++
}

func (p *parser) skipText() {
	for p.at++; p.text[p.at] != '"'; p.at++ {
		if p.text[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
}
