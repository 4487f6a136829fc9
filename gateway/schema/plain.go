package schema

import (
	"encoding/json"
	"slices"
)

// A plain schema is one that surely compiles, told by looking at it: it holds
// keywords that most tools get by with, each with a value of its type, and no
// reference. Such a schema is compiled when it is first needed, which for most
// tools is never. It says yes or nothing: what it does not know is left to the
// compiler, which says what is wrong with it.

// isPlain reports whether a document is a plain schema.
func isPlain(doc any) bool {
	object, ok := doc.(map[string]any)
	if !ok {
		return false
	}
	for keyword, v := range object {
		switch keyword {
		case "properties":
			ok = plainProperties(v)
		case "items", "additionalProperties":
			ok = isBool(v) || isPlain(v)
		case "anyOf", "oneOf":
			list, _ := v.([]any)
			ok = len(list) > 0 && !slices.ContainsFunc(list, func(v any) bool { return !isPlain(v) })
		default:
			ok = plainValue(keyword, v)
		}
		if !ok {
			return false
		}
	}
	return true
}

// plainValue reports whether a keyword that holds no schema surely takes a value.
func plainValue(keyword string, v any) bool {
	switch keyword {
	case "title", "description", "$comment", "format":
		return isText(v)
	case "deprecated", "readOnly", "writeOnly", "uniqueItems":
		return isBool(v)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		_, ok := v.(json.Number)
		return ok
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		n, ok := short(v)
		return ok && n >= 0
	case "multipleOf":
		n, ok := short(v)
		return ok && n > 0
	case "examples":
		_, ok := v.([]any)
		return ok
	case "type":
		return isType(v)
	case "enum":
		return isChoice(v)
	case "required":
		return isNames(v)
	case "pattern":
		return isPattern(v)
	}
	return keyword == "default" || keyword == "const"
}

func plainProperties(v any) bool {
	properties, ok := v.(map[string]any)
	for name, property := range properties {
		if !ok || name == "" || name[0] == '$' || !isPlain(property) {
			return false
		}
	}
	return ok
}

func isText(v any) bool {
	_, ok := v.(string)
	return ok
}

func isBool(v any) bool {
	_, ok := v.(bool)
	return ok
}

func isType(v any) bool {
	if list, ok := v.([]any); ok {
		return isNames(v) && len(list) > 0 && !slices.ContainsFunc(list, func(v any) bool { return !isType(v) })
	}
	name, _ := v.(string)
	return slices.Contains(typeNames(), name)
}

// isChoice takes a list of scalars.
func isChoice(v any) bool {
	list, _ := v.([]any)
	return len(list) > 0 && !slices.ContainsFunc(list, func(v any) bool {
		switch v.(type) {
		case map[string]any, []any:
			return true
		}
		return false
	})
}

// isNames takes a list of different texts.
func isNames(v any) bool {
	list, ok := v.([]any)
	for i, item := range list {
		if !isText(item) || slices.Contains(list[:i], item) {
			return false
		}
	}
	return ok
}

func isPattern(v any) bool {
	text, ok := v.(string)
	if !ok {
		return false
	}
	_, err := (&budget{}).compilePattern(text)
	return err == nil
}

// plainOutline is what is known of a plain schema before it is compiled: what
// the compiled one would tell.
func plainOutline(raw json.RawMessage, doc map[string]any) outline {
	required, _ := doc["required"].([]any)
	var o outline
	if _, ok := doc["properties"]; ok {
		o.names = topNames(raw, "properties")
	}
	for _, name := range required {
		text, _ := name.(string)
		o.required = append(o.required, text)
	}
	o.closed = doc["additionalProperties"] == false
	_, o.others = doc["additionalProperties"]
	return o
}

// topNames lists the members of one member of an object, in the order of the
// text, which was decoded before.
func topNames(raw json.RawMessage, member string) (names []string) {
	r := reader{raw: raw, left: maxSchemaValues}
	r.members(func(name string) {
		if name != member {
			r.skip()
			return
		}
		r.members(func(name string) {
			names = append(names, name)
			r.skip()
		})
	})
	return names
}

// Required lists the names under "required" at the top of a schema that [Compile]
// took or [Portable] made; none where no list of texts stands there.
func Required(raw json.RawMessage) (names []string) {
	r := reader{raw: raw, left: maxSchemaValues}
	r.space()
	r.members(func(name string) {
		if name != "required" {
			r.skip()
			return
		}
		v, _ := r.value(true) // it was read before
		list, _ := v.([]any)
		for _, item := range list {
			text, ok := item.(string)
			if !ok {
				names = nil
				return
			}
			names = append(names, text)
		}
	})
	return names
}

// members calls f with the name of each member of the object that stands here;
// f moves over its value.
func (r *reader) members(f func(name string)) {
	r.space()
	r.at++
	for r.space() != '}' {
		if r.raw[r.at] == ',' {
			r.at++
			r.space()
		}
		name, _ := r.text() // it was read before
		r.space()
		r.at++ // the colon
		f(name)
	}
	r.at++
}

// skip moves over a value.
func (r *reader) skip() {
	r.space()
	for depth := 0; ; r.at++ {
		switch r.raw[r.at] {
		case '"':
			r.skipText()
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // of what is around a number or a word
				return
			}
			depth--
		case ',':
			if depth == 0 {
				return
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			r.at++
			return
		}
	}
}

// skipText moves to the quote that ends a text.
func (r *reader) skipText() {
	for r.at++; r.raw[r.at] != '"'; r.at++ {
		if r.raw[r.at] == '\\' {
			r.at++
		}
	}
}
