package chat_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/tool"
)

// found are the names that a call in the chat sees.
func found(d *chat.Desk, caller string, in tool.Chat) string {
	return strings.Join(d.Enter(caller, in).Found, " ")
}

// all is that every name counts.
func all(string) bool { return true }

// discover finds tools in a chat, and gives those that are new there.
func discover(t *testing.T, d *chat.Desk, caller string, in tool.Chat, names ...string) string {
	t.Helper()
	added, err := d.Find(t.Context(), caller, in, names, all)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(added, " ")
}

// TestFound holds which chats keep what was found in them, in which order, and that
// it outlives the process where the chat has a name.
func TestFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(shelf)
		d := chat.Open(t.Context(), s, chat.Options{})
		named, session, unnamed := tool.Chat{ID: "c"}, tool.Chat{ID: "s", Session: true}, tool.Chat{ID: tool.DefaultChat}
		pipe := tool.Chat{ID: tool.DefaultChat, Session: true}
		for _, step := range []struct {
			chat              tool.Chat
			names, added, all string
		}{
			{named, "b a", "b a", "b a"},
			{named, "a c b", "c", "b a c"},
			{named, "a c", "", "b a c"},
			{session, "x", "x", "x"},
			{session, "x w", "w", "x w"},
			{pipe, "p", "p", "p"},
			{unnamed, "y", "", ""},
			{tool.Chat{}, "y", "", ""},
		} {
			if got := discover(t, d, "ann", step.chat, strings.Fields(step.names)...); got != step.added {
				t.Errorf("%+v: %q is new, want %q", step.chat, got, step.added)
			}
			if got := found(d, "ann", step.chat); got != step.all || found(d, "bob", step.chat) != "" || strings.Join(d.Look("ann", step.chat).Found, " ") != step.all {
				t.Errorf("%+v: %q was found, want %q", step.chat, got, step.all)
			}
		}
		if _, writes := s.count(); writes != 2 {
			t.Errorf("%d writes, want those of the named chat", writes)
		}
		if shown, _ := d.Show(ann("c")); !slices.Equal(shown.Found, []string{"b", "a", "c"}) {
			t.Errorf("shown are %v", shown.Found)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		d = chat.Open(t.Context(), s, chat.Options{})
		defer func() { _ = d.Close() }()
		if got := found(d, "ann", named) + "|" + found(d, "ann", session) + "|" + found(d, "ann", pipe); got != "b a c||" {
			t.Errorf("after a restart: %q", got)
		}
	})
}

// TestFoundLimits holds that no chat keeps more than it may, that not every session
// is kept, and that one is forgotten when it is idle or over.
func TestFoundLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := chat.Open(t.Context(), nil, chat.Options{Limits: chat.Config{Idle: time.Hour}})
		defer func() { _ = d.Close() }()
		var names []string
		for i := range chat.MaxFound + 10 {
			names = append(names, fmt.Sprint(i))
		}
		for _, in := range []tool.Chat{{ID: "c"}, {ID: "s", Session: true}} {
			added, err := d.Find(t.Context(), "ann", in, names, all)
			if err != nil || len(added) != chat.MaxFound || discover(t, d, "ann", in, "more") != "" {
				t.Errorf("%+v: %d are new, %v", in, len(added), err)
			}
		}
		session := func(i int) tool.Chat { return tool.Chat{ID: fmt.Sprint(i), Session: true} }
		const open = 10_000 // sessions at a time
		for i := range 5 {
			discover(t, d, "bob", session(i), "a")
		}
		for i := range open + 100 {
			discover(t, d, "ann", session(i), "a")
		}
		kept := map[string]int{}
		for i := range open + 100 {
			for _, caller := range []string{"ann", "bob"} {
				if found(d, caller, session(i)) == "a" {
					kept[caller]++
				}
			}
		}
		if kept["ann"] != open || kept["bob"] != 5 || found(d, "ann", session(open+99)) != "a" {
			t.Errorf("%v sessions are kept", kept)
		}
		time.Sleep(59 * time.Minute)
		d.EndSession("bob", "10099")
		if found(d, "ann", session(10099)) != "a" {
			t.Error("a session was forgotten too early")
		}
		d.EndSession("ann", "10098")
		time.Sleep(2 * time.Minute)
		if got := found(d, "ann", session(10099)) + found(d, "ann", session(10098)) + found(d, "ann", session(10097)); got != "a" {
			t.Errorf("%q is kept", got)
		}
	})
}

// TestFoundOfMany holds that when there are too many sessions of all callers, it is the
// caller with most of them that loses one.
func TestFoundOfMany(t *testing.T) {
	t.Parallel()
	d := open(t, nil, chat.Config{})
	in := func(i int) tool.Chat { return tool.Chat{ID: fmt.Sprint(i), Session: true} }
	for caller, n := range map[string]int{"ann": 9_990, "bob": 9_000, "eve": 1_000, "joe": 20} {
		for i := range n {
			discover(t, d, caller, in(i), "a")
		}
	}
	for caller, want := range map[string]int{"ann": 9_980, "bob": 9_000, "eve": 1_000, "joe": 20} {
		kept := 0
		for i := range 9_990 {
			if d.Look(caller, in(i)).Found != nil {
				kept++
			}
		}
		if kept != want {
			t.Errorf("%s: %d are kept, want %d", caller, kept, want)
		}
	}
}

