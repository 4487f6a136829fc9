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
// A word that searches had and the tools that they led to have not is distrusted: it
// counts less for every tool. All else that notes say is evidence, which counts by
// weights that are learned from the notes themselves: see [memory.learn].
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

	meant  int     // how many words of tools a word of the query stands for
	unsure float64 // how many notes speak against that before any note does
	heard  int     // how many notes with the word count in that
	again  float64 // BM25's k1 for words of notes

	weight    evidence // where nothing is learned
	give      evidence // how far the notes may move the weights: a standard deviation
	low, high evidence // bounds of the weights
	stiff     float64  // how much the notes must say for that
	heat      float64  // how much surer a call is by a point of the score
	lessons   int      // from how many searches is learned, at most
	against   int      // how many tools are held against the called ones in that
	steps     int
}

// evidence is what notes say for or against a tool beside its own words, or what such
// things weigh.
type evidence [evidenceCount]float64

const (
	// byWords: a word that a note has and its tool has not counts for the tool, as far
	// as the queries are alike. What the tool has by itself is not counted twice.
	byWords = iota
	// bySum: words that notes have count for their tool by how many have them.
	bySum
	// byLike: words of the tools that like searches led to count for every tool that has
	// something of the query, also for those that nobody has called yet.
	byLike
	// byMeaning: a word of the query counts for tools that have the words that tools
	// have to which searches with it led, as synonyms do.
	byMeaning
	// byCoverage: the bonus for names that were asked for, once more or less.
	byCoverage
	// byLength: how many words a tool has, against others.
	byLength
	evidenceCount
)

func remembered() *memory {
	return &memory{
		doubt: 1, trust: .35,
		words: .15, wordly: .25,
		like: .8, likely: 2, least: .2, near: 8, most: 24,
		meant: 8, unsure: 2, heard: 32, again: 1.5,

		weight: evidence{byWords: 1, byLike: 1},
		give:   evidence{1, .5, 1, .5, .5, .25},
		low:    evidence{byWords: .1, byCoverage: -.8, byLength: -1},
		high:   evidence{4, 2, 3, 2, 1, 1},
		stiff:  3, heat: .5, lessons: 128, against: 30, steps: 5,
	}
}

// echo is what notes say to one search.
type echo struct {
	*Hints
	*past
	search  *search
	without []uint32   // notes that do not count, in their order
	size    float64    // of the query: its words' rarities, squared
	found   []evidence // by document
	learned []float64  // what was added to scores, by document

	idf   []float64 // by word of notes: its rarity, where it was needed; else 0
	asked []bool    // by word of notes, whether the query has it
	dot   []float64 // by note: rarities of the words it shares with the query, squared
	known []uint32  // words whose idf is there
	heard []uint32  // notes whose dot is there

	given []float64 // by term of the index, what it is given; 0 between uses
	other []float64 // by document, what other words count for it; 0 between uses
}

// listen takes in what the notes say of the words of a search that is about to begin.
// They may distrust a word of it.
func (h *Hints) listen(s *search, p *past, without []uint32) *echo {
	e := h.spare.Get().(*echo)
	e.search, e.past, e.without = s, p, without
	for t := range s.query.terms {
		e.hear(&s.query.terms[t])
	}
	return e
}

// counts reports whether a note counts in this search.
func (e *echo) counts(note uint32) bool {
	return e.search.scope.in.has(e.notes[note].doc) && !slices.Contains(e.without, note)
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
		case !e.counts(i):
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
		n := e.having[number]
		for _, i := range e.without {
			if slices.Contains(e.notes[i].words, number) {
				n--
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
	return math.Log1p((size + float64(e.count-len(e.without)) - n + .5) / (n + .5))
}

func square(v float64) float64 { return v * v }

// alike is a note that has something in common with the query.
type alike struct {
	*noted
	like float64 // how much: in (0, 1]
}

// gather gathers the evidence.
func (e *echo) gather(ctx context.Context) error {
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
	for t := range e.search.query.terms {
		if err := e.addMeaning(ctx, &e.search.query.terms[t]); err != nil {
			return err
		}
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
	for _, i := range e.search.touched {
		e.found[i][byCoverage] = e.search.coverage(i)
		e.found[i][byLength] = math.Log2(float64(1+len(e.index.docs[i].all)) / (1 + e.length))
	}
	return nil
}

// add adds the evidence to the scores of the search. What counts against a tool leaves
// it a part of what its own words and those of its notes are worth.
func (e *echo) add() {
	for _, i := range e.search.touched {
		own := e.search.total[i]
		least := leastLeft * (own + e.weight[byWords]*e.found[i][byWords])
		e.learned[i] = max(least, own+e.found[i].sum(&e.weight)) - own
		e.search.total[i] += e.learned[i]
	}
}

// leastLeft is the share of a score that no evidence takes away.
const leastLeft = .1

func (v *evidence) sum(weight *evidence) float64 {
	sum := 0.0
	for k, w := range weight {
		sum += w * v[k]
	}
	return sum
}

// more adds evidence for a document.
func (e *echo) more(doc uint32, kind int, score float64) {
	e.search.touch(doc)
	e.found[doc][kind] += score
}

// addWords adds what words of the query count for a tool because its notes have them.
func (e *echo) addWords(ctx context.Context, doc uint32, notes []alike) error {
	if !e.search.allowed.has(doc) {
		return nil
	}
	best, many := map[uint32]float64{}, map[uint32]float64{}
	for _, a := range notes {
		part := e.with.words * a.weight * math.Pow(a.like, e.with.wordly)
		for _, w := range a.words {
			if e.asked[w] {
				best[w] = max(best[w], part*e.idf[w])
				many[w] += a.weight
			}
		}
	}
	sum, all := 0.0, 0.0
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
		all += e.idf[number] * many[number] / (e.with.again + many[number])
	}
	e.more(doc, byWords, sum)
	e.more(doc, bySum, all)
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
				e.more(p.doc, byLike, part*s.scope.weight(p))
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
		e.learned[i], e.found[i] = 0, evidence{}
	}
	e.known, e.heard = e.known[:0], e.heard[:0]
	e.search, e.past, e.without, e.size = nil, nil, nil, 0
	e.spare.Put(e)
}
