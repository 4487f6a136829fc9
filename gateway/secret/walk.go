package secret

import (
	"strings"
	"unicode/utf8"
)

// walker walks over a text and down the trie at once.
type walker struct {
	trie   *trie
	text   string
	end    edge
	base   uint8 // depth of the node it set out from
	steps  int
	best   int          // end of the longest secret found, -1 for none
	walked int          // its bytes
	total  int          // steps from everywhere
	work   int          // what they and their readings cost, since it was last set to 0
	cache  []kept       // by the place, modulo their number
	stack  []*spellings // the readings of the places that are being gone on from
	depth  int          // of them in use
}

// from walks from a node and a place and returns the end of the longest secret
// there, -1 for none.
func (w *walker) from(n int32, at int) int {
	w.steps, w.best, w.walked, w.base = 0, -1, 0, w.trie.nodes[n].depth
	w.walk(n, at, 0)
	w.total += w.steps
	return w.best
}

// walk goes on from a node and a place. gap counts the white space just before,
// where there was a line break or a space that the secret has.
func (w *walker) walk(n int32, at int, gap int) {
	for {
		w.steps++
		w.work++
		node := &w.trie.nodes[n]
		if node.end && gap == 0 { // what follows a secret is not part of it
			w.arrive(node, at)
		}
		if w.end == cutEnd && w.isEnd(at) && node.depth-w.base >= node.least {
			w.found(len(w.text), node)
		}
		if at == len(w.text) || w.steps > maxSteps {
			return
		}
		char := w.text[at]
		if special[char] {
			w.branch(n, at, gap)
			return
		}
		next := w.trie.under(n, char)
		if blank := node.blank; blank != 0 { // a space that the text has not
			if next != 0 {
				w.walk(next, at+1, 0)
			}
			next = w.trie.under(blank, char)
		}
		if next == 0 {
			return
		}
		n, at, gap = next, at+1, 0
	}
}

// arrive notes the end of a secret.
func (w *walker) arrive(node *node, at int) {
	if node.more {
		at = w.digit(at)
	}
	w.found(at, node)
}

func (w *walker) found(at int, node *node) {
	if at > w.best {
		w.best, w.walked = at, int(node.depth-w.base)
	}
}

// isEnd reports whether nothing follows but perhaps a piece of an escape.
func (w *walker) isEnd(at int) bool {
	rest := w.text[at:]
	if len(rest) >= maxEscape || rest != "" && !escape[rest[0]] {
		return false
	}
	for i := range len(rest) {
		if !escape[rest[i]] && !isAlphanumeric(rest[i]) && rest[i] != '#' {
			return false
		}
	}
	return true
}

// isCut reports whether a text begins with the mark of a cut.
func isCut(text string) bool {
	for _, mark := range [...]string{ellipsis, "...", " [" + ellipsis + "]"} {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	return false
}

// digit takes in the base64 digit that holds the last bits of a secret, and
// padding.
func (w *walker) digit(at int) int {
	if at < len(w.text) && (isAlphanumeric(w.text[at]) || strings.IndexByte("+/-_", w.text[at]) >= 0) {
		at++
	}
	for range 2 {
		for _, padding := range [...]string{"=", "%3D", "%3d", `\u003d`, `\u003D`} {
			if strings.HasPrefix(w.text[at:], padding) {
				at += len(padding)
				break
			}
		}
	}
	return at
}

// branch goes on by every reading of a place.
func (w *walker) branch(n int32, at int, gap int) {
	node := &w.trie.nodes[n]
	if w.base == 0 && node.depth >= max(minBroken, node.least) && isCut(w.text[at:]) {
		w.found(at, node)
	}
	if space[w.text[at]] {
		w.space(n, at+1, w.text[at], gap)
		return
	}
	for _, r := range w.read(at) {
		if w.steps > maxSteps {
			break
		}
		after := at + int(r.long)
		if r.size == 1 && space[r.bytes[0]] {
			w.space(n, after, r.bytes[0], gap)
			continue
		}
		w.down(n, after, r)
		if node.blank != 0 {
			w.down(node.blank, after, r)
		}
	}
	w.depth--
}

// read gives the readings of a place, until depth is lowered. They are kept once
// there is so much work that the same places must be coming again and again.
func (w *walker) read(at int) []spelling {
	if w.depth == len(w.stack) {
		w.stack = append(w.stack, new(spellings))
	}
	s := w.stack[w.depth]
	w.depth++
	if w.total+w.steps < busy {
		w.work += readWork
		return s.read(w.text[at:])
	}
	if w.cache == nil {
		w.cache = make([]kept, maxKept)
	}
	k := &w.cache[at%maxKept]
	if k.at != at+1 {
		w.work += readWork
		k.at = at + 1
		k.read(w.text[at:])
	}
	*s = k.spellings // another place may take this one's place meanwhile
	return s.list[:s.n]
}

// kept are the readings of the place before at; 0 is none.
type kept struct {
	spellings
	at int
}

// down goes on by one reading.
func (w *walker) down(n int32, at int, r spelling) {
	if string(r.bytes[:r.size]) == string(utf8.RuneError) {
		w.lost(n, at, utf8.UTFMax)
	}
	for _, char := range r.bytes[:r.size] {
		if n = w.trie.under(n, char); n == 0 {
			return
		}
	}
	w.walk(n, at, 0)
}

// lost goes on behind the character that stands where bytes were no UTF-8: a
// character of the secret may have been cut apart. It may stand for any most
// bytes that are not ASCII.
func (w *walker) lost(n int32, at, most int) {
	for c := w.trie.nodes[n].child; c != 0 && most > 0 && w.steps <= maxSteps; c = w.trie.nodes[c].next {
		if w.trie.nodes[c].char >= utf8.RuneSelf {
			w.walk(c, at, 0)
			w.lost(c, at, most-1)
		}
	}
}

// space goes on over white space.
func (w *walker) space(n int32, at int, char byte, gap int) {
	if n == 0 || gap == maxGap {
		return
	}
	if blank := w.trie.nodes[n].blank; blank != 0 && gap == 0 {
		w.walk(blank, at, gap+1)
	}
	if gap > 0 || char == '\n' || char == '\r' {
		w.walk(n, at, gap+1)
	}
}
