package httptool

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

// piece is a part of an address: literal text, or one ${…}.
type piece struct {
	literal string
	value   *expression.Template // exactly one ${…}; nil for literal text
	source  string               // of the value, for messages
}

// pieces compiles the template at a key, takes apart what follows its first
// skip bytes, and checks the literal parts.
func (c *compiler) pieces(at diag.Cursor, text string, skip int) []piece {
	if c.template(at, text) == nil {
		return nil
	}
	pieces := c.split(text[skip:])
	var path strings.Builder
	for _, p := range pieces {
		if p.value != nil {
			path.WriteString(edge + "x") // any value there may be
			continue
		}
		path.WriteString(p.literal)
		if strings.Contains(p.literal, "#") {
			c.wrong(at, "leave out # and what follows", "the address of a request has no fragment")
		}
		if _, err := url.PathUnescape(p.literal); err != nil {
			c.wrong(at, "write a percent sign as %25", "%q is not valid in an address", p.literal)
		}
	}
	before, _, _ := strings.Cut(path.String(), "?")
	if segment, ok := misleading(before); ok {
		c.wrong(at, "", "%s is a segment of the path, and stands for another place", segment)
	}
	return pieces
}

// split takes apart a template that is known to compile. The expression
// package has the rule where a ${…} ends: at the first } where it parses.
func (c *compiler) split(text string) []piece {
	var pieces []piece
	literal := ""
	for text != "" {
		before, rest, found := strings.Cut(text, "${")
		switch {
		case !found:
			return append(pieces, piece{literal: literal + text})
		case strings.HasSuffix(before, "$"): // $${ is a literal ${
			literal, text = literal+before+"{", rest
		default:
			value, after := c.value(rest)
			if literal+before != "" {
				pieces = append(pieces, piece{literal: literal + before})
			}
			pieces = append(pieces, value)
			literal, text = "", after
		}
	}
	if literal != "" {
		pieces = append(pieces, piece{literal: literal})
	}
	return pieces
}

// value takes the expression and its brace off the front of rest.
func (c *compiler) value(rest string) (value piece, after string) {
	var ignored diag.Report
	at := diag.NewCursor(&ignored, nil)
	for end := range len(rest) {
		if rest[end] != '}' {
			continue
		}
		if t := expression.ParseTemplate(at, "${"+rest[:end+1], c.env); t != nil && t.Exact() {
			return piece{value: t, source: strings.TrimSpace(rest[:end])}, rest[end+1:]
		}
	}
	return piece{literal: rest}, "" // not reached: the whole template compiled
}

// address puts the pieces together, every value encoded behind an edge.
func address(pieces []piece, vars *expression.Vars) (string, error) {
	var b strings.Builder
	for _, p := range pieces {
		if p.value == nil {
			b.WriteString(p.literal)
			continue
		}
		text, err := p.text(vars)
		if err != nil {
			return "", err
		}
		b.WriteString(edge + encode(text))
	}
	return b.String(), nil
}

// text is the value of a piece, which has to be a single one.
func (p piece) text(vars *expression.Vars) (string, error) {
	value, err := p.value.Value(vars)
	if err != nil {
		return "", err
	}
	switch value := value.(type) {
	case nil:
		return "", tool.Errorf(tool.InvalidArgs, "%s is absent, and the address of this tool needs it", p.source).
			WithHint("Send it.")
	case []any, []string, map[string]any:
		return "", tool.Errorf(tool.InvalidArgs, "%s is a list or an object, and the address of this tool needs a single value", p.source).
			WithHint("Send one text or number.")
	case string:
		return value, nil
	}
	text, _, err := p.value.Text(vars)
	return text, err
}

// misleading finds the segment of a path that names another place: . and ..
// do (RFC 3986 section 5.2.4), and for most servers so does an empty one. An
// empty one that was written so is taken as it is.
func misleading(path string) (segment string, found bool) {
	for segment := range strings.SplitSeq(path, "/") {
		whole := strings.ReplaceAll(segment, edge, "")
		if plain, err := url.PathUnescape(whole); err == nil {
			whole = plain
		}
		switch {
		case whole == "." || whole == "..":
			return fmt.Sprintf("%q", whole), true
		case whole == "" && strings.Contains(segment, edge):
			return "an empty value", true
		}
	}
	return "", false
}

// encode percent-encodes all but the unreserved characters (RFC 3986 section
// 2.3), so that the result means the same in a path and in a query.
func encode(value string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(value) {
		switch c := value[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '.', c == '_', c == '~':
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}
