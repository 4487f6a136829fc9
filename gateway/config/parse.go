package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/toolgate/toolgate/gateway/diag"
)

// parseYAML turns a YAML file into its one document. The problem, if any,
// keeps the file from being read at all.
func parseYAML(src *source, data []byte) (*yaml.Node, *diag.Problem) {
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, syntaxProblem(src, err)
	}
	doc, err := nextDocument(loader)
	if errors.Is(err, io.EOF) {
		return nil, emptyFile(src)
	}
	if err != nil {
		return nil, syntaxProblem(src, err)
	}
	second, err := nextDocument(loader)
	switch {
	case err == nil:
		return nil, &diag.Problem{
			Place: src.position(second.Line, second.Column).place(), Text: "a second YAML document starts here",
			Hint: "a configuration is one document: remove the line ---",
		}
	case !errors.Is(err, io.EOF):
		return nil, syntaxProblem(src, err)
	}
	return doc, nil
}

const emptyText = "the file is empty"

func emptyFile(src *source) *diag.Problem {
	return &diag.Problem{Place: diag.Place{File: src.file}, Text: emptyText, Hint: startHint}
}

// nextDocument returns the value of the next document, or io.EOF.
func nextDocument(loader *yaml.Loader) (*yaml.Node, error) {
	var doc yaml.Node
	if err := loader.Load(&doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return nil, io.EOF
	}
	return doc.Content[0], nil
}

// checkText finds what the YAML reader refuses without saying where.
func checkText(file string, data []byte) *diag.Problem {
	if len(data) > maxFileSize {
		return &diag.Problem{Place: diag.Place{File: file}, Text: fmt.Sprintf("the file is larger than %d MiB", maxFileSize>>20)}
	}
	place := diag.Place{File: file, Line: 1, Column: 1}
	for len(data) > 0 {
		if ' ' <= data[0] && data[0] < utf8.RuneSelf { // nearly all of a file
			place.Column++
			data = data[1:]
			continue
		}
		r, n := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && n == 1:
			return &diag.Problem{Place: place, Text: fmt.Sprintf("the byte %#02x here is not UTF-8", data[0]), Hint: "save the file as UTF-8"}
		case isControl(r):
			return &diag.Problem{Place: place, Text: fmt.Sprintf("the control character %U cannot stand in a file", r), Hint: `remove it, or write it as an escape in double quotes`}
		case r == '\n':
			place.Line, place.Column = place.Line+1, 0
		case r == '\ufeff':
			place.Column-- // a byte order mark takes no column
		}
		place.Column++
		data = data[n:]
	}
	return nil
}

// isControl reports what the YAML reader refuses outside of escapes: the
// control characters that YAML 1.2.2 (5.1) and JSON leave out.
func isControl(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff
}
