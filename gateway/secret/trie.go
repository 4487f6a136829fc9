package secret

import "slices"

// trie holds the texts to look for, byte by byte. Node 0 is the root. It does not
// change once it is looked for.
type trie struct {
	nodes []node
	first [256]int32 // the root's children by their byte
	// starts has a bit for every three bytes, spaces left out, that a text
	// begins with: most places of a text are left after one look.
	starts [1 << startBits / 64]uint64
	pairs  *pairs // set by look
	// longest is the most bytes that one of the secrets takes, however it is
	// spelled within reason.
	longest int
}

const startBits = 17

type node struct {
	child, next int32 // the first child and the next sibling; 0 for none
	blank       int32 // the child for a space, 0 for none
	char        byte
	end         bool // a text ends here
	more        bool // and the base64 digit behind it belongs to it
}

// with gives a trie of what t holds, which may be nil, and of some values; nil
// when that is nothing.
func (t *trie) with(values []Value) *trie {
	out := &trie{nodes: []node{{}}}
	if t != nil {
		*out = *t
		out.nodes = slices.Clone(t.nodes)
	}
	for _, v := range values {
		addForms(out, v.Reveal())
	}
	if len(out.nodes) == 1 {
		return nil
	}
	out.look()
	return out
}

// reach is how many bytes of a secret may stand at a cut.
func (t *trie) reach() int { return t.longest - 1 }

// form is one text to look for.
type form struct {
	text string // at least three bytes
	more bool   // the base64 digit behind it belongs to it
}

func (t *trie) add(f form) {
	n, text := int32(0), f.text
	for i := range len(text) {
		next := t.under(n, text[i])
		if next == 0 {
			next = t.grow(n, text[i])
		}
		n = next
	}
	t.nodes[n].end = true
	t.nodes[n].more = t.nodes[n].more || f.more
	h, seen := uint32(0), 0
	for i := 0; i < len(text) && seen < 3; i++ {
		if text[i] != ' ' {
			h = h<<8 | uint32(text[i])
			seen++
		}
	}
	h = hash(h)
	t.starts[h/64] |= 1 << (h % 64)
}

func (t *trie) grow(parent int32, char byte) int32 {
	p := &t.nodes[parent]
	fresh := node{next: p.child, char: char}
	p.child = int32(len(t.nodes))
	t.nodes = append(t.nodes, fresh)
	id := int32(len(t.nodes) - 1)
	switch {
	case parent == 0:
		t.first[char] = id
	case char == ' ':
		t.nodes[parent].blank = id
	}
	return id
}

// under is the child of a node for a byte, 0 for none.
func (t *trie) under(n int32, char byte) int32 {
	if n == 0 {
		return t.first[char]
	}
	for c := t.nodes[n].child; c != 0; c = t.nodes[c].next {
		if t.nodes[c].char == char {
			return c
		}
	}
	return 0
}

// mayStart reports whether a text may begin with these three plain bytes.
func (t *trie) mayStart(a, b, c byte) bool {
	h := hash(uint32(a)<<16 | uint32(b)<<8 | uint32(c))
	return t.starts[h/64]&(1<<(h%64)) != 0
}

// hash spreads three bytes over startBits bits (multiplicative, Knuth).
func hash(v uint32) uint32 { return v * 2654435761 >> (32 - startBits) }
