package dialect

import (
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/openapi/document"
)

// Limits on one number, which are those of package schema.
const (
	maxDigits   = 1_000
	maxExponent = 1_000
)

// looseFormat is one that values are not held to. What real documents call a
// duration is 15s or 2h30m to their servers, and no duration of ISO 8601, which it
// is in JSON Schema; where a format is an annotation unless somebody chooses to
// check it (2020-12 Validation section 7.2.1).
const looseFormat = "duration"

// ofValue writes a keyword about a value as a whole or a text.
func (c *Converter) ofValue(s *facts, name string, v *document.Node) {
	switch name {
	case "type":
		c.writeType(s)
	case "enum":
		c.enum(s, v)
	case "const":
		if sound(v, maxValueLevels) {
			c.name(name)
			c.out = v.AppendJSON(c.out)
		} else {
			c.loose++
		}
	case "pattern":
		if v.Kind == document.String && !s.binary && c.compiles(v.Text) {
			c.name(name)
			c.quote(v.Text)
		}
	case "format":
		if text := textOf(v); text != "" && !s.binary && text != "binary" && text != "byte" && text != looseFormat {
			c.name(name)
			c.quote(text)
		}
	case "contentEncoding":
		if text := textOf(v); text == "binary" && s.binary {
			c.name(name)
			c.quote("base64")
		} else if text != "" && text != "binary" {
			c.name(name)
			c.quote(text)
		}
	default: // contentMediaType
		if text := textOf(v); text != "" {
			c.name(name)
			c.quote(text)
		}
	}
}

// writeType writes the types, with null where it is accepted as well.
func (c *Converter) writeType(s *facts) {
	if len(s.types) == 0 {
		return
	}
	types := s.types
	if s.null && !s.wrap && !s.has("null") {
		types = append(types[:len(types):len(types)], "null")
	}
	c.name("type")
	if len(types) > 1 || s.list {
		c.list(types)
		return
	}
	c.quote(types[0])
}

// compiles reports whether package schema can check a pattern.
func (c *Converter) compiles(pattern string) bool {
	ok, known := c.patterns[pattern]
	if !known {
		ok = schema.PatternCompiles(pattern)
		c.patterns[pattern] = ok
	}
	return ok
}

// enum writes the values, each once.
func (c *Converter) enum(s *facts, v *document.Node) {
	values := v.Members
	if v.Kind != document.Array {
		if v.Kind == document.Object || v.Kind == document.Null || strings.ContainsAny(v.Text, ",| ") {
			c.loose++
			return
		}
		values = []document.Member{{Value: *v}}
	}
	start := c.mark()
	c.name("enum")
	c.raw("[")
	as := s.meant(values)
	seen := make(map[string]bool, len(values)+1)
	for i := range values {
		if value := meantAs(as, &values[i].Value); sound(value, maxValueLevels) {
			c.once(seen, value)
		}
	}
	if len(seen) == 0 {
		c.undo(start)
		c.loose++
		return
	}
	if s.null && !s.wrap {
		c.once(seen, &document.Node{})
	}
	c.raw("]")
}

// once writes an item of a list unless it was.
func (c *Converter) once(seen map[string]bool, v *document.Node) {
	before := len(c.out)
	c.comma('[')
	start := len(c.out)
	c.out = v.AppendJSON(c.out)
	text := string(c.out[start:])
	if seen[text] {
		c.out = c.out[:before]
	}
	seen[text] = true
}

// meant is the kind that the values of an enum are meant to be of where YAML made
// something else of them: texts written without quotes, or numbers with. Null
// stands for none.
func (s *facts) meant(values []document.Member) document.Kind {
	only := ""
	for _, t := range s.types {
		if t != "null" {
			if only != "" {
				return document.Null
			}
			only = t
		}
	}
	switch only {
	case "string":
		return document.String
	case "integer", "number":
		if all(values, func(v *document.Node) bool { return v.Kind == document.String && isNumber(v.Text) }) {
			return document.Number
		}
	case "boolean":
		if all(values, func(v *document.Node) bool {
			return v.Kind == document.String && (v.Text == "true" || v.Text == "false")
		}) {
			return document.Bool
		}
	}
	return document.Null
}

func all(values []document.Member, is func(*document.Node) bool) bool {
	for i := range values {
		if !is(&values[i].Value) {
			return false
		}
	}
	return true
}

// meantAs is a scalar as one of another kind.
func meantAs(kind document.Kind, v *document.Node) *document.Node {
	if kind == document.Null || v.Kind == document.Null || v.Kind == document.Array || v.Kind == document.Object {
		return v
	}
	out := *v
	out.Kind = kind
	return &out
}

// number writes a keyword whose value is a number.
func (c *Converter) number(s *facts, name string, v *document.Node) {
	text := v.Text
	switch {
	case v.Kind != document.Number && v.Kind != document.String || !isNumber(text):
		return // a boolean exclusiveMinimum, which minimum looks at
	case name == "multipleOf" && !isPositive(text):
		return
	case name == "minimum" && s.above:
		name = "exclusiveMinimum"
	case name == "maximum" && s.below:
		name = "exclusiveMaximum"
	}
	c.name(name)
	c.raw(text)
}

// count writes a keyword whose value is a number of things.
func (c *Converter) count(s *facts, name string, v *document.Node) {
	if s.binary && (name == "minLength" || name == "maxLength") {
		return // of the bytes, not of their base64
	}
	if v.Kind != document.Number && v.Kind != document.String || !isNumber(v.Text) {
		return
	}
	const most = 1 << 53 // what a number of JSON surely holds
	n, err := strconv.ParseFloat(v.Text, 64)
	if err != nil || n < 0 || n > most || n != float64(int64(n)) {
		return
	}
	c.name(name)
	c.out = strconv.AppendInt(c.out, int64(n), 10)
}

// isNumber reports whether a text is a JSON number that package schema takes.
func isNumber(text string) bool {
	if text == "" || document.Digits(text).Kind != document.Number {
		return false
	}
	mantissa, exponent := text, "0"
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	n, err := strconv.Atoi(exponent)
	return len(mantissa) <= maxDigits && err == nil && -maxExponent <= n && n <= maxExponent
}

func isPositive(number string) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	return !strings.HasPrefix(number, "-") && strings.Trim(mantissa, "0.") != ""
}

// sound reports whether a value may stand in a schema, at most so many levels deep.
func sound(v *document.Node, levels int) bool {
	if v.Kind == document.Number {
		return isNumber(v.Text)
	}
	if levels == 0 {
		return len(v.Members) == 0
	}
	return all(v.Members, func(item *document.Node) bool { return sound(item, levels-1) })
}
