package gateway_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/tool"
)

// edition is a generation whose one tool answers with the generation's name, and
// that tells of its end.
func edition(t *testing.T, name string, closed *atomic.Int64, run runnerFunc) *gateway.Generation {
	t.Helper()
	if run == nil {
		run = func(context.Context, tool.Input) (tool.Output, error) { return tool.TextOutput(name), nil }
	}
	tools := toolsOf(t, "which")
	tools.All()[0].Runner = run
	return &gateway.Generation{Tools: tools, Close: func() { closed.Add(1) }}
}

// toolsOf is a set of tools that echo.
func toolsOf(t testing.TB, names ...string) *registry.Registry {
	t.Helper()
	entries := make([]*registry.Entry, len(names))
	for i, name := range names {
		spec := &tool.Spec{Name: name, Parameters: []byte(`{"type":"object"}`), Timeout: tool.DefaultTimeout, MaxOutput: 1 << 20}
		compiled, err := schema.Compile(spec.Parameters)
		if err != nil {
			t.Fatal(err)
		}
		entries[i] = &registry.Entry{Spec: spec, Schema: compiled, Runner: runnerFunc(echo)}
	}
	tools, err := registry.New(entries)
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

// TestSwap: a call finishes on the generation it entered, which is closed after
// the last of its calls and not before; those that come later are in the next.
func TestSwap(t *testing.T) {
	t.Parallel()
	var first, second atomic.Int64
	entered, leave := make(chan struct{}), make(chan struct{})
	g := gateway.New(edition(t, "first", &first, func(context.Context, tool.Input) (tool.Output, error) {
		close(entered)
		<-leave
		return tool.TextOutput("first"), nil
	}), &memoryLog{}, gateway.Options{})
	answer := make(chan tool.Result)
	go func() { answer <- g.Call(t.Context(), call("which", "{}")) }()
	<-entered
	g.Swap(edition(t, "second", &second, nil))
	if res := g.Call(t.Context(), call("which", "{}")); res.Output.Text() != "second" {
		t.Errorf("after the swap: %q", res.Output.Text())
	}
	if first.Load() != 0 {
		t.Error("closed under a call")
	}
	close(leave)
	if res := <-answer; res.Output.Text() != "first" {
		t.Errorf("the call under way: %q", res.Output.Text())
	}
	if first.Load() != 1 || second.Load() != 0 {
		t.Errorf("closed %d and %d times", first.Load(), second.Load())
	}
}

// TestSwapsUnderLoad: no call fails while generations come and go, and each of
// them is closed once.
func TestSwapsUnderLoad(t *testing.T) {
	t.Parallel()
	const swaps, callers = 300, 8
	closed := make([]atomic.Int64, swaps+1)
	g := gateway.New(edition(t, "0", &closed[0], nil), &memoryLog{}, gateway.Options{})
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for ctx.Err() == nil {
				if res := g.Call(t.Context(), call("which", "{}")); res.Error != nil {
					t.Errorf("%v", res.Error)
					return
				}
				g.Tools(t.Context(), tool.View{})
			}
		})
	}
	for i := range swaps {
		g.Swap(edition(t, "next", &closed[i+1], nil))
	}
	stop()
	wg.Wait()
	for i := range swaps {
		if n := closed[i].Load(); n != 1 {
			t.Errorf("generation %d was closed %d times", i, n)
		}
	}
	if closed[swaps].Load() != 0 {
		t.Error("the current generation was closed")
	}
}

// TestProfile: through a profile a caller sees and calls what is in it and
// nothing else, and what is not in it reads like what does not exist.
func TestProfile(t *testing.T) {
	t.Parallel()
	g := gateway.New(&gateway.Generation{
		Tools:    toolsOf(t, "read", "pay"),
		Profiles: map[string]gateway.Profile{"p": {"read": true}},
	}, &memoryLog{}, gateway.Options{})
	if !g.HasProfile("p") || g.HasProfile("q") || g.HasProfile("") {
		t.Error("HasProfile")
	}
	var names []string
	for _, s := range g.Tools(t.Context(), tool.View{Profile: "p"}) {
		names = append(names, s.Name)
	}
	if !slices.Equal(names, []string{"read"}) {
		t.Errorf("listed: %v", names)
	}
	for name, want := range map[string]tool.Code{"read": "", "pay": tool.NotFound, "Pay": tool.NotFound} {
		c := call(name, `{"amount":1}`)
		c.Profile = "p"
		res := g.Call(t.Context(), c)
		if got := codeOf(&res); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	c := call("read", "{}")
	c.Profile = "gone" // by a reload
	if res := g.Call(t.Context(), c); codeOf(&res) != tool.NotFound {
		t.Errorf("a profile that is gone: %+v", res)
	}
}

func codeOf(r *tool.Result) tool.Code {
	if r.Error == nil {
		return ""
	}
	return r.Error.Code
}
