package gateway

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/toolgate/toolgate/gateway/registry"
)

// tenancy is a generation and those who hold it: the gateway, while it is the
// current one, and every call in it.
type tenancy struct {
	generation *Generation
	holders    atomic.Int64
	release    func() // lets go once; kept, because every call needs it
	// judged is closed when another generation is served and calls that wait for a
	// person were judged by it.
	judged chan struct{}
}

func newTenancy(g *Generation) *tenancy {
	t := &tenancy{generation: g, judged: make(chan struct{})}
	t.holders.Store(1)
	t.release = t.leave
	return t
}

// enter holds the generation, unless everybody has let go of it.
func (t *tenancy) enter() bool {
	for {
		n := t.holders.Load()
		if n == 0 {
			return false
		}
		if t.holders.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (t *tenancy) leave() {
	if t.holders.Add(-1) == 0 && t.generation.Close != nil {
		t.generation.Close()
	}
}

// hold gives the current generation, which stays open until release is called,
// once.
func (g *Gateway) hold() (_ *Generation, release func()) {
	t := g.holdTenancy()
	return t.generation, t.release
}

func (g *Gateway) holdTenancy() *tenancy {
	for {
		if t := g.current.Load(); t.enter() {
			return t
		}
		// Another one was swapped in meanwhile.
	}
}

// Swap serves next from now on. Calls under way keep the generation they
// entered, however long they take; it is closed after the last of them. Those that
// wait for a person did not begin to run, and enter again. What was refused or
// failed may be tried again.
func (g *Gateway) Swap(next *Generation) {
	if g.warm.Load() {
		next.warm() // before the last one gives up an index that may be the same
	}
	last := g.current.Swap(newTenancy(next))
	last.leave()
	g.repeats.Forget()
	g.judgeApprovals(func() { close(last.judged) })
}

// Warm begins to index the tools beside the caller, now and after each
// [Gateway.Swap], where there are deferred ones. A program that serves calls does so
// when it is ready: else the first search waits for the index.
func (g *Gateway) Warm() {
	g.warm.Store(true)
	gen, release := g.hold()
	defer release()
	gen.warm()
}

// warm begins to index the tools. Where none is deferred, models do not search.
func (g *Generation) warm() {
	if d := g.Discovery; d != nil && d.Lease != nil && g.defers() {
		d.Lease.Begin()
	}
}

func (g *Generation) defers() bool {
	return slices.ContainsFunc(g.Tools.All(), func(e *registry.Entry) bool { return e.Spec.Deferred })
}

// judgeTime is how long approvals may be judged again.
const judgeTime = 30 * time.Second

// JudgeApprovals ends, without keeping anybody waiting, the approvals of calls that
// can never run with the current generation. [Gateway.Swap] does so too; a program
// that serves all its tools does so when it starts, since the configuration may have
// changed meanwhile.
func (g *Gateway) JudgeApprovals() { g.judgeApprovals(func() {}) }

func (g *Gateway) judgeApprovals(done func()) {
	if g.approvals == nil {
		done()
		return
	}
	g.judging.Go(func() {
		defer done()
		ctx, stop := context.WithTimeout(g.approvals.Leaving(), judgeTime)
		defer stop()
		g.rejudge(ctx)
	})
}
