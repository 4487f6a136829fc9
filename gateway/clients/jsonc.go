package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep a file may be nested.
const maxDepth = 200

// value is a JSON value with where it stands, so that text can be put beside it.
type value struct {
	start, end int
	members    []member // of an object, in order; nil for anything else
	object     bool
	plain      any // what it is
}

// member is one member of an object.
type member struct {
	key   string
	start int // of the key
	value *value
}

// find is the member of a key, or nil.
func (v *value) find(key string) *member {
	for i := range v.members {
		if v.members[i].key == key {
			return &v.members[i]
		}
	}
	return nil
}

// scanner reads JSON as editors write configurations: with comments, and commas
// after the last item.
type scanner struct {
	text []byte
	at   int
}

// parse reads a whole text. The error names line and column.
func parse(text []byte) (*value, error) {
	s := &scanner{text: text}
	if !utf8.Valid(text) {
		return nil, errors.New("it is not UTF-8")
	}
	s.at = len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff")))
	v, err := s.value(0)
	if err == nil {
		err = s.space()
	}
	if err == nil && s.at < len(text) {
		err = s.wrong("something follows the end of the value")
	}
	return v, err
}

func (s *scanner) wrong(format string, args ...any) error {
	before := s.text[:min(s.at, len(s.text))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Errorf("line %d, column %d: %s", line, column, fmt.Sprintf(format, args...))
}

// space skips white space and comments.
func (s *scanner) space() error {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0:
			s.at++
		case bytes.HasPrefix(rest, []byte("//")):
			s.at += lineEnd(rest)
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest[2:], []byte("*/"))
			if n < 0 {
				return s.wrong("a comment has no end")
			}
			s.at += n + 4
		default:
			return nil
		}
	}
	return nil
}

func lineEnd(text []byte) int {
	if n := bytes.IndexByte(text, '\n'); n >= 0 {
		return n
	}
	return len(text)
}

func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) value(depth int) (*value, error) {
	if err := s.space(); err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, s.wrong("it is nested too deeply")
	}
	switch s.peek() {
	case '{':
		return s.object(depth)
	case '[':
		return s.list(depth)
	case 0:
		return nil, s.wrong("a value is missing")
	}
	return s.scalar()
}

// scalar reads a text, a number, true, false or null.
func (s *scanner) scalar() (*value, error) {
	start := s.at
	if s.peek() == '"' {
		for s.at++; s.at < len(s.text) && s.text[s.at] != '"' && s.text[s.at] != '\n'; s.at++ {
			if s.text[s.at] == '\\' {
				s.at++
			}
		}
		s.at = min(s.at+1, len(s.text))
	} else {
		for strings.IndexByte("abcdefghijklmnopqrstuvwxyzE0123456789+-.", s.peek()) >= 0 {
			s.at++
		}
	}
	v := &value{start: start, end: s.at}
	dec := json.NewDecoder(bytes.NewReader(s.text[start:s.at]))
	dec.UseNumber()
	if err := dec.Decode(&v.plain); err != nil || dec.More() {
		s.at = start
		return nil, s.wrong("no JSON value starts here")
	}
	return v, nil
}

// items reads what stands between two brackets.
func (s *scanner) items(last byte, item func() error) error {
	s.at++
	for {
		if err := s.space(); err != nil {
			return err
		}
		if s.peek() == last {
			s.at++
			return nil
		}
		if err := item(); err != nil {
			return err
		}
		if err := s.space(); err != nil {
			return err
		}
		switch s.peek() {
		case ',':
			s.at++
		case last:
		default:
			return s.wrong("a comma or %q is missing", last)
		}
	}
}

func (s *scanner) list(depth int) (*value, error) {
	v, all := &value{start: s.at}, []any{}
	err := s.items(']', func() error {
		item, err := s.value(depth + 1)
		if err == nil {
			all = append(all, item.plain)
		}
		return err
	})
	v.end, v.plain = s.at, all
	return v, err
}

func (s *scanner) object(depth int) (*value, error) {
	v, all := &value{start: s.at, object: true}, map[string]any{}
	err := s.items('}', func() error {
		if s.peek() != '"' {
			return s.wrong("a key in double quotes is missing")
		}
		k, err := s.scalar()
		if err != nil {
			return err
		}
		key, _ := k.plain.(string)
		if _, twice := all[key]; twice {
			s.at = k.start
			return s.wrong("the key %q is there twice", key)
		}
		if err := s.space(); err != nil {
			return err
		}
		if s.peek() != ':' {
			return s.wrong("a colon is missing")
		}
		s.at++
		item, err := s.value(depth + 1)
		if err != nil {
			return err
		}
		all[key], v.members = item.plain, append(v.members, member{key, k.start, item})
		return nil
	})
	v.end, v.plain = s.at, all
	return v, err
}
