package measure_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/toolgate/toolgate/discovery/measure"
)

func TestOne(t *testing.T) {
	cases := []struct {
		results, relevant string
		want              measure.Figures
	}{
		{"a b c", "a", measure.Figures{NDCG5: 1, Recall1: 1, Recall5: 1, Recall10: 1, MRR: 1}},
		{"b a c", "a", measure.Figures{NDCG5: 1 / math.Log2(3), Recall5: 1, Recall10: 1, MRR: .5}},
		{"x y", "a", measure.Figures{}},
		{"", "a", measure.Figures{}},
		{"a", "", measure.Figures{}},
		{"1 2 3 4 5 a", "a", measure.Figures{Recall10: 1, MRR: 1. / 6}},
		{"1 2 3 4 5 6 7 8 9 10 a", "a", measure.Figures{}},
		{"a x b", "a b", measure.Figures{NDCG5: 1.5 / (1 + 1/math.Log2(3)), Recall1: .5, Recall5: 1, Recall10: 1, MRR: 1}},
		{"a a b", "a b b", measure.Figures{NDCG5: 1, Recall1: .5, Recall5: 1, Recall10: 1, MRR: 1}},
		{"a b c d e f", "a b c d e f", measure.Figures{NDCG5: 1, Recall1: 1. / 6, Recall5: 5. / 6, Recall10: 1, MRR: 1}},
	}
	for _, c := range cases {
		t.Run(c.results+" for "+c.relevant, func(t *testing.T) {
			c.want.Searches = 1
			got := measure.One(strings.Fields(c.results), strings.Fields(c.relevant))
			if diff := cmp.Diff(c.want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOf(t *testing.T) {
	got := measure.Of([][]string{{"a"}, {"x"}, {"left out"}}, [][]string{{"a"}, {"a"}, nil})
	want := measure.Figures{Searches: 2, NDCG5: .5, Recall1: .5, Recall5: .5, Recall10: .5, MRR: .5}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if none := measure.Of(nil, nil); none != (measure.Figures{}) {
		t.Error(none)
	}
}

func TestMean(t *testing.T) {
	got := measure.Mean([]measure.Figures{{Searches: 9, NDCG5: 1}, {Searches: 1, NDCG5: .5, MRR: 1}})
	if want := (measure.Figures{Searches: 10, NDCG5: .75, MRR: .5}); got != want {
		t.Error(got)
	}
	if want := "nDCG@5 0.750, recall@1 0.000, @5 0.000, @10 0.000, MRR 0.500 (10 searches)"; got.String() != want {
		t.Error(got)
	}
}
