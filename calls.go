package toolgate

import (
	"cmp"
	"context"

	"github.com/toolgate/toolgate/gateway/batch"
	"github.com/toolgate/toolgate/gateway/handle"
	"github.com/toolgate/toolgate/gateway/tool"
)

// caller is who makes the calls of the program that say nothing of it.
func (o *Options) caller() tool.Caller {
	c := o.Caller
	c.ID = cmp.Or(c.ID, "local")
	c.Name = cmp.Or(c.Name, c.ID)
	c.Kind = cmp.Or(c.Kind, tool.KindGo)
	if c.May == nil {
		c.May = []tool.Right{tool.MayCall}
	}
	return c
}

// Call runs one call and answers it. A failure is in the result: its Error has a code
// for the program, and its Output says in words, for a model, what was wrong and what to
// do. Steps that the tool reports go to the listener of the context
// ([tool.WithProgress]).
//
// Rules see the caller of the call, or else that of the context ([tool.WithCaller]), or
// else Options.Caller, whose kind is "go". A call that a tool of the program makes, with
// the context that it runs under, is made by whoever called the tool, in the same chat,
// unless it names another caller itself.
func (g *Gateway) Call(ctx context.Context, call tool.Call) tool.Result {
	return g.server.Gateway.Call(ctx, g.own(ctx, call))
}

// Batch runs the calls that a model made in one step and answers them in their order:
// those that may run beside others in parallel, and every other one alone; see
// [batch.Run]. A call that fails takes nothing from the others. The error says that
// nothing was run.
func (g *Gateway) Batch(ctx context.Context, calls []tool.Call, opts batch.Options) ([]tool.Result, error) {
	own := make([]tool.Call, len(calls))
	for i, c := range calls {
		own[i] = g.own(ctx, c)
	}
	return g.server.Gateway.Batch(ctx, own, opts)
}

// Tools are the tools that may be shown in a view, in the order of lists: those that
// policy certainly denies to its caller are not among them, nor are deferred ones that
// the chat has not found. The caller is as for [Gateway.Call]. The specs are shared: do
// not change them.
func (g *Gateway) Tools(ctx context.Context, view tool.View) []*tool.Spec {
	view.Caller = g.who(ctx, view.Caller)
	return g.server.Gateway.Tools(ctx, view)
}

// Started is a call that goes on by itself.
type Started struct {
	desk   *handle.Desk
	caller tool.Caller
	id     string
}

// Start runs a call that nobody waits for: it goes on when the context is over, whose
// values it keeps, until it ends, is cancelled, or the gateway is closed. Steps that the
// tool reports go to the listener of the context ([tool.WithProgress]) and to the status.
// The result is kept for a time and a number of calls; see [handle.Options].
//
// The error is a [tool.Error], and then nothing was run.
func (g *Gateway) Start(ctx context.Context, call tool.Call) (*Started, error) {
	call = g.own(ctx, call)
	desk := g.server.Gateway.Handles()
	status, err := desk.Follow(ctx, call, func(s tool.Step) { tool.Progress(ctx, s) })
	if err != nil {
		return nil, err
	}
	return &Started{desk, call.Caller, status.ID}, nil
}

// ID is the identifier of the call, under which the HTTP API and the record have it.
func (s *Started) ID() string { return s.id }

// Status says how the call is doing. It reports false when the call has ended so long
// ago, or so many calls ago, that it is forgotten.
func (s *Started) Status() (handle.Status, bool) { return s.desk.Status(s.caller, s.id) }

// Result waits for the end of the call and gives what it gave. The error is the
// context's cause when that is over before, and a [tool.Error] when the call is
// forgotten.
func (s *Started) Result(ctx context.Context) (tool.Result, error) {
	status, ok := s.desk.Wait(ctx, s.caller, s.id)
	switch {
	case !ok:
		return tool.Result{}, tool.Errorf(tool.NotFound, "the call %s has ended, and its result is not kept any more", s.id)
	case status.Result == nil:
		return tool.Result{}, context.Cause(ctx)
	}
	return *status.Result, nil
}

// Cancel ends the call, which runs until its tool has stopped. One that has ended stays
// as it is.
func (s *Started) Cancel() { s.desk.Cancel(s.caller, s.id) }
