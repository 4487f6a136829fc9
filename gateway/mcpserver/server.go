// Package mcpserver is the door for clients that speak the Model Context
// Protocol: every revision up to 2025-11-25 with its sessions, and the stateless
// 2026-07-28, on one URL or over one pair of pipes.
//
// The SDK is given a single inner tool. Middleware puts the name a client asked
// for into the context, calls the inner tool, and replaces the SDK's list with
// the gateway's. It always calls on rather than answering itself, because only
// the SDK can set a result's type and cache fields; and so no schema of a tool is
// ever registered, which costs time and panics on what the SDK does not like.
//
// In a session the list has what searches found, too, and a search is answered when
// the client has listed that. From 2026-07-28 a list does not change by what is called.
//
// Failures of tools are results with isError, worded for the model. Only an
// unknown tool (one that call_tool should call is no such), a bad cursor and, on
// 2026-07-28, a capability that the client would have to have and a state that was not
// made here are JSON-RPC errors.
package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/tool"
)

// serverName is how the server names itself to clients.
const serverName = "toolgate"

const (
	// maxMessage is the most bytes of one message, over HTTP and over stdio.
	maxMessage = 4 << 20
	// sessionTimeout is how long a session of the older revisions may be idle.
	sessionTimeout = 30 * time.Minute
	// maxSessions is how many sessions of the older revisions may be open at
	// once. It leaves room for hosts that open one for every call.
	maxSessions = 10_000
	// listTTL is how long a client of 2026-07-28 may use a list without asking
	// again: short, because nothing but a subscription tells it of a change.
	listTTL = 30 * time.Second
)

// innerTool is the one tool the SDK knows. Its name never reaches a client and
// no client's name ever reaches it unmapped.
const innerTool = "toolgate"

// Gateway is what this door needs of the house.
type Gateway interface {
	// Call runs one call and always answers.
	Call(ctx context.Context, call tool.Call) tool.Result
	// Tools gives what the caller may see, in list order. The specs are not changed.
	Tools(ctx context.Context, view tool.View) []*tool.Spec
	// AsksClient reports whether the user of the client may be asked about calls of
	// the tool.
	AsksClient(ctx context.Context, name string) bool
	// HasProfile reports whether there is a profile of the name now.
	HasProfile(name string) bool
}

// Options are what a Server may be given; the zero value works.
type Options struct {
	Version      string       // shown to clients in serverInfo; "unknown" when empty
	Instructions string       // a short text that clients may show their model; none when empty
	Logger       *slog.Logger // told of panics, and of keys that cannot be read; nothing is logged when nil
	Keys         Keys         // those of this process alone when nil
	// SessionEnded is told of a session over HTTP that has ended, however: whose it was,
	// and the name of its own chat, of which nobody needs any more what was found in it.
	// It must not wait for the server. Nobody is told when nil.
	SessionEnded func(caller, chat string)
}

// Server serves one gateway to any number of clients; safe for concurrent use.
type Server struct {
	gateway  Gateway
	logger   *slog.Logger
	mcp      *mcp.Server
	info     json.RawMessage // how the server names itself
	most     int             // sessions at once
	held     time.Duration   // at most, answers to searches
	sessions sessions
	calls    calls
	listens  listens
	lists    lists
	audience audience
	sealer   sealer
	buffers  sync.Pool // of answers, as *[]byte
}

// New returns a server for the gateway. [Server.Close] ends it.
func New(gateway Gateway, opts Options) *Server {
	s := &Server{gateway: gateway, logger: cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)), most: maxSessions, held: relistMost}
	if s.sealer.keys = opts.Keys; opts.Keys == nil {
		s.sealer.keys = ownKeys{}
	}
	s.sessions.timeout, s.sessions.busy, s.sessions.ended = sessionTimeout, s.calls.has, opts.SessionEnded
	self := &mcp.Implementation{Name: serverName, Version: cmp.Or(opts.Version, "unknown")}
	s.info, _ = json.Marshal(self) // two texts
	s.mcp = mcp.NewServer(
		self,
		&mcp.ServerOptions{Instructions: opts.Instructions, Capabilities: capabilities(), SetCacheable: setCacheable},
	)
	s.mcp.AddReceivingMiddleware(s.recoverPanics, s.noteSessions, s.endListening, s.listTools, s.nameTool)
	s.mcp.AddSendingMiddleware(s.sendOne)
	s.ToolsChanged()
	return s
}

// CancelCalls ends the calls under way, each with an answer that says so. New
// ones are still taken.
func (s *Server) CancelCalls() {
	s.calls.endAll(errClosing)
}

// ToolsChanged tells every session, and every subscriber of 2026-07-28, that the
// list of tools is another one now. It does not wait for them. Announcing twice
// within a few milliseconds tells them once.
func (s *Server) ToolsChanged() {
	s.lists.forget()
	s.mcp.AddTool(&mcp.Tool{Name: innerTool, InputSchema: json.RawMessage(`{"type":"object"}`)}, s.callTool)
}

// Close ends all sessions and the calls in them and waits until they are gone.
// A gateway behind an [http.Server] closes this first, since its shutdown
// waits for open event streams. Close may be called twice.
func (s *Server) Close() error {
	s.calls.close()
	var wg sync.WaitGroup
	for session := range s.mcp.Sessions() {
		wg.Go(func() { _ = session.Close() }) // a session that is gone already is what was wanted
	}
	wg.Wait()
	s.sessions.waiting.Wait()
	s.audience.close()
	return nil
}

// capabilities says what the server has. Prompts and resources are empty, yet
// declared: the SDK answers their lists, and a list that answers without being
// declared is against the protocol.
func capabilities() *mcp.ServerCapabilities {
	return &mcp.ServerCapabilities{
		Tools:     &mcp.ToolCapabilities{ListChanged: true},
		Prompts:   &mcp.PromptCapabilities{},
		Resources: &mcp.ResourceCapabilities{},
	}
}

// setCacheable marks every cacheable result as the caller's own: lists depend on
// who asks. The SDK's default would be public.
func setCacheable(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
	c.CacheScope, c.TTLMs = "private", int(listTTL.Milliseconds())
}

// caller is who sent a request. What a client calls itself is no identity.
func caller(ctx context.Context) tool.Caller { return tool.CallerOf(ctx, tool.KindMCP) }
