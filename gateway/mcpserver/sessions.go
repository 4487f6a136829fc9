package mcpserver

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/tool"
)

// session is a session of the older revisions over HTTP. It belongs to the caller
// that opened it and to the path it was opened at: for everybody else and
// everywhere else there is no such session.
type session struct {
	sdk            *mcp.ServerSession
	owner, profile string
	caller         atomic.Pointer[tool.Caller] // as the last request had it
	relists        relists
	// Guarded by sessions.mu:
	last    time.Time // when it was last heard of
	posting int       // requests that are being answered, but for streams, which have no end
	chats   []string  // that its requests named, at most maxSessionChats
}

// sessions are those that are open. The SDK serves them; this knows whose they
// are, and ends those that were idle for too long, for not every request reaches
// the SDK.
type sessions struct {
	timeout time.Duration                 // how long one may be idle
	busy    func(*mcp.ServerSession) bool // reports that it has a call under way
	ended   func(caller, chat string)     // told of each that has ended; may be nil
	waiting sync.WaitGroup                // for the end of each

	mu      sync.Mutex // guards what follows
	byID    map[string]*session
	opening int         // requests that may open one
	timer   *time.Timer // of the next look at who is idle; nil while there are none
}

// noteSessions is the middleware that notes sessions as they are opened. One
// without an identifier lasts for one request, or is that of a pipe.
func (s *Server) noteSessions(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if method == "initialize" && err == nil {
			if sdk, ok := req.GetSession().(*mcp.ServerSession); ok && sdk.ID() != "" {
				s.sessions.add(sdk, caller(ctx), profileOf(ctx), chatNamed(ctx))
			}
		}
		return res, err
	}
}

func (t *sessions) add(sdk *mcp.ServerSession, opener tool.Caller, profile, chat string) {
	s := &session{sdk: sdk, owner: opener.ID, profile: profile, last: time.Now()}
	if chat != "" {
		s.chats = []string{chat}
	}
	s.caller.Store(&opener)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil {
		t.byID = map[string]*session{}
	}
	t.byID[sdk.ID()] = s
	if t.timer == nil {
		t.timer = time.AfterFunc(t.timeout, t.endIdle)
	}
	t.waiting.Go(func() {
		_ = sdk.Wait()  // however it ended
		_ = sdk.Close() // so that the SDK forgets it, too
		t.remove(sdk.ID())
		if t.ended != nil {
			t.ended(s.owner, sdk.ID())
		}
	})
}

func (t *sessions) remove(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byID, id)
	if len(t.byID) == 0 && t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
}

// end ends a session that its client gave up, though the SDK refused to: what is
// not known here is never ended.
func (t *sessions) end(s *session) {
	_ = s.sdk.Close() // gone either way
	t.remove(s.sdk.ID())
}

// find gives the session of a request and notes that it was heard of; nil when
// there is none that the caller opened through the profile.
func (t *sessions) find(id, who, profile, method string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byID[id]
	if s == nil || s.owner != who || s.profile != profile {
		return nil
	}
	s.last = time.Now()
	if method != http.MethodGet {
		s.posting++
	}
	return s
}

// know notes the caller as the last request had it.
func (s *session) know(who tool.Caller) { s.caller.Store(&who) }

// of gives what is known of a session of the SDK; nil of one without an
// identifier.
func (t *sessions) of(sdk *mcp.ServerSession) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[sdk.ID()]
}

// leave notes that a request of the session has ended.
func (t *sessions) leave(s *session, method string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.last = time.Now()
	if method != http.MethodGet {
		s.posting--
	}
}

// inUse reports whether a session has work under way: a request, or a call whose
// client hung up; mu is held.
func (t *sessions) inUse(s *session) bool { return s.posting > 0 || t.busy(s.sdk) }

// endIdle ends the sessions that were idle for too long and comes back when the
// next may be.
func (t *sessions) endIdle() {
	now := time.Now()
	idle, next := t.idle(now)
	for _, sdk := range idle {
		_ = sdk.Close() // gone either way
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Reset(max(next.Sub(now), time.Second))
	}
}

// idle are the sessions that were idle for too long, and when others will be.
func (t *sessions) idle(now time.Time) (over []*mcp.ServerSession, next time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next = now.Add(t.timeout)
	for _, s := range t.byID {
		end := s.last.Add(t.timeout)
		switch {
		case t.inUse(s): // its end counts as a sign of life
		case !end.After(now):
			over = append(over, s.sdk)
		case end.Before(next):
			next = end
		}
	}
	return over, next
}

// makeRoom lets a request in that may open a session, and ends the one that was
// quiet longest when there would be more than most: a client that opens sessions
// and never ends them must not keep others out. It is false only while every
// session is in use; else opened is to be called when the request has
// ended. A client whose session was ended is told so and opens another
// (2025-11-25, basic/transports, Session Management).
func (t *sessions) makeRoom(most int) (opened func(), ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.byID)+t.opening >= most {
		quiet := t.quietest()
		if quiet == nil {
			return nil, false
		}
		delete(t.byID, quiet.ID()) // at once, so that no other request picks it too
		t.waiting.Go(func() { _ = quiet.Close() })
	}
	t.opening++
	return t.opened, true
}

func (t *sessions) opened() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.opening--
}

// quietest is the session that was quiet longest of those that are not in use;
// nil when there is none.
func (t *sessions) quietest() *mcp.ServerSession {
	var found *session
	for _, s := range t.byID {
		if !t.inUse(s) && (found == nil || s.last.Before(found.last)) {
			found = s
		}
	}
	if found == nil {
		return nil
	}
	return found.sdk
}
