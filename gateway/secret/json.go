package secret

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// looksJSON reports whether a text may be a JSON object, list or string.
func looksJSON(text string) bool {
	plain := strings.TrimLeft(text, " \t\r\n")
	return plain != "" && strings.IndexByte(`{["`, plain[0]) >= 0
}

// quiet reports whether no string of a text that looks like JSON stands for one
// with a secret, where the text as it is written has none: what is written as it
// is was read then, so that only strings with escapes are looked at. false is
// not certain.
func (t *trie) quiet(text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	var plain []byte
	slash := strings.IndexByte(text, '\\')
	for at := 0; slash >= 0; {
		begin := strings.IndexByte(text[at:], '"')
		if begin < 0 {
			return true
		}
		begin += at
		if end := strings.IndexByte(text[begin+1:], '"'); end >= 0 && begin+1+end < slash {
			at = begin + 1 + end + 1
			continue
		}
		at = tokenEnd(text, begin)
		plain = unquote(plain[:0], text[begin:at])
		if _, found := t.mask(view(plain)); found {
			return false
		}
		if slash = strings.IndexByte(text[at:], '\\'); slash >= 0 {
			slash += at
		}
	}
	return true
}

// maskJSON masks valid JSON and leaves it valid: a string is masked as what it
// stands for, a number that holds a secret becomes a string. Where a secret
// reaches over several strings and numbers, each of them goes as a whole.
func (t *trie) maskJSON(text string) (out string, found bool) {
	var plain []byte // of one token after the other
	text, found = tokens(text, func(token string, _ int) (string, bool) {
		plain = decode(plain[:0], token)
		if out, found := t.mask(view(plain)); found {
			return quote(out), true
		}
		return token, false
	})
	spans := t.find(text)
	if len(spans) == 0 {
		return text, found
	}
	return tokens(text, func(token string, from int) (string, bool) {
		if len(within(spans, from, from+len(token))) > 0 {
			return quote(masked), true
		}
		return token, false
	})
}

// decode appends what a string or a number stands for.
func decode(out []byte, token string) []byte {
	switch {
	case token[0] != '"':
		return append(out, token...)
	case utf8.ValidString(token):
		return unquote(out, token)
	}
	var plain string // with each byte that is no UTF-8 replaced
	_ = json.Unmarshal(bytesOf(token), &plain)
	return append(out, plain...)
}

// tokens puts what change gives in place of each string and number that it
// changes. It reports whether there is any.
func tokens(text string, change func(token string, from int) (string, bool)) (string, bool) {
	var b strings.Builder
	copied := 0
	for i := 0; i < len(text); {
		end := tokenEnd(text, i)
		if end == i {
			i++
			continue
		}
		if token, changed := change(text[i:end], i); changed {
			b.WriteString(text[copied:i])
			b.WriteString(token)
			copied = end
		}
		i = end
	}
	if copied == 0 {
		return text, false
	}
	b.WriteString(text[copied:])
	return b.String(), true
}

// tokenEnd is the end of the string or number at a place, the place itself
// when there is none.
func tokenEnd(text string, at int) int {
	if text[at] != '"' {
		end := at
		for end < len(text) && (isAlphanumeric(text[end]) || strings.IndexByte("+-.", text[end]) >= 0) {
			end++
		}
		return end
	}
	for end := at + 1; end < len(text); end++ {
		switch text[end] {
		case '\\':
			end++
		case '"':
			return end + 1
		}
	}
	return len(text) // not reached: the whole was valid
}

// unquote appends what a JSON string stands for. What is no escape stays.
func unquote(out []byte, token string) []byte {
	rest := strings.TrimSuffix(token[1:], `"`)
	for {
		i := strings.IndexByte(rest, '\\')
		if i < 0 || i+1 == len(rest) {
			return append(out, rest...)
		}
		out = append(out, rest[:i]...)
		size := 2
		switch c := rest[i+1]; c {
		case 'u':
			var r rune
			r, size = unquoteRune(rest[i:])
			out = utf8.AppendRune(out, r)
		case 'b', 'f', 'n', 'r', 't':
			out = append(out, simple[c])
		default:
			out = append(out, c)
		}
		rest = rest[i+size:]
	}
}

// unquoteRune reads \u and four digits, twice for a character that takes two
// (RFC 8259 section 7), and how long that is.
func unquoteRune(text string) (rune, int) {
	const long = 6 // \u and four digits
	s := spellings{text: text}
	v, _ := s.number(2, long-2, 16)
	r := rune(v)
	if !utf16.IsSurrogate(r) {
		return r, min(long, len(text))
	}
	if strings.HasPrefix(text[long:], `\u`) {
		low, _ := s.number(long+2, long-2, 16)
		if r := utf16.DecodeRune(r, rune(low)); r != utf8.RuneError {
			return r, 2 * long
		}
	}
	return utf8.RuneError, long
}

// quote writes a JSON string without HTML escapes.
func quote(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // no string fails
	return strings.TrimSuffix(b.String(), "\n")
}
