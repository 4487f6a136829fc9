// Package measure says how good searches are, given what they should have found.
//
// Relevance is binary. The figures are those that the benchmarks of tool retrieval
// report: nDCG as in Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR
// techniques" (2002), with the discount 1/log2(rank+1), and recall at a rank.
package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Depth is how many results of a search count at most.
const Depth = 10

// Figures are means over searches, each in [0, 1]; all 0 where there was none.
type Figures struct {
	Searches int
	// NDCG5 is the discounted gain of the first five results as a share of the best
	// possible: the sum of 1/log2(rank+1) over the relevant ones, divided by that of
	// min(5, relevant) relevant ones in front.
	NDCG5 float64
	// Recall1, Recall5 and Recall10 are the shares of what is relevant that are among
	// the first 1, 5 and 10 results.
	Recall1, Recall5, Recall10 float64
	// MRR is one divided by the rank of the first relevant result among the first
	// [Depth]; 0 where none is.
	MRR float64
}

// Of measures searches: results[i] are the names that search i found, the best first,
// relevant[i] those that it should find, of which there is at least one. A name counts
// once, where it is first. Both must be as long; a search for which nothing is relevant
// is left out.
func Of(results, relevant [][]string) Figures {
	var sum Figures
	for i, wanted := range relevant {
		if len(wanted) > 0 {
			sum.add(One(results[i], wanted))
		}
	}
	return sum.over(float64(max(sum.Searches, 1)))
}

// One measures a single search.
func One(results, relevant []string) Figures {
	wanted := unique(relevant)
	f := Figures{Searches: 1}
	if len(wanted) == 0 {
		return f
	}
	share, gain := 1/float64(len(wanted)), 0.0
	for i, name := range head(unique(results), Depth) {
		if !slices.Contains(wanted, name) {
			continue
		}
		rank := i + 1
		f.MRR = cmp.Or(f.MRR, 1/float64(rank))
		f.Recall10 += share
		if rank <= 5 {
			f.Recall5 += share
			gain += discount(rank)
		}
		if rank == 1 {
			f.Recall1 += share
		}
	}
	best := 0.0
	for rank := 1; rank <= min(5, len(wanted)); rank++ {
		best += discount(rank)
	}
	f.NDCG5 = gain / best
	return f
}

// Mean is the mean of figures, each of which counts as much: a macro average. Its
// searches are those of all.
func Mean(all []Figures) Figures {
	var sum Figures
	for _, f := range all {
		sum.add(f)
	}
	return sum.over(float64(max(len(all), 1)))
}

// String is the figures on one line.
func (f Figures) String() string {
	return fmt.Sprintf("nDCG@5 %.3f, recall@1 %.3f, @5 %.3f, @10 %.3f, MRR %.3f (%d searches)",
		f.NDCG5, f.Recall1, f.Recall5, f.Recall10, f.MRR, f.Searches)
}

func (f *Figures) add(more Figures) {
	f.Searches += more.Searches
	f.NDCG5 += more.NDCG5
	f.Recall1 += more.Recall1
	f.Recall5 += more.Recall5
	f.Recall10 += more.Recall10
	f.MRR += more.MRR
}

func (f Figures) over(n float64) Figures {
	return Figures{
		Searches: f.Searches, NDCG5: f.NDCG5 / n,
		Recall1: f.Recall1 / n, Recall5: f.Recall5 / n, Recall10: f.Recall10 / n, MRR: f.MRR / n,
	}
}

func discount(rank int) float64 { return 1 / math.Log2(float64(rank)+1) }

func unique(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func head(names []string, n int) []string { return names[:min(n, len(names))] }
