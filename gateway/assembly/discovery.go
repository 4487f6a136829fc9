package assembly

import (
	"cmp"
	"sync"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/find"
	"github.com/toolgate/toolgate/gateway/registry"
)

// discovery is how models find the tools, and what gives up the index that it holds;
// nil where there is no tool to find.
func (a *Assembly) discovery(tools *registry.Registry) (d *gateway.Discovery, release func()) {
	docs := gateway.Documents(tools)
	if len(docs) == 0 {
		return nil, func() {}
	}
	section := &a.own.section
	d = &gateway.Discovery{
		Limit: section.Most(), Budget: cmp.Or(section.Budget, find.DefaultBudget),
		ByRisk: section.CallTools == config.CallToolsByRisk, Learn: section.Learn,
	}
	if a.shelf == nil {
		return d, func() {}
	}
	d.Lease = a.shelf.Take(docs)
	return d, sync.OnceFunc(d.Lease.Release)
}
