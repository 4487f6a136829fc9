package store_test

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/store"
)

// TestChats writes chats, opens the file again and finds what was written.
func TestChats(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gateway.db")
	when := time.Date(2026, 1, 31, 9, 30, 0, 123456000, time.UTC)
	saved := func(caller, id, context string, used time.Duration) chat.Saved {
		return chat.Saved{Key: chat.Key{Caller: caller, ID: id}, Context: []byte(context), Made: when, Used: when.Add(used)}
	}
	odd := saved("ann", "a'; DROP TABLE chats;--", `{"a": "\u0000 é", "n": 9007199254740993}`, 0)
	use(t, path, func(s *store.Store) {
		first := []chat.Saved{saved("ann", "c", `{"a": 1}`, 0), saved("bob", "c", `{"a": 2}`, 0), odd, saved("ann", "gone", `{}`, 0)}
		if err := s.SaveChats(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		if err := s.SaveChats(t.Context(), []chat.Saved{saved("ann", "c", `{"a": 3}`, time.Hour)}); err != nil {
			t.Fatal(err)
		}
		if err := s.DropChats(t.Context(), []chat.Key{{Caller: "ann", ID: "gone"}, {Caller: "bob", ID: "gone"}}); err != nil {
			t.Fatal(err)
		}
		if err := s.SaveChats(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	})
	use(t, path, func(s *store.Store) {
		got, err := s.Chats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			got[i].Made, got[i].Used = got[i].Made.UTC(), got[i].Used.UTC()
		}
		slices.SortFunc(got, func(a, b chat.Saved) int { return cmp.Or(cmp.Compare(a.Caller, b.Caller), cmp.Compare(a.ID, b.ID)) })
		want := []chat.Saved{odd, saved("ann", "c", `{"a": 3}`, time.Hour), saved("bob", "c", `{"a": 2}`, 0)}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestDeskInStore is the desk over the real store: what a chat holds outlives
// the process.
func TestDeskInStore(t *testing.T) {
	path, key := filepath.Join(t.TempDir(), "gateway.db"), chat.Key{Caller: "ann", ID: "c"}
	use(t, path, func(s *store.Store) {
		d := chat.Open(t.Context(), s, chat.Options{})
		defer func() { _ = d.Close() }()
		if _, err := d.Set(t.Context(), key, json.RawMessage(`{"tier": 2}`)); err != nil {
			t.Fatal(err)
		}
	})
	use(t, path, func(s *store.Store) {
		d := chat.Open(t.Context(), s, chat.Options{})
		defer func() { _ = d.Close() }()
		if got, ok := d.Show(key); !ok || string(got.Context) != `{"tier": 2}` {
			t.Errorf("%+v, %v", got, ok)
		}
	})
}

// use opens the store for as long as f runs.
func use(t *testing.T, path string, f func(*store.Store)) {
	t.Helper()
	s, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	f(s)
}
