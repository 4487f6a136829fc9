package repeat_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolgate/toolgate/gateway/repeat"
	"github.com/toolgate/toolgate/gateway/tool"
)

var place = repeat.Place{Caller: "ann", Chat: "c", Tool: "t"}

// TestCounts goes through all codes.
func TestCounts(t *testing.T) {
	not := map[tool.Code]bool{
		tool.NeedsApproval: true, tool.Cancelled: true, tool.Interrupted: true, tool.Overloaded: true, tool.RateLimited: true, tool.Internal: true,
	}
	for _, code := range tool.Codes() {
		e := tool.Errorf(code, "it failed")
		if got := repeat.Counts(e); got == not[code] {
			t.Errorf("%s counts: %v", code, got)
		}
		if e.Retryable = true; repeat.Counts(e) {
			t.Errorf("%s that may pass counts", code)
		}
	}
}

// TestName: what makes a call another one makes its name another one.
func TestName(t *testing.T) {
	b := repeat.New()
	names := map[repeat.Call]string{}
	for _, c := range []struct {
		place repeat.Place
		about []string
	}{
		{place, nil},
		{place, []string{""}},
		{place, []string{"a", "b"}},
		{place, []string{"ab"}},
		{place, []string{"ab", ""}},
		{repeat.Place{Caller: "annc", Tool: "t"}, nil},
		{repeat.Place{Caller: "ann", Chat: "ct"}, nil},
	} {
		var about [][]byte
		for _, text := range c.about {
			about = append(about, []byte(text))
		}
		name := b.Name(c.place, about...)
		if other, ok := names[name]; ok {
			t.Errorf("%v and %s have one name", c, other)
		}
		if b.Name(c.place, about...) != name {
			t.Errorf("%v has two names", c)
		}
		names[name] = fmt.Sprint(c)
	}
}

// TestForgets: beyond its bound the call that failed least lately goes, and what is
// over goes by itself.
func TestForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := repeat.New()
		why := tool.Errorf(tool.Denied, "%s", strings.Repeat("long ", 1000))
		name := func(i int) repeat.Call {
			return b.Name(repeat.Place{Caller: "ann", Chat: fmt.Sprint(i), Tool: "t"}, []byte("{}"))
		}
		fail := func(i int) {
			for range repeat.Attempts {
				b.Failed(name(i), why)
			}
		}
		for i := range repeat.MaxCalls {
			fail(i)
		}
		fail(0) // lately, now
		fail(repeat.MaxCalls)
		for i, known := range map[int]bool{0: true, 1: false, 2: true, repeat.MaxCalls: true} {
			if got := b.Why(name(i)); (got != nil) != known {
				t.Errorf("call %d is known: %v", i, got != nil)
			}
		}
		if kept := b.Why(name(0)).Message; len(kept) > 1100 {
			t.Errorf("%d bytes are kept of a message", len(kept))
		}
		time.Sleep(repeat.Window)
		if b.Why(name(0)) != nil {
			t.Error("known when the window is over")
		}
		for i := range repeat.MaxCalls {
			b.Failed(b.Name(place, fmt.Append(nil, i)), why)
		}
		if b.Knows(repeat.Place{Caller: "ann", Chat: "2", Tool: "t"}) || !b.Knows(place) {
			t.Error("what is over is kept, or what is not is gone")
		}
		if b.Forget(); b.Knows(place) {
			t.Error("known when all is forgotten")
		}
	})
}

// TestTogether is for the race detector.
func TestTogether(t *testing.T) {
	b, why := repeat.New(), tool.Errorf(tool.Denied, "no")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 500 {
				c := b.Name(place, fmt.Append(nil, n%7))
				switch (i + n) % 5 {
				case 0:
					b.Succeeded(c)
				case 1:
					b.Why(c)
				case 2:
					b.Knows(place)
				default:
					b.Failed(c, why)
				}
			}
		})
	}
	all.Wait()
	for n := range 7 {
		b.Succeeded(b.Name(place, fmt.Append(nil, n)))
	}
	if b.Knows(place) {
		t.Error("something is left of calls that all succeeded")
	}
}
