package mcpserver

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/tool"
)

// activity remembers of each session whose it is, and when it last sent
// something, so that the one that was quiet longest can make room for a new one.
// Sessions of the stateless era last one request and are not among them: they
// have no identifier.
type activity struct {
	mu     sync.Mutex       // guards what follows
	visits map[string]visit // by the session's identifier
	prune  int              // how many there are when those that are gone are forgotten
}

// visit is what is known of one session.
type visit struct {
	caller tool.Caller // as the last request had it; its ID never changes
	last   time.Time
}

// fewestVisits is how many sessions are remembered before any is forgotten.
const fewestVisits = 100

// note remembers that the session sent something. A new one belongs to the
// caller; open are the sessions there are.
func (a *activity) note(session *mcp.ServerSession, who tool.Caller, open func() iter.Seq[*mcp.ServerSession]) {
	a.mu.Lock()
	defer a.mu.Unlock()
	v, known := a.visits[session.ID()]
	if !known {
		if v.caller = who; len(a.visits) >= max(a.prune, fewestVisits) {
			a.forget(open())
		}
	}
	if a.visits == nil {
		a.visits = map[string]visit{}
	}
	v.last = time.Now()
	a.visits[session.ID()] = v
}

// forget keeps the sessions that are open.
func (a *activity) forget(open iter.Seq[*mcp.ServerSession]) {
	kept := map[string]visit{}
	for s := range open {
		if v, ok := a.visits[s.ID()]; ok {
			kept[s.ID()] = v
		}
	}
	a.visits, a.prune = kept, 2*len(kept)
}

// belongs reports whether a session may be used by the caller, whose groups and
// rights may be others by now than when the session began. One that nobody knows
// belongs to everybody.
func (a *activity) belongs(id string, who tool.Caller) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	v, known := a.visits[id]
	if !known {
		return true
	}
	if v.caller.ID != who.ID {
		return false
	}
	v.caller = who
	a.visits[id] = v
	return true
}

// callerOf is whose session it is; false when it has no identifier.
func (a *activity) callerOf(session *mcp.ServerSession) (tool.Caller, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	v, ok := a.visits[session.ID()]
	return v.caller, ok
}

// quietest is the session that was quiet longest among those that may be
// ended; nil when none may.
func (a *activity) quietest(open []*mcp.ServerSession, mayEnd func(*mcp.ServerSession) bool) *mcp.ServerSession {
	a.mu.Lock()
	defer a.mu.Unlock()
	var found *mcp.ServerSession
	var since time.Time
	for _, s := range open {
		last := a.visits[s.ID()].last
		if mayEnd(s) && (found == nil || last.Before(since)) {
			found, since = s, last
		}
	}
	return found
}

// noteActivity is the middleware that keeps the record.
func (s *Server) noteActivity(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if session, ok := req.GetSession().(*mcp.ServerSession); ok && session.ID() != "" {
			s.activity.note(session, tool.CallerOf(ctx, tool.KindMCP), s.mcp.Sessions)
		}
		return next(ctx, method, req)
	}
}

// caller is who a client is. What a client calls itself is no identity. The
// context of a session is that of the request that began it, so whose it is now
// is asked of the record.
func (s *Server) caller(ctx context.Context, session *mcp.ServerSession) tool.Caller {
	if session != nil && session.ID() != "" {
		if who, ok := s.activity.callerOf(session); ok {
			return who
		}
	}
	return tool.CallerOf(ctx, tool.KindMCP)
}
