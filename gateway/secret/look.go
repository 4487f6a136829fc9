package secret

import "strings"

// This file is the quick look that keeps ordinary text fast: nearly every place
// is left after one look at it and the byte behind it. What is left is certain
// to begin no secret, however it is spelled.

// pairs says of two bytes whether a secret may begin with them.
type pairs [1 << 16]bool

func pairOf(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }

// next is the first place from i on where a secret may begin; len(text) for
// none. No secret begins with the last byte of a text.
func (t *trie) next(text string, i int) int {
	for ; i+1 < len(text); i++ {
		if t.pairs[pairOf(text[i], text[i+1])] && t.possible(text, i) {
			return i
		}
	}
	return len(text)
}

// possible is a second look at a place that has a byte behind it: false is
// certain.
func (t *trie) possible(text string, i int) bool {
	a := text[i]
	if t.first[a] != 0 && (i+2 >= len(text) || odd[text[i+1]] || odd[text[i+2]] || t.mayStart(a, text[i+1], text[i+2])) {
		return true
	}
	switch a {
	case '%', '=': // what is read in one of them is read on only where it begins another escape
		s := spellings{text: text[i:min(i+3, len(text))]}
		v, ok := s.number(1, 2, 16)
		return ok && (t.first[v] != 0 || nested[v])
	case '&':
		return strings.IndexByte(text[i:min(i+1+maxEntity, len(text))], ';') > 0
	}
	return escape[a]
}

// nested are the bytes that are read on when they come out of an escape.
var nested = setOf(`%&\`)

// look fills in the pairs. The trie has all its texts.
func (t *trie) look() {
	t.pairs = new(pairs)
	for i := range len(t.pairs) {
		if a, b := byte(i>>8), byte(i); t.first[a] != 0 || escape[a] {
			t.pairs[i] = t.beginsPlain(a, b) || escape[a] && t.beginsEscape(a, b)
		}
	}
}

// beginsPlain reports whether a text may begin with a byte that stands for
// itself and go on with what b is or begins.
func (t *trie) beginsPlain(a, b byte) bool {
	n := t.first[a]
	if n == 0 {
		return false
	}
	blank := t.nodes[n].blank // the text may have it or not
	switch {
	case escape[b] || b == '\n' || b == '\r':
		return true
	case blank != 0 && (space[b] || t.under(blank, b) != 0):
		return true
	}
	return t.under(n, b) != 0
}

// beginsEscape reports whether an escape with which a text may begin can itself
// begin with two bytes. Those that stand for white space do not: no text begins
// with it.
func (t *trie) beginsEscape(a, b byte) bool {
	switch a {
	case '%', '=':
		return isHex(b)
	case '&':
		return b == '#' || isAlphanumeric(b)
	case replaced[0]:
		return b == replaced[1]
	case '\\':
		return t.beginsBackslash(b)
	}
	return false // + stands for a space
}

// beginsBackslash is beginsEscape for what follows a backslash. Of a row of
// them the last is enough, where no text begins with one.
func (t *trie) beginsBackslash(b byte) bool {
	switch plain, ok := simple[b]; {
	case b == '\\':
		return t.first[b] != 0
	case ok && t.first[plain] != 0:
		return true
	}
	return nested[b] || t.first[b] != 0 || strings.IndexByte("uUx0123", b) >= 0
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
