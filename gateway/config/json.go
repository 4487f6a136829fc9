package config

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"strings"
)

// jsonNumber is a number as RFC 8259 (section 6) writes it.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// oldNumber is a number that YAML 1.1 knew and YAML 1.2 takes for text.
var oldNumber = regexp.MustCompile(`^([-+]?[0-9][0-9_]*_[0-9_]*(\.[0-9_]*)?|0x[0-9a-fA-F_]*_[0-9a-fA-F_]*)$`)

// jsonWriter writes a value of the file as JSON: the order of keys and the
// digits of numbers stay as they are written.
type jsonWriter struct {
	checker *checker
	buf     bytes.Buffer
	texts   *json.Encoder
	ok      bool
	lenient bool // write what JSON cannot say as text, and report nothing
}

func newJSONWriter(c *checker) *jsonWriter {
	w := &jsonWriter{checker: c, ok: true}
	w.texts = json.NewEncoder(&w.buf)
	w.texts.SetEscapeHTML(false)
	return w
}

// json returns a value as JSON text; it reports what JSON cannot say.
func (c *checker) json(t *trail, n *node) (string, bool) {
	if c.writer == nil {
		c.writer = newJSONWriter(c)
	}
	w := c.writer
	w.buf.Reset()
	w.ok = true
	w.value(t, n)
	return w.buf.String(), w.ok
}

func (w *jsonWriter) value(t *trail, n *node) {
	switch n.kind {
	case broken:
		w.refuse(t, n, "", "")
	case null:
		w.buf.WriteString("null")
	case boolean:
		w.buf.WriteString(strings.ToLower(n.text))
	case integer, float:
		w.number(t, n)
	case text:
		w.scalarText(t, n)
	case list:
		w.list(t, n)
	case mapping:
		w.mapping(t, n)
	}
}

// text writes a JSON string: as it is where nothing in it needs an escape. A
// string always encodes, and the encoder's line break is taken off again.
func (w *jsonWriter) text(s string) {
	if isPlainText(s) {
		w.buf.WriteByte('"')
		w.buf.WriteString(s)
		w.buf.WriteByte('"')
		return
	}
	_ = w.texts.Encode(s)
	w.buf.Truncate(w.buf.Len() - 1)
}

// isPlainText reports a text of printable ASCII characters without quotes and
// backslashes.
func isPlainText(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// scalarText writes a text; one that was meant as a number is refused.
func (w *jsonWriter) scalarText(t *trail, n *node) {
	if w.lenient {
		w.text(n.text)
		return
	}
	w.checker.cutByComment(t, n, false)
	if n.quote == 0 && strings.Contains(n.text, "_") && oldNumber.MatchString(n.text) {
		w.refuse(t, n, "write it without _ as a number, or in quotes as text", "%s is text in YAML 1.2, and it looks like a number", n.text)
		return
	}
	w.text(n.text)
}

func (w *jsonWriter) list(t *trail, n *node) {
	w.buf.WriteByte('[')
	for i, item := range n.items {
		if i > 0 {
			w.buf.WriteByte(',')
		}
		w.value(t.item(i, item), item)
	}
	w.buf.WriteByte(']')
}

func (w *jsonWriter) mapping(t *trail, n *node) {
	w.buf.WriteByte('{')
	for i := range n.members {
		m := &n.members[i]
		if i > 0 {
			w.buf.WriteByte(',')
		}
		w.text(m.key)
		w.buf.WriteByte(':')
		w.value(t.member(m), m.value)
	}
	w.buf.WriteByte('}')
}

func (w *jsonWriter) refuse(t *trail, n *node, hint, format string, args ...any) {
	w.ok = false
	switch {
	case w.lenient:
		w.text(n.text)
	case n.kind != broken:
		w.checker.report(t, n.place, hint, format, args...)
	}
}

func (w *jsonWriter) number(t *trail, n *node) {
	switch {
	case len(n.text) > maxNumber:
		w.refuse(t, n, "", "this number has more than %d characters", maxNumber)
	case jsonNumber.MatchString(n.text):
		w.buf.WriteString(n.text)
	case strings.HasPrefix(n.text, "0x"), strings.HasPrefix(n.text, "0o"):
		i, ok := new(big.Int).SetString(n.text, 0)
		w.ok = w.ok && ok
		w.buf.WriteString(i.String())
	case strings.ContainsAny(n.text, "nN"): // .inf, .nan
		w.refuse(t, n, "", "JSON has no way to write the number %s", n.text)
	default:
		w.refuse(t, n, "write "+asJSONNumber(n.text)+", or put it in quotes if it is text", "JSON has no way to write the number %s", shorten(n.text, maxShown))
	}
}

// asJSONNumber turns a decimal number of YAML into one of JSON: no plus sign,
// no zeros in front, digits on both sides of the point.
func asJSONNumber(s string) string {
	s = strings.TrimPrefix(s, "+")
	sign := ""
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		sign, s = "-", rest
	}
	whole, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		whole, exponent = s[:i], s[i:]
	}
	whole, fraction, point := strings.Cut(whole, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if point && fraction != "" {
		whole += "." + fraction
	}
	return sign + whole + exponent
}
