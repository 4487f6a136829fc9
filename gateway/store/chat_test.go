package store_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/store"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestChats writes chats, opens the file again and finds what was written.
func TestChats(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gateway.db")
	when := time.Date(2026, 1, 31, 9, 30, 0, 123456000, time.UTC)
	saved := func(caller, id, context string, used time.Duration) chat.Saved {
		return chat.Saved{Key: chat.Key{Caller: caller, ID: id}, Context: []byte(context), Made: when, Used: when.Add(used)}
	}
	odd := saved("ann", "a'; DROP TABLE chats;--", `{"a": "\u0000 é", "n": 9007199254740993}`, 0)
	odd.Found = []string{"find_it", "b-two"}
	odd.Groups, odd.Requests = []string{"code", "web"}, []chat.Request{{Group: "money", Reason: "<'\n", Made: when}}
	use(t, path, func(s *store.Store) {
		edit := func(c chat.Saved, seen string) {
			t.Helper()
			if err := s.EditChat(t.Context(), c.Key, func(old *chat.Saved) (chat.Saved, error) {
				if got := textOf(old); got != seen {
					t.Errorf("%v was %q, want %q", c.Key, got, seen)
				}
				return c, nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []chat.Saved{saved("ann", "c", `{"a": 1}`, 0), saved("bob", "c", `{"a": 2}`, 0), odd, saved("ann", "gone", `{}`, 0)} {
			edit(c, "none")
		}
		edit(saved("ann", "c", `{"a": 3}`, 0), `{"a": 1}`)
		wrong := errors.New("no")
		if err := s.EditChat(t.Context(), odd.Key, func(*chat.Saved) (chat.Saved, error) { return chat.Saved{}, wrong }); !errors.Is(err, wrong) {
			t.Errorf("%v", err)
		}
		// What is used keeps what is there, and goes back no hour.
		used := []chat.Saved{saved("ann", "c", `{"old": 1}`, time.Hour), saved("bob", "c", `{"old": 1}`, -time.Hour), saved("cid", "c", `{"a": 4}`, 0)}
		if err := errors.Join(s.UseChats(t.Context(), used), s.UseChats(t.Context(), nil)); err != nil {
			t.Fatal(err)
		}
		if err := s.DropChats(t.Context(), []chat.Key{{Caller: "ann", ID: "gone"}, {Caller: "bob", ID: "gone"}}); err != nil {
			t.Fatal(err)
		}
	})
	use(t, path, func(s *store.Store) {
		got, mark, err := s.ChangedChats(t.Context(), -1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			got[i].Made, got[i].Used = got[i].Made.UTC(), got[i].Used.UTC()
		}
		slices.SortFunc(got, func(a, b chat.Saved) int { return cmp.Or(cmp.Compare(a.Caller, b.Caller), cmp.Compare(a.ID, b.ID)) })
		want := []chat.Saved{odd, saved("ann", "c", `{"a": 3}`, time.Hour), saved("bob", "c", `{"a": 2}`, 0), saved("cid", "c", `{"a": 4}`, 0)}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if got, next, err := s.ChangedChats(t.Context(), mark); len(got) != 0 || next != mark || err != nil {
			t.Errorf("behind the mark: %v, %d, %v", got, next, err)
		}
		if got, next, err := s.ChangedChats(t.Context(), mark-1); len(got) != 2 || next != mark || err != nil { // the last edit, and what was written anew since
			t.Errorf("behind the mark before: %v, %d, %v", got, next, err)
		}
	})
}

func textOf(c *chat.Saved) string {
	if c == nil {
		return "none"
	}
	return string(c.Context)
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

// TestTwoDesks holds that what one process changes reaches another one that uses
// the same store, while neither undoes what the other did.
func TestTwoDesks(t *testing.T) {
	path, key := filepath.Join(t.TempDir(), "gateway.db"), chat.Key{Caller: "ann", ID: "c"}
	use(t, path, func(one *store.Store) {
		use(t, path, func(two *store.Store) {
			server, other := chat.Open(t.Context(), one, chat.Options{}), chat.Open(t.Context(), two, chat.Options{})
			defer func() { _, _ = server.Close(), other.Close() }()
			told := make(chan chat.Change, 10)
			defer server.Watch(func(c chat.Change) { told <- c })()
			if _, err := server.Set(t.Context(), key, json.RawMessage(`{"tier": 2}`)); err != nil {
				t.Fatal(err)
			}
			if _, err := other.Activate(t.Context(), key, "web", "local"); err != nil {
				t.Fatal(err)
			}
			want := chat.Change{Key: key, Groups: []string{"web"}, Activated: []string{"web"}}
			if diff := gocmp.Diff(want, <-told); diff != "" {
				t.Error(diff)
			}
			got := server.Enter("ann", tool.Chat{ID: "c"})
			if !slices.Equal(got.Groups, []string{"web"}) || got.Context["tier"] != json.Number("2") {
				t.Errorf("%+v", got)
			}
			// The server knows of the first group; of what comes next it hears at its own change.
			if _, err := other.Activate(t.Context(), key, "code", "local"); err != nil {
				t.Fatal(err)
			}
			made, err := server.Set(t.Context(), key, json.RawMessage(`{"tier": 3}`))
			if err != nil || !slices.Equal(made.Groups, []string{"code", "web"}) {
				t.Errorf("%+v, %v", made, err)
			}
			if _, err := other.SetGroups(t.Context(), key, nil, "local"); err != nil {
				t.Fatal(err)
			}
			for c := range told {
				if len(c.Deactivated) == 2 {
					break
				}
			}
			if got := server.Enter("ann", tool.Chat{ID: "c"}); len(got.Groups) != 0 || got.Context["tier"] != json.Number("3") {
				t.Errorf("%+v", got)
			}
			if err := server.Close(); err != nil { // it writes when the chat was used, and nothing else of it
				t.Fatal(err)
			}
			if got, _ := other.Show(key); len(got.Groups) != 0 {
				t.Errorf("%+v", got)
			}
		})
	})
}

// TestChatsOfOlder finds chats that an older version of the program has kept.
func TestChatsOfOlder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gateway.db")
	use(t, path, func(*store.Store) {})
	_, err := outside(t, path).ExecContext(t.Context(), withoutLater+`
INSERT INTO chats (caller_id, id, made, used, context) VALUES ('ann', 'c', 1, 2, '{"tier": 2}'); PRAGMA user_version = 4; PRAGMA wal_checkpoint(truncate)`)
	if err != nil {
		t.Fatal(err)
	}
	use(t, path, func(s *store.Store) {
		got, mark, err := s.ChangedChats(t.Context(), -1)
		want := []chat.Saved{{Key: chat.Key{Caller: "ann", ID: "c"}, Context: []byte(`{"tier": 2}`), Made: time.UnixMicro(1), Used: time.UnixMicro(2)}}
		if diff := gocmp.Diff(want, got); diff != "" || mark != 0 || err != nil {
			t.Errorf("%d, %v\n%s", mark, err, diff)
		}
	})
}
