package discovery

import (
	"cmp"
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
	much   float64 // how much of the term the word stands for, at most 1
}

// Why another term counts as a word.
const (
	whySynonym = "synonym"
	whySimilar = "similar"
	whyJoined  = "joined"
)

// meanings are the terms of the scope that count as a word of the query: itself, in all
// the ways that it is written, its join with the word before it, those of the same
// meaning, which count as no rarer, and where no tool of the scope has it, those that
// look like it.
func (s *search) meanings(t *term) []meaning {
	scope := s.scope
	var out []meaning
	if scope.has(t.number) {
		out = append(out, meaning{number: t.number, idf: scope.ownRarity(t), much: 1})
	}
	same := scope.sameAs(t.term)
	for _, number := range same {
		out = append(out, meaning{number: number, idf: s.levers.same * scope.ownRarity(t), why: whySynonym, much: 1})
	}
	if t.joined != none && s.levers.joined > 0 {
		out = append(out, meaning{number: t.joined, idf: s.levers.joined * float64(scope.idf[t.joined]), why: whyJoined, much: 1})
	}
	out = s.addSynonyms(t, out)
	if !scope.has(t.number) && len(same) == 0 {
		out = s.addAlike(t, out)
	}
	if len(out) == 0 && !s.levers.noAround {
		out = scope.around(t)
	}
	for i := range out {
		out[i].idf *= 1 - t.distrust
		if t.part > 0 {
			out[i].idf *= t.part
		}
	}
	return out
}

// addSynonyms adds the terms that stand for a word, and first the verb that it means.
func (s *search) addSynonyms(t *term, out []meaning) []meaning {
	x, scope := s.scope.index, s.scope
	if number, ok := x.terms[t.verb]; ok && scope.has(number) {
		out = append(out, meaning{number: number, idf: s.levers.verb * float64(scope.idf[number]), why: whySynonym, much: s.levers.verb})
	}
	if s.levers.synonym == 0 {
		return out
	}
	for _, other := range thesaurus()[cmp.Or(t.verb, t.term)] {
		number, ok := x.terms[other]
		if !ok || !scope.has(number) || slices.ContainsFunc(out, func(m meaning) bool { return m.number == number }) {
			continue
		}
		idf := scope.idf[number]
		if scope.has(t.number) {
			idf = min(idf, scope.idf[t.number])
		}
		out = append(out, meaning{number: number, idf: s.levers.synonym * float64(idf), why: whySynonym, much: s.levers.synonym})
	}
	return out
}

// addAlike adds the terms that look like a word.
func (s *search) addAlike(t *term, out []meaning) []meaning {
	x, scope := s.scope.index, s.scope
	if s.levers.similar == 0 || len(t.plain) < leastLike {
		return out
	}
	may := func(number uint32) bool {
		return scope.has(number) && (s.levers.noKin || kin(t.term, x.names[number]))
	}
	for _, a := range x.likeTerms().like(t.term, s.levers.likeness, maxLike, s.shared, may) {
		trust := s.levers.trust(a)
		out = append(out, meaning{number: a.number, idf: trust * float64(scope.idf[a.number]), why: whySimilar, much: trust})
	}
	return out
}

// sameAs are the other ways to write the very same word that the scope has.
func (s *Scope) sameAs(term string) []uint32 {
	if s.index.levers.synonym == 0 || s.index.levers.same == 0 {
		return nil
	}
	var out []uint32
	for _, other := range words().same[term] {
		if number, ok := s.index.terms[other]; ok && s.has(number) {
			out = append(out, number)
		}
	}
	return out
}

// ownRarity is the idf of a word in all the ways that it is written.
func (s *Scope) ownRarity(t *term) float64 {
	same := s.sameAs(t.term)
	if len(same) == 0 {
		if t.number == none {
			return 0
		}
		return float64(s.idf[t.number])
	}
	n := 0.0
	if s.has(t.number) {
		n = s.holders(t.number)
	}
	for _, number := range same {
		n += s.holders(number)
	}
	return float64(s.rarity(uint32(min(n, float64(s.size)))))
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
