package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shelf is a store whose writes are counted, and fail when they are told to.
// The one that is served is held by its own test in gateway/store.
type shelf struct {
	mu     sync.Mutex // guards what follows
	chats  map[chat.Key]chat.Saved
	edited map[chat.Key]int64
	edits  int64
	writes int
	broken error
}

func (s *shelf) ChangedChats(_ context.Context, mark int64) ([]chat.Saved, int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []chat.Saved
	for key, c := range s.chats {
		if s.edited[key] > mark {
			out = append(out, c)
		}
	}
	return out, s.edits, s.broken
}

func (s *shelf) EditChat(_ context.Context, key chat.Key, edit func(*chat.Saved) (chat.Saved, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	var old *chat.Saved
	if c, ok := s.chats[key]; ok {
		old = &c
	}
	made, err := edit(old)
	if err != nil {
		return err
	}
	s.writes++
	s.edits++
	s.put(made)
	return nil
}

// put keeps a chat; mu is held.
func (s *shelf) put(c chat.Saved) {
	if s.chats == nil {
		s.chats = map[chat.Key]chat.Saved{}
	}
	if s.edited == nil {
		s.edited = map[chat.Key]int64{}
	}
	s.chats[c.Key], s.edited[c.Key] = c, s.edits
}

func (s *shelf) UseChats(_ context.Context, chats []chat.Saved) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil || len(chats) == 0 {
		return s.broken
	}
	s.writes++
	for _, c := range chats {
		old, ok := s.chats[c.Key]
		if !ok {
			old = c
		}
		old.Used = c.Used
		s.put(old)
	}
	return nil
}

func (s *shelf) DropChats(_ context.Context, keys []chat.Key) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	for _, k := range keys {
		delete(s.chats, k)
	}
	return nil
}

func (s *shelf) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = err
}

func (s *shelf) count() (chats, writes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.chats), s.writes
}

func ann(id string) chat.Key { return chat.Key{Caller: "ann", ID: id} }

func open(t *testing.T, store chat.Store, limits chat.Config) *chat.Desk {
	t.Helper()
	d := chat.Open(t.Context(), store, chat.Options{Limits: limits})
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func set(t *testing.T, d *chat.Desk, key chat.Key, fields string) {
	t.Helper()
	if _, err := d.Set(t.Context(), key, json.RawMessage(fields)); err != nil {
		t.Fatal(err)
	}
}

// fields are what a call in the chat sees.
func fields(d *chat.Desk, key chat.Key) map[string]any {
	return d.Enter(key.Caller, tool.Chat{ID: key.ID}).Context
}

// TestOwners holds that a name of one caller says nothing of what another has
// under the same name.
func TestOwners(t *testing.T) {
	d := open(t, new(shelf), chat.Config{})
	set(t, d, ann("c"), `{"user": {"id": 9007199254740993}, "tier": 2.50}`)
	want := map[string]any{"user": map[string]any{"id": json.Number("9007199254740993")}, "tier": json.Number("2.50")}
	if diff := cmp.Diff(want, fields(d, ann("c"))); diff != "" {
		t.Error(diff)
	}
	bob := chat.Key{Caller: "bob", ID: "c"}
	if _, ok := d.Show(bob); ok || fields(d, bob) != nil || fields(d, ann("d")) != nil {
		t.Error("another caller sees the chat")
	}
	if ok, err := d.Drop(t.Context(), bob); ok || err != nil {
		t.Errorf("another caller drops the chat: %v, %v", ok, err)
	}
	set(t, d, bob, `{"tier": 1}`)
	if diff := cmp.Diff(want, fields(d, ann("c"))); diff != "" {
		t.Errorf("another caller changed the chat\n%s", diff)
	}
	if ok, err := d.Drop(t.Context(), ann("c")); !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	if _, ok := d.Show(ann("c")); ok || fields(d, ann("c")) != nil || fields(d, bob) == nil {
		t.Error("the wrong chat was dropped")
	}
}

// TestKeptAcross holds what the store is told, and when: a chat outlives the
// process, a call writes nothing, and that it was used is known a minute later.
func TestKeptAcross(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(shelf)
		d := chat.Open(t.Context(), s, chat.Options{Limits: chat.Config{Idle: time.Hour}})
		set(t, d, ann("c"), `{"a": 1}`)
		set(t, d, ann("quiet"), `{"a": 2}`)
		for range 1000 {
			fields(d, ann("c"))
		}
		if _, writes := s.count(); writes != 2 {
			t.Errorf("calls write to the store: %d writes", writes)
		}
		time.Sleep(50 * time.Minute)
		fields(d, ann("c"))
		time.Sleep(2 * time.Minute)
		if _, writes := s.count(); writes != 3 {
			t.Errorf("%d writes, want one more of what was used", writes)
		}
		fields(d, ann("c"))
		if err := errors.Join(d.Close(), d.Close()); err != nil {
			t.Fatal(err)
		}
		if _, writes := s.count(); writes != 4 {
			t.Errorf("%d writes, want the last at the end", writes)
		}
		time.Sleep(20 * time.Minute) // quiet is 72 minutes old, c was used 20 minutes ago
		d = chat.Open(t.Context(), s, chat.Options{Limits: chat.Config{Idle: time.Hour}})
		defer func() { _ = d.Close() }()
		if fields(d, ann("c")) == nil || fields(d, ann("quiet")) != nil {
			t.Error("what was used is not what is kept")
		}
		time.Sleep(2 * time.Minute)
		if chats, _ := s.count(); chats != 1 {
			t.Errorf("the store has %d chats, want the one that did not expire", chats)
		}
		time.Sleep(time.Hour)
		if _, ok := d.Show(ann("c")); ok || fields(d, ann("c")) != nil {
			t.Error("a chat does not expire")
		}
		time.Sleep(2 * time.Minute)
		if chats, _ := s.count(); chats != 0 {
			t.Errorf("the store has %d chats, want none", chats)
		}
	})
}

