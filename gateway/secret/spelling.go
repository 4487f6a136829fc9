package secret

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	maxSpellings = 24       // readings of one place, so that a row of backslashes stays cheap
	maxLong      = 255      // bytes of one reading
	maxEntity    = 33       // bytes between & and ; (CounterClockwiseContourIntegral)
	replaced     = "\uFFFD" // stands for bytes that were no character
	maxEscape    = 12       // bytes between the braces of an escape, and one more
)

// byteSet says of each byte whether it belongs to a kind.
type byteSet [256]bool

func setOf(chars string) *byteSet {
	var s byteSet
	for i := range len(chars) {
		s[chars[i]] = true
	}
	return &s
}

var (
	space  = setOf(" \t\n\r")           // stands for itself or for nothing
	escape = setOf("%\\&+=\xEF")        // may begin a spelling of another character
	odd    = setOf("%\\&+= \t\n\r\xEF") // not plain: may stand for something else
	simple = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f', 'a': '\a', 'v': '\v', '0': 0, '\n': '\n'}
)

// spelling is one way to read the text at a place: what it stands for, at most
// one character, and how long it is there.
type spelling struct {
	bytes [utf8.UTFMax]byte
	size  uint8 // of bytes in use
	long  uint8
}

// spellings are all readings of the text at one place.
type spellings struct {
	text string // from that place on
	list [maxSpellings]spelling
	n    int
}

// read finds every reading. One that is itself the start of an escape is read
// on, so that an escape within an escape is found whatever the two are:
// %252F, \\u002f, \u0026lt;.
func (s *spellings) read(text string) []spelling {
	s.text, s.n = text, 0
	s.addByte(text[0], 1)
	switch text[0] {
	case '+':
		s.addByte(' ', 1)
	case '=':
		s.quotedPrintable()
	case replaced[0]:
		if strings.HasPrefix(text, replaced) {
			s.addRune(utf8.RuneError, len(replaced))
		}
	}
	for i := 0; i < s.n; i++ {
		if s.list[i].size != 1 {
			continue
		}
		switch long := int(s.list[i].long); s.list[i].bytes[0] {
		case '%':
			s.hexByte(long)
		case '&':
			s.entity(long)
		case '\\':
			s.backslash(long)
		}
	}
	return s.list[:s.n]
}

func (s *spellings) addByte(c byte, long int) {
	if s.n < maxSpellings && long <= maxLong {
		s.list[s.n] = spelling{bytes: [utf8.UTFMax]byte{c}, size: 1, long: uint8(long)}
		s.n++
	}
}

func (s *spellings) addRune(r rune, long int) {
	if s.n < maxSpellings && long <= maxLong {
		s.list[s.n] = spelling{long: uint8(long)}
		s.list[s.n].size = uint8(utf8.EncodeRune(s.list[s.n].bytes[:], r))
		s.n++
	}
}

// hexByte reads two hex digits (RFC 3986 section 2.1).
func (s *spellings) hexByte(at int) {
	if v, ok := s.number(at, 2, 16); ok {
		s.addByte(byte(v), at+2)
	}
}

// quotedPrintable reads what follows = (RFC 2045 section 6.7).
func (s *spellings) quotedPrintable() {
	s.hexByte(1)
	if len(s.text) > 1 && (s.text[1] == '\r' || s.text[1] == '\n') {
		s.addByte('\n', 2)
	}
}

// entity reads a character reference of HTML from behind its &.
func (s *spellings) entity(at int) {
	rest := s.text[at:min(at+maxEntity, len(s.text))]
	end := strings.IndexByte(rest, ';')
	if end < 1 {
		return
	}
	if number, ok := strings.CutPrefix(rest[:end], "#"); ok { // HTML itself has other meanings for some
		base := 10
		if digits, ok := strings.CutPrefix(strings.ToLower(number), "x"); ok {
			number, base = digits, 16
		}
		if v, err := strconv.ParseUint(number, base, 32); err == nil && v <= utf8.MaxRune {
			s.addRune(rune(v), at+end+1)
		}
		return
	}
	plain := html.UnescapeString("&" + rest[:end+1])
	if r, size := utf8.DecodeRuneInString(plain); size == len(plain) {
		s.addRune(r, at+end+1)
	}
}

// backslash reads an escape of JSON, Go, C, Python or a shell from behind its
// backslash. Another backslash is only read on: how many there are depends on
// how often the text was quoted.
func (s *spellings) backslash(at int) {
	if at >= len(s.text) {
		return
	}
	c := s.text[at]
	if plain, ok := simple[c]; ok {
		s.addByte(plain, at+1)
	}
	switch {
	case c == 'u':
		s.unicode(at + 1)
	case c == 'U':
		s.codePoint(at+1, 8, 0)
	case c == 'x':
		s.hexByte(at + 1)
		s.codePoint(at+1, 2, 0)
	case c >= '0' && c <= '3':
		if v, ok := s.number(at, 3, 8); ok {
			s.addByte(byte(v), at+3)
		}
	case c >= ' ' && c < utf8.RuneSelf && !isAlphanumeric(c):
		s.addByte(c, at+1)
	}
}

// unicode reads what follows \u, where a character may need two escapes (RFC
// 8259 section 7) or braces.
func (s *spellings) unicode(at int) {
	if at < len(s.text) && s.text[at] == '{' {
		if end := strings.IndexByte(s.text[at:min(at+maxEscape, len(s.text))], '}'); end > 1 {
			s.codePoint(at+1, end-1, 1)
		}
		return
	}
	v, ok := s.number(at, 4, 16)
	switch {
	case !ok:
	case utf16.IsSurrogate(rune(v)):
		low := at + 4
		for low < len(s.text) && s.text[low] == '\\' && low < at+4+maxSpellings {
			low++
		}
		if w, ok := s.number(low+1, 4, 16); ok && low > at+4 && s.text[low] == 'u' {
			s.addRune(utf16.DecodeRune(rune(v), rune(w)), low+5)
		}
	default:
		s.addRune(rune(v), at+4)
	}
}

// codePoint reads a character by its number, behind which stands more.
func (s *spellings) codePoint(at, digits, behind int) {
	if v, ok := s.number(at, digits, 16); ok && v <= utf8.MaxRune {
		s.addRune(rune(v), at+digits+behind)
	}
}

// number reads so many digits, at most maxEscape; it makes no error of each text
// that has none, as strconv does.
func (s *spellings) number(at, digits, base int) (uint64, bool) {
	if at+digits > len(s.text) {
		return 0, false
	}
	v := uint64(0)
	for i := range digits {
		digit := digitValue[s.text[at+i]]
		if int(digit) > base {
			return 0, false
		}
		v = v*uint64(base) + uint64(digit) - 1
	}
	return v, true
}

// digitValue is one more than what a digit of base 16 or less stands for; of no
// digit it is more than any base.
var digitValue = func() (values [256]byte) {
	for i := range values {
		values[i] = 255
	}
	for _, digits := range []string{"0123456789abcdef", "0123456789ABCDEF"} {
		for v := range len(digits) {
			values[digits[v]] = byte(v + 1)
		}
	}
	return values
}()

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
