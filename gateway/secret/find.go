package secret

import "strings"

const (
	// maxSteps bounds the work at one place of a text. Only a secret made of
	// escapes, in a text made of them, takes more; then all that it could
	// reach is masked.
	maxSteps = 512
	// maxReach is more than what a spelled part of a secret is long.
	maxReach = 1 << 10
	maxGap   = 64 // pieces of white space in a row within a secret
	// minBroken is how much of a secret, in front of the mark of a cut, is
	// taken for it.
	minBroken = 6
	// busy is after how many steps readings are kept, maxKept how many.
	busy    = 1 << 14
	maxKept = 512

	// window is the part of a text that a budget of work is for: workPerByte for
	// each of its bytes and minWork beside. A text made to be slow takes more;
	// then the rest of the window, and all that a secret begun there could
	// reach, is masked unread.
	window      = 1 << 10
	workPerByte = 5
	minWork     = 512
	// readWork is how many steps the readings of one place cost.
	readWork = 6
	// maxRemnantWork bounds the search for the end of a secret that a text
	// begins with.
	maxRemnantWork = 1 << 22

	ellipsis = "…"
)

// edge says how a text ends.
type edge bool

const (
	whole  edge = false
	cutEnd edge = true // perhaps inside a secret
)

// find finds all secrets in a text; the spans are sorted and apart.
func (t *trie) find(text string, end edge) []span {
	spans, _ := t.search(text, end)
	return merge(spans)
}

// search is find without order. It reports whether there was more work than a
// text may cause, so that parts of it are in the spans unread.
func (t *trie) search(text string, end edge) (spans []span, unread bool) {
	w := walker{trie: t, text: text, end: end}
	paid, budget := 0, 0
	for i := t.next(text, 0); i < len(text); i = t.next(text, i+1) {
		if i >= paid {
			begin := i - i%window
			paid, w.work = min(len(text), begin+window), 0
			budget = minWork + workPerByte*(paid-begin)
		}
		to := w.from(0, i)
		if w.work > budget {
			spans, i, unread = append(spans, span{i, min(len(text), paid+maxReach)}), paid-1, true
			continue
		}
		if w.steps > maxSteps { // what starts in the first half ends in the second
			to = min(len(text), i+2*maxReach)
			spans, i, unread = append(spans, span{i, to}), i+maxReach-1, true
			continue
		}
		if to > i && !isMark(text, i, to) {
			spans = append(spans, span{i, to})
		}
	}
	return spans, unread
}

// remnant is the end of what a text begins with and a secret ends with, 0 for
// nothing. The text may begin inside an escape.
func (t *trie) remnant(text string) int {
	w := walker{trie: t, text: text}
	best := 0
	for i := 0; i < len(text) && i < maxEscape; i++ {
		for n := range t.nodes {
			if w.work > maxRemnantWork {
				return max(best, min(len(text), maxReach))
			}
			to := w.from(int32(n), i)
			switch {
			case w.steps > maxSteps:
				best = max(best, min(len(text), maxReach))
			case to > best && w.walked >= int(t.nodes[n].least):
				best = to
			}
		}
		if !isAlphanumeric(text[i]) && text[i] != ';' && text[i] != '#' {
			break
		}
	}
	return best
}

// isMark reports whether a span lies in the mark of a secret masked before.
func isMark(text string, from, to int) bool {
	begin, end := max(0, to-len(masked)), min(len(text), from+len(masked))
	return begin < end && strings.Contains(text[begin:end], masked)
}
