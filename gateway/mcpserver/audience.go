package mcpserver

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	notifyListChanged = "notifications/tools/list_changed"
	notifyAcked       = "notifications/subscriptions/acknowledged"
)

// maxSessionChats is how many chats a session is known to use: those that its
// requests named last.
const maxSessionChats = 16

// tellTimeout is how long a client may take to be told.
const tellTimeout = 10 * time.Second

// audience are those who can be told that the list of one chat is another one now,
// apart from sessions over HTTP: subscribers of 2026-07-28, and who speaks over a
// pipe. Nobody else must be told, for it says that something happened there.
type audience struct {
	mu      sync.Mutex // guards what follows
	of      map[*mcp.ServerSession]listener
	closed  bool           // nobody is told any more
	telling sync.WaitGroup // for those who are being told; begun while mu is held
}

// tell runs f beside the caller, unless nobody is told any more.
func (a *audience) tell(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.closed {
		a.telling.Go(f)
	}
}

// close waits until nobody is being told.
func (a *audience) close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.telling.Wait()
}

// listener is one of them.
type listener struct {
	caller, chat string
	subscription any      // identifier of the request that subscribed; nil for a session of the older revisions
	lists        *relists // how it lists; nil for one that subscribed
}

func (a *audience) add(s *mcp.ServerSession, l listener) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil {
		a.of = map[*mcp.ServerSession]listener{}
	}
	a.of[s] = l
}

func (a *audience) remove(s *mcp.ServerSession) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.of, s)
}

// relists is how a session lists; nil of one that is not here, or subscribed.
func (a *audience) relists(s *mcp.ServerSession) *relists {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.of[s].lists
}

// in are the listeners in one chat.
func (a *audience) in(caller, chat string) map[*mcp.ServerSession]any {
	a.mu.Lock()
	defer a.mu.Unlock()
	found := map[*mcp.ServerSession]any{}
	for s, l := range a.of {
		if l.caller == caller && l.chat == chat && (l.subscription != nil || isOfSessions(s)) {
			found[s] = l.subscription
		}
	}
	return found
}

// isOfSessions reports whether a session is of the older revisions and open, so that
// it is told of changes without having asked.
func isOfSessions(s *mcp.ServerSession) bool {
	params := s.InitializeParams()
	return params != nil && params.ProtocolVersion < statelessVersion
}

// ChatChanged tells those who use the caller's chat, and nobody else, that its list
// of tools is another one now: sessions of it, and subscribers whose request named
// it. It does not wait for them.
func (s *Server) ChatChanged(caller, chat string) {
	told := s.audience.in(caller, chat)
	for _, open := range s.sessions.in(caller, chat) {
		told[open.sdk] = nil
	}
	s.tellAll(told)
}

// ToolsFound tells the sessions that use the caller's chat that a search has put tools
// into its list. One that searches itself at the moment is told with the answer to
// that. Subscribers are not told: what is listed from 2026-07-28 does not change by what
// was called. It does not wait for them.
func (s *Server) ToolsFound(caller, chat string) {
	told := map[*mcp.ServerSession]any{}
	for sdk, subscription := range s.audience.in(caller, chat) {
		if subscription == nil && !s.audience.relists(sdk).owe() {
			told[sdk] = nil
		}
	}
	for _, open := range s.sessions.in(caller, chat) {
		if !open.relists.owe() {
			told[open.sdk] = nil
		}
	}
	s.tellAll(told)
}

// tellAll tells sessions, and subscribers by the identifiers of their requests, beside
// the caller.
func (s *Server) tellAll(told map[*mcp.ServerSession]any) {
	if len(told) == 0 {
		return
	}
	s.audience.tell(func() {
		for session, subscription := range told {
			tellOne(session, subscription)
		}
	})
}

// oneKey is the context key of a notification that is another one than it seems:
// the SDK sends list_changed to everybody only, and progress to one.
type oneKey struct{}

func tellOne(session *mcp.ServerSession, subscription any) {
	params := &mcp.ToolListChangedParams{}
	if subscription != nil {
		params.Meta = mcp.Meta{mcp.MetaKeySubscriptionID: subscription}
	}
	// Who cannot be told has gone, or reads nothing: it has to list again anyway.
	_ = tellChanged(context.Background(), session, params)
}

// tellChanged tells one session, on the stream of the request whose context it is given.
func tellChanged(ctx context.Context, session *mcp.ServerSession, params *mcp.ToolListChangedParams) error {
	ctx, stop := context.WithTimeout(context.WithValue(ctx, oneKey{}, params), tellTimeout)
	defer stop()
	return session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{})
}

// sendOne is the middleware that makes of what [tellOne] sends what is meant, and
// notes who has subscribed.
func (s *Server) sendOne(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		session, _ := req.GetSession().(*mcp.ServerSession)
		if params, ok := ctx.Value(oneKey{}).(*mcp.ToolListChangedParams); ok {
			return next(ctx, notifyListChanged, &mcp.ServerRequest[*mcp.ToolListChangedParams]{Session: session, Params: params})
		}
		if acked, ok := req.GetParams().(*mcp.SubscriptionsAcknowledgedParams); ok && method == notifyAcked && acked.Notifications.ToolsListChanged {
			s.audience.add(session, listener{
				caller: caller(ctx).ID, chat: cmp.Or(chatOf(ctx, session).ID, tool.DefaultChat), subscription: acked.Meta[mcp.MetaKeySubscriptionID],
			})
		}
		return next(ctx, method, req)
	}
}

// endListening is the middleware that forgets subscribers when their stream ends.
func (s *Server) endListening(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == methodListen {
			if session, ok := req.GetSession().(*mcp.ServerSession); ok {
				defer s.audience.remove(session)
			}
		}
		return next(ctx, method, req)
	}
}

// uses notes that a request of the session named a chat.
func (t *sessions) uses(s *session, chat string) {
	if chat == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.Contains(s.chats, chat) {
		return
	}
	if len(s.chats) == maxSessionChats {
		s.chats = slices.Delete(s.chats, 0, 1)
	}
	s.chats = append(s.chats, chat)
}

// in are the sessions that use a chat of the caller: its own one, which is named
// like the session, or one that requests of it have named.
func (t *sessions) in(caller, chat string) (found []*session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, s := range t.byID {
		if s.owner == caller && (id == chat || slices.Contains(s.chats, chat)) {
			found = append(found, s)
		}
	}
	return found
}
