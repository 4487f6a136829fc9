package discovery

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// memory are the numbers of what notes do to a ranking, each measured: see the test of
// what is learned. A note counts by its weight and by how alike its query and the one
// that is asked are, which is the cosine of their words by rarity.
//
// Notes do three things, and only the second is for the tools alone that have notes, so
// that the others do not sink:
//
//   - A word that searches had and the tools that they led to have not is distrusted:
//     it counts less for every tool.
//   - A word that a note has and its tool has not counts for the tool, as far as the
//     queries are alike. What the tool has by itself is not counted twice.
//   - Words of the tools that like searches led to count for every tool that has
//     something of the query, also for those that nobody has called yet.
type memory struct {
	doubt float64 // how many notes speak for a word before any note does
	trust float64 // power of the share of the notes with a word whose tools have it too

	words  float64 // what a word of a note counts for its tool
	wordly float64 // power of the likeness in that

	like   float64 // what words of tools count that like searches led to
	likely float64 // power of the likeness in that
	least  float64 // least likeness in that
	near   int     // how many notes count in that, the most alike
	most   int     // how many words count in that, the ones that count most
}

func remembered() *memory {
	return &memory{
		doubt: 1, trust: .35,
		words: .15, wordly: .25,
		like: .8, likely: 2, least: .2, near: 8, most: 24,
	}
}

// echo is what notes say to one search.
type echo struct {
	*Hints
	search  *search
	count   int       // notes of tools of the scope
	size    float64   // of the query: its words' rarities, squared
	learned []float64 // what was added to scores, by document

	idf   []float64 // by word of notes: its rarity, where it was needed; else 0
	asked []bool    // by word of notes, whether the query has it
	dot   []float64 // by note: rarities of the words it shares with the query, squared
	known []uint32  // words whose idf is there
	heard []uint32  // notes whose dot is there
}

// listen takes in what the notes say of the words of a search that is about to begin.
// They may distrust a word of it.
func (h *Hints) listen(s *search) *echo {
	e := h.spare.Get().(*echo)
	e.search = s
	for i := range h.notes {
		if s.scope.in.has(h.notes[i].doc) {
			e.count++
		}
	}
	for t := range s.query.terms {
		e.hear(&s.query.terms[t])
	}
	return e
}

// hear takes in what notes say of a word of the query.
func (e *echo) hear(t *term) {
	number, ok := e.words[t.term]
	if !ok {
		e.size += square(e.rarity(t.number, 0))
		return
	}
	idf := e.weigh(number)
	e.asked[number] = true
	e.size += square(idf)
	yes, no := e.with.doubt, 0.0
	for _, i := range e.of[number] {
		n := &e.notes[i]
		switch {
		case !e.search.scope.in.has(n.doc):
			continue
		case n.known[slices.Index(n.words, number)]:
			yes += n.weight
		default:
			no += n.weight
		}
		if e.dot[i] == 0 {
			e.heard = append(e.heard, i)
		}
		e.dot[i] += square(idf)
	}
	t.distrust = 1 - math.Pow(yes/(yes+no), e.with.trust)
}

// weigh gives the rarity of a word of notes.
func (e *echo) weigh(number uint32) float64 {
	if e.idf[number] == 0 {
		n := 0
		for _, i := range e.of[number] {
			if e.search.scope.in.has(e.notes[i].doc) {
				n++
			}
		}
		e.idf[number] = e.rarity(e.terms[number], n)
		e.known = append(e.known, number)
	}
	return e.idf[number]
}

// rarity is the idf, over the tools and the notes of the scope, of a term that so many
// notes have.
func (e *echo) rarity(term uint32, notes int) float64 {
	scope := e.search.scope
	size, n := float64(scope.size), float64(notes)
	if scope.has(term) { // how many tools have it follows from its idf
		odds := math.Expm1(float64(scope.idf[term]))
		n += math.Round((size + .5 - .5*odds) / (1 + odds))
	}
	return math.Log1p((size + float64(e.count) - n + .5) / (n + .5))
}

func square(v float64) float64 { return v * v }

// alike is a note that has something in common with the query.
type alike struct {
	*noted
	like float64 // how much: in (0, 1]
}

