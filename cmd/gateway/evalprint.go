package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/discovery/measure"
)

// maxShownQuery is how much of a query is shown, in characters.
const maxShownQuery = 200

// evalReport is how well searches find what they should, as discovery eval --json
// prints it. Its figures are those of [measure.Figures].
type evalReport struct {
	Searches int     `json:"searches"`
	Tools    int     `json:"tools"` // that were searched
	NDCG5    float64 `json:"ndcg5"`
	Recall1  float64 `json:"recall1"`
	Recall5  float64 `json:"recall5"`
	Recall10 float64 `json:"recall10"`
	MRR      float64 `json:"mrr"`
	// Misses are the searches for which a tool that they should find is not among the
	// first missDepth.
	Misses []missJSON `json:"misses"`
}

type missJSON struct {
	ID       string         `json:"id,omitempty"`
	Query    string         `json:"query"`
	Expected []expectedJSON `json:"expected"`
	Found    []string       `json:"found"` // the first missDepth
	missed   bool
}

type expectedJSON struct {
	Name string `json:"name"`
	Rank int    `json:"rank,omitempty"` // from 1; 0 where it is not among the first evalDepth
}

func (r *evalReport) take(f measure.Figures) {
	r.Searches, r.NDCG5, r.Recall1, r.Recall5, r.Recall10, r.MRR = f.Searches, f.NDCG5, f.Recall1, f.Recall5, f.Recall10, f.MRR
}

// print shows a person the figures and the first misses; all of them where most is 0.
func (r *evalReport) print(out io.Writer, most int) error {
	w := &page{out: out}
	w.line("%s of %s", searches(r.Searches), count(r.Tools, "tool"))
	w.line("")
	w.table("", func(row func(...string)) {
		for _, f := range []struct {
			name  string
			value float64
		}{{"nDCG@5", r.NDCG5}, {"recall@1", r.Recall1}, {"recall@5", r.Recall5}, {"recall@10", r.Recall10}, {"MRR", r.MRR}} {
			row(f.name, figure(f.value))
		}
	})
	if len(r.Misses) == 0 {
		return w.err
	}
	w.line("")
	w.line("%s without all expected tools among the first %d:", searches(len(r.Misses)), missDepth)
	shown := r.Misses
	if most > 0 && len(shown) > most {
		shown = shown[:most]
	}
	for i := range shown {
		shown[i].print(w)
	}
	if left := len(r.Misses) - len(shown); left > 0 {
		w.line("")
		w.line("and %d more (--limit 0 shows all)", left)
	}
	return w.err
}

func (m *missJSON) print(w *page) {
	w.line("")
	w.line("%s", strings.TrimSpace(m.ID+" "+strconv.Quote(cut(m.Query, maxShownQuery))))
	var expected []string
	for _, e := range m.Expected {
		place := "not found"
		if e.Rank > 0 {
			place = "rank " + strconv.Itoa(e.Rank)
		}
		expected = append(expected, e.Name+" ("+place+")")
	}
	w.line("  expected  %s", strings.Join(expected, ", "))
	if len(m.Found) == 0 {
		w.line("  came      nothing")
		return
	}
	w.line("  came      %s", strings.Join(m.Found, ", "))
}

func searches(n int) string {
	if n == 1 {
		return "1 search"
	}
	return fmt.Sprintf("%d searches", n)
}

// figure is a figure as benchmarks write it.
func figure(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }

// under fails where a figure is less than a flag asks for, and says which.
func (r *evalReport) under(io streams, cmd *cli.Command) error {
	failed := false
	for _, f := range []struct {
		flag, name string
		value      float64
	}{{"min-ndcg", "nDCG@5", r.NDCG5}, {"min-recall", "recall@5", r.Recall5}} {
		if f.value < cmd.Float(f.flag) {
			failed = true
			_, _ = fmt.Fprintf(io.err, "%s is %s, less than %v (--%s)\n", f.name, figure(f.value), cmd.Float(f.flag), f.flag)
		}
	}
	if failed {
		return &exitError{code: exitFailed}
	}
	return nil
}
