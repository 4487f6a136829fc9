package gateway

import (
	"context"

	"github.com/toolgate/toolgate/gateway/batch"
	"github.com/toolgate/toolgate/gateway/handle"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Batch runs the calls of one step of a model, each of them through the path of
// [Gateway.Call], and answers in their order: see [batch.Run].
func (g *Gateway) Batch(ctx context.Context, calls []tool.Call, opts batch.Options) ([]tool.Result, error) {
	ctx, calls, err := g.AskFirst(ctx, calls, opts, nil)
	if err != nil {
		return nil, err
	}
	return batch.Run(ctx, g, calls, opts)
}

// Safe reports whether the call may run beside others of its batch. One of a tool
// that there is none of only gives its error.
func (g *Gateway) Safe(call tool.Call) bool {
	gen, release := g.hold()
	defer release()
	call, _, _ = gen.inner(call)
	entry, ok := gen.Tools.Lookup(call.Tool)
	return !ok || entry.Spec.ConcurrencySafe
}

// Refuse records a call that is not run, for a reason that lies outside of it,
// and answers it.
func (g *Gateway) Refuse(ctx context.Context, call tool.Call, why *tool.Error) tool.Result {
	g.underWay.Add(1)
	defer g.underWay.Add(-1)
	p := g.enter(ctx, call)
	defer p.release()
	return p.leave(tool.Output{}, why)
}

// Handles are the calls that were started without waiting for them, and those
// that are run once only.
func (g *Gateway) Handles() *handle.Desk { return g.handles }
