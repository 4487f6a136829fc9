package learn_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/toolgate/toolgate/gateway/learn"
	"github.com/toolgate/toolgate/gateway/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shelf is a store in memory.
type shelf struct {
	mu     sync.Mutex // guards what follows
	edits  int64
	notes  map[learn.Key]learn.Saved
	edited map[learn.Key]int64
	fail   error
	writes int
}

func (s *shelf) ChangedHints(_ context.Context, mark int64) (out []learn.Saved, next int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, n := range s.notes {
		if s.edited[key] > mark {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b learn.Saved) int { return cmp.Compare(fmt.Sprint(a.Key), fmt.Sprint(b.Key)) })
	return out, s.edits, s.fail
}

func (s *shelf) EditHints(_ context.Context, notes []learn.Saved) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return s.fail
	}
	if s.notes == nil {
		s.notes, s.edited = map[learn.Key]learn.Saved{}, map[learn.Key]int64{}
	}
	s.edits++
	s.writes++
	for _, n := range notes {
		s.notes[n.Key], s.edited[n.Key] = n, s.edits
	}
	return nil
}

func (s *shelf) DropHints(_ context.Context, before time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.notes, func(_ learn.Key, n learn.Saved) bool { return n.Weight == 0 && n.Used.Before(before) })
	return s.fail
}

func (s *shelf) set(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = err
}

func (s *shelf) kept() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.notes)
}

func caller(id string, groups ...string) tool.Caller {
	return tool.Caller{ID: id, Name: id, Groups: groups}
}

var one = tool.Chat{ID: "one"}

// told are the notes that serve a caller, as "tool: query".
func told(b *learn.Book, c tool.Caller) string {
	notes, _ := b.Notes(c)
	var out []string
	for _, n := range notes {
		out = append(out, n.Tool+": "+n.Query)
	}
	return strings.Join(out, "; ")
}

func open(t *testing.T, s learn.Store) *learn.Book {
	t.Helper()
	b := learn.Open(t.Context(), s, learn.Options{})
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// use is a search and the call of what it found.
func use(b *learn.Book, c tool.Caller, query, name string) {
	b.Searched(c, one, query, []string{name})
	b.Called(c, one, name)
}

// TestWhatIsLearned: which calls make a note.
func TestWhatIsLearned(t *testing.T) {
	ann := caller("ann")
	cases := []struct {
		name string
		do   func(b *learn.Book)
		want string
	}{
		{"a call of what was found", func(b *learn.Book) {
			b.Searched(ann, one, "open a bug", []string{"pay", "create_issue"})
			b.Called(ann, one, "create_issue")
		}, "create_issue: open a bug"},
		{"a call of something else", func(b *learn.Book) {
			b.Searched(ann, one, "open a bug", []string{"pay"})
			b.Called(ann, one, "create_issue")
		}, ""},
		{"a call in another chat", func(b *learn.Book) {
			b.Searched(ann, one, "open a bug", []string{"pay"})
			b.Called(ann, tool.Chat{ID: "two"}, "pay")
		}, ""},
		{"a call of another caller in a chat of the same name", func(b *learn.Book) {
			b.Searched(ann, one, "open a bug", []string{"pay"})
			b.Called(caller("bob"), one, "pay")
		}, ""},
		{"the last of several searches counts", func(b *learn.Book) {
			b.Searched(ann, one, "thing with money", []string{"pay"})
			b.Searched(ann, one, "send a payment", []string{"pay", "refund"})
			b.Called(ann, one, "pay")
		}, "pay: send a payment"},
		{"a second call goes back to the search before", func(b *learn.Book) {
			b.Searched(ann, one, "thing with money", []string{"pay"})
			b.Searched(ann, one, "send a payment", []string{"pay"})
			b.Called(ann, one, "pay")
			b.Called(ann, one, "pay")
			b.Called(ann, one, "pay")
		}, "pay: send a payment; pay: thing with money"},
		{"two tools of one search", func(b *learn.Book) {
			b.Searched(ann, one, "send a payment", []string{"pay", "refund"})
			b.Called(ann, one, "refund")
			b.Called(ann, one, "pay")
		}, "pay: send a payment; refund: send a payment"},
		{"too late", func(b *learn.Book) {
			b.Searched(ann, one, "send a payment", []string{"pay"})
			time.Sleep(learn.Window + time.Second)
			b.Called(ann, one, "pay")
		}, ""},
		{"just in time", func(b *learn.Book) {
			b.Searched(ann, one, "send a payment", []string{"pay"})
			time.Sleep(learn.Window)
			b.Called(ann, one, "pay")
		}, "pay: send a payment"},
		{"the same words again", func(b *learn.Book) {
			use(b, ann, "send a payment", "pay")
			use(b, ann, "Payments: please send!", "pay")
		}, "pay: send a payment"},
		{"nothing but what may not be kept", func(b *learn.Book) { use(b, ann, "ann@example.com 4111 1111 1111 1111", "pay") }, ""},
		{"nothing but stop words", func(b *learn.Book) { use(b, ann, "can you help me please", "pay") }, ""},
		{"too many searches", func(b *learn.Book) {
			for i := range learn.MaxSearches + 1 {
				b.Searched(ann, one, fmt.Sprintf("payment of kind x%c", 'a'+i), []string{fmt.Sprint("pay", i)})
			}
			b.Called(ann, one, "pay0")
			b.Called(ann, one, "pay1")
		}, "pay1: payment of kind xb"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := open(t, nil)
				defer func() { _ = b.Close() }()
				c.do(b)
				if got := told(b, ann); got != c.want {
					t.Errorf("got %q, want %q", got, c.want)
				}
			})
		})
	}
}

