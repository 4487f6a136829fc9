package discovery

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHidden searches random catalogues as callers who may see a part of them: what they
// get is to the byte what an index of that part alone gives.
func TestHidden(t *testing.T) {
	t.Parallel()
	found, exact, near := 0, 0, 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 8))
		docs := catalogue(r)
		var visible []Document
		shown := make([]bool, len(docs))
		share := []float64{0, .1, .5, .9, 1}[r.IntN(5)]
		for i := range docs {
			if shown[i] = r.Float64() < share; shown[i] {
				visible = append(visible, docs[i])
			}
		}
		all, part := mustBuild(t, docs), mustBuild(t, visible)
		scope, alone := all.Scope(func(i int) bool { return shown[i] }), part.Scope(func(int) bool { return true })
		if scope.Len() != len(visible) || alone.Len() != len(visible) || all.Len() != len(docs) {
			t.Fatal("a scope has the wrong size")
		}
		for range 40 {
			q := randomQuery(r, docs)
			got, want := answer(t, scope, &q), answer(t, alone, &q)
			checkFilters(t, scope, &q, docs)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, query %+v: hidden tools show (-without them +with them):\n%s", seed, q, diff)
			}
			found += strings.Count(got, `"Score"`)
			exact += strings.Count(got, `"Exact":true`)
			near += strings.Count(got, `"Near":["`)
		}
	}
	t.Logf("%d hits, %d by name, %d suggestions", found, exact, near)
	if found < 1000 || exact < 10 || near < 10 {
		t.Error("too little was found for this to say something")
	}
}

// checkFilters: hits and suggestions are only of what the filters let through.
func checkFilters(t *testing.T, s *Scope, q *Query, docs []Document) {
	t.Helper()
	r, err := s.Search(context.Background(), *q)
	if err != nil {
		t.Error(err)
	}
	names := slices.Clone(r.Near)
	for i := range r.Hits {
		names = append(names, r.Hits[i].Name)
	}
	for i := range docs {
		d := &docs[i]
		lacks := func(tag string) bool { return !slices.Contains(d.Tags, tag) }
		if slices.Contains(names, d.Name) && (q.Namespace != "" && d.Namespace != q.Namespace || slices.ContainsFunc(q.Tags, lacks)) {
			t.Errorf("query %+v: %s is not what was asked for", q, d.Name)
		}
	}
}

// answer is what a search gives, but for positions, which are those of another index.
func answer(t *testing.T, s *Scope, q *Query) string {
	t.Helper()
	r, err := s.Search(context.Background(), *q)
	if err != nil {
		t.Error(err)
	}
	for i := range r.Hits {
		if h := &r.Hits[i]; s.index.docs[h.Index].name != h.Name {
			t.Errorf("%q is not at its position", h.Name)
		}
		r.Hits[i].Index = 0
	}
	out, err := json.Marshal(r)
	if err != nil {
		t.Error(err)
	}
	return string(out)
}

// vocabulary is little, so that words meet; some are alike, synonyms or of other scripts.
var vocabulary = strings.Fields(`issue issues create make file files read write repository repo delete remove
	calendar calender event events weather forecast GitHub github webHook gitHub user users list get the of
	send mail email 検索 検索する 搜索文件 검색 поиск größe open pull request PR merge GitHub who am I`)

// oddWord is a word of few that are much alike: nearly each tool has one that the others
// have not, so that what a mistyped one is taken for shows which others there are.
func oddWord(r *rand.Rand) string {
	ends := []string{"lo", "la", "li", "ra", "ro", "ri", "na", "no"}
	return "bake" + ends[r.IntN(len(ends))] + ends[r.IntN(len(ends))]
}

// mistyped is a word with a mistake, or its beginning.
func mistyped(r *rand.Rand, w string) string {
	at := r.IntN(len(w))
	switch r.IntN(4) {
	case 0:
		return w[:at] + w[at+1:]
	case 1:
		return w[:at] + "x" + w[at:]
	case 2:
		return w[:at] + "x" + w[at+1:]
	}
	return w[:min(len(w), max(at, leastLike))]
}

func catalogue(r *rand.Rand) []Document {
	pick := func(most int) []string {
		out := make([]string, r.IntN(most+1))
		for i := range out {
			out[i] = vocabulary[r.IntN(len(vocabulary))]
		}
		return out
	}
	docs := make([]Document, r.IntN(60))
	for i := range docs {
		name := fmt.Sprintf("%s%d", strings.Join(append(pick(2), "x"), "_"), i)
		if r.IntN(2) == 0 {
			name = oddWord(r) + "_" + name
		}
		parameters := map[string]any{}
		for _, w := range pick(3) {
			parameters[w] = map[string]any{"description": strings.Join(pick(4), " "), "enum": pick(2)}
		}
		schema, _ := json.Marshal(map[string]any{"type": "object", "properties": parameters})
		docs[i] = Document{
			Name: name, Namespace: []string{"", "a", "b"}[r.IntN(3)], Description: strings.Join(pick(12), " "),
			Hint: strings.Join(pick(2), " ") + []string{"", ", who am I", ", open a PR; "}[r.IntN(3)] + strings.Join(pick(2), " "), Tags: slices.Compact(pick(2)), Parameters: schema,
		}
	}
	return docs
}

func randomQuery(r *rand.Rand, docs []Document) Query {
	q := Query{Limit: r.IntN(12), Explain: r.IntN(3) == 0}
	var words []string
	for range 1 + r.IntN(6) {
		w := vocabulary[r.IntN(len(vocabulary))]
		if r.IntN(5) == 0 && len(w) > 4 {
			w = mistyped(r, w) // or broken UTF-8
		}
		words = append(words, w, []string{"", "", "and", "also", ". ", "a"}[r.IntN(6)])
	}
	q.Text = strings.Join(words, " ")
	switch r.IntN(10) {
	case 0:
		q.Text = []string{"", "?!", "qqqq", "the", "who am I", "open a pull request", "am I"}[r.IntN(7)]
	case 1, 2:
		q.Text = mistyped(r, oddWord(r))
	case 3:
		q.Text += " " + mistyped(r, oddWord(r))
	}
	if len(docs) == 0 {
		return q
	}
	d := &docs[r.IntN(len(docs))]
	switch r.IntN(8) {
	case 0:
		q.Text = d.Name
	case 1:
		q.Text = strings.ToUpper(strings.ReplaceAll(d.Name, "_", "-"))
	case 2:
		q.Text = strings.Trim(strings.ReplaceAll(d.Name, "_", ""), "0123456789") + "qjkvwzpyqvwq"
	case 3:
		q.Text = mistyped(r, d.Name)
	}
	if r.IntN(4) == 0 {
		q.Namespace = d.Namespace
	}
	if r.IntN(4) == 0 {
		q.Tags = docs[r.IntN(len(docs))].Tags
	}
	return q
}

func mustBuild(t testing.TB, docs []Document) *Index {
	t.Helper()
	x, err := Build(context.Background(), docs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}
