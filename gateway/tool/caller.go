package tool

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Right is something a caller may do at a door.
type Right string

// The rights. What a right does not name is open to everybody who is let in.
const (
	MayCall     Right = "call"     // list and call tools, and see one's own results
	MayApprove  Right = "approve"  // answer calls that wait for a person
	MayActivate Right = "activate" // activate groups of tools in a chat
	MayAdmin    Right = "admin"    // everything: read the log of all callers, reload
)

// Rights are all rights, in the order of this page.
func Rights() []Right { return []Right{MayCall, MayApprove, MayActivate, MayAdmin} }

// Caller is whoever asks: the outermost one, however many calls lie between.
type Caller struct {
	ID     string         // stable identity, Anonymous when nobody authenticated
	Name   string         // what rules match on
	Kind   Kind           // the door
	Groups []string       // groups the identity belongs to
	Claims map[string]any // further facts about the identity, JSON values
	May    []Right        // what it may do at a door
}

// Anonymous is the identity of whoever did not authenticate.
const Anonymous = "anonymous"

// Can reports whether the caller has the right. Who may everything has each.
func (c *Caller) Can(r Right) bool {
	return slices.Contains(c.May, r) || slices.Contains(c.May, MayAdmin)
}

// Lacks words that the caller has not a right: what is wrong, and what to do. Every
// door says it so.
func (c *Caller) Lacks(r Right) (message, hint string) {
	held := make([]string, 0, len(c.May))
	for _, h := range c.May {
		held = append(held, string(h))
	}
	return "this needs the right " + string(r) + ", and the caller " + c.Name + " has " + cmp.Or(strings.Join(held, ", "), "none"),
		"Use the token of a caller that may " + string(r) + " (server.admin_token, or server.callers with may)."
}

// callerKey is the context key of who sent a request.
type callerKey struct{}

// WithCaller returns a context of a request that the caller sent.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerIn is who sent the request of the context; false where nobody is known to.
func CallerIn(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}

// CallerOf is who sent the request of the context, come in by a door of the
// kind. Where nobody authenticated it is Anonymous, who may call and no more.
func CallerOf(ctx context.Context, kind Kind) Caller {
	c, ok := CallerIn(ctx)
	if !ok {
		c = Caller{ID: Anonymous, Name: Anonymous, May: []Right{MayCall}}
	}
	c.Kind = kind
	return c
}
