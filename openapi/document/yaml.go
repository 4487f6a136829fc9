package document

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// maxMarks bounds the memory that reading YAML takes, since the library makes
// nodes of the whole text before any can be counted: a value needs at least one
// of the characters that separate values.
const maxMarks = 8_000_000

// depth is the library's limit of nested maps and lists: that of the tree.
type depth struct{}

// CheckDepth is asked at every map and list.
func (depth) CheckDepth(levels int, _ *yaml.DepthContext) error {
	if levels > MaxDepth {
		return errDepth
	}
	return nil
}

// CheckAlias is asked by a part of the library that is not used.
func (depth) CheckAlias(int, int) error { return nil }

var errDepth = fmt.Errorf("maps and lists lie more than %d levels deep", MaxDepth)

func parseYAML(file, text string) (*Node, error) {
	root, err := loadYAML(file, valid(text))
	if (err != nil || root.Kind < Array) && looksLikeMarkup(text) {
		return nil, &Error{file, 1, 1, "not JSON or YAML: it starts with <, as HTML and XML do"}
	}
	return root, err
}

// looksLikeMarkup reports a text that starts as HTML or XML does.
func looksLikeMarkup(text string) bool {
	t := strings.TrimLeft(text, " \t\r\n")
	return len(t) > 1 && t[0] == '<' && (t[1] == '!' || t[1] == '?' || 'a' <= t[1]|0x20 && t[1]|0x20 <= 'z')
}

func loadYAML(file, text string) (*Node, error) {
	if err := checkYAML(file, text); err != nil {
		return nil, err
	}
	loader, err := yaml.NewLoader(strings.NewReader(text), yaml.WithPlugin(depth{}))
	if err != nil {
		return nil, syntaxError(file, text, err)
	}
	var doc yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF):
		return nil, emptyFile(file)
	case err != nil:
		return nil, syntaxError(file, text, err)
	case len(doc.Content) == 0 || isBlank(doc.Content[0]):
		return nil, emptyFile(file)
	}
	b := &builder{file: file, columns: newColumns(text), anchored: map[*yaml.Node]*anchored{}}
	root, _, err := b.node(doc.Content[0], 0)
	if err != nil {
		return nil, err
	}
	return &root, nil
}

// isBlank reports the value of a document of comments alone.
func isBlank(y *yaml.Node) bool {
	return y.Kind == yaml.ScalarNode && y.Value == "" && y.Style == 0
}

// checkYAML finds what the library refuses without saying where, and what
// would take it too much memory.
func checkYAML(file, text string) error {
	line, start, marks := 1, 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\n':
			line, start, marks = line+1, i+1, marks+1
		case ',', '[', '{', '-', '?':
			marks++
		case ':':
			marks += 2 // a key and its value
		case '\t', '\r':
		default:
			if c < ' ' || c == 0xef && (text[i:min(i+3, len(text))] == "\ufffe" || text[i:min(i+3, len(text))] == "\uffff") {
				r, _ := utf8.DecodeRuneInString(text[i:])
				return &Error{file, line, i - start + 1, fmt.Sprintf("not valid YAML: a file cannot hold the character %U", r)}
			}
		}
	}
	if marks > maxMarks {
		return &Error{File: file, Text: "the file may hold too many values to be read as YAML; write it as JSON"}
	}
	return nil
}

func syntaxError(file, text string, err error) error {
	e, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return &Error{File: file, Text: "not valid YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	if errors.Is(err, errDepth) || strings.Contains(e.Message, errDepth.Error()) {
		return &Error{file, e.Mark.Line, e.Mark.Column, errDepth.Error() + " here"}
	}
	what := e.Message
	if e.ContextMsg != "" {
		what = e.ContextMsg + ": " + what
	}
	c := newColumns(text)
	line, column := c.place(e.Mark.Line, e.Mark.Column)
	return &Error{file, int(line), int(column), "not valid YAML: " + what}
}

// columns turns the library's places into lines as editors count them and columns
// in bytes: the library counts characters, and takes U+0085, U+2028 and U+2029 for
// the end of a line. It expects places in the order of the text and is slow for
// others.
type columns struct {
	text         string
	breaks       string // characters that end the library's lines
	line, start  int    // the library's line, from 1, and where it starts
	shown, from  int    // the editor's line, and where it starts
	column, byte int    // a place on the library's line, from 1 in characters and from 0 in bytes
}

func newColumns(text string) columns {
	c := columns{text: text, breaks: "\n\r", line: 1, shown: 1, column: 1}
	for _, odd := range []string{"\u0085", "\u2028", "\u2029"} {
		if strings.Contains(text, odd) {
			c.breaks += odd
		}
	}
	return c
}

func (c *columns) place(line, column int) (uint32, uint32) {
	if line < c.line || line == c.line && column < c.column {
		*c = columns{text: c.text, breaks: c.breaks, line: 1, shown: 1, column: 1}
	}
	for c.line < line && c.next() {
	}
	for c.column < column && c.start+c.byte < len(c.text) {
		_, n := utf8.DecodeRuneInString(c.text[c.start+c.byte:])
		c.column, c.byte = c.column+1, c.byte+n
	}
	return uint32(c.shown), uint32(c.start + c.byte - c.from + 1)
}

// next goes to the library's next line. It reports false at the end.
func (c *columns) next() bool {
	end := strings.IndexAny(c.text[c.start:], c.breaks)
	if end < 0 {
		c.start, c.column, c.byte = len(c.text), 1, 0
		return false
	}
	end += c.start
	r, n := utf8.DecodeRuneInString(c.text[end:])
	if strings.HasPrefix(c.text[end:], "\r\n") {
		n = 2
	}
	c.line, c.start, c.column, c.byte = c.line+1, end+n, 1, 0
	if r == '\n' || r == '\r' {
		c.shown, c.from = c.shown+1, c.start
	}
	return true
}