// TestGroups: who shares notes.
func TestGroups(t *testing.T) {
	b := open(t, nil)
	use(b, caller("ann", "support", "sales"), "send a payment", "pay")
	use(b, caller("cid"), "open a bug", "issue")
	use(b, caller(tool.Anonymous), "close a bug", "done")
	if err := b.Import(t.Context(), []learn.Hint{{Tool: "mail", Query: "write a letter"}}, nil, false); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		caller tool.Caller
		group  string
		want   string
	}{
		{caller("ann", "support", "sales"), "group:sales,support", "mail: write a letter; pay: send a payment"},
		{caller("bob", "sales", "support", "sales"), "group:sales,support", "mail: write a letter; pay: send a payment"},
		{caller("ann", "sales"), "group:sales", "mail: write a letter"},
		{caller("ann", "sales,support"), "group:sales%2Csupport", "mail: write a letter"},
		{caller("ann"), "caller:ann", "mail: write a letter"},
		{caller("cid"), "caller:cid", "mail: write a letter; issue: open a bug"},
		{caller(tool.Anonymous), "caller:anonymous", "mail: write a letter; done: close a bug"},
		{caller("anonymous", "caller:cid"), "group:caller:cid", "mail: write a letter"},
	} {
		if got := learn.GroupOf(&c.caller); got != c.group {
			t.Errorf("the group is %q, want %q", got, c.group)
		}
		if got := told(b, c.caller); got != c.want {
			t.Errorf("%s: got %q, want %q", c.group, got, c.want)
		}
	}
}

// TestVersions: the same version says the same notes, whoever asks.
func TestVersions(t *testing.T) {
	b := open(t, nil)
	seen := map[uint64]string{}
	look := func() {
		t.Helper()
		for _, c := range []tool.Caller{caller("ann"), caller("bob"), caller("cid", "x"), caller("nobody")} {
			_, version := b.Notes(c)
			got := told(b, c)
			if before, ok := seen[version]; ok && before != got {
				t.Errorf("version %d was %q and is %q", version, before, got)
			}
			if _, again := b.Notes(c); again != version {
				t.Error("the version went up, and nothing changed")
			}
			seen[version] = got
		}
	}
	look()
	for i := range 20 {
		use(b, caller([]string{"ann", "bob"}[i%2]), fmt.Sprintf("payment of kind x%c", 'a'+i), "pay")
		look()
		if i%5 == 0 {
			if err := b.Import(t.Context(), []learn.Hint{{Tool: "mail", Query: "letter", Weight: 1 / float64(i+1)}}, nil, false); err != nil {
				t.Fatal(err)
			}
			look()
		}
	}
	_, of := b.Notes(caller("nobody"))
	if _, other := b.Notes(caller("no one")); of != other {
		t.Error("callers without notes of their own have different versions")
	}
}

