package config

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway/diag"
)

// flowValue is a value without quotes inside { } or [ ], as its writer meant
// it: where YAML ends it may well be elsewhere.
type flowValue struct {
	key  string // "" for an item of a list
	text string
}

// flowKey is the start of a member inside { }.
var flowKey = regexp.MustCompile(`^([A-Za-z_][\w-]*): +`)

// flowValues are the values without quotes on a line that has a map or a list
// in flow style.
func flowValues(line string) []flowValue {
	var out []flowValue
	for i := 0; i < len(line); {
		switch line[i] {
		case ' ', '\t', ',', '{', '}', '[', ']':
			i++
			continue
		case '"', '\'':
			i += quotedLength(line[i:])
			continue
		}
		if strings.HasPrefix(line[i:], "- ") {
			i += len("- ")
			continue
		}
		key := ""
		if m := flowKey.FindStringSubmatch(line[i:]); m != nil {
			key, i = m[1], i+len(m[0])
		}
		if i < len(line) && !strings.ContainsRune(`{["'`, rune(line[i])) {
			text := meant(line[i:])
			out = append(out, flowValue{key, text})
			i += max(len(text), 1)
		}
	}
	return out
}

// quotedLength is the length of the text in quotes that a line starts with.
func quotedLength(line string) int {
	if end := strings.IndexByte(line[1:], line[0]); end >= 0 {
		return end + 2
	}
	return len(line)
}

// meant is the value that starts a text inside { } or [ ]: up to the first
// comma or closing bracket that no bracket or quote of its own holds.
func meant(text string) string {
	depth := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '(' || c == '[' || c == '{':
			depth++
		case depth == 0 && (c == ',' || c == ']' || c == '}'):
			return strings.TrimRight(text[:i], " \t")
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == '"' || c == '\'' && i > 0 && !isWord(text[i-1]):
			i += quotedLength(text[i:])
			continue
		}
		i++
	}
	return strings.TrimRight(text, " \t")
}

// isWord reports a letter or a digit, after which ' is an apostrophe.
func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

// unclosed reports a text with more opening than closing brackets.
func unclosed(text string) bool {
	for _, pair := range []string{"()", "[]", "{}"} {
		if strings.Count(text, pair[:1]) > strings.Count(text, pair[1:]) {
			return true
		}
	}
	return false
}

// cutFlow finds, on the line of a syntax mistake and those before it, a map or
// list in flow style that lost its end to a comment: the mistake shows only
// where the next line goes on.
func cutFlow(src *source, to int) *diag.Problem {
	for n := max(to-openQuoteLines, 1); n <= to; n++ {
		line := src.line(n)
		if len(line) > maxHintLine {
			continue
		}
		at := commentStart(line)
		if at < 0 || !unclosed(line[:at]) || !overclosed(line[at:]) {
			continue
		}
		if hint := commentHint(line, underAuth(src, n)); hint != "" {
			return &diag.Problem{
				Place: src.position(n, utf8.RuneCountInString(line[:at])+1).place(),
				Text:  `not valid YAML: " #" starts a comment, and the end of this line is lost in it`,
				Hint:  hint,
			}
		}
	}
	return nil
}

// commentHint is the hint to quote the value that a comment cuts, or "" where
// the comment stands between values.
func commentHint(line string, private bool) string {
	for _, v := range flowValues(line) {
		if strings.Contains(v.text, " #") || strings.Contains(v.text, "\t#") {
			return quoteKey(v.key, v.text, private)
		}
	}
	return ""
}

// prefixOf is what stands on a line before the value of a key.
func prefixOf(key string) string {
	if key == "" {
		return ""
	}
	return key + ": "
}

// overclosed reports a text that closes a bracket it does not open.
func overclosed(text string) bool {
	return strings.Count(text, "}") > strings.Count(text, "{") || strings.Count(text, "]") > strings.Count(text, "[")
}

// commentStart is the index of the # that starts a comment on a line, or -1.
func commentStart(line string) int {
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case (c == '"' || c == '\'') && startsValue(line[:i]):
			i += quotedLength(line[i:])
			continue
		case c == '#' && i > 0 && (line[i-1] == ' ' || line[i-1] == '\t'):
			return i
		}
		i++
	}
	return -1
}

// startsValue reports whether a quote after the text would be one of YAML's.
func startsValue(before string) bool {
	before = strings.TrimRight(before, " \t")
	return before == "" || strings.ContainsRune("[{,:-", rune(before[len(before)-1]))
}

// cutByComma reports a member of a map that is not one, but what follows a
// comma in the value of the member before it. Several of one value are one
// mistake.
func (c *checker) cutByComma(t *trail, n *node, i int, s *shape) bool {
	m, before := &n.members[i], lastValue(n.members[:i])
	if before == nil || !goesOn(m, before) || c.findings.full() {
		return false
	}
	hint := ""
	switch {
	case unclosed(before.value.text) && (bare(m) || s.form == formObject):
		whole := wholeValue(before.value)
		if !strings.HasPrefix(whole, before.value.text+",") {
			return false
		}
		if s.note.private || s.inside(before.key) != nil && s.inside(before.key).note.private {
			whole = ""
		}
		hint = quoteAdvice(before.key+": ", whole)
	case bare(m) && s.takesText(before.key) && !s.unbuilt[m.key] && diag.Nearest(m.key, s.keys) == "":
		hint = quoteAdvice("", "") + ": " + before.key + ": '…'"
	default:
		return false
	}
	at := t.member(before)
	if !c.findings.isBroken(at.path()) {
		c.report(at, m.place, hint, "the comma ended the value of %s", shorten(before.key, maxShownKey))
	}
	return true
}

// wholeValue is a value inside { } as its writer meant it, or "".
func wholeValue(n *node) string {
	rest := n.place.src.rest(n.place)
	if whole := meant(rest[:min(len(rest), maxHintLine)]); !unclosed(whole) {
		return whole
	}
	return ""
}

// takesText reports whether a key of an object takes any text.
func (s *shape) takesText(key string) bool {
	field := s.fields[key]
	return field != nil && field.form == formText && field.note.oneOf == nil
}

// maxParts is the number of commas up to which a value that they end is found.
const maxParts = 20

// lastValue is the last of some members that has a value.
func lastValue(members []member) *member {
	members = members[max(len(members)-maxParts, 0):]
	for i := range slices.Backward(members) {
		if !bare(&members[i]) {
			return &members[i]
		}
	}
	return nil
}

// bare reports a member of a map in flow style that is a key and nothing else.
func bare(m *member) bool {
	if m.value.kind != null || m.value.text != "" || m.place.src == nil || m.place.column > maxHintLine {
		return false
	}
	rest := m.place.src.rest(m.place)
	after, ok := strings.CutPrefix(rest, m.key)
	if !ok && rest != "" && strings.ContainsRune(`"'`, rune(rest[0])) {
		after, ok = rest[quotedLength(rest):], true
	}
	return ok && !strings.HasPrefix(strings.TrimLeft(after, " \t"), ":")
}

// goesOn reports whether a member stands on the line of another one that has a
// text without quotes.
func goesOn(m, before *member) bool {
	v := before.value
	return v.kind == text && v.quote == 0 && v.place.src != nil &&
		v.place.src == m.place.src && v.place.line == m.place.line &&
		v.place.column < m.place.column && m.place.column <= maxHintLine
}
