package discovery

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolgate/toolgate/discovery/measure"
)

// set is a benchmark of tool retrieval.
type set struct {
	name    string
	docs    []Document
	queries []string
	wanted  [][]string
}

// floors are what a tuned scorer of the same kind reached on the sets before this
// package was written: nDCG@5 and recall@5.
var floors = []struct {
	set          string
	ndcg, recall float64
}{
	{"metatool", .659, .732},
	{"sealtools", .908, .903},
	{"toolbench", .728, .751},
	{"toollinkos", .832, .940},
	{"bfcl", .764, .861},
	{"acebench", .967, .997},
	{"livemcp", .327, .342},
	{"livemcp_agent", .547, .634},
	{"mcpproxy_golden", .737, .833},
}

const (
	floorNDCG, floorRecall = .719, .777 // of the mean of the sets
	slack                  = .01        // by which a set may be below its floor
)

// TestSets searches the sets in the folder TG_TESTDATA by the public path. Under the
// race detector it asks some of the queries, and nothing of the answers.
func TestSets(t *testing.T) {
	t.Parallel()
	var all []measure.Figures
	for i, s := range loadSets(t) {
		x, err := Build(context.Background(), s.docs)
		if err != nil {
			t.Fatal(err)
		}
		got := s.measure(t, x, nil)
		all = append(all, got)
		t.Logf("%-16s %v; floor %.3f, %.3f", s.name, got, floors[i].ndcg, floors[i].recall)
		if !raced && (got.NDCG5 < floors[i].ndcg-slack || got.Recall5 < floors[i].recall-slack) {
			t.Errorf("%s: nDCG@5 %.3f and recall@5 %.3f are below the floor", s.name, got.NDCG5, got.Recall5)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	mean := measure.Mean(all)
	t.Logf("%-16s %v; floor %.3f, %.3f", "mean", mean, floorNDCG, floorRecall)
	if !raced && (mean.NDCG5 < floorNDCG || mean.Recall5 < floorRecall) {
		t.Error("the mean is below its floor")
	}
}

func (s *set) measure(t *testing.T, x *Index, hints *Hints) measure.Figures {
	t.Helper()
	scope := x.Scope(func(int) bool { return true })
	results := make([][]string, len(s.queries))
	for i, text := range s.queries {
		r, err := scope.Search(context.Background(), Query{Text: text, Limit: measure.Depth, Hints: hints})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range r.Hits {
			results[i] = append(results[i], h.Name)
		}
	}
	return measure.Of(results, s.wanted)
}

// loadSets reads the sets, in the order of the floors.
func loadSets(t testing.TB) []set {
	t.Helper()
	folder := os.Getenv("TG_TESTDATA")
	if folder == "" {
		t.Skip("needs TG_TESTDATA")
	}
	sets := make([]set, len(floors))
	for i, f := range floors {
		s := &sets[i]
		s.name = f.set
		dir := filepath.Join(folder, "discovery", f.set)
		lines(t, filepath.Join(dir, "tools.jsonl"), func(d Document) { s.docs = append(s.docs, d) })
		lines(t, filepath.Join(dir, "queries.jsonl"), func(q struct {
			Query    string
			Relevant []string
		},
		) {
			s.queries = append(s.queries, q.Query)
			s.wanted = append(s.wanted, q.Relevant)
		})
	}
	if raced {
		for i := range sets {
			s := &sets[i]
			s.docs, s.queries, s.wanted = s.docs[:min(100, len(s.docs))], s.queries[:5], s.wanted[:5]
		}
	}
	return sets
}

func lines[T any](t testing.TB, file string, take func(T)) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(raw) {
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		take(v)
	}
}
