package gateway_test

import (
	"testing"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestWarm holds when tools are indexed without being searched for: when the program
// is ready and some are deferred, and after each swap from then on.
func TestWarm(t *testing.T) {
	t.Parallel()
	var shelf discovery.Shelf
	generation := func(name string, deferred bool) *gateway.Generation {
		tools, err := registry.New([]*registry.Entry{{Spec: &tool.Spec{Name: name, Deferred: deferred}}})
		if err != nil {
			t.Fatal(err)
		}
		lease := shelf.Take(gateway.Documents(tools))
		return &gateway.Generation{Tools: tools, Discovery: &gateway.Discovery{Lease: lease}, Close: lease.Release}
	}
	first := generation("a", true)
	g := gateway.New(first, nowhere{}, gateway.Options{})
	begun := func(what string, want ...*gateway.Generation) {
		t.Helper()
		for _, gen := range want {
			if !gen.Discovery.Lease.Begun() {
				t.Errorf("%s: not begun", what)
			}
		}
	}
	idle := func(what string, gen *gateway.Generation) {
		t.Helper()
		if gen.Discovery.Lease.Begun() {
			t.Errorf("%s: begun", what)
		}
	}
	idle("before it is ready", first)
	second := generation("b", true)
	g.Swap(second)
	idle("a swap before it is ready", second)
	g.Warm()
	begun("ready", second)
	third := generation("c", true)
	g.Swap(third)
	begun("a swap later", third)
	fourth := generation("d", false)
	g.Swap(fourth)
	idle("nothing is deferred", fourth)
	g.Swap(generation("e", true))
	if err := g.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
