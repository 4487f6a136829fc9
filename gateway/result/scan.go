package result

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	scanBuffer = 64 << 10 // bytes
	// maxKey is the longest spelling of a key that is compared, in bytes: every
	// character of a path may be spelled with twelve.
	maxKey = 12*maxPath + 2
)

// literals are the values that are neither numbers nor in quotes or brackets.
var literals = map[byte]string{'t': "true", 'f': "false", 'n': "null"}

// scanner goes through JSON once, in constant memory. It trusts what it skips:
// only where a path leads is the grammar looked at closely.
type scanner struct {
	r     io.ReaderAt
	ended func() error // an error when there is no reason to go on
	base  int64        // offset of buf
	buf   []byte       // what was read
	pos   int          // the next byte of buf

	copy io.Writer // takes the bytes that are passed; nil for nobody
	mark int       // from here on buf was not copied yet
	name keyBuffer
}

// newScanner starts at an offset.
func newScanner(r io.ReaderAt, at int64, ended func() error) *scanner {
	return &scanner{r: r, ended: ended, base: at, buf: make([]byte, 0, scanBuffer)}
}

// at is the offset of the next byte.
func (s *scanner) at() int64 { return s.base + int64(s.pos) }

// fill reads on; io.EOF says that there is nothing more.
func (s *scanner) fill() error {
	if err := s.ended(); err != nil {
		return err
	}
	if err := s.flush(); err != nil {
		return err
	}
	s.base += int64(len(s.buf))
	n, err := s.r.ReadAt(s.buf[:cap(s.buf)], s.base)
	s.buf, s.pos, s.mark = s.buf[:n], 0, 0
	switch {
	case n > 0:
		return nil
	case err == nil:
		return io.ErrNoProgress
	}
	return err
}

// flush copies what was passed since the last time.
func (s *scanner) flush() error {
	if s.copy == nil {
		return nil
	}
	_, err := s.copy.Write(s.buf[s.mark:s.pos])
	s.mark = s.pos
	return err
}

// copied runs pass and writes the bytes that it passes to w.
func (s *scanner) copied(w io.Writer, pass func() error) error {
	s.copy, s.mark = w, s.pos
	err := pass()
	if err == nil {
		err = s.flush()
	}
	s.copy = nil
	return err
}

// broken says that the text is not JSON at the place of the scanner; other
// failures stay what they are.
func (s *scanner) broken(err error, what string) error {
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err != nil {
		what = "it ends where a value should"
	}
	return tool.Errorf(tool.InvalidArgs, "the result is not JSON: %s (byte %d)", what, s.at()).
		WithHint(`Leave "path" out and read it as text, with "offset" or "grep".`)
}

// next passes white space and returns the byte after it without passing it.
func (s *scanner) next() (byte, error) {
	for {
		for i, c := range s.buf[s.pos:] {
			if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
				s.pos += i
				return c, nil
			}
		}
		s.pos = len(s.buf)
		if err := s.fill(); err != nil {
			return 0, s.broken(err, "")
		}
	}
}

// skip passes one value, however deep it is.
func (s *scanner) skip() error {
	c, err := s.next()
	if err != nil {
		return err
	}
	if kindOf(c) == "" {
		return s.broken(nil, "no value starts like this")
	}
	if c != '"' && c != '{' && c != '[' {
		return s.scalar()
	}
	for depth := 0; ; {
		deep, done, err := s.brackets(depth)
		if done || err != nil {
			return err
		}
		if err := s.fill(); err != nil {
			return s.broken(err, "")
		}
		depth = deep
	}
}