// add adds to the scores of a search.
func (e *echo) add(ctx context.Context) error {
	slices.Sort(e.heard)
	all := make([]alike, 0, len(e.heard))
	for _, i := range e.heard {
		n, size := &e.notes[i], 0.0
		for _, w := range n.words {
			size += square(e.weigh(w))
		}
		all = append(all, alike{n, min(1, e.dot[i]/math.Sqrt(size*e.size))})
	}
	if err := e.addLike(ctx, all); err != nil {
		return err
	}
	slices.SortStableFunc(all, func(a, b alike) int { return cmp.Compare(a.doc, b.doc) })
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].doc == all[0].doc {
			n++
		}
		if err := e.addWords(ctx, all[0].doc, all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// more adds to the score of a document.
func (e *echo) more(doc uint32, score float64) {
	e.search.touch(doc)
	e.search.total[doc] += score
	e.learned[doc] += score
}

// addWords adds what words of the query count for a tool because its notes have them.
func (e *echo) addWords(ctx context.Context, doc uint32, notes []alike) error {
	if !e.search.allowed.has(doc) {
		return nil
	}
	best := map[uint32]float64{}
	for _, a := range notes {
		part := e.with.words * a.weight * math.Pow(a.like, e.with.wordly)
		for _, w := range a.words {
			if e.asked[w] {
				best[w] = max(best[w], part*e.idf[w])
			}
		}
	}
	sum := 0.0
	for t := range e.search.query.terms {
		term := &e.search.query.terms[t]
		number, ok := e.words[term.term]
		if !ok || best[number] == 0 {
			continue
		}
		own, err := e.own(ctx, doc, term.number)
		if err != nil {
			return err
		}
		sum += max(0, best[number]-own*(1-term.distrust))
	}
	if sum > 0 {
		e.more(doc, sum)
	}
	return nil
}

// own is what a term counts for a tool by itself.
func (e *echo) own(ctx context.Context, doc, term uint32) (float64, error) {
	scope := e.search.scope
	if !scope.has(term) {
		return 0, nil
	}
	docs, err := scope.index.store.postings(ctx, term, scope.index.names[term])
	at, ok := slices.BinarySearchFunc(docs, doc, func(p posting, doc uint32) int { return cmp.Compare(p.doc, doc) })
	if !ok {
		return 0, err
	}
	return float64(scope.idf[term]) * scope.weight(&docs[at]), nil
}

// addLike adds words of the tools that the most alike searches led to.
func (e *echo) addLike(ctx context.Context, all []alike) error {
	near := slices.DeleteFunc(slices.Clone(all), func(a alike) bool { return a.like < e.with.least })
	slices.SortStableFunc(near, func(a, b alike) int { return cmp.Compare(b.like, a.like) })
	given := map[uint32]float64{}
	for _, a := range near[:min(len(near), e.with.near)] {
		if err := e.give(ctx, &a, given); err != nil {
			return err
		}
	}
	x, s := e.index, e.search
	order := make([]uint32, 0, len(given))
	for t := range given {
		order = append(order, t)
	}
	// By words and not by their numbers, which are other ones where tools are hidden.
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(given[b], given[a]), cmp.Compare(x.names[a], x.names[b]))
	})
	for _, t := range order[:min(len(order), e.with.most)] {
		docs, err := x.store.postings(ctx, t, x.names[t])
		if err != nil {
			return err
		}
		part := given[t] * float64(s.scope.idf[t])
		for k := range docs {
			if p := &docs[k]; s.allowed.has(p.doc) && s.seen.has(p.doc) {
				e.more(p.doc, part*s.scope.weight(p))
			}
		}
	}
	return nil
}

// give adds to what is given the words of the tool of a note that the query lacks, by
// their share of the tool.
func (e *echo) give(ctx context.Context, a *alike, given map[uint32]float64) error {
	terms := e.index.docs[a.doc].all
	counts, size := make([]float64, len(terms)), 0.0
	for _, k := range e.byWord(terms) {
		var err error
		if counts[k], err = e.own(ctx, a.doc, terms[k]); err != nil {
			return err
		}
		size += square(counts[k])
	}
	part := e.with.like * a.weight * math.Pow(a.like, e.with.likely)
	for k, t := range terms {
		asked := slices.ContainsFunc(e.search.query.terms, func(q term) bool { return q.number == t })
		if counts[k] > 0 && !asked {
			given[t] += part * counts[k] / math.Sqrt(size)
		}
	}
	return nil
}

// byWord are the positions of terms in the order of their words, which is the same
// whatever tools are hidden: sums are rounded alike.
func (e *echo) byWord(terms []uint32) []int {
	order := make([]int, len(terms))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(e.index.names[terms[a]], e.index.names[terms[b]]) })
	return order
}

// end is called once, after the search.
func (e *echo) end() {
	for _, w := range e.known {
		e.idf[w], e.asked[w] = 0, false
	}
	for _, i := range e.heard {
		e.dot[i] = 0
	}
	for _, i := range e.search.touched {
		e.learned[i] = 0
	}
	e.known, e.heard = e.known[:0], e.heard[:0]
	e.search, e.count, e.size = nil, 0, 0
	e.spare.Put(e)
}
