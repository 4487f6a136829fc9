package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/access"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/mcpserver"
	"github.com/toolgate/toolgate/gateway/metrics"
	"github.com/toolgate/toolgate/gateway/reload"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Limits of the server.
const (
	headerTimeout = 10 * time.Second // to send a request's header
	idleTimeout   = 2 * time.Minute  // of a connection between requests
	maxHeader     = 64 << 10         // bytes of a request's header
	bodyTimeout   = 30 * time.Second // to send a request's body
	stopTimeout   = 10 * time.Second // for calls under way when the server is told to stop
	endTimeout    = 2 * time.Second  // for answers to calls that were cancelled then
)

func serveCommand(io streams) *cli.Command {
	return &cli.Command{
		Name:  "serve",
		Usage: "serve the tools over MCP and HTTP until interrupted",
		Flags: configFlags(
			&cli.BoolFlag{Name: "stdio", Usage: "serve one MCP client on standard input and output instead of listening"},
		),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := noArguments(cmd); err != nil {
				return err
			}
			return serve(ctx, io, layers(cmd), cmd.Bool("stdio"))
		},
	}
}

func serve(ctx context.Context, io streams, opts config.Options, stdio bool) (err error) {
	signal.Ignore(syscall.SIGPIPE)     // who closes standard error or output must not end the calls of others
	hangups := make(chan os.Signal, 1) // one that comes during the start or a reload makes a reload
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	log := newTalk(io.err)
	defer func() { err = errors.Join(err, log.Close()) }()
	lines := newLogs(log)
	logger := slog.New(lines)
	h, err := openFor(opts, assembly.Options{Access: !stdio}, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	lines.use(h.config.Log)
	log.hide(h.masker)
	warn(logger, h.warnings)
	defer takeStandardLog(logger)()
	h.gateway.JudgeApprovals()
	s := newServer(h, logger)
	defer func() { err = errors.Join(err, s.mcp.Close()) }()
	defer h.gateway.Watch(s.metrics)()
	defer h.gateway.Watch(s.feed)()
	defer h.chats.Watch(s.chatChanged)()
	defer s.watchApprovals(ctx)()
	defer s.teller.begin(ctx)()
	ctx, stop := untilToldToStop(ctx)
	defer stop()
	defer s.reloadWhenAsked(ctx, hangups, log, lines)()
	if stdio {
		debug.FreeOSMemory()
		tuneCollector()
		s.gateway.Warm()
		return s.mcp.ServeStdio(ctx, io.in, io.out)
	}
	return s.listen(ctx, h.config.Server.Listen)
}

// server is an opened gateway behind its two doors.
type server struct {
	*house
	mcp      *mcpserver.Server
	metrics  *metrics.Metrics
	feed     *httpapi.Feed
	teller   *teller
	reloader *reload.Reloader // nil where nothing is reloaded
	logger   *slog.Logger
	stopping atomic.Bool
}

func newServer(h *house, logger *slog.Logger) *server {
	s := &server{
		house: h,
		mcp: mcpserver.New(h.gateway, mcpserver.Options{
			Version: currentVersion(), Instructions: h.config.Server.Instructions, Logger: logger, Keys: h.ledger.store, SessionEnded: h.chats.EndSession,
		}),
		metrics: metrics.New(h.gateway, metrics.Options{Version: currentVersion(), Logger: logger, Backlog: h.ledger.shipper, Interpreter: h.programs}),
		feed:    httpapi.NewFeed(),
		logger:  logger,
	}
	s.teller = newTeller(h, s.metrics, logger)
	return s
}

// handler puts both doors under one address, behind the guard that lets in who
// may come in. It is no ServeMux: that one would redirect odd paths instead of
// letting the doors refuse them.
func (s *server) handler() http.Handler {
	mcp := s.mcp.Handler()
	api := httpapi.New(s.gateway, httpapi.Options{
		Checks: s.checks(), Metrics: s.metrics.Handler(), Logger: s.logger,
		Batch: batches{s.gateway}, Chats: s.chats, Files: s.chats, Groups: s.chatGroups(), Handles: handles{s.gateway.Handles(), newLost(s.ledger)}, Once: onces{s.gateway},
		Results: keptResults{s.results}, Explainer: explainer{s.gateway}, Approvals: approvals{s.gateway}, Feed: s.feed, Reload: s.reloading(), Log: s.ledger,
		Hints: servedHints{s.hints, s.gateway.ToolNames},
	})
	return httpapi.Identify(access.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limitBody(w, r)
		if mcpserver.ServesPath(r.URL.Path) {
			mcp.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	}), &s.access), s.logger)
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
func (s *server) checks() []httpapi.Check {
	return []httpapi.Check{
		{Name: "running", Test: func() error {
			if s.stopping.Load() {
				return errors.New("the server is stopping")
			}
			return nil
		}},
		{Name: "run_log", Test: s.gateway.Ready},
		{Name: "store", Test: s.ledger.check, Note: true},
		{Name: "alone", Test: s.ledger.neighbour, Note: true},
		{Name: "configuration", Test: s.checkReloaded, Note: true},
	}
}

