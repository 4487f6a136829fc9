package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
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

// finder is a gateway every search of which finds something new.
type finder struct{ mirror }

func (finder) Call(_ context.Context, call tool.Call) tool.Result {
	out := tool.TextOutput("found")
	out.Search = &tool.Search{Activated: []string{"a"}}
	return tool.Result{Tool: call.Tool, Status: tool.StatusOK, Output: out}
}

// TestHoldOverHTTP holds how long a search takes in a session, and that it is told on
// its own stream before it is answered.
func TestHoldOverHTTP(t *testing.T) {
	const (
		soon   = 40 * time.Millisecond
		search = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"discover_tools","arguments":{}}}`
		list   = `{"jsonrpc":"2.0","id":4,"method":"tools/list"}`
	)
	tests := []struct {
		name string
		host func(h http.Handler, id string, hangUp func()) // what it does when it is told
		took time.Duration
	}{
		{"lists", func(h http.Handler, id string, _ func()) { send(h, http.MethodPost, list, headerSession, id) }, soon + relistGrace},
		{"lists by the SDK", func(h http.Handler, id string, _ func()) {
			send(h, http.MethodPost, list, headerSession, id, "Content-Type", "application/json; charset=utf-8")
		}, soon + relistGrace},
		{"takes no notice", func(http.Handler, string, func()) {}, relistMost},
		{"cancels", func(h http.Handler, id string, _ func()) {
			send(h, http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`, headerSession, id)
		}, soon},
		{"hangs up", func(_ http.Handler, _ string, hangUp func()) { hangUp() }, soon},
		{"ends the session", func(h http.Handler, id string, _ func()) { send(h, http.MethodDelete, "", headerSession, id) }, soon},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := New(finder{}, Options{})
				defer func() { _ = s.Close() }()
				h := s.Handler()
				id := opened(h)
				ctx, hangUp := context.WithCancel(t.Context())
				defer hangUp()
				go func() {
					time.Sleep(soon)
					tt.host(h, id, hangUp)
				}()
				var res *httptest.ResponseRecorder
				within := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(w, r.WithContext(ctx)) })
				took := howLong(func() { res = send(within, http.MethodPost, search, headerSession, id) })
				if took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				told, answer, _ := strings.Cut(res.Body.String(), "\n\n")
				if !strings.Contains(told, notifyListChanged) || !strings.Contains(answer, `"id":3`) || strings.Contains(answer, notifyListChanged) {
					t.Errorf("answered with %d %s", res.Code, res.Body)
				}
			})
		})
	}
}

// TestHoldEndsWithInput holds that nobody waits for the list of a client that has
// closed its end of the pipe.
func TestHoldEndsWithInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(finder{}, Options{})
		piped := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"0"}}}
` + initialized + `
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"discover_tools"}}
`
		var out bytes.Buffer
		took := howLong(func() {
			if err := s.ServeStdio(t.Context(), io.NopCloser(strings.NewReader(piped)), &out); err != nil {
				t.Error(err)
			}
		})
		if took > relistGrace || strings.Count(out.String(), "\n") != 3 || !strings.Contains(out.String(), notifyListChanged) {
			t.Errorf("took %v, answered:\n%s", took, out.String())
		}
	})
}
