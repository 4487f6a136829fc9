package store_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/store"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestManyChats keeps 100,000 chats (fewer with -race) with active groups, and says
// what they cost: the time of a start, memory, and what a call waits for its chat.
// Those that were idle are gone; times are only printed.
func TestManyChats(t *testing.T) {
	const callers, each, idle = manyCallers, 1000, time.Hour
	path := filepath.Join(t.TempDir(), "gateway.db")
	key := func(c, i int) chat.Key {
		return chat.Key{Caller: fmt.Sprintf("caller-%d", c), ID: fmt.Sprintf("conversation-%d", i)}
	}
	isIdle := func(i int) bool { return i%4 == 0 }
	use(t, path, func(s *store.Store) {
		now := time.Now()
		for c := range callers {
			var chats []chat.Saved
			for i := range each {
				saved := chat.Saved{Key: key(c, i), Context: []byte(`{}`), Groups: []string{"payments", "research"}, Made: now.Add(-time.Hour), Used: now}
				if isIdle(i) {
					saved.Used = now.Add(-2 * idle)
				}
				chats = append(chats, saved)
			}
			if err := s.UseChats(t.Context(), chats); err != nil {
				t.Fatal(err)
			}
		}
	})
	use(t, path, func(s *store.Store) {
		before, began := heap(), time.Now()
		d := chat.Open(t.Context(), s, chat.Options{Limits: chat.Config{Idle: idle}})
		took := time.Since(began)
		t.Logf("%d chats: read in %v, %d bytes of memory each", callers*each, took.Round(time.Millisecond), int(heap()-before)/(callers*each))
		began = time.Now()
		for c := range callers {
			for i := range each {
				k, want := key(c, i), []string{"payments", "research"}
				if isIdle(i) {
					want = nil
				}
				if got := d.Enter(k.Caller, tool.Chat{ID: k.ID}).Groups; !slices.Equal(got, want) {
					t.Fatalf("%v has %v, want %v", k, got, want)
				}
			}
		}
		t.Logf("a call enters its chat in %v", time.Since(began)/(callers*each))
		began = time.Now()
		if _, err := d.Deactivate(t.Context(), key(1, 7), "payments", "desk"); err != nil {
			t.Fatal(err)
		}
		t.Logf("a group is deactivated in %v", time.Since(began).Round(time.Microsecond))
		if _, err := d.Activate(t.Context(), chat.Key{Caller: "caller-1", ID: "one more"}, "research", "desk"); err == nil {
			t.Error("a caller has more chats than it may")
		}
		began = time.Now()
		if err := d.Close(); err != nil { // it forgets what is idle, as every minute
			t.Fatal(err)
		}
		t.Logf("what was used is written, and %d that were idle forgotten, in %v", callers*each/4, time.Since(began).Round(time.Millisecond))
	})
	use(t, path, func(s *store.Store) {
		const passes = 10 // without any progress
		still := 0
		for left, before := callers*each, 0; left != callers*each*3/4; before = left {
			chats, _, err := s.ChangedChats(t.Context(), -1)
			if left = len(chats); left == before {
				still++
			}
			if err != nil || still == passes || left < callers*each*3/4 {
				t.Fatalf("%d chats are left, %v", left, err)
			}
			if err := chat.Open(t.Context(), s, chat.Options{Limits: chat.Config{Idle: idle}}).Close(); err != nil { // a slow machine had no time for all
				t.Fatal(err)
			}
		}
	})
}

// heap is how many bytes are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
