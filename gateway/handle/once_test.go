package handle_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolgate/toolgate/gateway/handle"
	"github.com/toolgate/toolgate/gateway/tool"
)

// asked is one answer of Once.
type asked struct {
	text     string
	replayed bool
	err      error
}

// ask asks in the background.
func ask(ctx context.Context, d *handle.Desk, key handle.Key, c tool.Call) chan asked {
	answered := make(chan asked, 1)
	go func() {
		r, replayed, err := d.Once(ctx, key, c)
		answered <- asked{r.Output.Text(), replayed, err}
	}()
	return answered
}

func TestOnce(t *testing.T) {
	a := handle.Key{Caller: "ann", Chat: "c", ID: "1"}
	cases := []struct {
		name     string
		key      handle.Key
		call     tool.Call
		replayed bool
		code     tool.Code
	}{
		{"same", a, call("echo", "x", `{"a":1,"b":2.0}`), true, ""},
		{"same JSON", a, call("echo", "x", " {\"b\": 2.0,\n\"a\": 1} "), true, ""},
		{"other digits", a, call("echo", "x", `{"a":1,"b":2}`), false, tool.InvalidArgs},
		{"other arguments", a, call("echo", "x", `{"a":2,"b":2.0}`), false, tool.InvalidArgs},
		{"other tool", a, call("denied", "x", `{"a":1,"b":2.0}`), false, tool.InvalidArgs},
		{"other id", handle.Key{Caller: "ann", Chat: "c", ID: "2"}, call("echo", "x", `{"a":2}`), false, ""},
		{"other chat", handle.Key{Caller: "ann", Chat: "d", ID: "1"}, call("echo", "x", `{"a":2}`), false, ""},
		{"no chat", handle.Key{Caller: "ann", ID: "1"}, call("echo", "x", `{"a":2}`), false, ""},
		{"default chat", handle.Key{Caller: "ann", Chat: tool.DefaultChat, ID: "1"}, call("echo", "x", `{"a":2}`), true, ""},
		{"other caller", handle.Key{Caller: "bob", Chat: "c", ID: "1"}, call("echo", "x", `{"a":2}`), false, ""},
		{"no id", handle.Key{Caller: "ann", Chat: "c"}, call("echo", "x", `{"a":3}`), false, ""},
		{"no id again", handle.Key{Caller: "ann", Chat: "c"}, call("echo", "x", `{"a":3}`), false, ""},
	}
	d, h := newDesk(handle.Options{})
	if _, _, err := d.Once(t.Context(), a, call("echo", "first", `{"a":1,"b":2.0}`)); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		before := h.runs.Load()
		r, replayed, err := d.Once(t.Context(), c.key, c.call)
		if c.code != "" {
			wantError(t, err, c.code, "Error: the call id \"1\" stands for another call of this chat\nThe call was not run. Give every call an id of its own.")
		} else if err != nil || r.Error != nil {
			t.Errorf("%s: %v, %v", c.name, err, r.Error)
		}
		ran := h.runs.Load() > before
		same(t, c.name, []bool{c.replayed, !c.replayed && c.code == ""}, []bool{replayed, ran})
	}
	_, _, _, runs := d.Held()
	same(t, "runs that are left", 0, runs)
}

// TestKeptOrNot holds which failures are given again and which are tried again.
func TestKeptOrNot(t *testing.T) {
	for _, code := range tool.Codes() {
		d, h := newDesk(handle.Options{})
		again := code == tool.Cancelled || code == tool.Interrupted || code == tool.Overloaded || code == tool.RateLimited || code == tool.NeedsApproval || code == tool.Inactive
		for range 2 {
			r, _, err := d.Once(t.Context(), handle.Key{ID: "1"}, call(string(code), "", ""))
			if err != nil || r.Error.Code != code {
				t.Errorf("%s: %v, %v", code, err, r.Error)
			}
		}
		if _, keys, _, _ := d.Held(); (keys == 0) != again || h.runs.Load() != map[bool]int64{true: 2, false: 1}[again] {
			t.Errorf("%s: %d runs, %d keys kept", code, h.runs.Load(), keys)
		}
	}
}

// TestAskedWhileItRuns holds that those who ask meanwhile get the first one's
// result, and that one of them takes over when the first one gives up.
func TestAskedWhileItRuns(t *testing.T) {
	for _, givesUp := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d, h := newDesk(handle.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			key, c := handle.Key{ID: "1"}, call("slow", "", "{}")
			first := ask(ctx, d, key, c)
			synctest.Wait()
			second, third := ask(t.Context(), d, key, c), ask(t.Context(), d, key, c)
			short, stop := context.WithTimeout(t.Context(), time.Second)
			defer stop()
			impatient := <-ask(short, d, key, c)
			wantError(t, impatient.err, tool.Timeout, "Error: the tool did not finish in time and was stopped\nIt may have had an effect: check before you call it again.")
			if givesUp {
				cancel()
			}
			a, b, e := <-first, <-second, <-third
			want := []asked{{"{}", false, nil}, {"{}", true, nil}, {"{}", true, nil}}
			if givesUp {
				want[0].text = "Error: the call was given up before the tool had finished"
				if b.replayed == e.replayed {
					t.Errorf("replayed %v and %v", b.replayed, e.replayed)
				}
				b.replayed, e.replayed = true, true
			}
			for i, got := range []asked{a, b, e} {
				if got != want[i] {
					t.Errorf("%d got %+v, want %+v", i, got, want[i])
				}
			}
			same(t, "runs", map[bool]int64{false: 1, true: 2}[givesUp], h.runs.Load())
		})
	}
}