// listen serves until ctx ends, then lets calls under way finish.
func (s *server) listen(ctx context.Context, address string) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, network(address), address)
	if err != nil {
		return fmt.Errorf("server.listen: %w", err)
	}
	calls, cancelCalls := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancelCalls(nil)
	web := &http.Server{
		Handler:           s.handler(),
		BaseContext:       func(net.Listener) context.Context { return calls },
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	base := "http://" + listener.Addr().String()
	s.logger.Info("serving", append([]any{"mcp", base + "/mcp", "http", base + "/v1"}, s.tools.attributes()...)...)
	debug.FreeOSMemory() // reading the configuration took more than is needed from now on
	tuneCollector()
	s.gateway.Warm()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return s.stop(web, cancelCalls)
	}
}

// network is the family of an address: one of IPv4 written in digits is no address
// of IPv6, for which "tcp" would take 0.0.0.0.
func network(address string) string {
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && ip != nil && !strings.Contains(host, ":") {
		return "tcp4"
	}
	return "tcp"
}

// stop takes no new connection and gives calls under way stopTimeout to finish.
// What is left then is cancelled, answered as such and recorded. Open event
// streams are not waited for: they have no end of their own.
func (s *server) stop(web *http.Server, cancelCalls context.CancelCauseFunc) error {
	s.stopping.Store(true)
	s.logger.Info("stopping", "calls", s.gateway.UnderWay(), "limit", stopTimeout)
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout+endTimeout)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- web.Shutdown(ctx) }()
	s.approvals.LetGo() // a person may take longer than the server has
	s.waitForCalls(stopTimeout)
	s.mcp.CancelCalls() // before their requests, with which they could not be answered
	s.endStarted(endTimeout / 4)
	s.waitForCalls(endTimeout / 4)
	cancelCalls(tool.Stopping())
	s.waitForCalls(endTimeout / 2)
	s.feed.Close()
	if err := s.mcp.Close(); err != nil {
		return err
	}
	if err := <-closed; err != nil {
		return web.Close()
	}
	return nil
}

// endStarted ends the calls that nobody waits for. What does not stop in time is
// left to the end of the process, which is recorded as an interruption.
func (s *server) endStarted(limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := s.gateway.Close(ctx); err != nil {
		s.logger.Warn("stopping", "problem", err)
	}
}

// waitForCalls returns when no call was under way for a moment, in which the
// last answers are sent, or when the time is up.
func (s *server) waitForCalls(limit time.Duration) {
	const interval = 50 * time.Millisecond
	end := time.Now().Add(limit)
	for idle := 0; idle < 2 && time.Now().Before(end); idle++ {
		if s.gateway.UnderWay() > 0 {
			idle = 0
		}
		time.Sleep(interval)
	}
}
