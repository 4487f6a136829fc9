package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

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
