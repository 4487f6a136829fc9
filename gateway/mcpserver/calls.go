package mcpserver

import (
	"context"
	"errors"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/tool"
)

// The reasons for which calls end before their time.
var (
	errClosing      = error(tool.Stopping())
	errSessionEnded = errors.New("the client ended its session")
	errCancelled    = errors.New("the client cancelled the call")
)

// calls are the calls under way, by session. The SDK waits for them when a
// session closes but does not cancel them, so a slow tool would hold a session
// that nobody listens to; whoever closes a session cancels here first.
type calls struct {
	mu      sync.Mutex // guards what follows
	closed  bool
	running map[*mcp.ServerSession]*running // the newest of each session; under nil those of no session
	named   map[callName]*running           // those that answer without the SDK
}

// callName is what a client cancels a call by.
type callName struct {
	session *mcp.ServerSession
	id      string // the identifier of the request, in JSON
}

// running is one call under way, in the list of those of its session.
type running struct {
	name         callName // no identifier where the SDK knows it
	cancel       context.CancelCauseFunc
	newer, older *running // nil at the ends
	left         bool
}

// enter notes a call and gives the context it runs under; leave takes it out
// again, and may be called twice. After close the context is cancelled from the start. It is refused,
// with a nil leave, when the session has a call of that name under way.
func (c *calls) enter(ctx context.Context, name callName) (_ context.Context, leave func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	r := &running{name: name, cancel: cancel}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.named[name] != nil {
		cancel(nil)
		return ctx, nil
	}
	if c.closed {
		cancel(errClosing)
	}
	c.note(r)
	return ctx, func() { c.leave(r) }
}

func (c *calls) note(r *running) {
	if c.running == nil {
		c.running, c.named = map[*mcp.ServerSession]*running{}, map[callName]*running{}
	}
	if r.older = c.running[r.name.session]; r.older != nil {
		r.older.newer = r
	}
	c.running[r.name.session] = r
	if r.name.id != "" {
		c.named[r.name] = r
	}
}

func (c *calls) leave(r *running) {
	r.cancel(nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.left {
		return
	}
	r.left = true
	if c.named[r.name] == r { // else another one may have the name by now
		delete(c.named, r.name)
	}
	c.drop(r)
}

// drop takes a call out of the list of its session; mu is held.
func (c *calls) drop(r *running) {
	if r.older != nil {
		r.older.newer = r.newer
	}
	switch {
	case r.newer != nil:
		r.newer.older = r.older
	case r.older != nil:
		c.running[r.name.session] = r.older
	default:
		delete(c.running, r.name.session)
	}
}

// has reports whether the session has a call under way.
func (c *calls) has(session *mcp.ServerSession) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running[session] != nil
}

// cancel ends the call of the name, if there is one.
func (c *calls) cancel(name callName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.named[name]; r != nil {
		r.cancel(errCancelled)
	}
}

// end cancels the calls of the session.
func (c *calls) end(cause error, session *mcp.ServerSession) {
	c.mu.Lock()
	defer c.mu.Unlock()
	cancelAll(c.running[session], cause)
}

// endAll cancels all calls.
func (c *calls) endAll(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, newest := range c.running {
		cancelAll(newest, cause)
	}
}

func cancelAll(newest *running, cause error) {
	for r := newest; r != nil; r = r.older {
		r.cancel(cause)
	}
}

// close cancels all calls, and those that are still to come.
func (c *calls) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.endAll(errClosing)
}

func (c *calls) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}
