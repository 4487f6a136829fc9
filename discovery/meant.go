package discovery

import (
	"cmp"
	"context"
	"slices"
)

// stand is a word of tools that a word of a query stands for.
type stand struct {
	number uint32
	idf    float64 // rarity times how surely it is meant
}

// addMeaning adds what a word of the query counts for tools that have other words which
// it stands for: the most that one of them does, less what the word itself does.
func (e *echo) addMeaning(ctx context.Context, t *term) error {
	number, ok := e.words[t.term]
	if !ok {
		return nil
	}
	s, x := e.search, e.index
	var hit []uint32
	defer func() {
		for _, i := range hit {
			e.other[i] = 0
		}
	}()
	for _, m := range e.meant(number, t.number) {
		docs, err := x.store.postings(ctx, m.number, x.names[m.number])
		if err != nil {
			return err
		}
		for k := range docs {
			if p := &docs[k]; s.allowed.has(p.doc) && s.seen.has(p.doc) {
				if e.other[p.doc] == 0 {
					hit = append(hit, p.doc)
				}
				e.other[p.doc] = max(e.other[p.doc], m.idf*s.scope.weight(p))
			}
		}
	}
	if len(hit) > 0 && s.scope.has(t.number) {
		docs, err := x.store.postings(ctx, t.number, t.term)
		if err != nil {
			return err
		}
		for k := range docs {
			e.other[docs[k].doc] -= float64(s.scope.idf[t.number]) * s.scope.weight(&docs[k])
			hit = append(hit, docs[k].doc)
		}
	}
	for _, i := range hit {
		if e.other[i] > 0 {
			e.found[i][byMeaning] += e.other[i]
			e.other[i] = 0
		}
	}
	return nil
}

// meant are the words that a word of notes stands for: those that tools to which
// searches with it led have more often than the tools to which any search led.
func (e *echo) meant(number, self uint32) []stand {
	of := e.sample(number)
	sum, words := 0.0, []uint32(nil)
	for _, i := range of {
		n := &e.notes[i]
		sum += n.weight
		for _, w := range e.index.docs[n.doc].all {
			if e.given[w] == 0 {
				words = append(words, w)
			}
			e.given[w] += n.weight
		}
	}
	out := make([]stand, 0, e.with.meant+1)
	for _, w := range words {
		more := e.given[w]/(sum+e.with.unsure) - e.usual[w]
		e.given[w] = 0
		if more <= 0 || w == self {
			continue
		}
		one := stand{w, more * min(float64(e.search.scope.idf[w]), e.idf[number])}
		if len(out) < e.with.meant || e.surer(one, out[len(out)-1]) < 0 {
			at, _ := slices.BinarySearchFunc(out, one, e.surer)
			out = slices.Insert(out, at, one)
			out = out[:min(len(out), e.with.meant)]
		}
	}
	return out
}

// surer orders what a word stands for: by words and not by their numbers, which are
// other ones where tools are hidden.
func (e *echo) surer(a, b stand) int {
	return cmp.Or(cmp.Compare(b.idf, a.idf), cmp.Compare(e.index.names[a.number], e.index.names[b.number]))
}

// sample are notes that have a word: all that count or so many, evenly.
func (e *echo) sample(number uint32) []uint32 {
	var all []uint32
	for _, i := range e.of[number] {
		if e.counts(i) {
			all = append(all, i)
		}
	}
	n := min(len(all), e.with.heard)
	for k := range n {
		all[k] = all[k*len(all)/n]
	}
	return all[:n]
}