// TestShowDoesNotUse holds that looking at a chat does not keep it.
func TestShowDoesNotUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := chat.Open(t.Context(), nil, chat.Options{Limits: chat.Config{Idle: time.Hour}})
		defer func() { _ = d.Close() }()
		set(t, d, ann("c"), `{}`)
		first, _ := d.Show(ann("c"))
		time.Sleep(59 * time.Minute)
		if got := d.Look("ann", tool.Chat{ID: "c"}); got.Context == nil {
			t.Error("a call that is not made does not see the chat")
		}
		if got, ok := d.Show(ann("c")); !ok || !got.Expires.Equal(first.Expires) || !got.Expires.Equal(first.Made.Add(time.Hour)) {
			t.Errorf("%v, %v", got, ok)
		}
		time.Sleep(2 * time.Minute)
		if _, ok := d.Show(ann("c")); ok || d.Look("ann", tool.Chat{ID: "c"}).Context != nil {
			t.Error("looking at a chat keeps it")
		}
	})
}

func TestLimits(t *testing.T) {
	d := open(t, nil, chat.Config{MostPerCaller: 2})
	set(t, d, ann("1"), `{}`)
	set(t, d, ann("2"), `{}`)
	_, err := d.Set(t.Context(), ann("3"), json.RawMessage(`{}`))
	if e := tool.AsError(err); e.Code != tool.Denied || !strings.Contains(e.Text(), "has 2 chats that hold something") || !strings.Contains(e.Text(), "168h0m0s after") {
		t.Errorf("got %v", err)
	}
	set(t, d, ann("2"), `{"again": true}`)
	set(t, d, chat.Key{Caller: "bob", ID: "3"}, `{}`)
	d.Limit(chat.Config{MostPerCaller: 3})
	set(t, d, ann("3"), `{}`)
	if _, err := d.Drop(t.Context(), ann("1")); err != nil {
		t.Fatal(err)
	}
	set(t, d, ann("4"), `{}`)
}

// TestHeld holds that the chats of one caller, and all together, are bounded.
func TestHeld(t *testing.T) {
	d := open(t, nil, chat.Config{MostPerCaller: 10_000})
	large := `{"a": "` + strings.Repeat("x", chat.MaxContext-9) + `"}`
	refused := func(key chat.Key, code tool.Code, text string) {
		t.Helper()
		_, err := d.Set(t.Context(), key, json.RawMessage(large))
		if e := tool.AsError(err); e.Code != code || e.Retryable != (code == tool.Overloaded) || !strings.Contains(e.Text(), text) {
			t.Errorf("got %v", err)
		}
	}
	const callers, each = 8, 128
	for c := range callers {
		for i := range each {
			set(t, d, chat.Key{Caller: fmt.Sprint(c), ID: fmt.Sprint(i)}, large)
		}
		refused(chat.Key{Caller: fmt.Sprint(c), ID: "more"}, tool.Denied, "the chats of this caller hold 8 MiB, and may hold no more")
	}
	refused(ann("0"), tool.Overloaded, "the chats of all callers hold 64 MiB")
	key := chat.Key{Caller: "0", ID: "0"}
	set(t, d, key, `{}`)
	set(t, d, chat.Key{Caller: "0", ID: "more"}, `{"a": 1}`)
	if _, err := d.Drop(t.Context(), chat.Key{Caller: "0", ID: "1"}); err != nil {
		t.Fatal(err)
	}
	set(t, d, key, large)
	refused(chat.Key{Caller: "0", ID: "yet another"}, tool.Denied, "the chats of this caller")
}

