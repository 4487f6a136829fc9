package expression

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/toolgate/toolgate/gateway/diag"
)

// Document is a JSON value whose texts are templates; keys are literal. Order is kept.
// It is safe for concurrent use.
type Document struct {
	root element
}

// element is one value of a document: a template, an object, a list, or fixed
// JSON when it is none of these.
type element struct {
	template *Template
	members  []documentMember
	items    []element
	isObject bool
	isList   bool
	fixed    []byte
}

type documentMember struct {
	name    []byte // as JSON
	element element
}

// ParseDocument compiles the templates in raw. It reports every mistake at the
// key it stands at and then returns nil. Numbers keep every digit.
func ParseDocument(at diag.Cursor, raw json.RawMessage, env *Env) *Document {
	if !json.Valid(raw) {
		at.Errorf("this is not JSON")
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	d := documentParser{dec: dec, env: env}
	root := d.value(at)
	if d.failed {
		return nil
	}
	return &Document{root: root}
}

type documentParser struct {
	dec    *json.Decoder
	env    *Env
	failed bool
}

// value reads the next value. What is read is known to be valid JSON.
func (d *documentParser) value(at diag.Cursor) element {
	token, err := d.dec.Token()
	if err != nil {
		d.failed = true
		at.Errorf("this is not JSON")
		return element{}
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return d.object(at)
		}
		return d.list(at)
	case string:
		return d.text(at, token)
	}
	return d.encoded(at, token)
}

func (d *documentParser) encoded(at diag.Cursor, v any) element {
	data, err := encode(v)
	if err != nil {
		d.failed = true
		at.Errorf("this value has no form as JSON")
	}
	return element{fixed: data}
}

func (d *documentParser) text(at diag.Cursor, text string) element {
	t := ParseTemplate(at, text, d.env)
	if t == nil {
		d.failed = true
		return element{}
	}
	if literal, ok := t.Literal(); ok {
		return d.encoded(at, literal)
	}
	return element{template: t}
}

func (d *documentParser) object(at diag.Cursor) element {
	e := element{isObject: true}
	for d.dec.More() {
		token, err := d.dec.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			d.failed = true
			return e
		}
		at := at.Key(name)
		e.members = append(e.members, documentMember{name: d.encoded(at, name).fixed, element: d.value(at)})
	}
	_, _ = d.dec.Token() // the closing brace
	return e
}

func (d *documentParser) list(at diag.Cursor) element {
	e := element{isList: true}
	for i := 0; d.dec.More(); i++ {
		e.items = append(e.items, d.value(at.Index(i)))
	}
	_, _ = d.dec.Token() // the closing bracket
	return e
}

// Reads reports whether a ${…} of the document uses the variable.
func (d *Document) Reads(name string) bool { return d.root.reads(name) }

func (e *element) reads(name string) bool {
	if e.template != nil && e.template.Reads(name) {
		return true
	}
	for i := range e.items {
		if e.items[i].reads(name) {
			return true
		}
	}
	for i := range e.members {
		if e.members[i].element.reads(name) {
			return true
		}
	}
	return false
}

// Render gives the JSON; members and list items whose template is exact and
// absent or null are left out, a whole document of that kind is null. A
// template that is exactly one ${…} keeps the type of its value. An error is
// an [EvalError].
func (d *Document) Render(vars *Vars) ([]byte, error) {
	var b bytes.Buffer
	present, err := d.root.render(&b, nil, vars)
	if err != nil {
		return nil, err
	}
	if !present {
		return []byte("null"), nil
	}
	return b.Bytes(), nil
}

// render writes before and then the element; nothing at all, and present is
// false, when the element is absent.
func (e *element) render(b *bytes.Buffer, before []byte, vars *Vars) (present bool, err error) {
	if e.template != nil {
		return e.renderTemplate(b, before, vars)
	}
	b.Write(before)
	switch {
	case e.isObject:
		return true, e.renderMembers(b, vars)
	case e.isList:
		return true, e.renderItems(b, vars)
	}
	b.Write(e.fixed)
	return true, nil
}

func (e *element) renderTemplate(b *bytes.Buffer, before []byte, vars *Vars) (bool, error) {
	v, err := e.template.Value(vars)
	if err != nil || v == nil {
		return false, err
	}
	data, err := encode(v)
	if err != nil {
		return false, failed(e.template.label(), " has no form as JSON")
	}
	b.Write(before)
	b.Write(data)
	return true, nil
}

func (t *Template) label() string {
	if t.Exact() {
		return t.parts[0].program.label
	}
	return "this text"
}

func (e *element) renderMembers(b *bytes.Buffer, vars *Vars) error {
	b.WriteByte('{')
	separator := ""
	for i := range e.members {
		m := &e.members[i]
		present, err := m.element.render(b, fmt.Appendf(nil, "%s%s:", separator, m.name), vars)
		if err != nil {
			return err
		}
		if present {
			separator = ","
		}
	}
	b.WriteByte('}')
	return nil
}

func (e *element) renderItems(b *bytes.Buffer, vars *Vars) error {
	b.WriteByte('[')
	var separator []byte
	for i := range e.items {
		present, err := e.items[i].render(b, separator, vars)
		if err != nil {
			return err
		}
		if present {
			separator = []byte(",")
		}
	}
	b.WriteByte(']')
	return nil
}
