package discovery

import (
	"context"
	"slices"
)

// scratch is what a search adds up, by document. A document counts as soon as it is
// among the touched.
type scratch struct {
	total   []float64 // of all clauses, then the score
	clause  []float64 // of the clause at hand
	peak    []float64 // of the best clause
	one     []float64 // of the term at hand
	name    []float64 // rarity of the words of the name that were asked for
	told    []uint8   // words of the query in name or description; at most 2
	seen    bits
	touched []uint32
	within  []uint32 // touched by the clause at hand
	hit     []uint32 // touched by the term at hand
	ends    []uint8  // by term: one more than the last pair that ends with it
	shared  []uint8  // by term: grams shared with a word, 0 between words

	asked    []float64 // by term: how much of it was asked for, at most 1
	askedBy  []uint32  // by such a term: the place of the word that asked most
	askedFor []uint32  // terms of which something was
}

func newScratch(docs, terms int) *scratch {
	return &scratch{
		total: make([]float64, docs), clause: make([]float64, docs), peak: make([]float64, docs), one: make([]float64, docs),
		name: make([]float64, docs), told: make([]uint8, docs), seen: newBits(docs), ends: make([]uint8, terms), shared: make([]uint8, terms),
		asked: make([]float64, terms), askedBy: make([]uint32, terms),
	}
}

// reset makes it as new.
func (r *scratch) reset() {
	for _, i := range r.touched {
		r.total[i], r.peak[i], r.name[i], r.told[i] = 0, 0, 0, 0
	}
	for _, i := range r.within { // of a search that was ended
		r.clause[i] = 0
	}
	for _, i := range r.hit {
		r.one[i] = 0
	}
	for _, t := range r.askedFor {
		r.asked[t] = 0
	}
	clear(r.seen)
	clear(r.ends)
	r.touched, r.within, r.hit = r.touched[:0], r.within[:0], r.hit[:0]
	r.askedFor = r.askedFor[:0]
}

func (r *scratch) touch(i uint32) {
	if !r.seen.has(i) {
		r.seen.add(i)
		r.touched = append(r.touched, i)
	}
}

// search is one under way.
type search struct {
	*scratch
	scope   *Scope
	levers  *levers
	query   query
	allowed bits
	echo    *echo // what hints say; nil where there are none
}

// score adds up the score of every allowed document that has a word of the query. A
// document's parts are added in the order of the query, whatever other documents there
// are, so that a score does not depend on them by rounding either.
func (s *search) score(ctx context.Context) error {
	terms := s.query.terms // clause by clause
	for t := range terms {
		if err := s.scoreTerm(ctx, &terms[t]); err != nil {
			return err
		}
		if t+1 == len(terms) || terms[t+1].clause != terms[t].clause {
			s.endClause()
		}
	}
	s.touchLittle()
	share := s.clauseShare()
	for _, i := range s.touched {
		s.total[i] = (1-share)*s.total[i] + share*s.peak[i]
		s.total[i] += s.coverage(i) + s.hinted(i)
		s.total[i] *= 1 - s.harm(i)
	}
	return nil
}

func (s *search) endClause() {
	for _, i := range s.within {
		s.total[i] += s.clause[i]
		s.peak[i] = max(s.peak[i], s.clause[i])
		s.clause[i] = 0
	}
	s.within = s.within[:0]
}

// clauseShare is the part of the score that the best clause alone makes.
func (s *search) clauseShare() float64 {
	if s.query.clauses < 2 {
		return 0
	}
	return s.levers.clause
}

// scoreTerm adds what a word of the query adds to each document: the most that one of
// its meanings does.
func (s *search) scoreTerm(ctx context.Context, t *term) error {
	x := s.scope.index
	t.means = s.meanings(t)
	for k := range t.means {
		m := &t.means[k]
		s.ask(m.number, m.much, t.place)
		docs, err := x.store.postings(ctx, m.number, x.names[m.number])
		if err != nil {
			return err
		}
		s.scoreMeaning(m, docs)
	}
	for _, i := range s.hit {
		if s.clause[i] == 0 {
			s.within = append(s.within, i)
		}
		s.clause[i] += s.one[i]
		s.one[i] = 0
		s.touch(i)
	}
	s.hit = s.hit[:0]
	return nil
}

