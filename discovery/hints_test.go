package discovery

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/discovery/measure"
)

// split is a set of which one part of the searches is past.
type split struct {
	name  string
	docs  []Document
	parts [2]set
	notes [2][]Note // that the searches of a part leave
}

// notesPerTool is how many past searches of a tool are kept.
const notesPerTool = 3

// partOf says which part a search is in: the lowest bit of the first byte of the SHA-256
// of its id.
func partOf(id string) int { return int(sha256.Sum256([]byte(id))[0] & 1) }

// loadSplits reads the sets in the folder TG_TESTDATA.
func loadSplits(t *testing.T) []split {
	t.Helper()
	folder := os.Getenv("TG_TESTDATA")
	if folder == "" {
		t.Skip("needs TG_TESTDATA")
	}
	splits := make([]split, len(floors))
	for i, f := range floors {
		s, dir := &splits[i], filepath.Join(folder, "discovery", f.set)
		s.name = f.set
		lines(t, filepath.Join(dir, "tools.jsonl"), func(d Document) { s.docs = append(s.docs, d) })
		count := [2]map[string]int{{}, {}}
		lines(t, filepath.Join(dir, "queries.jsonl"), func(q struct {
			ID, Query string
			Relevant  []string
		},
		) {
			part := partOf(q.ID)
			p := &s.parts[part]
			p.queries, p.wanted = append(p.queries, q.Query), append(p.wanted, q.Relevant)
			for _, name := range q.Relevant {
				if count[part][name]++; count[part][name] <= notesPerTool {
					s.notes[part] = append(s.notes[part], Note{Tool: name, Query: q.Query, Weight: 1})
				}
			}
		})
	}
	return splits
}

// TestLearned takes one part of the searches of each set in the folder TG_TESTDATA for
// past ones, and measures the other part with and without them, both ways. Under the
// race detector it asks some, and nothing of the answers.
func TestLearned(t *testing.T) {
	t.Parallel()
	var with, without [2][]measure.Figures
	for _, s := range loadSplits(t) {
		if raced {
			s.docs = s.docs[:min(300, len(s.docs))]
		}
		x := mustBuild(t, s.docs)
		row, gain := s.name, 0.0
		for part := range 2 {
			asked := &s.parts[part]
			if raced {
				asked.queries, asked.wanted = asked.queries[:5], asked.wanted[:5]
			}
			before, after := asked.measure(t, x, nil), asked.measure(t, x, x.Hints(s.notes[1-part]))
			without[part], with[part] = append(without[part], before), append(with[part], after)
			row += fmt.Sprintf(" | %.3f -> %.3f %+.3f (%d asked, %d notes)", before.NDCG5, after.NDCG5, after.NDCG5-before.NDCG5, before.Searches, len(s.notes[1-part]))
			gain += (after.NDCG5 - before.NDCG5) / 2
		}
		t.Logf("%-16s %s", row, fmt.Sprintf("| both ways %+.3f", gain))
		if !raced && gain < -mayLose {
			t.Errorf("%s: notes take %.3f away", s.name, -gain)
		}
	}
	gain := 0.0
	for part := range 2 {
		before, after := measure.Mean(without[part]), measure.Mean(with[part])
		t.Logf("mean, part %d asked: nDCG@5 %.4f -> %.4f %+.4f, recall@5 %.3f -> %.3f", part, before.NDCG5, after.NDCG5, after.NDCG5-before.NDCG5, before.Recall5, after.Recall5)
		gain += (after.NDCG5 - before.NDCG5) / 2
	}
	t.Logf("mean of both ways %+.4f", gain)
	if !raced && gain < learnedFloor {
		t.Errorf("notes add %.4f, less than %.4f", gain, learnedFloor)
	}
}

const (
	learnedFloor = .03  // what notes add to the mean of the sets at least
	mayLose      = .005 // what they may take from one of them
)

