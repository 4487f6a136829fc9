package gateway

import (
	"context"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// Explained is what policy would decide about a call, and what it saw of it.
type Explained struct {
	policy.Explanation
	Request policy.Request
	// Unruled says that there are no rules at all, so that every call is allowed.
	Unruled bool
	// ApprovalExpires is how long a call waits for a person where its rule does not
	// say; 0 for approval.DefaultExpires.
	ApprovalExpires time.Duration
	// Inactive are the tool's groups where none of them is active in the chat: the
	// call is refused before a rule is asked.
	Inactive []string
}

// Explain says what the rules would decide about a call and why. Nothing is run,
// recorded or counted, and hooks are left out: they may ask other services, so the
// arguments are taken to be as hooks leave them. Tools that the caller is not shown
// are explained too: this is for whoever keeps the rules. The error is a
// *tool.Error, NotFound or InvalidArgs.
func (g *Gateway) Explain(ctx context.Context, call tool.Call) (Explained, error) {
	if g.chats != nil && call.Chat.Context == nil {
		call.Chat = g.chats.Look(call.Caller.ID, named(call.Chat))
	}
	p := g.enter(ctx, call)
	defer p.release()
	if p.misfit != nil {
		return Explained{}, p.maskError(unread(p.misfit))
	}
	entry, ok := p.generation.Tools.Lookup(p.call.Tool)
	if !ok {
		return Explained{}, tool.Errorf(tool.NotFound, "no tool is named %q", p.shownName())
	}
	if err := unfit(p.wrapper, entry.Spec); err != nil {
		return Explained{}, p.maskError(tool.AsError(err))
	}
	p.entry, p.plan = entry, p.generation.Hooks.Plan(p.call.Tool)
	for _, step := range [...]func(*passage, context.Context) error{
		(*passage).normalise, (*passage).takeReason, (*passage).inject, (*passage).fillIn, (*passage).castAndValidate,
	} {
		if err := step(p, ctx); err != nil {
			return Explained{}, p.maskError(unread(err))
		}
	}
	req := p.request()
	x := Explained{Explanation: p.generation.Policy.Explain(&req), Request: req, Unruled: p.generation.Policy == nil, ApprovalExpires: p.generation.ApprovalExpires}
	if !entry.Spec.ActiveIn(p.call.Chat.Groups) {
		x.Inactive = entry.Spec.Groups
	}
	return x, nil
}

// unread is why no rule was asked.
func unread(err error) *tool.Error {
	e := *tool.AsError(err)
	return e.WithHint("No rule is asked about arguments that do not fit the tool's schema.")
}
