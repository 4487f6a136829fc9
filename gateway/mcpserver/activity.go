package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// activity remembers when each session last sent something, so that the one
// that was quiet longest can make room for a new one.
type activity struct {
	mu   sync.Mutex // guards last
	last map[*mcp.ServerSession]time.Time
}

func (a *activity) note(session *mcp.ServerSession) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last == nil {
		a.last = map[*mcp.ServerSession]time.Time{}
	}
	a.last[session] = time.Now()
}

// quietest is the session that was quiet longest among those that may be
// ended; nil when none may. Sessions that are gone are forgotten.
func (a *activity) quietest(open []*mcp.ServerSession, mayEnd func(*mcp.ServerSession) bool) *mcp.ServerSession {
	a.mu.Lock()
	defer a.mu.Unlock()
	kept := make(map[*mcp.ServerSession]time.Time, len(open))
	var found *mcp.ServerSession
	for _, s := range open {
		kept[s] = a.last[s]
		if mayEnd(s) && (found == nil || kept[s].Before(kept[found])) {
			found = s
		}
	}
	a.last = kept
	return found
}

// noteActivity is the middleware that keeps the record. Sessions of the
// stateless era last one request and have no identifier.
func (s *Server) noteActivity(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if session, ok := req.GetSession().(*mcp.ServerSession); ok && session.ID() != "" {
			s.activity.note(session)
		}
		return next(ctx, method, req)
	}
}
