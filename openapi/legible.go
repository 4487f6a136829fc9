package openapi

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/toolgate/toolgate/openapi/spec"
)

// Legible is a text of a document without what is no text: control characters but
// line breaks and tabs, with which it could rewrite the lines of a terminal, what
// turns the direction of what follows (U+202A to U+202E, U+2066 to U+2069), so that
// people would read something else than models, and U+2028 and U+2029, which are a
// line break.
func Legible(text string) string {
	if !strings.ContainsFunc(text, illegible) {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r', r == '\u2028', r == '\u2029':
			return '\n'
		case illegible(r):
			return -1
		}
		return r
	}, text)
}

func illegible(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 ||
		r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// makeLegible makes the texts of a document legible that are meant to be read. Names
// stay as they are, as they stand for things: whoever prints them escapes them.
func makeLegible(d *spec.Document) {
	d.Title, d.Version, d.Description = Legible(d.Title), Legible(d.Version), Legible(d.Description)
	for i := range d.Tags {
		d.Tags[i].Description = Legible(d.Tags[i].Description)
	}
	for _, op := range d.Operations {
		op.Summary, op.Description = Legible(op.Summary), Legible(op.Description)
		for i := range op.Parameters {
			p := &op.Parameters[i]
			p.Description, p.Schema = Legible(p.Description), legibleSchema(p.Schema)
		}
		if op.Body != nil {
			op.Body.Description, op.Body.Schema = Legible(op.Body.Description), legibleSchema(op.Body.Schema)
		}
	}
	for key, schema := range d.Inputs {
		d.Inputs[key] = legibleSchema(schema)
	}
}

// legibleSchema makes the descriptions and titles of a schema legible, which is
// JSON without spaces. Nothing else is touched: most schemas hold nothing of the
// kind, and are given back as they are.
func legibleSchema(schema json.RawMessage) json.RawMessage {
	if !bytes.Contains(schema, []byte(`\u`)) && !bytes.ContainsFunc(schema, illegible) {
		return schema
	}
	for _, key := range []string{`"description":"`, `"title":"`} {
		schema = legibleMembers(schema, []byte(key))
	}
	return schema
}

// legibleMembers makes the texts behind a key legible, with which the start of a text
// is given. Inside of a text the key could not stand so: its quotes would be escaped.
func legibleMembers(schema json.RawMessage, key []byte) json.RawMessage {
	var out []byte
	for {
		i := bytes.Index(schema, key)
		if i < 0 {
			return append(out, schema...)
		}
		start := i + len(key) - 1
		end := start + 1
		for end < len(schema) && schema[end] != '"' {
			if schema[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(schema))
		out, schema = append(append(out, schema[:start]...), legibleJSON(schema[start:end])...), schema[end:]
	}
}

// legibleJSON is [Legible] of a text that is written in JSON.
func legibleJSON(quoted []byte) []byte {
	var text string
	if json.Unmarshal(quoted, &text) != nil || Legible(text) == text {
		return quoted
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(Legible(text)) // a text, which cannot fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
