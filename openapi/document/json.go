package document

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads JSON in one pass. Strings are parts of the text, so that a
// document costs little more than its nodes.
type scanner struct {
	file  string
	text  string
	dirty bool // the text holds bytes that are not UTF-8
	pos   int
	line  uint32
	start int // of the line
	nodes int // so far
	most  int
	open  []Member // of the objects and arrays that are open, the outer ones first
	free  []Member // not used yet: they are made by the thousand
}

// failure is an error of the JSON reader.
type failure struct {
	Error
	limit bool // a limit was passed: reading the text in another way does not help
}

func (f *failure) plain() error {
	if f == nil {
		return nil
	}
	return &f.Error
}

// parseJSON reads a text of at most so many values.
func parseJSON(file, text string, most int) (*Node, *failure) {
	s := &scanner{file: file, text: text, dirty: !utf8.ValidString(text), line: 1, most: most}
	root := new(Node)
	s.space()
	if err := s.value(root, 0); err != nil {
		return nil, err
	}
	if s.space(); s.pos < len(text) {
		return nil, s.fail("text after the end of the value")
	}
	return root, nil
}

func (s *scanner) fail(format string, args ...any) *failure {
	return s.failAt(s.pos, "not valid JSON: "+format, args...)
}

func (s *scanner) failAt(pos int, format string, args ...any) *failure {
	return &failure{Error: Error{s.file, int(s.line), pos - s.start + 1, fmt.Sprintf(format, args...)}}
}

func (s *scanner) limit(format string, args ...any) *failure {
	f := s.failAt(s.pos, format, args...)
	f.limit = true
	return f
}

// peek is the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

func (s *scanner) space() {
	for ; s.pos < len(s.text); s.pos++ {
		switch s.text[s.pos] {
		case ' ', '\t', '\r':
		case '\n':
			s.line, s.start = s.line+1, s.pos+1
		default:
			return
		}
	}
}

// value reads the value at the position into n, which lies depth levels down.
func (s *scanner) value(n *Node, depth int) *failure {
	if s.nodes++; s.nodes > s.most {
		return s.limit("there are more than %d values", s.most)
	}
	n.Line, n.Column = s.line, uint32(s.pos-s.start+1)
	switch c := s.peek(); {
	case c == '"':
		n.Kind = String
		return s.string(&n.Text)
	case c == '{':
		n.Kind = Object
		return s.object(n, depth+1)
	case c == '[':
		n.Kind = Array
		return s.array(n, depth+1)
	case c == '-' || '0' <= c && c <= '9':
		n.Kind = Number
		return s.number(n)
	}
	for _, w := range words {
		if strings.HasPrefix(s.text[s.pos:], w.text) {
			n.Kind = w.kind
			if w.kind == Bool {
				n.Text = w.text
			}
			s.pos += len(w.text)
			return nil
		}
	}
	return s.unexpected("a value")
}

var words = [...]struct {
	text string
	kind Kind
}{{"true", Bool}, {"false", Bool}, {"null", Null}}

func (s *scanner) unexpected(want string) *failure {
	if s.pos >= len(s.text) {
		return s.fail("the text ends where %s should stand", want)
	}
	r, _ := utf8.DecodeRuneInString(s.text[s.pos:])
	return s.fail("%s should stand here, not %s", want, strconv.QuoteRune(r))
}

func (s *scanner) object(n *Node, depth int) *failure {
	return s.list(n, depth, '}', "a comma or }", func(m *Member) *failure {
		if s.peek() != '"' {
			return s.unexpected("a name in double quotes")
		}
		if err := s.string(&m.Name); err != nil {
			return err
		}
		if s.space(); s.peek() != ':' {
			return s.unexpected("a colon")
		}
		s.pos++
		s.space()
		return nil
	})
}

func (s *scanner) array(n *Node, depth int) *failure {
	return s.list(n, depth, ']', "a comma or ]", nil)
}

// list reads an object or an array; name reads what stands before a value.
func (s *scanner) list(n *Node, depth int, end byte, want string, name func(*Member) *failure) *failure {
	if depth > MaxDepth {
		return s.limit("objects and arrays lie more than %d levels deep here", MaxDepth)
	}
	first := len(s.open)
	s.pos++
	if s.space(); s.peek() == end {
		s.pos++
		return nil
	}
	for {
		var m Member
		if name != nil {
			if err := name(&m); err != nil {
				return err
			}
		}
		if err := s.value(&m.Value, depth); err != nil {
			return err
		}
		s.open = append(s.open, m)
		s.space()
		switch c := s.peek(); c {
		case ',':
			s.pos++
			s.space()
		case end:
			s.pos++
			s.close(n, first)
			return nil
		default:
			return s.unexpected(want)
		}
	}
}