// TestFoundGiveWay holds that names which do not count any more give way where there is
// no room, the oldest first and no more than have to, and that the others stay in order.
func TestFoundGiveWay(t *testing.T) {
	t.Parallel()
	for _, in := range []tool.Chat{{ID: "c"}, {ID: "s", Session: true}} {
		d := open(t, nil, chat.Config{})
		var names []string
		for i := range chat.MaxFound {
			names = append(names, fmt.Sprint(i))
		}
		discover(t, d, "ann", in, names...)
		counts := func(name string) bool { return !strings.Contains("1 3 5", name) }
		for _, step := range []struct{ names, added, first string }{
			{"a b", "a b", "0 2 4 5"},
			{"a", "", "0 2 4 5"},
			{"c d", "c", "0 2 4 6"},
			{"d", "", "0 2 4 6"},
		} {
			added, err := d.Find(t.Context(), "ann", in, strings.Fields(step.names), counts)
			got := d.Look("ann", in).Found
			if err != nil || strings.Join(added, " ") != step.added || strings.Join(got[:4], " ") != step.first || len(got) != chat.MaxFound {
				t.Errorf("%+v, %q: %v are new, %d are found, first %v, %v", in, step.names, added, len(got), got[:4], err)
			}
		}
	}
}

// TestFoundTold holds that whoever watches is told, also of what another process
// found, and of what is over.
func TestFoundTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(shelf)
		one, two := chat.Open(t.Context(), s, chat.Options{}), chat.Open(t.Context(), s, chat.Options{})
		defer func() { _ = errors.Join(one.Close(), two.Close()) }()
		var mu sync.Mutex // guards told
		var told []string
		note := func(who string) func(chat.Change) {
			return func(c chat.Change) {
				mu.Lock()
				defer mu.Unlock()
				told = append(told, fmt.Sprintf("%s: %s +%v -%v", who, c.ID, c.Found, c.Forgotten))
			}
		}
		defer one.Watch(note("one"))()
		defer two.Watch(note("two"))()
		settle := func() {
			time.Sleep(2 * chat.FollowInterval)
			synctest.Wait()
		}
		discover(t, one, "ann", tool.Chat{ID: "c"}, "a", "b")
		discover(t, one, "ann", tool.Chat{ID: "s", Session: true}, "x")
		settle()
		discover(t, two, "ann", tool.Chat{ID: "c"}, "b", "c")
		settle()
		if _, err := one.Drop(t.Context(), ann("c")); err != nil {
			t.Fatal(err)
		}
		want := []string{"one: c +[a b] -[]", "two: c +[a b] -[]", "two: c +[c] -[]", "one: c +[c] -[]", "one: c +[] -[a b c]"}
		if !slices.Equal(told, want) {
			t.Errorf("told:\n%s", strings.Join(told, "\n"))
		}
	})
}

// TestFoundUnsaved holds that nothing is found where the store fails, and that
// searches leave room for chats that users make.
func TestFoundUnsaved(t *testing.T) {
	s := new(shelf)
	d := open(t, s, chat.Config{MostPerCaller: 8})
	for i := range 6 {
		discover(t, d, "ann", tool.Chat{ID: fmt.Sprint(i)}, "a")
	}
	if _, err := d.Find(t.Context(), "ann", tool.Chat{ID: "more"}, []string{"a"}, all); tool.AsError(err).Code != tool.Denied {
		t.Errorf("got %v", err)
	}
	if got := discover(t, d, "ann", tool.Chat{ID: "3"}, "b"); got != "b" {
		t.Errorf("in a chat that there is: %q", got)
	}
	set(t, d, ann("more"), `{"a": 1}`)
	if got := discover(t, d, "ann", tool.Chat{ID: "more"}, "b"); got != "b" {
		t.Errorf("in a chat that its user made: %q", got)
	}
	s.mu.Lock()
	s.broken = errors.New("the disk hums")
	s.mu.Unlock()
	if added, err := d.Find(t.Context(), "ann", tool.Chat{ID: "3"}, []string{"c"}, all); err == nil || added != nil || found(d, "ann", tool.Chat{ID: "3"}) != "a b" {
		t.Errorf("%v, %v", added, err)
	}
}

// stuck is a store that is locked by somebody else until the context of whoever writes
// is over.
type stuck struct{ shelf }

func (s *stuck) EditChat(ctx context.Context, _ chat.Key, _ func(*chat.Saved) (chat.Saved, error)) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestFoundInTime holds that whoever waits for its turn to write waits no longer than
// its context lasts.
func TestFoundInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := chat.Open(t.Context(), new(stuck), chat.Options{})
		defer func() { _ = d.Close() }()
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		began := time.Now()
		var searches sync.WaitGroup
		for i := range 8 {
			searches.Go(func() {
				if _, err := d.Find(ctx, "ann", tool.Chat{ID: fmt.Sprint(i)}, []string{"a"}, all); err == nil || !tool.AsError(err).Retryable {
					t.Errorf("got %v", err)
				}
			})
		}
		searches.Wait()
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %v", took)
		}
	})
}
