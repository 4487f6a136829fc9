package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/toolgate/toolgate/gateway/diag"
)

// jsonFile turns JSON (RFC 8259) into the nodes that YAML would give. The YAML
// parser itself reads most JSON, but not escapes of characters outside the
// Basic Multilingual Plane, and its errors speak of YAML.
type jsonFile struct {
	src    *source
	dec    *json.Decoder
	offset int      // how far place has counted, in bytes
	at     position // of offset
}

func parseJSON(src *source) (*yaml.Node, *diag.Problem) {
	f := &jsonFile{src: src, dec: json.NewDecoder(strings.NewReader(src.text)), at: src.position(1, 1)}
	f.dec.UseNumber()
	doc, err := f.value(0)
	if err == nil {
		if at := f.place(); at != f.end() {
			return nil, &diag.Problem{Place: src.at(at), Text: "not valid JSON: text after the end of the value"}
		}
		return doc, nil
	}
	if errors.Is(err, io.EOF) && doc == nil && strings.TrimSpace(src.text) == "" {
		return nil, emptyFile(src)
	}
	return nil, f.problem(err)
}

func (f *jsonFile) problem(err error) *diag.Problem {
	if errors.Is(err, errTooDeep) {
		return &diag.Problem{Place: f.src.at(f.at), Text: err.Error()}
	}
	text := err.Error()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		text = "the file ends too early"
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		f.advance(int(e.Offset) - 1)
	}
	return &diag.Problem{Place: f.src.at(f.at), Text: "not valid JSON: " + text}
}

var errTooDeep = fmt.Errorf("maps and lists lie more than %d levels deep here", maxDepth)

// place moves to the start of the next token and returns where that is.
func (f *jsonFile) place() position {
	next := int(f.dec.InputOffset())
	for next < len(f.src.text) && strings.IndexByte(" \t\r\n:,", f.src.text[next]) >= 0 {
		next++
	}
	f.advance(next)
	return f.at
}

func (f *jsonFile) end() position {
	f.advance(len(f.src.text))
	return f.at
}

// advance counts lines and columns up to an offset.
func (f *jsonFile) advance(to int) {
	for f.offset < min(to, len(f.src.text)) {
		r, n := utf8.DecodeRuneInString(f.src.text[f.offset:])
		f.offset += n
		f.at.column++
		if r == '\n' {
			f.at = f.src.position(f.at.line+1, 1)
		}
	}
}

func (f *jsonFile) value(depth int) (*yaml.Node, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	at := f.place()
	token, err := f.dec.Token()
	if err != nil {
		return nil, err
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: at.line, Column: at.column}
	switch t := token.(type) {
	case json.Delim:
		return n, f.collection(n, t, depth)
	case string:
		n.Value, n.Style = t, yaml.DoubleQuotedStyle
	case json.Number:
		n.Value = t.String()
	case bool:
		n.Value = "false"
		if t {
			n.Value = "true"
		}
	case nil:
		n.Value = "null"
	}
	return n, nil
}

func (f *jsonFile) collection(n *yaml.Node, open json.Delim, depth int) error {
	n.Kind, n.Style = yaml.SequenceNode, yaml.FlowStyle
	if open == '{' {
		n.Kind = yaml.MappingNode
	}
	for f.dec.More() {
		child, err := f.value(depth + 1)
		if err != nil {
			return err
		}
		n.Content = append(n.Content, child)
	}
	_, err := f.dec.Token() // the closing bracket
	return err
}
