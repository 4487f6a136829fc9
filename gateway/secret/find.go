package secret

import (
	"slices"
	"strings"
)

// Whether a text is shown depends on whole secrets alone: how far a walk came,
// and how much work it was, changes nothing of what is found. Else a caller who
// sends text of his own could learn a secret piece by piece.

// window is the part of a text in which the places where a secret may begin are
// walked from one after the other, the last first: so a walk comes to where
// another has been, and its end is known.
const window = 1 << 12

// find finds all secrets in a text; the spans are sorted and apart.
func (t *trie) find(text string) []span {
	var spans []span
	var begins []int
	w := walker{trie: t, text: text}
	for i := t.next(text, 0); i < len(text); {
		begins, w.fresh = begins[:0], 0
		for end := i + window; i < min(end, len(text)); i = t.next(text, i+1) {
			begins = append(begins, i)
		}
		for _, from := range slices.Backward(begins) {
			if to := w.from(from); to > from && !isMark(text, from, to) {
				spans = append(spans, span{from, to})
			}
		}
	}
	return merge(spans)
}

// isMark reports whether a span lies in the mark of a secret masked before.
func isMark(text string, from, to int) bool {
	begin, end := max(0, to-len(masked)), min(len(text), from+len(masked))
	return begin < end && strings.Contains(text[begin:end], masked)
}
