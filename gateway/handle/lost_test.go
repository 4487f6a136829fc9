package handle_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolgate/toolgate/gateway/handle"
	"github.com/toolgate/toolgate/gateway/tool"
)

// twice asks for the call of a key and says how: "ran", "replayed" or "lost".
func twice(t *testing.T, d *handle.Desk, h *house, caller, id string, size int) string {
	t.Helper()
	before := h.runs.Load()
	_, replayed, err := d.Once(t.Context(), handle.Key{Caller: caller, ID: id}, call("echo", "", strings.Repeat("x", size)))
	ran := h.runs.Load() > before
	switch {
	case err != nil:
		wantError(t, err, tool.TooLarge, fmt.Sprintf("Error: the call %q has run, and its result is not kept any more\n"+
			"It was not run again. Find out what it did before you make the call under another id.", id))
		if ran {
			t.Error("it ran all the same")
		}
		return "lost"
	case replayed && !ran:
		return "replayed"
	case ran && !replayed:
		return "ran"
	}
	return "something else"
}

// TestShares lets one caller fill her share, and more: nobody else's results go for
// it, and what hers have to go for is known to have run.
func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit, large = 400_000, 40_000
		d, h := newDesk(handle.Options{Bytes: limit})
		ask := func(caller, id string, size int) string { return twice(t, d, h, caller, id, size) }
		ask("bob", "1", large)
		ask("ann", "small", 1)
		for i := range 20 {
			same(t, "first", "ran", ask("ann", fmt.Sprint(i), large))
			if _, _, held, _ := d.Held(); held > limit/4+large+20*1100 {
				t.Errorf("%d bytes are held after %d", held, i)
			}
		}
		for id, want := range map[string]string{"0": "lost", "17": "lost", "18": "replayed", "19": "replayed"} {
			same(t, id, want, ask("ann", id, large))
		}
		same(t, "a small one", "replayed", ask("ann", "small", 1))
		same(t, "another caller's", "replayed", ask("bob", "1", large))
		for i := range 10 { // together they fill it all
			ask(fmt.Sprint("caller ", i), "1", 2*large)
		}
		same(t, "the oldest", "lost", ask("bob", "1", large))
		same(t, "a newer one", "replayed", ask("caller 9", "1", 2*large))
		_, _, err := d.Once(t.Context(), handle.Key{Caller: "bob", ID: "1"}, call("echo", "", "{}"))
		wantError(t, err, tool.InvalidArgs, "Error: the call id \"1\" stands for another call of this chat\nThe call was not run. Give every call an id of its own.")
		time.Sleep(handle.DefaultKeep)
		same(t, "later", "ran", ask("bob", "1", large))
	})
}

// TestSharesOfStarted is the same for calls that were started: of one caller no more
// is kept than her share.
func TestSharesOfStarted(t *testing.T) {
	d, _ := newDesk(handle.Options{Bytes: 400_000})
	c := call("echo", "1", "{}")
	c.Caller = bob
	start(t, d, c)
	d.Wait(t.Context(), bob, "1")
	for i := range 20 {
		start(t, d, call("echo", fmt.Sprint(i), strings.Repeat("x", 40_000)))
		wait(t, d, fmt.Sprint(i))
	}
	same(t, "hers", []string{"18", "19"}, here(d, "0", "17", "18", "19"))
	if _, ok := d.Status(bob, "1"); !ok {
		t.Error("another caller's result is gone")
	}
}

// TestLostSurvives holds that a call whose result was lost, or is too large to be
// stored, is not run by the next process either.
func TestLostSurvives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{entries: map[handle.Name]handle.Entry{}}
		h := &house{}
		process := func(o handle.Options) (*handle.Desk, func()) {
			o.Keeper = handle.NewKeeper(m, nil)
			o.Kept, _ = m.Kept(t.Context(), time.Time{})
			return handle.New(h.run, o), runKeeper(t, o.Keeper)
		}
		before, end := process(handle.Options{Bytes: 400_000})
		for i := range 4 {
			twice(t, before, h, "ann", fmt.Sprint(i), 40_000)
		}
		end()
		before, end = process(handle.Options{})
		twice(t, before, h, "ann", "huge", 5<<20)
		same(t, "huge", "replayed", twice(t, before, h, "ann", "huge", 5<<20))
		end()
		after, end := process(handle.Options{})
		defer end()
		for id, want := range map[string]string{"0": "lost", "1": "lost", "2": "replayed", "3": "replayed"} {
			same(t, id, want, twice(t, after, h, "ann", id, 40_000))
		}
		same(t, "huge", "lost", twice(t, after, h, "ann", "huge", 5<<20))
	})
}

// TestLongIDs lets ids take more than there is room for: the desk goes on, holds no
// more than its limit, and tells ids apart that begin in the same way.
func TestLongIDs(t *testing.T) {
	const limit, many = 400_000, 60
	d, h := newDesk(handle.Options{Bytes: limit})
	long := strings.Repeat("ä", 8<<10)
	ask := func(i int) (bool, error) {
		_, replayed, err := d.Once(t.Context(), handle.Key{Caller: "ann", ID: long + fmt.Sprint(i)}, call("echo", "", `{}`))
		return replayed, err
	}
	for range 2 {
		for i := range many {
			if _, err := ask(i); err != nil {
				t.Fatal(err)
			}
		}
	}
	same(t, "runs", int64(many), h.runs.Load())
	if _, keys, held, _ := d.Held(); keys != many || held > limit {
		t.Errorf("%d keys and %d bytes are held", keys, held)
	}
	_, _, err := d.Once(t.Context(), handle.Key{Caller: "ann", ID: long + "0"}, call("echo", "", `{"a": 1}`))
	wantError(t, err, tool.InvalidArgs, fmt.Sprintf("Error: the call id %q stands for another call of this chat\nThe call was not run. Give every call an id of its own.",
		tool.Excerpt([]byte(long), 100)))
}
