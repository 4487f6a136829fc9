package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/tool"
)

// watcher writes down what it is told.
type watcher struct {
	mu   sync.Mutex // guards told
	told []string
}

func (w *watcher) Began(n *tool.Notice) { w.note("began", n) }
func (w *watcher) Ended(n *tool.Notice) { w.note("ended", n) }

func (w *watcher) note(what string, n *tool.Notice) {
	w.mu.Lock()
	defer w.mu.Unlock()
	code := "-"
	if n.Result != nil {
		if code = "ok"; n.Result.Error != nil {
			code = string(n.Result.Error.Code)
		}
	}
	line := fmt.Sprintf("%s %s known=%v decision=%s rule=%s request=%s %s", what, n.Shown, n.Known, n.Decision, n.Rule, n.Request, code)
	w.told = append(w.told, line)
}

// TestWatch holds what observers are told of calls, in order, and that one that
// stopped is told nothing more.
func TestWatch(t *testing.T) {
	answer := func(context.Context, tool.Input) (tool.Output, error) { return tool.TextOutput("done"), nil }
	runners := map[string]runnerFunc{"read": answer, "pay": func(context.Context, tool.Input) (tool.Output, error) { return tool.Output{}, errors.New("broken") }}
	g := house(t, nowhere{}, runners)
	first, second := &watcher{}, &watcher{}
	stop := g.Watch(first)
	stopSecond := g.Watch(second)
	ctx := tool.WithRequest(t.Context(), "r1")
	g.Call(ctx, call("read", `{}`))
	g.Call(ctx, call("pay", `{"amount": 1}`))
	g.Call(ctx, call("pay", `{"amount": 1000}`))
	g.Call(ctx, call("hidden", `{}`))
	stop()
	g.Call(t.Context(), call("say_hunter2", `{}`))
	stopSecond()
	g.Call(t.Context(), call("read", `{}`))
	want := []string{
		"began read known=true decision=allow rule= request=r1 -",
		"ended read known=true decision=allow rule= request=r1 ok",
		"began pay known=true decision=allow rule= request=r1 -",
		"ended pay known=true decision=allow rule= request=r1 internal",
		"ended pay known=true decision=deny rule=big request=r1 denied",
		"ended hidden known=true decision= rule= request=r1 not_found",
	}
	if diff := cmp.Diff(want, first.told); diff != "" {
		t.Error(diff)
	}
	want = append(want, "ended say_[secret] known=false decision= rule= request= not_found")
	if diff := cmp.Diff(want, second.told); diff != "" {
		t.Error(diff)
	}
}

// falling panics at whatever it is told.
type falling struct{}

func (falling) Began(*tool.Notice) { panic("began hunter2") }
func (falling) Ended(*tool.Notice) { panic("ended hunter2") }

// TestWatchPanics: an observer that panics changes nothing of a call, keeps nothing from
// the others, and is told of in the log, without secrets; one that is nil is none.
func TestWatchPanics(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	h := newAskHouse(t, gateway.Options{
		Logger: slog.New(slog.NewTextHandler(&logged, nil)), Observe: []gateway.Observer{falling{}, nil},
	})
	defer h.close(t)
	after := &watcher{}
	h.Watch(nil)()
	h.Watch(after)
	if r := h.Call(t.Context(), call("read", `{}`)); r.Error != nil || r.Output.Text() != "done" {
		t.Errorf("called: %+v", r)
	}
	status, err := h.Handles().Start(t.Context(), call("read", `{}`))
	if err != nil {
		t.Fatal(err)
	}
	if status, _ = h.Handles().Wait(t.Context(), call("", "").Caller, status.ID); status.Result == nil || status.Result.Error != nil {
		t.Errorf("started: %+v", status)
	}
	if len(after.told) != 4 {
		t.Error("the other one was told", after.told)
	}
	lines := logged.String()
	if n := strings.Count(lines, "level=ERROR msg=\"an observer of calls panicked\""); n != 4 {
		t.Errorf("%d lines, want 4:\n%s", n, lines)
	}
	if !strings.Contains(lines, "panic: began [secret]") || !strings.Contains(lines, "panic: ended [secret]") || strings.Contains(lines, "hunter2") {
		t.Error(lines)
	}
}
