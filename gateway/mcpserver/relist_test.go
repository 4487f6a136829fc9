package mcpserver

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// TestHold holds how long answers wait for a session to list, and when that is given up
// for good.
func TestHold(t *testing.T) {
	const soon, late, unheld = 40 * time.Millisecond, relistMost - 30*time.Millisecond, time.Duration(0)
	found := &tool.Search{Activated: []string{"a"}}
	// host is what a client does when it is told, and what its user does.
	type host func(r *relists, cancel, hangUp func())
	lists := func(r *relists, last bool, after, takes time.Duration) {
		time.Sleep(after)
		waiting := r.begin()
		time.Sleep(takes)
		if last {
			r.reach(waiting)
			r.answer(waiting)
		}
	}
	tests := []struct {
		name   string
		search *tool.Search
		host   host // not told at all where nil
		took   time.Duration
		again  time.Duration // the answer to a search after it, of a host that does nothing
	}{
		{"lists at once", found, func(r *relists, _, _ func()) { lists(r, true, 0, 0) }, relistGrace, relistMost},
		{"lists soon", found, func(r *relists, _, _ func()) { lists(r, true, soon, soon) }, 2*soon + relistGrace, relistMost},
		{"lists at the last moment", found, func(r *relists, _, _ func()) { lists(r, true, late, 0) }, relistMost, relistMost},
		{"lists too late", found, func(r *relists, _, _ func()) { lists(r, true, relistMost+soon, 0) }, relistMost, unheld},
		{"reads the first page only", found, func(r *relists, _, _ func()) { lists(r, false, soon, 0) }, relistMost, unheld},
		{"reads all pages", found, func(r *relists, _, _ func()) { lists(r, false, soon, 0); lists(r, true, soon, 0) }, 2*soon + relistGrace, relistMost},
		{"reads slowly", found, func(r *relists, _, _ func()) {
			waiting := r.begin()
			r.reach(waiting)
			time.Sleep(2 * relistMost)
			r.answer(waiting)
		}, relistMost, relistMost},
		{"takes no notice", found, func(*relists, func(), func()) {}, relistMost, unheld},
		{"is cancelled", found, func(_ *relists, cancel, _ func()) { time.Sleep(soon); cancel() }, soon, relistMost},
		{"is cancelled after the list", found, func(r *relists, cancel, _ func()) { lists(r, true, 0, 0); time.Sleep(soon); cancel() }, soon, relistMost},
		{"hangs up", found, func(_ *relists, _, hangUp func()) { time.Sleep(soon); hangUp() }, soon, relistMost},
		{"hangs up after the list", found, func(r *relists, _, hangUp func()) { lists(r, true, 0, 0); time.Sleep(soon); hangUp() }, soon, relistMost},
		{"says no more", found, func(r *relists, _, _ func()) { time.Sleep(soon); r.end() }, soon + relistGrace, unheld},
		{"finds nothing new", &tool.Search{Spared: 7}, nil, unheld, relistMost},
		{"is no search", nil, nil, unheld, relistMost},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var r relists
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				gone := make(chan struct{})
				told := 0
				took := howLong(func() {
					r.found(ctx, tt.search, false, notice{gone: gone, most: relistMost, send: func(context.Context) error {
						told++
						go tt.host(&r, cancel, func() { close(gone) })
						return nil
					}})
				})
				if took != tt.took || told != 0 != (tt.host != nil) {
					t.Errorf("took %v, want %v; told %d times", took, tt.took, told)
				}
				time.Sleep(3 * relistMost)
				again := howLong(func() {
					r.found(t.Context(), found, false, heard())
				})
				if again != tt.again {
					t.Errorf("the next one took %v, want %v", again, tt.again)
				}
				if len(r.waiting) != 0 {
					t.Errorf("%d are still waited for", len(r.waiting))
				}
			})
		})
	}
}

// heard is a notice that somebody takes in and does nothing about.
func heard() notice {
	return notice{send: func(context.Context) error { return nil }, most: relistMost}
}

// howLong is how long something takes.
func howLong(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}

// TestHoldOfWhoCannotBeTold holds that nothing waits for a client that is not there,
// and that this says nothing of the session.
func TestHoldOfWhoCannotBeTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r relists
		took := howLong(func() {
			r.hold(t.Context(), notice{send: func(context.Context) error { return errors.New("gone") }, most: relistMost})
		})
		if took != 0 || r.heedless || len(r.waiting) != 0 {
			t.Errorf("took %v, %+v", took, &r)
		}
	})
}

// TestHoldsAtOnce holds that a list lets go of all who were told before it began, and of
// nobody else.
func TestHoldsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r relists
		took := make(chan time.Duration, 3)
		hold := func() {
			took <- howLong(func() { r.hold(t.Context(), heard()) })
		}
		go hold()
		go hold()
		time.Sleep(relistGrace)
		waiting := r.begin()
		go hold()
		synctest.Wait()
		r.answer(waiting)
		for range 2 {
			if d := <-took; d != 2*relistGrace {
				t.Errorf("took %v", d)
			}
		}
		r.answer(waiting) // again, of nobody
		r.answer(r.begin())
		if d := <-took; d != 2*relistGrace {
			t.Errorf("the third took %v", d)
		}
	})
}

// TestOwed holds that a session that searches is told of what others found with its own
// answer, once.
func TestOwed(t *testing.T) {
	var r relists
	if r.owe() {
		t.Error("left to a search, but there is none")
	}
	other := r.search("something_else")
	one, two := r.search(searchTool), r.search(searchTool)
	if !r.owe() || other() {
		t.Error("left to another call, or to none")
	}
	if !one() || two() {
		t.Error("not told, or twice")
	}
	if r.owe() {
		t.Error("left to a search that has ended")
	}
	told := 0
	n := notice{send: func(context.Context) error { told++; return nil }}
	r.found(t.Context(), nil, true, n)
	(*relists)(nil).found(t.Context(), &tool.Search{Activated: []string{"a"}}, true, n)
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}