func (s *search) scoreMeaning(m *meaning, docs []posting) {
	for k := range docs {
		p := &docs[k]
		if !s.allowed.has(p.doc) {
			continue
		}
		if s.one[p.doc] == 0 {
			s.hit = append(s.hit, p.doc)
		}
		s.one[p.doc] = max(s.one[p.doc], m.idf*s.scope.weight(p))
		if m.why != "" {
			continue
		}
		if p.freq[inName] > 0 {
			s.name[p.doc] += m.idf
		}
		if p.freq[inName]|p.freq[inDescription] > 0 && s.told[p.doc] < 2 {
			s.told[p.doc]++
		}
	}
}

// weight is BM25F's weight of a term in a document: what its fields hold of it together,
// each by its weight and length, in (0, 1).
func (s *Scope) weight(p *posting) float64 {
	levers, lengths := s.index.levers, &s.index.lengths[p.doc]
	sum := 0.0
	for field, n := range &p.freq {
		if n > 0 {
			sum += levers.weight[field] * float64(n) / (s.base[field] + s.slope[field]*float64(lengths[field]))
		}
	}
	return sum / (levers.k1 + sum)
}

// coverage is for names much of which was asked for.
func (s *search) coverage(i uint32) float64 {
	if s.name[i] == 0 || s.levers.coverage == 0 {
		return 0
	}
	all := 0.0
	for _, t := range s.scope.index.docs[i].title {
		all += float64(s.scope.idf[t])
	}
	if all == 0 { // nothing but stop words
		return 0
	}
	return s.levers.coverage * s.name[i] * min(1, s.name[i]/all)
}

// pairs is for words that stand beside each other in the query, and in the document
// beside each other or with one word between them.
func (s *search) pairs(i uint32) float64 {
	if s.told[i] < 2 || s.levers.pairs == 0 {
		return 0
	}
	told := s.scope.index.docs[i].told
	sum, done := 0.0, uint64(0)
	for k, t := range told {
		for at := s.ends[t]; at > 0; at = s.query.pairs[at-1].next {
			pair := &s.query.pairs[at-1]
			if done&(1<<at) == 0 && (k > 0 && told[k-1] == pair.first || k > 1 && told[k-2] == pair.first) {
				sum += pair.idf
				done |= 1 << at
			}
		}
	}
	return s.levers.pairs * sum
}

// addPairs adds what pairs do, to those that can be among the first so many.
func (s *search) addPairs(limit int) {
	most := rounding
	for k := range s.query.pairs {
		pair := &s.query.pairs[k]
		pair.idf = float64(s.scope.idf[pair.first]) + float64(s.scope.idf[pair.second])
		pair.next = s.ends[pair.second]
		s.ends[pair.second] = uint8(k + 1)
		most += s.levers.pairs * pair.idf
	}
	least := 0.0
	if best := s.best(limit); len(best) == limit {
		least = s.total[best[limit-1]]
	}
	for _, i := range s.touched {
		if s.told[i] > 1 && s.total[i]+most >= least {
			s.total[i] += s.pairs(i)
		}
	}
}

// prefer puts documents before all others.
func (s *search) prefer(docs []uint32) {
	most := s.most()
	for _, i := range docs {
		s.touch(i)
		s.total[i] = most + 1
	}
}

func (s *search) most() float64 {
	most := 0.0
	for _, i := range s.touched {
		most = max(most, s.total[i])
	}
	return most
}

// best are the documents with the highest scores, the highest first; equal ones in the
// order of names.
func (s *search) best(limit int) []uint32 {
	better := func(a, b uint32) int {
		switch {
		case s.total[a] > s.total[b]:
			return -1
		case s.total[a] < s.total[b]:
			return 1
		}
		return s.scope.index.byRank(a, b)
	}
	out := make([]uint32, 0, limit)
	for _, i := range s.touched {
		if len(out) == limit && better(i, out[limit-1]) > 0 {
			continue
		}
		if len(out) == limit {
			out = out[:limit-1]
		}
		at, _ := slices.BinarySearchFunc(out, i, better)
		out = slices.Insert(out, at, i)
	}
	return out
}
