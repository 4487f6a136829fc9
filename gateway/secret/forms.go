package secret

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

const (
	// minPart and maxPart bound the parts that a long secret is searched in.
	// They bound the work at every place of a text, and a long part of a
	// secret is as secret as the whole.
	minPart = 32
	maxPart = 2 * minPart

	bitsPerDigit = 6 // of base64
	// leastHex and leastBase64 are the digits that MinLength bytes take.
	leastHex    = 2 * MinLength
	leastBase64 = (MinLength*8 + bitsPerDigit - 1) / bitsPerDigit
)

// addForms adds everything that gives a secret away.
func addForms(t *trie, text string) {
	text = strings.TrimSpace(text)
	if visible(text) < MinLength {
		return
	}
	addSpelled(t, text)
	addSpelled(t, strings.ToValidUTF8(text, replaced)) // as a long run of bytes is repaired
	digits := hex.EncodeToString([]byte(text))
	addParts(t, form{digits, false, leastHex})
	addParts(t, form{strings.ToUpper(digits), false, leastHex})
	for before := range 3 { // bytes in front of it, in the group of three that base64 makes four digits of
		addBase64(t, base64.RawStdEncoding, before, text)
		addBase64(t, base64.RawURLEncoding, before, text)
	}
}

// visible counts the bytes of a text that are not white space.
func visible(text string) int {
	return len(strings.Join(strings.Fields(text), ""))
}

// addSpelled adds a text with each run of white space as one space, which is
// how the trie knows it.
func addSpelled(t *trie, text string) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r < utf8.RuneSelf && space[r] })
	addParts(t, form{strings.Join(words, " "), false, MinLength})
}

// addBase64 adds the digits that depend on nothing but the text.
func addBase64(t *trie, enc *base64.Encoding, before int, text string) {
	digits := enc.EncodeToString([]byte(strings.Repeat("\x00", before) + text))
	first := (before*8 + bitsPerDigit - 1) / bitsPerDigit
	last := (before + len(text)) * 8 / bitsPerDigit
	addParts(t, form{digits[first:last], last < len(digits), leastBase64})
}

// addParts adds a form, a long one in parts.
func addParts(t *trie, f form) {
	n, text := 1, f.text
	if len(text) > maxPart {
		n = len(text) / minPart
	}
	from := 0
	for i := range n {
		to := max(from, (i+1)*len(text)/n)
		for to < len(text) && !utf8.RuneStart(text[to]) && to-from < maxPart {
			to++ // an escape stands for a whole character
		}
		t.add(form{strings.Trim(text[from:to], " "), f.more && i == n-1, f.least})
		from = to
	}
}
