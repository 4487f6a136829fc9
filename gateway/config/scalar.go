package config

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// What plain scalars are by the core schema of YAML 1.2.2 (10.3.2), beside the
// words for null, true and false. The YAML library itself follows YAML 1.1 in
// part: dates, 0777, 1_000.
var (
	intText   = regexp.MustCompile(`^([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)
	floatText = regexp.MustCompile(`^([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

// coreTags are the tags that a file may write, without and with quotes around
// a scalar.
var coreTags = map[string]kind{
	"!!null": null, "!!str": text, "!!bool": boolean, "!!int": integer, "!!float": float, "!!seq": list, "!!map": mapping,
}

var kindNames = map[kind]string{
	null: "nothing", text: "text", boolean: "a boolean", integer: "a number", float: "a number", list: "a list", mapping: "a map",
}

// kindOf tells what a YAML node is, and reports a tag that is not known.
func (b *builder) kindOf(y *yaml.Node) kind {
	if y.Style&yaml.TaggedStyle != 0 || y.Tag == "!" {
		return b.tagged(y)
	}
	switch {
	case y.Kind == yaml.MappingNode:
		return mapping
	case y.Kind == yaml.SequenceNode:
		return list
	case quoteOf(y.Style) != 0:
		return text
	}
	return plainKind(y.Value)
}

// plainKind tells what a scalar without quotes is.
func plainKind(value string) kind {
	switch value {
	case "", "~", "null", "Null", "NULL":
		return null
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return boolean
	}
	switch {
	case strings.IndexByte("+-.0123456789", value[0]) < 0:
		return text // most texts, without asking a regular expression
	case intText.MatchString(value):
		return integer
	case floatText.MatchString(value):
		return float
	}
	return text
}

// tagged tells what a node with a tag is. A tag that is not one of YAML's own
// is nearly always an expression that starts with "!", which YAML would turn
// into an empty text or drop the "!" of.
func (b *builder) tagged(y *yaml.Node) kind {
	at := b.position(y)
	k, ok := coreTags[y.Tag]
	if !ok {
		if isPrivate(b.path) {
			b.report(at, quoteAdvice("", ""), "! starts a YAML tag here, and this file knows no such tag")
			return broken
		}
		b.report(at, tagHint(y), "%s is a YAML tag here, and this file knows no such tag", y.Tag)
		return broken
	}
	fits := y.Kind == yaml.MappingNode && k == mapping || y.Kind == yaml.SequenceNode && k == list
	if y.Kind == yaml.ScalarNode {
		found := plainKind(y.Value)
		fits = k == text || k == found || k == float && found == integer
	}
	if !fits {
		b.report(at, "remove the tag", "the value does not fit its tag %s", y.Tag)
		return broken
	}
	return k
}

func tagHint(y *yaml.Node) string {
	if y.Kind != yaml.ScalarNode || strings.HasPrefix(y.Tag, "!!") {
		return "remove the tag"
	}
	value := y.Value
	if q := quoteOf(y.Style); q == '"' || q == '\'' {
		value = string(q) + value + string(q)
	}
	if y.Anchor != "" {
		value = "&" + y.Anchor + " " + value
	}
	return quoteAdvice("", strings.TrimSpace(y.Tag+" "+value))
}

// singleQuoted writes a text as YAML does in single quotes.
func singleQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// quoteAdvice is the hint to quote a value, written out where it fits in a
// line. The prefix is the key that stands before the value, with ": ", or
// nothing.
func quoteAdvice(prefix, value string) string {
	const advice = "put the whole value in single quotes"
	if value == "" || len(value) > maxSuggested || !printable(value) {
		return advice
	}
	return advice + ": " + prefix + singleQuoted(value)
}

// quoteOf returns the quote of a scalar's style, as node.quote has it.
func quoteOf(s yaml.Style) byte {
	switch {
	case s&yaml.DoubleQuotedStyle != 0:
		return '"'
	case s&yaml.SingleQuotedStyle != 0:
		return '\''
	case s&yaml.LiteralStyle != 0:
		return '|'
	case s&yaml.FoldedStyle != 0:
		return '>'
	}
	return 0
}

// describe says what a value is and, for a scalar, shows it.
func describe(n *node) string {
	switch n.kind {
	case text:
		return fmt.Sprintf("the text %q", shorten(n.text, maxShown))
	case integer, float:
		return "the number " + shorten(n.text, maxShown)
	case boolean:
		return n.text
	}
	return kindNames[n.kind]
}

// shorten cuts a text for showing it.
func shorten(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
