package discovery

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/discovery/measure"
)

// without are the levers of the ranking, each with what turns it off.
func without() []struct {
	name string
	off  func(*levers)
} {
	return []struct {
		name string
		off  func(*levers)
	}{
		{"nothing", func(*levers) {}},
		{"stop words", func(l *levers) { l.noStops = true }},
		{"stems", func(l *levers) { l.noStem = true }},
		{"split identifiers", func(l *levers) { l.noSplit = true }},
		{"whole identifiers", func(l *levers) { l.whole = 0 }},
		{"tags", func(l *levers) { l.weight[inTags] = 0 }},
		{"parameters", func(l *levers) { l.weight[inParameters] = 0 }},
		{"parameter texts", func(l *levers) { l.weight[inParameterTexts] = 0 }},
		{"nested parameters", func(l *levers) { l.depth = 1 }},
		{"lengths", func(l *levers) { l.length = [fieldCount]float64{} }},
		{"name coverage", func(l *levers) { l.coverage = 0 }},
		{"pairs", func(l *levers) { l.pairs = 0 }},
		{"phrases of hints", func(l *levers) { l.hinted = 0 }},
		{"unasked harm", func(l *levers) { l.harm = 0 }},
		{"clauses", func(l *levers) { l.clause = 0 }},
		{"synonyms", func(l *levers) { l.synonym = 0 }},
		{"the same words", func(l *levers) { l.same = 0 }},
		{"verbs of things", func(l *levers) { l.verb = 0 }},
		{"bounds of parts", func(l *levers) { l.halves = 0 }},
		{"joined words", func(l *levers) { l.joined = 0 }},
		{"look-alikes", func(l *levers) { l.similar = 0 }},
		{"kin", func(l *levers) { l.noKin = true }},
		{"mistakes", func(l *levers) { l.noMistakes = true }},
		{"sure mistakes", func(l *levers) { l.surely = 0 }},
		{"words apart", func(l *levers) { l.noApart = true }},
		{"HTTP methods", func(l *levers) { l.noMethod = true }},
		{"lone characters", func(l *levers) { l.noAround = true }},
	}
}

// TestAblation turns off one lever at a time, and prints what that does to nDCG@5 of
// each set, in thousandths. A lever that the mean is better without has no place.
func TestAblation(t *testing.T) {
	t.Parallel()
	sets := loadSets(t)
	var full float64
	base := make([]float64, len(sets))
	head := fmt.Sprintf("%-18s", "without")
	for i := range sets {
		head += fmt.Sprintf(" %9.9s", sets[i].name)
	}
	t.Log(head, "   mean")
	for _, lever := range without() {
		with := defaults()
		lever.off(with)
		var row strings.Builder
		var all []measure.Figures
		for i := range sets {
			f := sets[i].ablated(t, with)
			all = append(all, f)
			if lever.name == "nothing" {
				base[i] = f.NDCG5
				fmt.Fprintf(&row, " %9.1f", 1000*f.NDCG5)
			} else {
				fmt.Fprintf(&row, " %+9.1f", 1000*(f.NDCG5-base[i]))
			}
		}
		mean := measure.Mean(all).NDCG5
		if lever.name == "nothing" {
			full = mean
			t.Logf("%-18s%s %6.1f", lever.name, &row, 1000*mean)
			continue
		}
		t.Logf("%-18s%s %+6.1f", lever.name, &row, 1000*(mean-full))
		if !raced && mean > full+tolerated {
			t.Errorf("the mean is better without %s", lever.name)
		}
	}
}

// tolerated is how much better the mean may be without a lever that is there for what
// the sets have little of: names in one word, typing mistakes.
const tolerated = .0005

func (s *set) ablated(t *testing.T, with *levers) measure.Figures {
	t.Helper()
	x, err := build(context.Background(), s.docs, with)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}()
	return s.measure(t, x, nil)
}