// brackets goes on in a value inside so many brackets until the value is done
// or there is nothing left in the buffer.
func (s *scanner) brackets(depth int) (deep int, done bool, err error) {
	for s.pos < len(s.buf) {
		i, c := structural(s.buf[s.pos:])
		s.pos += i
		switch c {
		case '"':
			if err := s.rest(); err != nil {
				return 0, false, err
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		default:
			return depth, false, nil
		}
		if depth == 0 {
			return 0, true, nil
		}
	}
	return depth, false, nil
}

// structural finds the first quote or bracket: what it is, and the offset
// behind it. The byte is 0 when there is none.
func structural(data []byte) (end int, c byte) {
	for i, c := range data {
		switch c {
		case '"', '{', '[', '}', ']':
			return i + 1, c
		}
	}
	return len(data), 0
}

// rest passes a string whose opening quote was passed.
func (s *scanner) rest() error {
	for escaped := false; ; {
		n, open := inString(s.buf[s.pos:], escaped)
		s.pos += n
		if open == closed {
			return nil
		}
		escaped = open == openEscaped
		if err := s.fill(); err != nil {
			return s.broken(err, "")
		}
	}
}

// How a string is left at the end of a buffer.
const (
	closed = iota
	open
	openEscaped // behind a backslash
)

// inString passes the rest of a string as far as data has it.
func inString(data []byte, escaped bool) (n, state int) {
	start := 0
	if escaped && len(data) > 0 {
		start = 1
	}
	quote := -1 // the next quote, where it was found already
	for {
		if quote < start {
			i := bytes.IndexByte(data[start:], '"')
			if i < 0 {
				i = len(data) - start
			}
			quote = start + i
		}
		i := bytes.IndexByte(data[start:quote], '\\')
		switch at := start + i; {
		case i < 0 && quote < len(data):
			return quote + 1, closed
		case i < 0:
			return len(data), open
		case at == len(data)-1:
			return len(data), openEscaped
		default:
			start = at + 2
		}
	}
}

// scalar passes a number or a literal. What starts like one and goes on
// otherwise is most likely a plain text.
func (s *scanner) scalar() error {
	literal := literals[s.buf[s.pos]]
	for n := 0; ; {
		for i, c := range s.buf[s.pos:] {
			switch {
			case strings.IndexByte(" \t\r\n,:]}[{\"", c) >= 0:
				s.pos += i
				return s.complete(literal, n)
			case literal == "" && strings.IndexByte("0123456789+-.eE", c) < 0,
				literal != "" && (n >= len(literal) || literal[n] != c):
				s.pos += i
				return s.broken(nil, "no value is written like this")
			}
			n++
		}
		s.pos = len(s.buf)
		switch err := s.fill(); {
		case errors.Is(err, io.EOF):
			return s.complete(literal, n)
		case err != nil:
			return err
		}
	}
}

// complete checks that all of a literal was there.
func (s *scanner) complete(literal string, n int) error {
	if n < len(literal) {
		return s.broken(nil, "no value is written like this")
	}
	return nil
}

// key passes a key and its colon and returns the key, or nil when it is longer
// than any that a path may name. It is valid until the next one.
func (s *scanner) key() ([]byte, error) {
	if c, err := s.next(); err != nil || c != '"' {
		return nil, s.broken(err, "a key should stand here")
	}
	s.name.reset()
	if err := s.copied(&s.name, s.skip); err != nil {
		return nil, err
	}
	key, err := s.name.decoded()
	if err != nil {
		return nil, s.broken(nil, "a key is not a string")
	}
	if c, err := s.next(); err != nil || c != ':' {
		return nil, s.broken(err, "a colon should stand here")
	}
	s.pos++
	return key, nil
}

// more passes the comma between two members or items and reports whether there
// is another one; if not it passes the bracket that ends them.
func (s *scanner) more(first bool, end byte) (bool, error) {
	c, err := s.next()
	switch {
	case err != nil:
		return false, err
	case c == end:
		s.pos++
		return false, nil
	case first:
		return true, nil
	case c != ',':
		return false, s.broken(nil, fmt.Sprintf("a comma or %c should stand here", end))
	}
	s.pos++
	return true, nil
}