// TestLearnedAblation turns off one kind of evidence at a time, and prints what notes
// still add to nDCG@5 of each set, in thousandths, both ways.
func TestLearnedAblation(t *testing.T) {
	t.Parallel()
	splits := loadSplits(t)
	if raced {
		splits = splits[:0]
	}
	without := []struct {
		name string
		off  func(*memory)
	}{
		{"nothing", func(*memory) {}},
		{"learned weights", func(m *memory) { m.steps = 0 }},
		{"distrust", func(m *memory) { m.trust = 0 }},
		{"words", func(m *memory) { m.off(byWords) }},
		{"sum", func(m *memory) { m.off(bySum) }},
		{"like", func(m *memory) { m.off(byLike) }},
		{"meaning", func(m *memory) { m.off(byMeaning) }},
		{"coverage", func(m *memory) { m.off(byCoverage) }},
		{"length", func(m *memory) { m.off(byLength) }},
	}
	rows, total := make([]string, len(without)), make([]float64, len(without))
	for i := range splits {
		s := &splits[i]
		x := mustBuild(t, s.docs)
		var before [2]measure.Figures
		for part := range 2 {
			before[part] = s.parts[part].measure(t, x, nil)
		}
		for k, w := range without {
			with, gain := remembered(), 0.0
			w.off(with)
			for part := range 2 {
				after := s.parts[part].measure(t, x, x.hints(s.notes[1-part], with))
				gain += (after.NDCG5 - before[part].NDCG5) / 2
			}
			rows[k] += fmt.Sprintf(" %+7.1f", 1000*gain)
			total[k] += gain / float64(len(splits))
		}
	}
	for k, w := range without {
		t.Logf("without %-16s%s | mean %+.1f", w.name, rows[k], 1000*total[k])
	}
}

// off turns off a kind of evidence.
func (m *memory) off(kind int) { m.weight[kind], m.low[kind], m.high[kind] = 0, 0, 0 }

// TestHiddenNotes: notes of hidden tools change no byte of an answer.
func TestHiddenNotes(t *testing.T) {
	t.Parallel()
	learned, moved := 0, 0
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 9))
		docs := catalogue(r)
		shown := make([]bool, len(docs))
		var visible []Document
		var all, own []Note
		for i := range docs {
			if shown[i] = r.IntN(3) > 0; shown[i] {
				visible = append(visible, docs[i])
			}
			for range r.IntN(4) {
				n := Note{Tool: docs[i].Name, Query: randomWords(r), Weight: r.Float64()}
				if all = append(all, n); shown[i] {
					own = append(own, n)
				}
			}
		}
		whole, part := mustBuild(t, docs), mustBuild(t, visible)
		scope, alone := whole.Scope(func(i int) bool { return shown[i] }), part.Scope(func(int) bool { return true })
		hints, ownHints := whole.Hints(all), part.Hints(own)
		for range 40 {
			q := randomQuery(r, docs)
			alike := q
			q.Hints, alike.Hints = hints, ownHints
			got, want := answer(t, scope, &q), answer(t, alone, &alike)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, query %q: hidden tools show (-without them +with them):\n%s", seed, q.Text, diff)
			}
			learned += strings.Count(got, `"hints"`)
		}
		for _, p := range hints.pasts {
			if p.weight != remembered().weight {
				moved++
			}
		}
	}
	if learned < 100 || moved < 10 {
		t.Errorf("notes have counted %d times and moved weights %d times, too little for this to say something", learned, moved)
	}
}

func randomWords(r *rand.Rand) string {
	var words []string
	for range 1 + r.IntN(5) {
		words = append(words, vocabulary[r.IntN(len(vocabulary))])
	}
	return strings.Join(words, " ")
}

