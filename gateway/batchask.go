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

// asks are the calls of a batch about which a person may be asked: what hooks made
// of them, so that each hook sees a call once, and when they were asked about.
type asks struct {
	began time.Time
	calls map[string]prepared // by the ID of the call
}

// prepared is a call that went through the hooks.
type prepared struct {
	args  map[string]any
	notes []string
}

// asksKey is the context key of the asks of a batch.
type asksKey struct{}

func batchOf(ctx context.Context) *asks {
	a, _ := ctx.Value(asksKey{}).(*asks)
	return a
}

// resume gives a call what hooks made of it before its batch began, where they
// did.
func (a *asks) resume(p *passage) bool {
	if a == nil {
		return false
	}
	done, ok := a.calls[p.call.ID]
	if ok {
		p.args, p.notes = done.args, slices.Concat(p.notes, done.notes)
	}
	return ok
}

// raiseAll asks about all calls of a batch about which a person has to be asked,
// before the first of them runs: whoever answers sees them together, and they are
// not waited for one after the other. A call that cannot be prepared is left to
// fail in its turn. The calls that are given back have identifiers.
func (g *Gateway) raiseAll(ctx context.Context, calls []tool.Call) (context.Context, []tool.Call) {
	if g.approvals == nil || len(calls) < 2 || len(calls) > batch.MaxCalls {
		return ctx, calls
	}
	calls = slices.Clone(calls)
	a := &asks{began: time.Now(), calls: map[string]prepared{}}
	for i := range calls {
		if calls[i].ID == "" {
			calls[i].ID = tool.NewCallID()
		}
		g.raiseEarly(ctx, calls[i], a)
	}
	return context.WithValue(ctx, asksKey{}, a), calls
}

func (g *Gateway) raiseEarly(ctx context.Context, call tool.Call, a *asks) {
	if call.Via == "" {
		call.Via = tool.ViaBatch
	}
	if g.chats != nil && call.Chat.Context == nil {
		call.Chat = g.chats.Look(call.Caller.ID, named(call.Chat))
	}
	p := g.enter(ctx, call)
	defer p.release()
	entry, ok := p.generation.Tools.Lookup(call.Tool)
	if !ok || !p.generation.Policy.Asks(entry.Spec) {
		return
	}
	_ = p.prepare(ctx, a) // it fails again, with an answer, in its turn
}

// prepare takes the call up to where a person is asked.
func (p *passage) prepare(ctx context.Context, a *asks) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	if err := p.arrive(ctx); err != nil {
		return err
	}
	if p.approval != nil {
		return nil
	}
	a.calls[p.call.ID] = prepared{p.args, p.notes}
	req := p.request()
	if p.decision = p.generation.Policy.Decide(&req); p.decision.Effect != policy.Ask || !p.decision.Ask.Desk() {
		return nil
	}
	if granted, err := p.granted(ctx); granted || err != nil {
		return err
	}
	return p.raise(ctx)
}