// TestLimits fills the book beyond its limits.
func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, nil)
		defer func() { _ = b.Close() }()
		ann := caller("ann")
		for i := range learn.MaxPerTool + 3 {
			use(b, ann, fmt.Sprintf("payment of kind x%c", 'a'+i), "pay")
			time.Sleep(time.Hour)
		}
		notes, _ := b.Notes(ann)
		if len(notes) != learn.MaxPerTool || notes[0].Query != "payment of kind xd" {
			t.Errorf("%d notes, the first is %q", len(notes), notes[0].Query)
		}
		for i := range learn.MaxTools + 3 {
			use(b, ann, "send a payment", fmt.Sprintf("pay_%d", i))
			time.Sleep(time.Second)
		}
		tools := map[string]bool{}
		notes, _ = b.Notes(ann)
		for _, n := range notes {
			tools[n.Tool] = true
		}
		if len(tools) != learn.MaxTools || tools["pay"] || tools["pay_2"] || !tools["pay_3"] {
			t.Errorf("%d tools", len(tools))
		}
	})
}

// TestLimitOfAll: many groups together have no more than there is room for.
func TestLimitOfAll(t *testing.T) {
	b := open(t, nil)
	var hints []learn.Hint
	for i := range 21 {
		for k := range learn.MaxTools {
			hints = append(hints, learn.Hint{Tool: fmt.Sprintf("pay_%d", k), Query: "send a payment", Group: fmt.Sprintf("caller:%d", i), Used: time.Now().UTC().Format(time.RFC3339)})
		}
	}
	must(t, b.Import(t.Context(), hints, nil, false))
	if n := len(b.List(nil)); n > learn.MaxNotes || n < learn.MaxNotes*9/10 {
		t.Errorf("%d notes", n)
	}
}

// TestFading: what nothing renews counts less and less, and goes.
func TestFading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, nil)
		defer func() { _ = b.Close() }()
		ann := caller("ann")
		use(b, ann, "send a payment", "pay")
		if err := b.Import(t.Context(), []learn.Hint{{Tool: "mail", Query: "letter", Weight: .01}}, nil, false); err != nil {
			t.Fatal(err)
		}
		weights := func() string {
			notes, _ := b.Notes(ann)
			var out []string
			for _, n := range notes {
				out = append(out, fmt.Sprintf("%s %.2f", n.Tool, n.Weight))
			}
			return strings.Join(out, ", ")
		}
		for _, c := range []struct {
			after time.Duration
			want  string
		}{
			{0, "mail 0.01, pay 1.00"},
			{learn.HalfLife, "mail 0.01, pay 0.50"},
			{learn.HalfLife, "mail 0.01, pay 0.25"},
			{3 * learn.HalfLife, "mail 0.01"},
		} {
			time.Sleep(c.after)
			synctest.Wait()
			if got := weights(); got != c.want {
				t.Errorf("after another %v: %s, want %s", c.after, got, c.want)
			}
		}
		use(b, ann, "send a payment", "pay")
		time.Sleep(learn.HalfLife)
		use(b, ann, "send a payment", "pay")
		if got := weights(); got != "mail 0.01, pay 1.00" {
			t.Errorf("renewed: %s", got)
		}
	})
}

// TestFadedInStore: what faded goes from the store too, after others could take that in.
func TestFadedInStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{}
		soon := time.Now().Add(-4*learn.HalfLife - 24*time.Minute).UTC()
		must(t, s.EditHints(t.Context(), []learn.Saved{
			{Key: learn.Key{Group: "caller:ann", Tool: "pay", Query: "money"}, Weight: 1, Used: soon},
			{Key: learn.Key{Tool: "mail", Query: "letter"}, Weight: 1},
		}))
		b := open(t, s)
		defer func() { _ = b.Close() }()
		if got := told(b, caller("ann")); got != "mail: letter; pay: money" {
			t.Error(got)
		}
		time.Sleep(50 * time.Hour)
		if got := told(b, caller("ann")); got != "mail: letter" || s.kept() != 2 {
			t.Errorf("%s; %d are kept", got, s.kept())
		}
		time.Sleep(20 * time.Hour)
		if s.kept() != 1 {
			t.Errorf("%d are kept", s.kept())
		}
	})
}

