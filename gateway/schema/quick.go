package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// quick knows arguments that are surely valid and need no cast, for the plain
// schemas that most tools have: an object of properties with one scalar type
// each. It says yes or nothing: what it does not know is left to the validator,
// whose answer it never differs from. The nil quick knows nothing.
type quick struct {
	properties map[string]simple
	required   []string
	closed     bool // no other property may be sent
	fills      bool // all defaults are such that fill knows what becomes of them
}

// simple is a property that quick can judge; a known of false is one that it
// cannot.
type simple struct {
	known    bool
	kind     string // string, integer, number or boolean
	null     bool   // null is taken too
	filled   bool   // it has a default
	value    any    // the default
	words    map[string]bool
	min, max *int64 // bounds of an integer
	shortest int64  // characters of a text
	longest  int64
}

// newQuick reads a decoded schema; nil where it is not plain.
func newQuick(doc any) *quick {
	object, _ := doc.(map[string]any)
	if object["type"] != "object" || !onlyKeys(object, "type", "properties", "required", "additionalProperties", "title", "description", "examples") {
		return nil
	}
	properties, ok := object["properties"].(map[string]any)
	if !ok {
		return nil
	}
	q := &quick{properties: make(map[string]simple, len(properties)), fills: true}
	for name, property := range properties {
		p := newSimple(property)
		q.properties[name] = p
		q.fills = q.fills && p.fillable()
	}
	switch more := object["additionalProperties"].(type) {
	case nil:
		if _, written := object["additionalProperties"]; written {
			return nil
		}
	case bool:
		q.closed = !more
	default:
		return nil
	}
	names, _ := object["required"].([]any)
	for _, name := range names {
		text, _ := name.(string)
		q.required = append(q.required, text)
	}
	return q
}

func onlyKeys(object map[string]any, keys ...string) bool {
	known := 0
	for _, key := range keys {
		if _, ok := object[key]; ok {
			known++
		}
	}
	return known == len(object)
}

func newSimple(doc any) simple {
	object, _ := doc.(map[string]any)
	p := simple{longest: -1}
	p.kind, p.null = kindOf(object["type"])
	p.value, p.filled = object["default"]
	common := []string{"type", "title", "description", "default", "examples"}
	switch p.kind {
	case "boolean", "number":
		p.known = onlyKeys(object, common...)
	case "string":
		p.known = onlyKeys(object, append(common, "enum", "minLength", "maxLength")...) &&
			p.enum(object["enum"]) && limit(object["minLength"], &p.shortest) && limit(object["maxLength"], &p.longest)
	case "integer":
		p.known = onlyKeys(object, append(common, "minimum", "maximum")...) && bound(object["minimum"], &p.min) && bound(object["maximum"], &p.max)
	}
	return p
}

// kindOf is the type that a property has, alone or with null beside it; "" where
// it is neither.
func kindOf(v any) (kind string, null bool) {
	list, _ := v.([]any)
	if len(list) != 2 {
		kind, _ = v.(string)
		return kind, false
	}
	first, _ := list[0].(string)
	second, _ := list[1].(string)
	switch "null" {
	case first:
		return second, true
	case second:
		return first, true
	}
	return "", false
}

// enum takes a list of texts, with null among them or not.
func (p *simple) enum(v any) bool {
	list, ok := v.([]any)
	if v == nil || !ok {
		return v == nil
	}
	p.words = make(map[string]bool, len(list))
	p.null = p.null && slices.Contains(list, nil)
	for _, item := range list {
		word, ok := item.(string)
		if !ok && item != nil {
			return false
		}
		if ok {
			p.words[word] = true
		}
	}
	return true
}

// limit takes a count, where there is one.
func limit(v any, into *int64) bool {
	if v == nil {
		return true
	}
	n, ok := short(v)
	*into = n
	return ok && n >= 0
}

// bound takes the bound of an integer, where there is one.
func bound(v any, into **int64) bool {
	if v == nil {
		return true
	}
	n, ok := short(v)
	*into = &n
	return ok
}

// short reads a number that is written as an integer of few digits.
func short(v any) (int64, bool) {
	const most = 18 // digits that any int64 has room for
	number, ok := v.(json.Number)
	text := number.String()
	digits := text
	if len(text) > 1 && text[0] == '-' && text[1] != '0' {
		digits = text[1:]
	}
	if !ok || len(digits) > most || !plainDigits(digits) {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// fits reports whether the arguments are surely valid as they are.
func (q *quick) fits(args map[string]any) bool {
	if q == nil {
		return false
	}
	for _, name := range q.required {
		if _, present := args[name]; !present {
			return false
		}
	}
	for name, v := range args {
		p, listed := q.properties[name]
		if !listed {
			if _, isText := v.(string); q.closed || !isText { // the members of others may hold anything
				return false
			}
			continue
		}
		if !p.fits(v) {
			return false
		}
	}
	return true
}

func (p *simple) fits(v any) bool {
	if !p.known || v == nil {
		return p.known && p.null
	}
	switch p.kind {
	case "boolean":
		_, ok := v.(bool)
		return ok
	case "number", "integer":
		n, ok := short(v)
		return ok && (p.min == nil || n >= *p.min) && (p.max == nil || n <= *p.max)
	}
	text, ok := v.(string)
	if !ok || p.words != nil && !p.words[text] {
		return false
	}
	if p.shortest == 0 && p.longest < 0 {
		return true
	}
	n := int64(utf8.RuneCountInString(text))
	return n >= p.shortest && (p.longest < 0 || n <= p.longest)
}

// fill returns args with the defaults of the properties that are absent; ok is
// false where what becomes of them is not sure. Args is not changed, and is what
// is returned where nothing had to be filled in.
func (q *quick) fill(args map[string]any) (out map[string]any, ok bool) {
	if q == nil || args == nil || !q.fills {
		return nil, false
	}
	out = args
	for name, p := range q.properties {
		if _, present := args[name]; present || !p.filled {
			continue
		}
		if len(out) == len(args) { // the first one
			out = make(map[string]any, len(q.properties))
			maps.Copy(out, args)
		}
		out[name] = p.value
	}
	return out, true
}

// fillable reports whether the property's default, where it has one, is filled in
// as it is and shares nothing with the schema.
func (p *simple) fillable() bool {
	switch p.value.(type) {
	case string, bool, json.Number:
		return p.known
	}
	return p.known && !p.filled
}