func TestSetRefuses(t *testing.T) {
	d := open(t, nil, chat.Config{})
	for raw, want := range map[string]string{
		`[]`: "the context is not a JSON object", `null`: "the context is not a JSON object", `"x"`: "the context is not a JSON object",
		`{`: "the context cannot be read", `{"a":1,"a":2}`: "the context cannot be read", `{"a":"` + "\xff" + `"}`: "the context cannot be read",
		`{"a":"` + strings.Repeat("x", chat.MaxContext) + `"}`: "at most 65536 are kept",
	} {
		_, err := d.Set(t.Context(), ann("c"), json.RawMessage(raw))
		if e := tool.AsError(err); e.Code != tool.InvalidArgs || !strings.Contains(e.Message, want) {
			t.Errorf("%.20s: %v", raw, err)
		}
	}
	if _, ok := d.Show(ann("c")); ok {
		t.Error("what is refused is kept")
	}
}

// TestStoreFails holds that what cannot be written changes nothing, and that the
// desk finds what is there as soon as the store can be read.
func TestStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{chats: map[chat.Key]chat.Saved{ann("old"): {Key: ann("old"), Context: []byte(`{"a": 1}`), Made: time.Now(), Used: time.Now()}}}
		s.fail(errors.New("disk full"))
		d := chat.Open(t.Context(), s, chat.Options{})
		defer func() { _ = d.Close() }()
		_, err := d.Set(t.Context(), ann("c"), json.RawMessage(`{}`))
		if e := tool.AsError(err); e.Code != tool.Internal || !e.Retryable || strings.Contains(e.Text(), "disk") {
			t.Errorf("got %v", err)
		}
		if fields(d, ann("c")) != nil || fields(d, ann("old")) != nil {
			t.Error("what was not written is there")
		}
		s.fail(nil)
		if ok, err := d.Drop(t.Context(), ann("old")); ok || err == nil { // it would come back
			t.Errorf("what was not read yet: %v, %v", ok, err)
		}
		set(t, d, ann("c"), `{"b": 1}`)
		time.Sleep(90 * time.Second)
		if fields(d, ann("old")) == nil || fields(d, ann("c")) == nil {
			t.Error("what the store has is not found")
		}
		s.fail(errors.New("disk full"))
		if ok, err := d.Drop(t.Context(), ann("c")); ok || err == nil || fields(d, ann("c")) == nil {
			t.Errorf("%v, %v", ok, err)
		}
		time.Sleep(2 * time.Minute) // what was used cannot be written, and is tried again
		s.fail(nil)
		time.Sleep(2 * time.Minute)
		if saved, _, _ := s.ChangedChats(t.Context(), -1); !slices.ContainsFunc(saved, func(c chat.Saved) bool { return c.ID == "c" && time.Since(c.Used) < 6*time.Minute }) {
			t.Errorf("%v", saved)
		}
	})
}

// TestTogether uses one desk from many sides; run it with -race.
func TestTogether(t *testing.T) {
	d := open(t, new(shelf), chat.Config{})
	var all sync.WaitGroup
	for i := range 8 {
		key := ann(fmt.Sprint(i % 3))
		all.Go(func() {
			for n := range 200 {
				switch n % 10 {
				case 0:
					_, _ = d.Set(t.Context(), key, json.RawMessage(fmt.Sprintf(`{"n": %d}`, n)))
				case 1:
					d.Limit(chat.Config{MostPerCaller: 5})
				case 2:
					_, _ = d.Drop(t.Context(), key)
				case 3:
					_, _ = d.Show(key)
				default:
					fields(d, key)
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkEnter(b *testing.B) {
	d := chat.Open(b.Context(), nil, chat.Options{})
	defer func() { _ = d.Close() }()
	_, _ = d.Set(b.Context(), ann("c"), json.RawMessage(`{"a": 1}`))
	b.Run("held", func(b *testing.B) {
		for b.Loop() {
			fields(d, ann("c"))
		}
	})
	b.Run("unknown", func(b *testing.B) {
		for b.Loop() {
			fields(d, ann("x"))
		}
	})
}