// TestStore: what was learned outlives the process, and others take it in.
func TestStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{}
		ann := caller("ann")
		first, second := open(t, s), open(t, s)
		use(first, ann, "send a payment", "pay")
		if s.kept() != 0 {
			t.Error("a call has waited for the store")
		}
		time.Sleep(3 * learn.FollowInterval)
		if got := told(second, ann); got != "pay: send a payment" {
			t.Errorf("the other process has %q", got)
		}
		written := s.writes
		time.Sleep(10 * learn.FollowInterval)
		if s.writes != written {
			t.Error("what is known is written again")
		}
		use(second, ann, "open a bug", "issue")
		must(t, errors.Join(second.Close(), second.Close(), first.Close()))
		third := open(t, s)
		defer func() { _ = third.Close() }()
		if got := told(third, ann); got != "issue: open a bug; pay: send a payment" {
			t.Errorf("after a restart: %q", got)
		}
		must(t, third.Import(t.Context(), []learn.Hint{{Tool: "mail", Query: "letter"}}, nil, true))
		visit, err := learn.Visit(t.Context(), s)
		must(t, err)
		if got := told(visit, ann); got != "mail: letter" {
			t.Errorf("after all was replaced: %q", got)
		}
		must(t, visit.Import(t.Context(), nil, nil, true))
		time.Sleep(2 * learn.FollowInterval)
		if got := told(third, ann); got != "" {
			t.Errorf("after all was taken out: %q", got)
		}
	})
}

// TestStoreFails: calls go on, it is logged once, and nothing is lost.
func TestStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := &shelf{fail: errors.New("disk full")}
		b := learn.Open(t.Context(), s, learn.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		use(b, caller("ann"), "send a payment", "pay")
		time.Sleep(10 * learn.FollowInterval)
		if got := told(b, caller("ann")); got != "pay: send a payment" {
			t.Errorf("without the store: %q", got)
		}
		err := b.Import(t.Context(), []learn.Hint{{Tool: "mail", Query: "letter"}}, nil, true)
		if err == nil || told(b, caller("ann")) != "pay: send a payment" {
			t.Errorf("an import that cannot be kept: %v", err)
		}
		if n := strings.Count(log.String(), "disk full"); n != 1 {
			t.Errorf("logged %d times: %s", n, log.String())
		}
		s.set(nil)
		time.Sleep(2 * learn.FollowInterval)
		if n := s.kept(); n != 1 {
			t.Errorf("%d notes are kept", n)
		}
		must(t, b.Close())
	})
}

// TestAtOnce has searches, calls and looks at the same time.
func TestAtOnce(t *testing.T) {
	b := open(t, &shelf{})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			c := caller(fmt.Sprint(i % 3))
			for k := range 50 {
				use(b, c, fmt.Sprintf("payment of kind x%c", 'a'+k%26), fmt.Sprint("pay", k%5))
				b.Notes(c)
				b.List(nil)
				if k%10 == 0 {
					_ = b.Import(t.Context(), []learn.Hint{{Tool: "mail", Query: "letter"}}, nil, k%20 == 0)
				}
			}
		})
	}
	all.Wait()
}

// TestImport: what is refused, and what is listed of the rest.
func TestImport(t *testing.T) {
	many := func(n int) (out []learn.Hint) {
		for i := range n {
			out = append(out, learn.Hint{Tool: "pay", Query: fmt.Sprintf("payment of kind x%c", 'a'+i)})
		}
		return out
	}
	group := "caller:ann"
	cases := []struct {
		name  string
		hints []learn.Hint
		group *string
		want  string
	}{
		{"no tool", []learn.Hint{{Tool: "pay", Query: "payment"}, {Query: "payment"}}, nil, "hint 2: it names no tool (write the full name under tool)"},
		{"odd tool", []learn.Hint{{Tool: "pay me", Query: "payment"}}, nil, `hint 1: "pay me" is no name of a tool (write the full name under tool)`},
		{"no query", []learn.Hint{{Tool: "pay", Query: " \n"}}, nil, "hint 1: it has no query (write under query what somebody would search for)"},
		{"stop words", []learn.Hint{{Tool: "pay", Query: "can you please"}}, nil, `hint 1: its query "can you please" has no word that searches look at (say what the tool does)`},
		{"long", []learn.Hint{{Tool: "pay", Query: strings.Repeat("long ", 100)}}, nil, "hint 1: its query has 499 bytes, and at most 400 are kept (write several short ones)"},
		{"weight", []learn.Hint{{Tool: "pay", Query: "payment", Weight: 1.5}}, nil, "hint 1: its weight is 1.5 (it is more than 0 and at most 1)"},
		{"less", []learn.Hint{{Tool: "pay", Query: "payment", Weight: -1}}, nil, "hint 1: its weight is -1 (it is more than 0 and at most 1)"},
		{"group", []learn.Hint{{Tool: "pay", Query: "payment", Group: "ann"}}, nil, `hint 1: "ann" is no group of callers (write "group:" and names with commas between them, "caller:" and an ID, or nothing for everybody)`},
		{"time", []learn.Hint{{Tool: "pay", Query: "payment", Used: "yesterday"}}, nil, `hint 1: "yesterday" is no time (write it as 2026-01-31T12:00:00Z, or leave out used for a hint that does not fade)`},
		{"too many", many(learn.MaxPerTool + 1), nil, "the tool pay would have more than 10 hints: keep those that differ most from its description"},
		{"as many as may be", many(learn.MaxPerTool), &group, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := open(t, nil)
			got := ""
			if err := b.Import(t.Context(), c.hints, c.group, false); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if got != "" && len(b.List(nil)) != 0 {
				t.Error("something was taken in")
			}
		})
	}
}

