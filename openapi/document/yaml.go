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
	b := &builder{file: file, columns: columns{text: text}, anchored: map[*yaml.Node]*anchored{}}
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
	c := columns{text: text}
	line, column := c.place(e.Mark.Line, e.Mark.Column)
	return &Error{file, int(line), int(column), "not valid YAML: " + what}
}

// columns turns the library's columns, which count characters, into bytes. It
// expects places in the order of the text and is slow for others.
type columns struct {
	text         string
	line         int // from 1; 0 before the first use
	start        int // of the line
	column, byte int // a place on the line, from 1 in characters and from the start in bytes
}

func (c *columns) place(line, column int) (uint32, uint32) {
	if line < 1 {
		return 0, 0
	}
	if c.line == 0 || line < c.line {
		c.line, c.start, c.column, c.byte = 1, 0, 1, 0
	}
	for c.line < line {
		next := strings.IndexAny(c.text[c.start:], "\n\r")
		if next < 0 {
			return uint32(line), uint32(max(column, 1))
		}
		if strings.HasPrefix(c.text[c.start+next:], "\r\n") {
			next++
		}
		c.line, c.start, c.column, c.byte = c.line+1, c.start+next+1, 1, 0
	}
	if column < c.column {
		c.column, c.byte = 1, 0
	}
	for c.column < column && c.start+c.byte < len(c.text) {
		_, n := utf8.DecodeRuneInString(c.text[c.start+c.byte:])
		c.column, c.byte = c.column+1, c.byte+n
	}
	return uint32(line), uint32(c.byte + 1)
}
