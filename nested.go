package toolgate

import (
	"cmp"
	"context"

	"github.com/toolgate/toolgate/gateway/tool"
)

// outerKey is the context key of the call that a tool of the program runs for.
type outerKey struct{}

// nesting tells a tool of the program, by its context, which call it runs for: the calls
// that it makes are made from that one, and its caller is who makes them. Else whoever
// may call the tool could do with it what the program may.
type nesting struct{ tool.Runner }

// Run runs the tool.
func (n nesting) Run(ctx context.Context, in tool.Input) (tool.Output, error) {
	return n.Runner.Run(context.WithValue(ctx, outerKey{}, in.Call), in)
}

// nested are the tools with nesting.
func nested(tools []*tool.Tool) []*tool.Tool {
	out := make([]*tool.Tool, len(tools))
	for i, t := range tools {
		out[i] = t
		if t != nil && t.Runner != nil {
			own := *t
			own.Runner = nesting{t.Runner}
			out[i] = &own
		}
	}
	return out
}

// own is a call with what it does not say itself: who makes it and, where a tool of the
// program does, what it is made from.
func (g *Gateway) own(ctx context.Context, call tool.Call) tool.Call {
	if outer, ok := ctx.Value(outerKey{}).(*tool.Call); ok && call.Parent == "" {
		call.Parent, call.Depth = outer.ID, outer.Depth+1
		call.Profile = cmp.Or(call.Profile, outer.Profile)
		if call.Chat.ID == "" {
			call.Chat = outer.Chat
		}
	}
	call.Caller = g.who(ctx, call.Caller)
	return call
}

// who is the caller that was named, else that of the call the context belongs to, else
// the one of the context, else the program.
func (g *Gateway) who(ctx context.Context, named tool.Caller) tool.Caller {
	if named.ID == "" {
		outer, nested := ctx.Value(outerKey{}).(*tool.Call)
		sender, sent := tool.CallerIn(ctx)
		switch {
		case nested:
			return outer.Caller
		case !sent:
			return g.caller
		}
		named = sender
	}
	named.Kind = cmp.Or(named.Kind, tool.KindGo)
	named.Name = cmp.Or(named.Name, named.ID)
	return named
}