// close gives a node the members that are open from the first on.
func (s *scanner) close(n *Node, first int) {
	members := s.open[first:]
	if n.Kind == Object {
		members = unique(members)
	}
	n.Members = s.keep(members)
	clear(s.open[first:])
	s.open = s.open[:first]
}

func (s *scanner) keep(members []Member) []Member {
	const several = 1024
	if len(members) > several/4 {
		return append([]Member(nil), members...)
	}
	if len(members) > len(s.free) {
		s.free = make([]Member, several)
	}
	kept := s.free[:len(members):len(members)]
	s.free = s.free[len(members):]
	copy(kept, members)
	return kept
}

func (s *scanner) number(n *Node) *failure {
	length := numberLength(s.text[s.pos:])
	if length == 0 {
		return s.fail("a number is not written as JSON has it")
	}
	n.Text = s.text[s.pos : s.pos+length]
	s.pos += length
	return nil
}

// numberLength is the length of the JSON number at the start of a text; 0 for
// none.
func numberLength(t string) int {
	i := 0
	digits := func() bool {
		from := i
		for i < len(t) && '0' <= t[i] && t[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(t) && t[i] == '-' {
		i++
	}
	if i < len(t) && t[i] == '0' {
		i++
	} else if !digits() {
		return 0
	}
	if i < len(t) && t[i] == '.' {
		if i++; !digits() {
			return 0
		}
	}
	if i < len(t) && (t[i] == 'e' || t[i] == 'E') {
		if i++; i < len(t) && (t[i] == '+' || t[i] == '-') {
			i++
		}
		if !digits() {
			return 0
		}
	}
	return i
}

// string reads the string at the position.
func (s *scanner) string(out *string) *failure {
	from := s.pos + 1
	for i := from; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			if *out = s.text[from:i]; s.dirty {
				*out = valid(*out)
			}
			s.pos = i + 1
			return nil
		case c == '\\':
			s.pos = from
			return s.escaped(out, i)
		case c < ' ':
			s.pos = i
			return s.fail("a string cannot hold the character %U as it is", c)
		}
	}
	s.pos = len(s.text)
	return s.fail("a string does not end")
}

// escaped reads the rest of a string that holds escapes, the first of them at i.
func (s *scanner) escaped(out *string, i int) *failure {
	var b strings.Builder
	for i < len(s.text) {
		j := i
		for j < len(s.text) && s.text[j] != '"' && s.text[j] != '\\' && s.text[j] >= ' ' {
			j++
		}
		b.WriteString(s.text[s.pos:j])
		if s.pos = j; j == len(s.text) {
			break
		}
		switch s.text[j] {
		case '"':
			s.pos++
			if *out = b.String(); s.dirty {
				*out = valid(*out)
			}
			return nil
		case '\\':
			if !s.escape(&b) {
				return s.fail("a string holds an escape that JSON does not have")
			}
		default:
			return s.fail("a string cannot hold the character %U as it is", s.text[j])
		}
		i = s.pos
	}
	return s.fail("a string does not end")
}

// escape reads the escape at the position.
func (s *scanner) escape(b *strings.Builder) bool {
	if s.pos+1 >= len(s.text) {
		return false
	}
	c := s.text[s.pos+1]
	if c == 'u' {
		return s.unicode(b)
	}
	i := strings.IndexByte(`"\/bfnrt`, c)
	if i < 0 {
		return false
	}
	b.WriteByte("\"\\/\b\f\n\r\t"[i])
	s.pos += 2
	return true
}

// unicode reads \uXXXX, or two of them that make one character together. Half of
// such a pair becomes U+FFFD.
func (s *scanner) unicode(b *strings.Builder) bool {
	r, ok := s.hex(s.pos)
	if !ok {
		return false
	}
	s.pos += len(`\uXXXX`)
	if utf16.IsSurrogate(r) {
		second, ok := s.hex(s.pos)
		if r = utf16.DecodeRune(r, second); ok && r != utf8.RuneError {
			s.pos += len(`\uXXXX`)
		}
	}
	b.WriteRune(r)
	return true
}

func (s *scanner) hex(pos int) (rune, bool) {
	if pos+6 > len(s.text) || s.text[pos:pos+2] != `\u` {
		return 0, false
	}
	v, err := strconv.ParseUint(s.text[pos+2:pos+6], 16, 16)
	return rune(v), err == nil
}