// TestRoundTrip: what was exported says the same when it is imported.
func TestRoundTrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, ann := open(t, nil), "caller:ann"
		defer func() { _ = b.Close() }()
		use(b, caller("ann"), "send a payment", "pay")
		use(b, caller("bob"), "send a letter", "mail")
		must(t, b.Import(t.Context(), []learn.Hint{{Tool: "mail", Query: "write a letter", Weight: .5}}, nil, false))
		time.Sleep(learn.HalfLife)
		all := b.List(nil)
		other := open(t, nil)
		defer func() { _ = other.Close() }()
		must(t, other.Import(t.Context(), all, nil, false))
		if diff := gocmp.Diff(all, other.List(nil)); diff != "" || len(all) != 3 {
			t.Errorf("%d notes: %s", len(all), diff)
		}
		if own := b.List(&ann); len(own) != 1 || own[0].Tool != "pay" {
			t.Errorf("of ann: %v", own)
		}
		must(t, b.Import(t.Context(), []learn.Hint{{Tool: "pay", Query: "remit"}}, &ann, true))
		if got := told(b, caller("ann")) + " and " + told(b, caller("bob")); got != "mail: write a letter; pay: remit and mail: write a letter; mail: send a letter" {
			t.Error(got)
		}
		use(b, caller("ann"), "remits", "pay") // a person's words are not overwritten
		for range learn.MaxPerTool + 1 {
			use(b, caller("ann"), "pay "+time.Now().String()[11:16], "pay")
			time.Sleep(time.Minute)
		}
		if notes := b.List(&ann); len(notes) != learn.MaxPerTool || !slices.ContainsFunc(notes, func(h learn.Hint) bool { return h.Query == "remit" && h.Used == "" }) {
			t.Errorf("%v", notes)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestRenewal: where there are many notes, what calls add is given out every half
// minute, and what a person adds at once.
func TestRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, nil)
		defer func() { _ = b.Close() }()
		ann := caller("ann")
		count := func() int {
			notes, _ := b.Notes(ann)
			return len(notes)
		}
		const few = 63
		for i := range few {
			use(b, ann, "send a payment", fmt.Sprintf("pay_%d", i))
			if n := count(); n != i+1 {
				t.Fatalf("%d notes after %d calls", n, i+1)
			}
		}
		use(b, ann, "send a payment", "many")
		if n := count(); n != few+1 {
			t.Errorf("%d notes", n)
		}
		use(b, ann, "send a payment", "one_more")
		if n := count(); n != few+1 {
			t.Errorf("a call was seen at once: %d notes", n)
		}
		must(t, b.Import(t.Context(), []learn.Hint{{Tool: "pay", Query: "send money"}}, nil, false))
		if n := count(); n != few+3 {
			t.Errorf("what was written was not seen at once: %d notes", n)
		}
		use(b, ann, "send a payment", "last")
		time.Sleep(29 * time.Second)
		if n := count(); n != few+3 {
			t.Errorf("a call was seen before its time: %d notes", n)
		}
		time.Sleep(time.Second)
		if n := count(); n != few+4 {
			t.Errorf("a call is not seen: %d notes", n)
		}
	})
}
