package secret

import (
	"strings"
	"unicode/utf8"
)

const (
	// maxDeep is how many characters of a secret, and pieces of white space in
	// it, may be spelled as escapes: it bounds the memory of a walk.
	maxDeep = 1 << 15
	// busy is after how many steps what was seen is kept, maxKept how many
	// readings, minNoted and maxNoted how many ends: there are many only for a
	// secret made of escapes in a text made of them.
	busy     = 1 << 9
	maxKept  = 1 << 9
	minNoted = 1 << 10
	maxNoted = 1 << 20
)

// walker walks over a text and down the trie at once.
type walker struct {
	trie  *trie
	text  string
	steps int          // from everywhere
	cache []kept       // by the place, modulo their number
	noted []noted      // by a hash of the state
	fresh int          // ends that were not noted, in the window
	stack []*spellings // the readings of the places that are being gone on from
	depth int          // of them in use
	deep  int          // places that are being gone on from
}

// state is what the end of a walk depends on.
type state struct {
	at   int
	node int32
	gap  bool // just before is a line break, or a space that the secret has
}

// noted is how far the secret of a walk reaches, or would.
type noted struct {
	state state
	end   int
}

// kept are the readings of the place before at; 0 is none.
type kept struct {
	spellings
	at int
}

// from is the end of the longest secret that begins at a place, -1 for none.
func (w *walker) from(at int) int { return w.walk(state{at: at}) }

// walk goes on from a state and returns the end of the longest secret there, -1
// for none.
func (w *walker) walk(s state) int {
	best := -1
	for {
		w.steps++
		node := &w.trie.nodes[s.node]
		if node.end && !s.gap { // what follows a secret is not part of it
			best = max(best, w.arrive(node, s.at))
		}
		if s.at == len(w.text) {
			return best
		}
		char := w.text[s.at]
		switch {
		case space[char] && s.gap:
			s.at++
			continue
		case odd[char]:
			return max(best, w.branch(s))
		}
		next := w.trie.under(s.node, char)
		if blank := node.blank; blank != 0 { // a space that the text has not
			if next != 0 {
				best = max(best, w.walk(state{at: s.at + 1, node: next}))
			}
			next = w.trie.under(blank, char)
		}
		if next == 0 {
			return best
		}
		s = state{at: s.at + 1, node: next}
	}
}

// arrive is the end of a secret.
func (w *walker) arrive(node *node, at int) int {
	if node.more {
		return w.digit(at)
	}
	return at
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

// branch goes on by every reading of a place. Once there is much work, the ends
// of walks are noted: there may be many ways to one state.
func (w *walker) branch(s state) int {
	if w.steps < busy {
		return w.onward(s)
	}
	if k := w.note(s); k != nil && k.state == s && k.end != 0 {
		return k.end
	}
	end := w.onward(s)
	w.fresh++
	if w.fresh > len(w.noted) && len(w.noted) < maxNoted {
		w.grow()
	}
	*w.note(s) = noted{s, end}
	return end
}

// note is the place for the end of a state, nil while there is none.
func (w *walker) note(s state) *noted {
	if w.noted == nil {
		return nil
	}
	return &w.noted[s.hash()%uint64(len(w.noted))]
}

// grow makes place for more ends.
func (w *walker) grow() {
	old := w.noted
	w.noted = make([]noted, max(minNoted, 4*len(old)))
	for _, k := range old {
		if k.end != 0 {
			*w.note(k.state) = k
		}
	}
}

// hash spreads states (multiplicative, Knuth).
func (s state) hash() uint64 {
	return (uint64(s.at)<<24 ^ uint64(s.node)) * 11400714819323198485 >> 40
}

func (w *walker) onward(s state) int {
	if w.deep == maxDeep {
		return -1
	}
	w.deep++
	defer func() { w.deep-- }()
	if char := w.text[s.at]; space[char] {
		return w.space(s, s.at+1, char)
	}
	best, node := -1, &w.trie.nodes[s.node]
	for _, r := range w.read(s.at) {
		after := s.at + int(r.long)
		if r.size == 1 && space[r.bytes[0]] {
			best = max(best, w.space(s, after, r.bytes[0]))
			continue
		}
		best = max(best, w.down(s.node, after, r))
		if node.blank != 0 {
			best = max(best, w.down(node.blank, after, r))
		}
	}
	w.depth--
	return best
}

// read gives the readings of a place, until depth is lowered. They are kept once
// there is so much work that the same places must be coming again and again.
func (w *walker) read(at int) []spelling {
	if w.depth == len(w.stack) {
		w.stack = append(w.stack, new(spellings))
	}
	s := w.stack[w.depth]
	w.depth++
	if w.steps < busy {
		return s.read(w.text[at:])
	}
	if w.cache == nil {
		w.cache = make([]kept, maxKept)
	}
	k := &w.cache[at%maxKept]
	if k.at != at+1 {
		k.at = at + 1
		k.read(w.text[at:])
	}
	*s = k.spellings // another place may take this one's place meanwhile
	return s.list[:s.n]
}

// down goes on by one reading.
func (w *walker) down(n int32, at int, r spelling) int {
	best := -1
	if string(r.bytes[:r.size]) == string(utf8.RuneError) {
		best = w.lost(n, at, utf8.UTFMax)
	}
	for _, char := range r.bytes[:r.size] {
		if n = w.trie.under(n, char); n == 0 {
			return best
		}
	}
	return max(best, w.walk(state{at: at, node: n}))
}

// lost goes on behind the character that stands where bytes were no UTF-8: a
// character of the secret may have been cut apart. It may stand for any most
// bytes that are not ASCII.
func (w *walker) lost(n int32, at, most int) int {
	best := -1
	for c := w.trie.nodes[n].child; c != 0 && most > 0; c = w.trie.nodes[c].next {
		if w.trie.nodes[c].char >= utf8.RuneSelf {
			best = max(best, w.walk(state{at: at, node: c}), w.lost(c, at, most-1))
		}
	}
	return best
}

// space goes on over white space that ends before a place.
func (w *walker) space(s state, after int, char byte) int {
	best := -1
	if s.node == 0 {
		return best
	}
	if blank := w.trie.nodes[s.node].blank; blank != 0 && !s.gap {
		best = w.walk(state{after, blank, true})
	}
	if s.gap || char == '\n' || char == '\r' {
		best = max(best, w.walk(state{after, s.node, true}))
	}
	return best
}
