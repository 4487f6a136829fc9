package gateway

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/toolgate/toolgate/gateway/batch"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// asks are what is known of a batch before its first call runs: when it began, and
// what hooks made of the calls about which a person may be asked, so that each hook
// sees a call once. It does not change while calls run.
type asks struct {
	began  time.Time
	raised bool // all are asked about
	hooked map[hookedCall]hooked
}

// hookedCall is a call as it was sent: two of one ID that differ are two.
type hookedCall struct{ id, tool, arguments string }

// hooked is what hooks made of a call, in a generation.
type hooked struct {
	generation *Generation
	args       map[string]any
	notes      []string
	err        error // they refused it
}

// asksKey is the context key of the asks of a batch.
type asksKey struct{}

func batchOf(ctx context.Context) *asks {
	a, _ := ctx.Value(asksKey{}).(*asks)
	return a
}

func hookedCallOf(c *tool.Call) hookedCall {
	return hookedCall{id: c.ID, tool: c.Tool, arguments: string(c.Arguments)}
}

// find gives what hooks made of the call before its batch began, unless the
// configuration is another one by now.
func (a *asks) find(p *passage) (hooked, bool) {
	if a == nil {
		return hooked{}, false
	}
	done, ok := a.hooked[hookedCallOf(&p.call)]
	return done, ok && done.generation == p.generation
}

// keep keeps what hooks made of the call, while its batch has not begun.
func (a *asks) keep(p *passage, err error) {
	if a != nil && !a.raised {
		a.hooked[hookedCallOf(&p.call)] = hooked{p.generation, p.args, p.notes, err}
	}
}

// AskFirst asks about all calls of a batch about which a person has to be asked,
// before the first of them runs: whoever answers sees them together, and they are
// not waited for one after the other. A call that cannot be prepared is left to
// fail in its turn, and so is one that skip reports; skip may be nil. The calls that
// are given back have identifiers, and are to be run with the context that is.
//
// [Gateway.Batch] does so by itself; this is for whoever runs a batch of another
// house. The error is that of [batch.Check].
func (g *Gateway) AskFirst(ctx context.Context, calls []tool.Call, opts batch.Options, skip func(tool.Call) bool) (context.Context, []tool.Call, error) {
	if err := batch.Check(calls, opts); err != nil {
		return nil, nil, err
	}
	if g.approvals == nil || len(calls) < 2 {
		return ctx, calls, nil
	}
	calls = slices.Clone(calls)
	a := &asks{began: time.Now(), hooked: map[hookedCall]hooked{}}
	ctx = context.WithValue(ctx, asksKey{}, a)
	for i := range calls {
		if calls[i].ID == "" {
			calls[i].ID = tool.NewCallID()
		}
		if skip == nil || !skip(calls[i]) {
			g.askEarly(ctx, calls[i])
		}
	}
	a.raised = true
	return ctx, calls, nil
}

// askEarly asks about one call, where that is needed.
func (g *Gateway) askEarly(ctx context.Context, call tool.Call) {
	if call.Via == "" {
		call.Via = tool.ViaBatch
	}
	if g.chats != nil && call.Chat.Context == nil {
		call.Chat = g.chats.Look(call.Caller.ID, named(call.Chat))
	}
	p := g.enter(ctx, call)
	defer p.release()
	entry, ok := p.generation.Tools.Lookup(p.call.Tool)
	if !ok || p.misfit != nil || !p.generation.Policy.Asks(entry.Spec) {
		return
	}
	_ = p.prepare(ctx) // it fails again, with an answer, in its turn
}

// prepare takes the call up to where a person is asked.
func (p *passage) prepare(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	if err := p.stopRepeating(ctx); err != nil {
		return err
	}
	if err := p.arrive(ctx); err != nil || p.approval != nil || p.unbound != nil {
		return err
	}
	req := p.request()
	if p.decision = p.generation.Policy.Decide(&req); p.decision.Effect != policy.Ask || !p.decision.Ask.Desk() {
		return nil
	}
	if granted, err := p.remembers(ctx); granted != nil || err != nil {
		return err
	}
	return p.raise(ctx)
}
