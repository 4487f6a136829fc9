package host

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/toolgate/toolgate/gateway/access"
	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/mcpserver"
	"github.com/toolgate/toolgate/gateway/metrics"
	"github.com/toolgate/toolgate/gateway/reload"
)

// bodyTimeout is for a client to send a request's body.
const bodyTimeout = 30 * time.Second

// ServerOptions are what a Server may be given; the zero value works.
type ServerOptions struct {
	Version string // of the program, as doors and metrics tell it
}

// Server is an opened gateway behind its two doors.
type Server struct {
	*House
	MCP      *mcpserver.Server
	Metrics  *metrics.Metrics
	Feed     *httpapi.Feed
	Reloader *reload.Reloader // nil where nothing is reloaded

	teller   *teller
	logger   *slog.Logger
	stopping atomic.Bool
}

// NewServer puts a gateway that was opened for it behind its doors. Begin makes the
// doors and the metrics follow what happens in it; Close ends the sessions.
func NewServer(h *House, opts ServerOptions) *Server {
	s := &Server{
		House: h,
		MCP: mcpserver.New(h.Gateway, mcpserver.Options{
			Version: opts.Version, Instructions: h.Config.Server.Instructions, Logger: h.logger, Keys: h.Ledger.store, SessionEnded: h.Chats.EndSession,
		}),
		Metrics: metrics.New(h.Gateway, metrics.Options{Version: opts.Version, Logger: h.logger, Backlog: h.Ledger.shipper, Interpreter: h.programs}),
		Feed:    httpapi.NewFeed(),
		logger:  h.logger,
	}
	s.teller = newTeller(h, s.Metrics, h.logger)
	return s
}

// Close ends the sessions of the Model Context Protocol. The House is closed after it,
// by who opened it.
func (s *Server) Close() error { return s.MCP.Close() }

// Begin judges again what waited for a person when the process before ended, and tells
// the metrics, those who follow events, webhooks and clients of what happens from now
// on. It goes on until the context is over; end is called before Close.
func (s *Server) Begin(ctx context.Context) (end func()) {
	s.Gateway.JudgeApprovals()
	ends := []func(){
		s.Gateway.Watch(s.Metrics), s.Gateway.Watch(s.Feed), s.Chats.Watch(s.chatChanged), s.watchApprovals(ctx), s.teller.begin(ctx),
	}
	return func() {
		for i := len(ends) - 1; i >= 0; i-- {
			ends[i]()
		}
	}
}

// Doors are handlers of requests behind the guard that lets in who may come in; see
// [access.Guard].
type Doors struct {
	Both http.Handler // each path at the door that serves it
	MCP  http.Handler // Model Context Protocol: /mcp and the like
	HTTP http.Handler // the HTTP API, metrics, and whether the process lives
}

// Doors gives the doors of the server. It is called when there is a reloader already,
// where one is wanted.
func (s *Server) Doors() Doors {
	mcp := s.MCP.Handler()
	api := httpapi.New(s.Gateway, httpapi.Options{
		Checks: s.checks(), Metrics: s.Metrics.Handler(), Logger: s.logger,
		Batch: batches{s.Gateway}, Chats: s.Chats, Files: s.Chats, Groups: s.chatGroups(), Handles: handles{s.Gateway.Handles(), newLost(s.Ledger)}, Once: onces{s.Gateway},
		Results: keptResults{s.results}, Explainer: explainer{s.Gateway}, Approvals: approvals{s.Gateway}, Feed: s.Feed, Reload: s.reloading(), Log: s.Ledger,
		Hints: servedHints{s.hints, s.Gateway.ToolNames},
	})
	// It is no ServeMux: that one would redirect odd paths instead of letting the
	// doors refuse them.
	both := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if mcpserver.ServesPath(r.URL.Path) {
			mcp.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
	return Doors{Both: s.guarded(both), MCP: s.guarded(mcp), HTTP: s.guarded(api)}
}

// Handler puts both doors under one address; see [Server.Doors].
func (s *Server) Handler() http.Handler { return s.Doors().Both }

func (s *Server) guarded(door http.Handler) http.Handler {
	return httpapi.Identify(access.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limitBody(w, r)
		door.ServeHTTP(w, r)
	}), &s.access), s.logger)
}

// ServeStdio serves one MCP client until it is gone or the context is over.
func (s *Server) ServeStdio(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	s.settle()
	return s.MCP.ServeStdio(ctx, in, out)
}

// settle is called when all is ready: what was needed to get there is given up.
func (s *Server) settle() {
	if s.alone {
		debug.FreeOSMemory() // reading the configuration took more than is needed from now on
		tuneCollector()
	}
	s.Gateway.Warm()
}

// limitBody gives a request's body its time: whoever stops in the middle of it
// must not hold the connection for ever. The limit ends with the body, since a
// call may take longer.
func limitBody(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	if http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout)) == nil {
		r.Body = &timedBody{r.Body, w}
	}
}

// timedBody takes the deadline off its connection when it was read.
type timedBody struct {
	io.ReadCloser
	answer http.ResponseWriter
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		_ = http.NewResponseController(b.answer).SetReadDeadline(time.Time{}) // the connection is gone when this fails
		// From the end of the body on, net/http watches the connection in a
		// goroutine of its own. It has next to nothing to do before it waits, so it
		// goes first: else another thread is woken to take it over, and both are in
		// the way of a short call.
		runtime.Gosched()
	}
	return n, err
}

// checks tell a load balancer to send no more calls while the server stops or
// cannot record them.
func (s *Server) checks() []httpapi.Check {
	return []httpapi.Check{
		{Name: "running", Test: func() error {
			if s.stopping.Load() {
				return errors.New("the server is stopping")
			}
			return nil
		}},
		{Name: "run_log", Test: s.Gateway.Ready},
		{Name: "store", Test: s.Ledger.check, Note: true},
		{Name: "alone", Test: s.Ledger.neighbour, Note: true},
		{Name: "configuration", Test: s.checkReloaded, Note: true},
	}
}
