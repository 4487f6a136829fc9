package document

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of one file. What passes one is refused with an [Error].
const (
	MaxSize  = 128 << 20 // bytes
	MaxDepth = 500       // objects and arrays in each other, with what YAML aliases stand for
	MaxNodes = 2_000_000 // values, with those that YAML aliases stand for; GitHub's document has 260,000
)

// Error is what is wrong with the text of a file.
type Error struct {
	File         string
	Line, Column int // from 1, in bytes; 0 when the whole file is meant
	Text         string
}

// Error words the error as file:line:column: what.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text)
}

// Parse reads the text of a file, which is JSON (RFC 8259) or YAML 1.2, and of
// YAML the first document. A member that is written twice has the last value, in
// the place of the first; bytes that are not UTF-8 become U+FFFD. The name tells
// JSON from YAML where the text does not, and stands in errors, which are *[Error].
func Parse(name string, data []byte) (*Node, error) {
	if len(data) > MaxSize {
		return nil, &Error{File: name, Text: fmt.Sprintf("the file is larger than %d MiB", MaxSize>>20)}
	}
	text := decode(data)
	start := strings.TrimLeft(text, " \t\r\n")
	if start == "" {
		return nil, emptyFile(name)
	}
	named := strings.HasSuffix(strings.ToLower(name), ".json")
	if !named && start[0] != '{' && start[0] != '[' {
		return parseYAML(name, text)
	}
	root, err := parseJSON(name, text, MaxNodes)
	if err == nil || err.limit {
		return root, err.plain()
	}
	root, again := parseYAML(name, text)
	if again == nil && root.Kind >= Array || isYAMLName(name) {
		return root, again
	}
	return nil, err.plain()
}

func isYAMLName(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

func emptyFile(name string) error { return &Error{File: name, Text: "the file is empty"} }

// decode is the text of a file: without the mark at its start that tells byte
// orders, and in UTF-8 where it was in UTF-16.
func decode(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return string(data[3:])
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return decode16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return decode16(data[2:], binary.BigEndian)
	}
	return string(data)
}

func decode16(data []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return string(utf16.Decode(units))
}

// valid is a text in which each byte that is not UTF-8 is U+FFFD.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// few is how many members an object may have for a search through all of them to
// be faster than a map.
const few = 16

// unique drops members whose name was there before; the first takes their value.
func unique(members []Member) []Member {
	if len(members) > few {
		return uniqueOfMany(members)
	}
	kept := members[:0]
next:
	for i := range members {
		for j := range kept {
			if kept[j].Name == members[i].Name {
				kept[j].Value = members[i].Value
				continue next
			}
		}
		kept = append(kept, members[i])
	}
	return kept
}

func uniqueOfMany(members []Member) []Member {
	at := make(map[string]int, len(members))
	kept := members[:0]
	for i := range members {
		if j, ok := at[members[i].Name]; ok {
			kept[j].Value = members[i].Value
			continue
		}
		at[members[i].Name] = len(kept)
		kept = append(kept, members[i])
	}
	return kept
}
