package toolgate

import (
	"cmp"
	"context"

	"github.com/toolgate/toolgate/gateway/tool"
)

// own is a call with what it does not say itself: who makes it and, where a tool of the
// program does, what it is made from. That tool's caller is who makes it: else whoever
// may call the tool could do with it what the program may.
func (g *Gateway) own(ctx context.Context, call tool.Call) tool.Call {
	if outer, ok := tool.CallFrom(ctx); ok && call.Parent == "" {
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
		outer, nested := tool.CallFrom(ctx)
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
