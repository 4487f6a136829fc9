package discovery

import (
	"slices"
	"strings"
)

const (
	// maxPhrases is how many phrases of a hint count.
	maxPhrases = 64
	// leastAsked is the share of a phrase from which it counts: less than half of one that
	// somebody wrote down says little.
	leastAsked = .5
)

// phrase is one of those that a hint is made of.
type phrase struct {
	terms []uint32 // each once
	// little is how many words it has where all of them are stop words, such as who am I.
	// It counts where they stand in the query, beside each other.
	little int
}

// phrasesOf takes a hint apart at commas and at the ends of sentences and lines. Its
// words are in the index.
func (x *Index) phrasesOf(read *reader, hint string) []phrase {
	var out []phrase
	for _, text := range strings.FieldsFunc(hint, func(c rune) bool { return strings.ContainsRune(",;.!?\n、，。；！？", c) }) {
		if p := x.phraseOf(read.words(text)); len(p.terms) > 0 && len(out) < maxPhrases {
			out = append(out, p)
		}
	}
	return slices.Clip(out)
}

// phraseOf is what the words say together. An identifier is one of them, as a whole.
func (x *Index) phraseOf(all []word) phrase {
	var p, little []uint32
	for _, w := range all {
		number := x.terms[w.term]
		switch {
		case w.whole && strings.Contains(w.term, " "):
		case w.whole:
			p = append(p[:max(0, len(p)-w.parts)], number)
		case w.stop:
			little = append(little, number)
		default:
			p = append(p, number)
		}
	}
	if len(p) == 0 && len(little) > 1 {
		return phrase{terms: distinct(little), little: len(little)}
	}
	return phrase{terms: distinct(p)}
}

// ask notes how much of a term was asked for: all of it, or as much as a word of the
// query stands for it.
func (s *search) ask(number uint32, much float64, by int) {
	if s.asked[number] == 0 {
		s.askedFor = append(s.askedFor, number)
	}
	if much > s.asked[number] {
		s.asked[number], s.askedBy[number] = much, uint32(by)
	}
	if name := s.scope.index.names[number]; strings.Contains(name, " ") {
		for part := range strings.FieldsSeq(name) {
			if number, ok := s.scope.index.terms[part]; ok {
				s.ask(number, much, by)
			}
		}
	}
}

// hinted is for the phrase of a hint that was asked for most.
func (s *search) hinted(i uint32) float64 {
	if s.levers.hinted == 0 {
		return 0
	}
	best := 0.0
	for k := range s.scope.index.docs[i].hints {
		best = max(best, s.phrase(&s.scope.index.docs[i].hints[k]))
	}
	return s.levers.hinted * best
}

// phrase is the rarity of the words of a phrase that were asked for: less where others
// were not, where words stand between them in the query, and for lone words, which may
// be there by chance.
func (s *search) phrase(p *phrase) float64 {
	if p.little > 0 {
		return s.littlePhrase(p)
	}
	asked, all, first, last := 0.0, 0.0, len(s.query.terms), -1
	for _, t := range p.terms {
		idf := float64(s.scope.idf[t])
		all += idf
		if s.asked[t] > 0 {
			asked += idf * s.asked[t]
			first, last = min(first, int(s.askedBy[t])), max(last, int(s.askedBy[t]))
		}
	}
	if asked < leastAsked*all {
		return 0
	}
	n := float64(len(p.terms))
	dense := min(1, n/float64(max(1, last-first+1)))
	return asked * (asked / all) * (asked / all) * dense * dense * n / (n + 1)
}

// littlePhrase is the rarity of the words of a phrase that has nothing but stop words.
func (s *search) littlePhrase(p *phrase) float64 {
	sum := 0.0
	if s.query.says(p) {
		for _, t := range p.terms {
			sum += float64(s.scope.idf[t])
		}
	}
	return sum
}

// says reports whether the words of a phrase stand beside each other in the query, in
// any order.
func (q *query) says(p *phrase) bool {
	for at := 0; at+p.little <= len(q.all); at++ {
		if slices.Equal(distinct(slices.Clone(q.all[at:at+p.little])), p.terms) {
			return true
		}
	}
	return false
}

// touchLittle takes in the documents that were asked for by stop words alone.
func (s *search) touchLittle() {
	for _, i := range s.scope.index.little {
		if s.allowed.has(i) && s.hinted(i) > 0 {
			s.touch(i)
		}
	}
}
