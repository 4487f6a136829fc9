package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/learn"
	"github.com/toolgate/toolgate/gateway/store"
)

// TestHints writes notes, opens the file again and finds what was written.
func TestHints(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gateway.db")
	when := time.Date(2026, 1, 31, 9, 30, 0, 123456000, time.UTC)
	note := func(group, query string, weight float64, used time.Time) learn.Saved {
		return learn.Saved{Key: learn.Key{Group: group, Tool: "pay", Query: query}, Weight: weight, Used: used}
	}
	odd := note("group:a'; DROP TABLE hints;--", "é ' 查询", 1./3, time.Time{})
	gone := note("", "old", 0, when)
	use(t, path, func(s *store.Store) {
		must(t, s.EditHints(t.Context(), []learn.Saved{odd, note("", "new", .5, when), note("", "old", 1, when)}))
		must(t, s.EditHints(t.Context(), nil))
		must(t, s.EditHints(t.Context(), []learn.Saved{note("", "new", 1, when.Add(time.Hour)), gone}))
	})
	use(t, path, func(s *store.Store) {
		all, mark, err := s.ChangedHints(t.Context(), -1)
		must(t, err)
		want := []learn.Saved{odd, note("", "new", 1, when.Add(time.Hour)), gone}
		if diff := cmp.Diff(want, all); diff != "" {
			t.Error(diff)
		}
		for behind, want := range map[int64]int{mark: 0, mark - 1: 2, mark - 2: 3} {
			if got, next, err := s.ChangedHints(t.Context(), behind); len(got) != want || next != mark || err != nil {
				t.Errorf("behind %d: %d notes, %d, %v", behind, len(got), next, err)
			}
		}
		must(t, s.DropHints(t.Context(), when))
		if all, _, err := s.ChangedHints(t.Context(), -1); len(all) != 3 || err != nil {
			t.Errorf("%d notes, %v", len(all), err)
		}
		must(t, s.DropHints(t.Context(), when.Add(time.Minute)))
		if all, _, err := s.ChangedHints(t.Context(), -1); len(all) != 2 || err != nil {
			t.Errorf("%d notes, %v", len(all), err)
		}
	})
}

// TestTwoBooks holds that what one process learns reaches another one that uses the same
// store, and that both outlive it.
func TestTwoBooks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gateway.db")
	use(t, path, func(s *store.Store) {
		use(t, path, func(other *store.Store) {
			first := learn.Open(t.Context(), s, learn.Options{})
			must(t, first.Import(t.Context(), []learn.Hint{{Tool: "pay", Query: "send money"}}, nil, false))
			second, err := learn.Visit(t.Context(), other)
			must(t, err)
			must(t, second.Import(t.Context(), []learn.Hint{{Tool: "mail", Query: "write a letter"}}, nil, true))
			must(t, first.Close())
		})
	})
	use(t, path, func(s *store.Store) {
		b, err := learn.Visit(t.Context(), s)
		must(t, err)
		if diff := cmp.Diff([]learn.Hint{{Tool: "mail", Query: "write a letter", Weight: 1}}, b.List(nil)); diff != "" {
			t.Error(diff)
		}
	})
}