// TestPanic holds that nobody waits for a call that broke.
func TestPanic(t *testing.T) {
	runs := 0
	d := handle.New(func(_ context.Context, c tool.Call) tool.Result {
		if runs++; runs == 1 {
			panic("broken")
		}
		return answer(c, nil)
	}, handle.Options{})
	func() {
		defer func() { _ = recover() }()
		_, _, _ = d.Once(t.Context(), handle.Key{ID: "1"}, call("x", "", ""))
	}()
	_, replayed, err := d.Once(t.Context(), handle.Key{ID: "1"}, call("x", "", ""))
	if err != nil || replayed || runs != 2 {
		t.Errorf("%v, replayed %v, %d runs", err, replayed, runs)
	}
}

// TestForgotten holds how long, and how many, results are given again.
func TestForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := newDesk(handle.Options{Replays: 8, Keep: time.Hour})
		replays := func(caller, id string) bool {
			_, replayed, err := d.Once(t.Context(), handle.Key{Caller: caller, ID: id}, call("echo", "", "{}"))
			if err != nil {
				t.Error(err)
			}
			return replayed
		}
		for i := range 3 {
			replays("ann", fmt.Sprint(i)) // two of which are her share
		}
		same(t, "replayed", []bool{true, true, false, false}, []bool{replays("ann", "1"), replays("ann", "2"), replays("ann", "0"), replays("ann", "1")})
		for i := range 4 {
			replays(fmt.Sprint("caller ", i), "1")
			replays(fmt.Sprint("caller ", i), "2")
		}
		_, keys, _, _ := d.Held()
		same(t, "keys", 8, keys)
		same(t, "replayed", true, replays("caller 0", "1"))
		time.Sleep(time.Hour)
		same(t, "replayed", false, replays("caller 0", "1"))
		_, keys, _, _ = d.Held()
		same(t, "keys", 1, keys)
	})
}

// TestHammer lets many goroutines start, ask after, cancel and repeat calls
// until the desk closes under them: nothing runs or is counted afterwards.
func TestHammer(t *testing.T) {
	var running, runs atomic.Int64
	d := handle.New(func(ctx context.Context, c tool.Call) tool.Result {
		running.Add(1)
		defer running.Add(-1)
		runs.Add(1)
		tool.Progress(ctx, tool.Step{Done: 1})
		select {
		case <-ctx.Done():
			return answer(c, tool.Ended(ctx))
		case <-time.After(time.Duration(rand.IntN(300)) * time.Microsecond):
			return answer(c, nil)
		}
	}, handle.Options{PerCaller: 8, Most: 20, Replays: 16, Bytes: 20_000, Keep: 2 * time.Millisecond})
	var group sync.WaitGroup
	for n := range 16 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(7, uint64(n)))
			for i := range 150 {
				caller := tool.Caller{ID: fmt.Sprint(rng.IntN(4))}
				id := fmt.Sprint(rng.IntN(12))
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.IntN(400))*time.Microsecond)
				switch rng.IntN(5) {
				case 0:
					_, _ = d.Start(ctx, tool.Call{ID: id, Tool: "x", Caller: caller})
				case 1:
					_, _ = d.Wait(ctx, caller, id)
				case 2:
					_, _ = d.Cancel(caller, id)
				default:
					r, _, err := d.Once(ctx, handle.Key{Caller: caller.ID, ID: id}, tool.Call{Tool: "x", Arguments: []byte(id), Caller: caller})
					if err == nil && r.Error == nil && r.Output.Text() != id {
						t.Errorf("the answer to %s is %q", id, r.Output.Text())
					}
				}
				cancel()
				if n == 0 && i == 140 {
					if err := d.Close(context.Background()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	group.Wait()
	_, keys, size, left := d.Held()
	if running.Load() != 0 || left != 0 || keys > 16 || size > 2*20_000 {
		t.Errorf("%d run, %d counted, %d keys, %d bytes", running.Load(), left, keys, size)
	}
	t.Logf("%d runs", runs.Load())
}

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		"": "{}", " \n": "{}", "null": "null", ` { "b" : [ 1.50, 1e400 ], "a":"\u0061" } `: `{"a":"a","b":[1.50,1e400]}`,
		`{"a":1`: `{"a":1`, `{} {}`: `{} {}`, "plain": "plain",
	} {
		same(t, in, want, string(handle.Canonical([]byte(in))))
	}
}

// FuzzCanonical holds that the form that arguments are compared by stays the
// same when it is made again.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{"", "{}", `{"b":1.0,"a":[true,null]}`, `"\ud800"`, "{} x", strings.Repeat("[", 20)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		once := handle.Canonical(data)
		if again := handle.Canonical(once); !bytes.Equal(once, again) {
			t.Errorf("%q becomes %q", once, again)
		}
	})
}
