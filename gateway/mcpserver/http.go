package mcpserver

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/tool"
)

// statelessVersion is the first revision without sessions.
const statelessVersion = "2026-07-28"

// Header names of the protocol (2026-07-28, basic/transports).
const (
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerSession = "Mcp-Session-Id"
)

// headerRequest carries the identifier of a request, which whoever serves the
// handler has checked or made.
const headerRequest = "X-Request-Id"

// Handler serves both eras on one URL. It checks neither Host nor Origin beyond
// what the SDK does on a loopback address: wrap it in a guard.
func (s *Server) Handler() http.Handler {
	get := func(*http.Request) *mcp.Server { return s.mcp }
	sessions := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		SessionTimeout:      sessionTimeout,
		MaxRequestBodyBytes: maxMessage,
	})
	stateless := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Stateless:                    true,
		MaxRequestBodyBytes:          maxMessage,
		PropagateRequestCancellation: true, // a client of 2026-07-28 cancels by hanging up
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.disown(r)
		switch {
		case s.calls.isClosed():
			http.Error(w, tool.Stopping().Message, http.StatusServiceUnavailable)
		case isStateless(r.Header):
			stateless.ServeHTTP(w, r)
		case !s.makeRoom(r):
			http.Error(w, fmt.Sprintf("too many sessions with calls under way (at most %d): try again later", s.sessions), http.StatusServiceUnavailable)
		default:
			s.endSession(r)
			sessions.ServeHTTP(w, r)
		}
	})
}

// isStateless tells the eras apart. The SDK serves them by two handlers, and
// the version header is what every request of the new era must carry; one that
// forgot it but names its method is of that era too, and is told so.
func isStateless(h http.Header) bool {
	if v := h.Get(headerVersion); v != "" {
		return v >= statelessVersion
	}
	return h.Get(headerMethod) != ""
}

// makeRoom ends the session that was quiet longest when the request would open
// one more than there may be: a client that opens sessions and never ends them
// must not keep others out. It reports whether there is room now; there is none
// only while every session has a call under way. A client whose session was
// ended is told so and opens another (2025-11-25, basic/transports, Session
// Management).
func (s *Server) makeRoom(r *http.Request) bool {
	if r.Method != http.MethodPost || r.Header.Get(headerSession) != "" {
		return true
	}
	open := slices.Collect(s.mcp.Sessions())
	if len(open) < s.sessions {
		return true
	}
	quiet := s.activity.quietest(open, func(session *mcp.ServerSession) bool { return !s.calls.has(session) })
	if quiet == nil {
		return false
	}
	_ = quiet.Close() // gone either way
	return true
}

// noSession is the identifier of no session: those that there are have no space.
const noSession = "not yours"

// disown takes the session out of a request that another caller sent: it is
// answered like one for a session that does not exist, whatever else is wrong
// with it. A request of the era without sessions has none, whatever it says.
func (s *Server) disown(r *http.Request) {
	id := r.Header.Get(headerSession)
	switch {
	case id == "":
	case isStateless(r.Header):
		r.Header.Del(headerSession)
	case !s.activity.belongs(id, tool.CallerOf(r.Context(), tool.KindMCP)):
		r.Header.Set(headerSession, noSession)
	}
}

// endSession cancels the calls of a session that its client deletes: the SDK
// would wait for them with the answer.
func (s *Server) endSession(r *http.Request) {
	id := r.Header.Get(headerSession)
	if r.Method == http.MethodDelete && id != "" {
		s.calls.end(errSessionEnded, func(session *mcp.ServerSession) bool { return session.ID() == id })
	}
}
