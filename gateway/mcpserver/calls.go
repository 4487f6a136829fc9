package mcpserver

import (
	"context"
	"errors"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/tool"
)

// The reasons for which calls end with their session.
var (
	errClosing      = error(tool.Stopping())
	errSessionEnded = errors.New("the client ended its session")
)

// calls are the calls under way, by session. The SDK waits for them when a
// session closes but does not cancel them, so a slow tool would hold a session
// that nobody listens to; whoever closes a session cancels here first.
type calls struct {
	mu      sync.Mutex // guards what follows
	closed  bool
	running map[*mcp.ServerSession]map[*running]struct{}
}

// running is one call under way.
type running struct{ cancel context.CancelCauseFunc }

// enter notes a call and gives the context it runs under; leave takes it out
// again. After close the context is cancelled from the start.
func (c *calls) enter(ctx context.Context, session *mcp.ServerSession) (_ context.Context, leave func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	r := &running{cancel: cancel}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		cancel(errClosing)
	}
	if c.running == nil {
		c.running = map[*mcp.ServerSession]map[*running]struct{}{}
	}
	if c.running[session] == nil {
		c.running[session] = map[*running]struct{}{}
	}
	c.running[session][r] = struct{}{}
	return ctx, func() { c.leave(session, r) }
}

func (c *calls) leave(session *mcp.ServerSession, r *running) {
	r.cancel(nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.running[session], r)
	if len(c.running[session]) == 0 {
		delete(c.running, session)
	}
}

// has reports whether the session has a call under way.
func (c *calls) has(session *mcp.ServerSession) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.running[session]) > 0
}

// end cancels the calls of the sessions that match.
func (c *calls) end(cause error, match func(*mcp.ServerSession) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for session, running := range c.running {
		if !match(session) {
			continue
		}
		for r := range running {
			r.cancel(cause)
		}
	}
}

// close cancels all calls, and those that are still to come.
func (c *calls) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end(errClosing, func(*mcp.ServerSession) bool { return true })
}

func (c *calls) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}
