package discovery

import (
	"context"
	"slices"
)

// Names of bonuses.
const (
	bonusExact    = "exact_name"
	bonusFolded   = "same_name" // but for case and punctuation: ahead of all others
	bonusCoverage = "name_coverage"
	bonusHinted   = "search_hint"  // for a phrase of it
	bonusHarm     = "unasked_harm" // less than 0: the name says delete, and the query does not
	bonusPairs    = "pairs"
	bonusHints    = "hints"
)

func exactly(wanted bool) *Explanation {
	if !wanted {
		return nil
	}
	return &Explanation{Bonuses: []Bonus{{Name: bonusExact, Score: 1}}}
}

// explain takes the score of a document apart. What the best clause of the query adds
// is in the scores of its words.
func (s *search) explain(ctx context.Context, i uint32) (*Explanation, error) {
	terms, clauses, err := s.explainTerms(ctx, i)
	if err != nil {
		return nil, err
	}
	share, best := s.clauseShare(), 0
	for c, sum := range clauses {
		if sum > clauses[best] {
			best = c
		}
	}
	out, left := &Explanation{}, s.total[i]
	for k := range terms {
		t := &terms[k]
		if t.clause != best {
			t.Score *= 1 - share
		}
		left -= t.Score
		out.Terms = append(out.Terms, t.TermScore)
	}
	hints := 0.0
	if s.echo != nil {
		hints = s.echo.learned[i]
	}
	coverage, hinted := s.coverage(i), s.hinted(i)
	harm := s.harm(i) * (s.total[i] - left + coverage + hinted)
	for _, b := range []Bonus{{bonusCoverage, coverage}, {bonusHinted, hinted}, {bonusHarm, -harm}, {bonusPairs, s.pairs(i)}, {bonusHints, hints}} {
		if b.Score != 0 {
			out.Bonuses = append(out.Bonuses, b)
			left -= b.Score
		}
	}
	if left > rounding {
		out.Bonuses = append(out.Bonuses, Bonus{bonusFolded, left})
	}
	return out, nil
}

// rounding is more than what sums of the same parts in another order differ by.
const rounding = 1e-6

// explained is a part of a score, and the clause it is of.
type explained struct {
	TermScore
	clause int
}

// explainTerms are the parts of a score by words, and their sums by clause.
func (s *search) explainTerms(ctx context.Context, i uint32) ([]explained, []float64, error) {
	var out []explained
	clauses := make([]float64, max(1, s.query.clauses))
	for k := range s.query.terms {
		t := &s.query.terms[k]
		best := explained{clause: t.clause}
		for _, m := range t.means {
			docs, err := s.scope.index.store.postings(ctx, m.number, s.scope.index.names[m.number])
			if err != nil {
				return nil, nil, err
			}
			at, ok := slices.BinarySearchFunc(docs, i, func(p posting, i uint32) int { return int(p.doc) - int(i) })
			if !ok {
				continue
			}
			if score := m.idf * s.scope.weight(&docs[at]); score > best.Score {
				best.TermScore = s.explainTerm(t, m, &docs[at])
			}
		}
		if best.Score > 0 {
			out = append(out, best)
			clauses[t.clause] += best.Score
		}
	}
	return out, clauses, nil
}

func (s *search) explainTerm(t *term, m meaning, p *posting) TermScore {
	scope := s.scope
	out := TermScore{
		Term: scope.index.names[m.number], Why: m.why, IDF: m.idf,
		Fields: map[string]float64{}, Score: m.idf * scope.weight(p),
	}
	if m.why != "" {
		out.For = t.plain
	}
	for field, name := range fieldNames() {
		if n := p.freq[field]; n > 0 {
			length := float64(scope.index.lengths[p.doc][field])
			out.Fields[name] = s.levers.weight[field] * float64(n) / (scope.base[field] + scope.slope[field]*length)
		}
	}
	return out
}
