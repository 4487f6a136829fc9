package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
)

// printJSON prints a value with two spaces of indent for each level.
func printJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(forTerminal(b.Bytes()))
	return err
}

// forTerminal is JSON in which what could rewrite the lines of a terminal, or turn their
// direction, is escaped. It says the same: such characters stand in texts only.
func forTerminal(text []byte) []byte {
	risky := func(r rune) bool {
		return r != '\n' && unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
	}
	if !bytes.ContainsFunc(text, risky) {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		if risky(r) {
			_, _ = fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.Bytes()
}
