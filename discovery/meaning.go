package discovery

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxAround is how many terms count as a lone character that is in them.
	maxAround = 20
	// sureness is the likeness from which a word is taken for another that is mistyped:
	// one letter in seven.
	sureness = .85
)

// meaning is a term that counts as a word of a query: itself or another.
type meaning struct {
	number uint32
	idf    float64 // rarity times weight, less distrust
	why    string  // empty for the word itself
}

// Why another term counts as a word.
const (
	whySynonym = "synonym"
	whySimilar = "similar"
	whyJoined  = "joined"
)

// meanings are the terms of the scope that count as a word of the query: itself, its
// join with the word before it, those of the same meaning, which count as no rarer, and
// where no tool of the scope has it, those that look like it.
func (s *search) meanings(t *term) []meaning {
	x, scope := s.scope.index, s.scope
	var out []meaning
	if scope.has(t.number) {
		out = append(out, meaning{number: t.number, idf: float64(scope.idf[t.number])})
	}
	if t.joined != none && s.levers.joined > 0 {
		out = append(out, meaning{number: t.joined, idf: s.levers.joined * float64(scope.idf[t.joined]), why: whyJoined})
	}
	if s.levers.synonym > 0 {
		for _, other := range thesaurus()[t.term] {
			number, ok := x.terms[other]
			if !ok || !scope.has(number) {
				continue
			}
			idf := scope.idf[number]
			if scope.has(t.number) {
				idf = min(idf, scope.idf[t.number])
			}
			out = append(out, meaning{number: number, idf: s.levers.synonym * float64(idf), why: whySynonym})
		}
	}
	if !scope.has(t.number) && s.levers.similar > 0 && len(t.plain) >= leastLike {
		for _, a := range x.likeTerms().like(t.term, s.levers.likeness, maxLike, s.shared, scope.has) {
			out = append(out, meaning{number: a.number, idf: s.levers.trust(a) * float64(scope.idf[a.number]), why: whySimilar})
		}
	}
	if len(out) == 0 && !s.levers.noAround {
		out = scope.around(t)
	}
	for i := range out {
		out[i].idf *= 1 - t.distrust
	}
	return out
}

// trust is the weight of a word that another looks like.
func (l *levers) trust(a lookalike) float64 {
	if a.likeness >= sureness {
		return max(l.similar, l.surely) * a.likeness
	}
	return l.similar * a.likeness
}

// around are the terms that have a lone character of a script without spaces, whose
// terms are pairs.
func (s *Scope) around(t *term) []meaning {
	c, size := utf8.DecodeRuneInString(t.term)
	if size != len(t.term) || !unspaced(c) {
		return nil
	}
	var names []string
	for number, name := range s.index.names {
		if s.has(uint32(number)) && strings.Contains(name, t.term) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var out []meaning
	for _, name := range names[:min(maxAround, len(names))] {
		number := s.index.terms[name]
		out = append(out, meaning{number: number, idf: s.index.levers.similar * float64(s.idf[number]), why: whySimilar})
	}
	return out
}

// has reports whether a document of the scope has the term.
func (s *Scope) has(number uint32) bool { return number != none && s.idf[number] > 0 }
