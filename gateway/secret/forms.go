package secret

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

const (
	bitsPerDigit = 6 // of base64
	// perByte is how many bytes one byte of a secret takes at most in the
	// spellings that are common: \\\\u0061, &amp;#x61;, %252561.
	perByte = 12
)

// addForms adds everything that gives a secret away.
func addForms(t *trie, text string) {
	text = strings.TrimSpace(text)
	if visible(text) < MinLength {
		return
	}
	t.longest = max(t.longest, perByte*len(text))
	t.addSpelled(text)
	t.addSpelled(strings.ToValidUTF8(text, replaced)) // as a long run of bytes is repaired
	digits := hex.EncodeToString([]byte(text))
	t.add(form{digits, false})
	t.add(form{strings.ToUpper(digits), false})
	for before := range 3 { // bytes in front of it, in the group of three that base64 makes four digits of
		t.addBase64(base64.RawStdEncoding, before, text)
		t.addBase64(base64.RawURLEncoding, before, text)
	}
}

// visible counts the bytes of a text that are not white space.
func visible(text string) int {
	return len(strings.Join(strings.Fields(text), ""))
}

// addSpelled adds a text with each run of white space as one space, which is
// how the trie knows it.
func (t *trie) addSpelled(text string) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r < utf8.RuneSelf && space[r] })
	t.add(form{strings.Join(words, " "), false})
}

// addBase64 adds the digits that depend on nothing but the text.
func (t *trie) addBase64(enc *base64.Encoding, before int, text string) {
	digits := enc.EncodeToString([]byte(strings.Repeat("\x00", before) + text))
	first := (before*8 + bitsPerDigit - 1) / bitsPerDigit
	last := (before + len(text)) * 8 / bitsPerDigit
	t.add(form{digits[first:last], last < len(digits)})
}
