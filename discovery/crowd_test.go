package discovery_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/toolgate/toolgate/discovery"
)

const (
	// crowd is how many search at the same time.
	crowd = 8
	// rounds is how many times each takes an index and releases it.
	rounds = 6
)

// crowdQueries are asked in every scope.
var crowdQueries = []string{"create an issue", "refnd a paymnt", "weather forecast", "listpods", "请假", "fs__read_file", "no such thing"}

// TestCrowd searches in many scopes of indexes that others take and release. Each
// answer is the one that a search alone had.
func TestCrowd(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	catalogues := crowdCatalogues(t)
	want, shelf := answersAlone(t, catalogues), &discovery.Shelf{}
	var wait sync.WaitGroup
	for who := range crowd {
		wait.Go(func() {
			for round := range rounds {
				c, s := (who+round)%len(catalogues), (who*rounds+round)%crowd
				answers(t, shelf, catalogues[c], s, func(query string, got discovery.Results) {
					if diff := cmp.Diff(want[key(c, s, query)], got); diff != "" {
						t.Errorf("%s (-alone +in the crowd):\n%s", key(c, s, query), diff)
					}
				})
			}
		})
	}
	wait.Wait()
}

// answersAlone are those of every scope with nobody else there.
func answersAlone(t *testing.T, catalogues [][]discovery.Document) map[string]discovery.Results {
	want := map[string]discovery.Results{}
	for c, docs := range catalogues {
		shelf := &discovery.Shelf{}
		hold := shelf.Take(docs)
		for s := range crowd {
			answers(t, shelf, docs, s, func(query string, got discovery.Results) { want[key(c, s, query)] = got })
		}
		hold.Release()
	}
	return want
}

func key(catalogue, scope int, query string) string {
	return fmt.Sprintf("catalogue %d, scope %d: %s", catalogue, scope, query)
}

// crowdCatalogues are three that have much in common.
func crowdCatalogues(t *testing.T) [][]discovery.Document {
	all := readDocuments(t, "testdata/cases/tools.jsonl")
	odd := slices.Clone(all)
	slices.Reverse(odd)
	return [][]discovery.Document{all, all[:len(all)/2], odd}
}

// answers takes the documents from the shelf, asks all queries in a scope and gives
// the index back. A wait that was given up takes nothing from the others.
func answers(t *testing.T, shelf *discovery.Shelf, docs []discovery.Document, scope int, each func(string, discovery.Results)) {
	hasty, stop := context.WithCancel(t.Context())
	stop()
	given := shelf.Take(docs)
	if _, err := given.Index(hasty); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was given up: %v", err)
	}
	lease := shelf.Take(docs)
	given.Release()
	defer lease.Release()
	index, err := lease.Index(t.Context())
	if err != nil {
		t.Error(err)
		return
	}
	in := index.Scope(func(i int) bool { return i%crowd != scope })
	for _, query := range crowdQueries {
		got, err := in.Search(t.Context(), discovery.Query{Text: query, Explain: true})
		if err != nil {
			t.Errorf("%s: %v", query, err)
			return
		}
		each(query, got)
	}
}

// TestLateSearch searches while the last hold of an index is given up: the answer is
// whole, or says that the index is closed.
func TestLateSearch(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	docs, shelf := readDocuments(t, "testdata/cases/tools.jsonl"), &discovery.Shelf{}
	for range rounds {
		lease := shelf.Take(docs)
		index, err := lease.Index(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		scope := index.Scope(func(int) bool { return true })
		want := search(t, scope, discovery.Query{Text: "create an issue"})
		var wait sync.WaitGroup
		for range crowd {
			wait.Go(func() {
				got, err := scope.Search(t.Context(), discovery.Query{Text: "create an issue"})
				if err != nil && !errors.Is(err, discovery.ErrClosed) {
					t.Error(err)
				}
				if diff := cmp.Diff(want, got); err == nil && diff != "" {
					t.Errorf("an answer beside a release (-before +then):\n%s", diff)
				}
			})
		}
		lease.Release()
		wait.Wait()
	}
}

// TestUnusedLease releases what was never waited for.
func TestUnusedLease(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	docs, shelf := readDocuments(t, "testdata/cases/tools.jsonl"), &discovery.Shelf{}
	for range rounds {
		shelf.Take(docs).Release()
	}
}
