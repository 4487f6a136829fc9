package discovery

import (
	"slices"
	"sync"
)

// Note is one past search that led to a call of a tool, or a sentence that somebody
// wrote for it to be found by.
type Note struct {
	Tool   string // full name
	Query  string
	Weight float64 // in (0, 1]: how much it still counts

	words []string // of the query, where NewNote has read it
}

// NewNote is a note whose query is read once, however often the note is given to
// [Index.Hints].
func NewNote(tool, query string, weight float64) Note {
	return Note{Tool: tool, Query: query, Weight: weight, words: Terms(query)}
}

// Terms are the words of a query as searches compare them, each once: folded and
// stemmed, without those that say nothing about a tool. At most MaxQuery bytes are read.
func Terms(query string) []string {
	out := []string{}
	read := reader{levers: defaults()}
	for _, w := range read.words(cut(query, MaxQuery)) {
		if !w.stop && !slices.Contains(out, w.term) {
			out = append(out, w.term)
		}
	}
	return out
}

// Hints are notes as searches of one index use them. Notes of tools outside of a scope
// count for nothing in it. They do not change, and are safe for concurrent use. The
// first search in a scope learns what its notes weigh, for which others wait: with 5,000
// notes of 2,500 tools in about 70 milliseconds.
type Hints struct {
	index *Index
	with  *memory
	notes []noted
	words map[string]uint32 // numbers of all words of notes
	terms []uint32          // by such a number, that of the term in the index, or none
	of    [][]uint32        // by such a number, the notes that have it, in their order
	spare sync.Pool         // of *echo

	mu    sync.Mutex
	pasts map[*Scope]*past // at most maxPasts
}

// noted is a note of a tool that the index has.
type noted struct {
	doc    uint32
	query  string
	weight float64
	words  []uint32
	known  []bool // by word, whether the tool has it too
}

// Hints prepares notes. Those of tools that the index does not have are left out, and
// those that count for nothing.
func (x *Index) Hints(notes []Note) *Hints { return x.hints(notes, remembered()) }

func (x *Index) hints(notes []Note, with *memory) *Hints {
	h := &Hints{index: x, with: with, words: map[string]uint32{}, pasts: map[*Scope]*past{}}
	docs := make(map[string]uint32, len(x.docs))
	for i := range x.docs {
		docs[x.docs[i].name] = uint32(i)
	}
	for i := range notes {
		if doc, ok := docs[notes[i].Tool]; ok && notes[i].Weight > 0 {
			h.enter(doc, &notes[i])
		}
	}
	h.spare.New = func() any {
		return &echo{
			Hints: h, idf: make([]float64, len(h.of)), asked: make([]bool, len(h.of)), dot: make([]float64, len(h.notes)),
			found: make([]evidence, len(x.docs)), learned: make([]float64, len(x.docs)),
			given: make([]float64, len(x.names)), other: make([]float64, len(x.docs)),
		}
	}
	return h
}

// enter notes down a note.
func (h *Hints) enter(doc uint32, n *Note) {
	words := n.words
	if words == nil {
		words = Terms(n.Query)
	}
	if len(words) == 0 {
		return
	}
	one := noted{doc: doc, query: n.Query, weight: min(n.Weight, 1), words: make([]uint32, len(words)), known: make([]bool, len(words))}
	for i, w := range words {
		number := h.number(w)
		h.of[number] = append(h.of[number], uint32(len(h.notes)))
		one.words[i] = number
		one.known[i] = h.has(doc, w)
	}
	h.notes = append(h.notes, one)
}

// has reports whether a tool has a word or one of the same meaning.
func (h *Hints) has(doc uint32, word string) bool {
	all := h.index.docs[doc].all
	for _, w := range append([]string{word}, thesaurus()[word]...) {
		if term, ok := h.index.terms[w]; ok {
			if _, ok := slices.BinarySearch(all, term); ok {
				return true
			}
		}
	}
	return false
}

func (h *Hints) number(word string) uint32 {
	n, ok := h.words[word]
	if ok {
		return n
	}
	n = uint32(len(h.of))
	h.words[word] = n
	h.of = append(h.of, nil)
	term, ok := h.index.terms[word]
	if !ok {
		term = none
	}
	h.terms = append(h.terms, term)
	return n
}
