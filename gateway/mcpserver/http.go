package mcpserver

import (
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/tool"
)

// statelessVersion is the first revision without sessions.
const statelessVersion = "2026-07-28"

// Header names of the protocol (2026-07-28, basic/transports).
const (
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerSession = "Mcp-Session-Id"
	headerEvent   = "Last-Event-Id"
)

// headerRequest carries the identifier of a request, which whoever serves the
// handler has checked or made.
const headerRequest = "X-Request-Id"

// Handler serves both eras on every path that [ServesPath] names. It checks
// neither Host nor Origin: wrap it in a guard. Who sends a request is what the context says ([tool.CallerOf]).
func (s *Server) Handler() http.Handler { return s.door(true) }

// door is the handler; without the short way everything is answered by the SDK.
func (s *Server) door(short bool) *door {
	get := func(*http.Request) *mcp.Server { return s.mcp }
	return &door{
		Server: s, short: short,
		stateful: mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
			MaxRequestBodyBytes:        maxMessage, // sessions that are idle are ended here, not there
			DisableLocalhostProtection: true,       // the guard in front knows the hosts that are configured
		}),
		stateless: mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
			Stateless:                    true,
			MaxRequestBodyBytes:          maxMessage,
			PropagateRequestCancellation: true, // a client of 2026-07-28 cancels by hanging up
			DisableLocalhostProtection:   true,
		}),
	}
}

// door tells the eras apart, knows whose sessions are whose, and tries the short
// way before the SDK.
type door struct {
	*Server
	short               bool
	stateful, stateless http.Handler // of the SDK
}

// ServeHTTP answers one request.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	profile, named := profileAsked(r)
	r, err := inChat(r)
	switch {
	case err != nil:
		refuseChat(w, err)
	case d.calls.isClosed():
		http.Error(w, tool.Stopping().Message, http.StatusServiceUnavailable)
	case named && !d.gateway.HasProfile(profile):
		refuseProfile(w, profile)
	case !isStateless(r.Header):
		d.serveSessions(w, through(r, profile))
	case r.Header.Get(headerMethod) == methodListen:
		d.listen(w, through(r, profile))
	default:
		r = through(r, profile)
		if !d.short || !d.shortStateless(w, r) {
			d.stateless.ServeHTTP(timed(w), r)
		}
	}
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

// serveSessions answers a request of the older revisions.
func (d *door) serveSessions(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(headerSession)
	if id == "" {
		d.openSession(w, r)
		return
	}
	who := caller(r.Context())
	open := d.sessions.find(id, who.ID, profileOf(r.Context()), r.Method)
	if open == nil {
		http.Error(w, "session not found", http.StatusNotFound)
		return
	}
	defer d.sessions.leave(open, r.Method)
	d.sessions.uses(open, chatNamed(r.Context()))
	if d.short && d.shortSession(w, r, open, who) {
		return
	}
	open.know(who)
	if r.Method == http.MethodDelete {
		d.calls.end(errSessionEnded, open.sdk) // the SDK would wait for them with the answer
		defer d.sessions.end(open)             // so that there is room when it is answered
	}
	d.stateful.ServeHTTP(timed(w), r)
}

// openSession answers a request that may open a session.
func (d *door) openSession(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		opened, ok := d.sessions.makeRoom(d.most)
		if !ok {
			http.Error(w, fmt.Sprintf("too many sessions with calls under way (at most %d): try again later", d.most), http.StatusServiceUnavailable)
			return
		}
		defer opened()
	}
	d.stateful.ServeHTTP(timed(w), r)
}
