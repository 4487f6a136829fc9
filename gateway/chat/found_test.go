package chat_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
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

// discover finds tools in a chat, and gives those that are new there.
func discover(t *testing.T, d *chat.Desk, caller string, in tool.Chat, names ...string) string {
	t.Helper()
	added, err := d.Find(t.Context(), caller, in, names)
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
			added, err := d.Find(t.Context(), "ann", in, names)
			if err != nil || len(added) != chat.MaxFound || discover(t, d, "ann", in, "more") != "" {
				t.Errorf("%+v: %d are new, %v", in, len(added), err)
			}
		}
		session := func(i int) tool.Chat { return tool.Chat{ID: fmt.Sprint(i), Session: true} }
		for i := range 3000 {
			discover(t, d, "ann", session(i), "a")
		}
		kept := 0
		for i := range 3000 {
			if found(d, "ann", session(i)) == "a" {
				kept++
			}
		}
		if kept != 2048 || found(d, "ann", session(2999)) != "a" {
			t.Errorf("%d sessions are kept", kept)
		}
		time.Sleep(59 * time.Minute)
		d.EndSession("bob", "2999")
		if found(d, "ann", session(2999)) != "a" {
			t.Error("a session was forgotten too early")
		}
		d.EndSession("ann", "2998")
		time.Sleep(2 * time.Minute)
		if got := found(d, "ann", session(2999)) + found(d, "ann", session(2998)) + found(d, "ann", session(2997)); got != "a" {
			t.Errorf("%q is kept", got)
		}
	})
}

// TestFoundTold holds that whoever watches is told, also of what another process
// found, and of what is over.
func TestFoundTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(shelf)
		one, two := chat.Open(t.Context(), s, chat.Options{}), chat.Open(t.Context(), s, chat.Options{})
		defer func() { _ = errors.Join(one.Close(), two.Close()) }()
		var told []string
		note := func(who string) func(chat.Change) {
			return func(c chat.Change) {
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
	if _, err := d.Find(t.Context(), "ann", tool.Chat{ID: "more"}, []string{"a"}); tool.AsError(err).Code != tool.Denied {
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
	if added, err := d.Find(t.Context(), "ann", tool.Chat{ID: "3"}, []string{"c"}); err == nil || added != nil || found(d, "ann", tool.Chat{ID: "3"}) != "a b" {
		t.Errorf("%v, %v", added, err)
	}
}