// TestNotes: what notes do, in small.
func TestNotes(t *testing.T) {
	t.Parallel()
	docs := []Document{
		{Name: "issue_create", Description: "Create an issue in a repository."},
		{Name: "issue_close", Description: "Close an issue in a repository."},
		{Name: "pay", Description: "Pay an invoice."},
		{Name: "mail", Description: "Write a letter to somebody."},
	}
	x := mustBuild(t, docs)
	cases := []struct {
		name, query string
		notes       []Note
		want        string
	}{
		{"without", "flag the defects", nil, ""},
		{"found by a word that the tool lacks", "flag the defects", []Note{{Tool: "issue_create", Query: "flag the defects", Weight: 1}}, "issue_create"},
		{"a light note", "flag the defects", []Note{{Tool: "issue_create", Query: "flag the defects", Weight: .1}, {Tool: "pay", Query: "flag the defects", Weight: .2}}, "pay issue_create"},
		{"no weight", "flag the defects", []Note{{Tool: "pay", Query: "flag the defects"}, {Tool: "pay", Query: "flag the defects", Weight: -1}}, ""},
		{"nothing but stop words", "can you help", []Note{{Tool: "pay", Query: "can you help me", Weight: 1}}, ""},
		{"of no tool here", "flag the defects", []Note{{Tool: "gone", Query: "flag the defects", Weight: 1}}, ""},
		{"more than all", "flag the defects", []Note{{Tool: "pay", Query: "flag the defects", Weight: 1e300}, {Tool: "mail", Query: "flag the defects", Weight: 1}}, "mail pay"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for range 2 { // what is kept between searches is made as new
				r, err := x.Scope(func(int) bool { return true }).Search(context.Background(), Query{Text: c.query, Hints: x.Hints(c.notes)})
				if err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, h := range r.Hits {
					names = append(names, h.Name)
				}
				if got := strings.Join(names, " "); got != c.want {
					t.Errorf("found %q, want %q", got, c.want)
				}
			}
		})
	}
	made := NewNote("pay", "Settling the invoices!", 1)
	if diff := cmp.Diff([]string{"settl", "invoic"}, made.words); diff != "" {
		t.Error(diff)
	}
}

// TestNotesAtOnce has searches share what is kept between them.
func TestNotesAtOnce(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	docs := catalogue(r)
	for len(docs) < 10 {
		docs = catalogue(r)
	}
	x := mustBuild(t, docs)
	var notes []Note
	for i := range docs {
		notes = append(notes, Note{Tool: docs[i].Name, Query: randomWords(r), Weight: 1})
	}
	h, scope := x.Hints(notes), x.Scope(func(int) bool { return true })
	queries, want := make([]Query, 20), make([]string, 20)
	for i := range queries {
		queries[i] = Query{Text: randomWords(r), Hints: h}
		want[i] = answer(t, scope, &queries[i])
	}
	t.Run("group", func(t *testing.T) {
		for k := range 4 {
			t.Run(fmt.Sprint(k), func(t *testing.T) {
				t.Parallel()
				for i := range queries {
					if got := answer(t, scope, &queries[i]); got != want[i] {
						t.Errorf("%q: %s and %s", queries[i].Text, got, want[i])
					}
				}
			})
		}
	})
}

// BenchmarkNotes measures searches of 2,500 tools with 5,000 notes beside the same
// without, and what it takes to prepare the notes.
func BenchmarkNotes(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string { return fmt.Sprintf("w%c%c%c", 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(8)*r.IntN(3)) }
	text := func(n int) string {
		var words []string
		for range n {
			words = append(words, word())
		}
		return strings.Join(words, " ")
	}
	docs := make([]Document, 2500)
	var notes []Note
	for i := range docs {
		docs[i] = Document{Name: fmt.Sprintf("tool%d_%s", i, word()), Description: text(20), Parameters: json.RawMessage(`{}`)}
		notes = append(notes, NewNote(docs[i].Name, text(8), 1), NewNote(docs[i].Name, text(8), 1))
	}
	x, err := Build(context.Background(), docs)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = x.Close() }()
	scope, h := x.Scope(func(int) bool { return true }), x.Hints(notes)
	for name, hints := range map[string]*Hints{"with": h, "without": nil} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := scope.Search(context.Background(), Query{Text: text(8), Hints: hints}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("learn", func(b *testing.B) {
		for b.Loop() {
			if _, err := x.Hints(notes).past(context.Background(), scope); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("prepare", func(b *testing.B) {
		for b.Loop() {
			x.Hints(notes)
		}
	})
}
