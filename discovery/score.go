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
	name    []float64 // idf of the words of the name that were asked for
	seen    bits
	touched []uint32
	within  []uint32 // touched by the clause at hand
	hit     []uint32 // touched by the term at hand
}

func newScratch(n int) *scratch {
	return &scratch{
		total: make([]float64, n), clause: make([]float64, n), peak: make([]float64, n), one: make([]float64, n),
		name: make([]float64, n), seen: newBits(n),
	}
}

// reset makes it as new.
func (r *scratch) reset() {
	for _, i := range r.touched {
		r.total[i], r.clause[i], r.peak[i], r.one[i], r.name[i] = 0, 0, 0, 0, 0
	}
	clear(r.seen)
	r.touched, r.within, r.hit = r.touched[:0], r.within[:0], r.hit[:0]
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
	query   query
	allowed bits
}

// score adds up the score of every allowed document that has a word of the query. A
// document's parts are added in the order of the query, whatever other documents there
// are, so that a score does not depend on them by rounding either.
func (s *search) score(ctx context.Context) error {
	for clause := range s.query.clauses {
		for t := range s.query.terms {
			if s.query.terms[t].clause != clause {
				continue
			}
			if err := s.scoreTerm(ctx, &s.query.terms[t]); err != nil {
				return err
			}
		}
		for _, i := range s.within {
			s.total[i] += s.clause[i]
			s.peak[i] = max(s.peak[i], s.clause[i])
			s.clause[i] = 0
		}
		s.within = s.within[:0]
	}
	share := s.clauseShare()
	for _, i := range s.touched {
		s.total[i] = (1-share)*s.total[i] + share*s.peak[i]
		s.total[i] += s.coverage(i) + s.pairsOf(i)
	}
	return nil
}

func (s *search) clauseShare() float64 {
	if s.query.clauses < 2 {
		return 0
	}
	return s.scope.index.levers.clause
}

// scoreTerm adds what a word of the query adds to each document: the most that one of
// its meanings does.
func (s *search) scoreTerm(ctx context.Context, t *term) error {
	x := s.scope.index
	t.means = s.scope.meanings(t)
	for _, m := range t.means {
		docs, err := x.store.postings(ctx, m.number, x.names[m.number])
		if err != nil {
			return err
		}
		idf := float64(s.scope.idf[m.number]) * m.weight
		for k := range docs {
			p := &docs[k]
			if !s.allowed.has(p.doc) {
				continue
			}
			if s.one[p.doc] == 0 {
				s.hit = append(s.hit, p.doc)
			}
			s.one[p.doc] = max(s.one[p.doc], idf*s.scope.weight(p))
			if p.freq[inName] > 0 && m.why == "" {
				s.name[p.doc] += idf
			}
		}
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

// weight is BM25F's weight of a term in a document: what its fields hold of it together,
// each by its weight and length, in [0, 1).
func (s *Scope) weight(p *posting) float64 {
	levers, lengths := s.index.levers, &s.index.docs[p.doc].lengths
	sum := 0.0
	for field, n := range p.freq {
		if n > 0 {
			sum += levers.weight[field] * float64(n) / (s.base[field] + s.slope[field]*float64(lengths[field]))
		}
	}
	return sum / (levers.k1 + sum)
}

// coverage is for names much of which was asked for.
func (s *search) coverage(i uint32) float64 {
	if s.name[i] == 0 {
		return 0
	}
	all := 0.0
	for _, t := range s.scope.index.docs[i].title {
		all += float64(s.scope.idf[t])
	}
	return s.scope.index.levers.coverage * s.name[i] * min(1, s.name[i]/all)
}

// pairsOf is for words that stand beside each other in the query and in the document.
func (s *search) pairsOf(i uint32) float64 {
	told := s.scope.index.docs[i].told
	sum := 0.0
	for _, pair := range s.query.pairs {
		for k := 1; k < len(told); k++ {
			if told[k-1] == pair[0] && told[k] == pair[1] {
				sum += float64(s.scope.idf[pair[0]]) + float64(s.scope.idf[pair[1]])
				break
			}
		}
	}
	return s.scope.index.levers.pairs * sum
}

// meanings are the terms that count as a word of the query.
func (s *Scope) meanings(t *term) []meaning {
	var out []meaning
	if t.number != none && s.idf[t.number] > 0 {
		out = append(out, meaning{number: t.number, weight: 1})
	}
	return out
}

// prefer puts documents before all others.
func (s *search) prefer(docs []uint32) {
	if len(docs) == 0 {
		return
	}
	most := 0.0
	for _, i := range s.touched {
		most = max(most, s.total[i])
	}
	for _, i := range docs {
		s.touch(i)
		s.total[i] = most + 1
	}
}

// best are the documents with the highest scores, the highest first; equal ones in the
// order of names.
func (s *search) best(limit int) []uint32 {
	order := func(a, b uint32) int {
		switch {
		case s.total[a] > s.total[b]:
			return -1
		case s.total[a] < s.total[b]:
			return 1
		}
		return s.scope.index.byRank(a, b)
	}
	slices.SortFunc(s.touched, order)
	return s.touched[:min(limit, len(s.touched))]
}
