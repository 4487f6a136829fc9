package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Limits of a server that listens.
const (
	headerTimeout = 10 * time.Second // to send a request's header
	idleTimeout   = 2 * time.Minute  // of a connection between requests
	maxHeader     = 64 << 10         // bytes of a request's header

	StopTimeout = 10 * time.Second // for calls under way when the server is told to stop
	EndTimeout  = 2 * time.Second  // for answers to calls that were cancelled then
)

// Listen serves both doors at an address until ctx ends, then lets calls under way
// finish, for StopTimeout and EndTimeout at most.
func (s *Server) Listen(ctx context.Context, address string) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, network(address), address)
	if err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			return fmt.Errorf("server.listen: %w (another program has it: end that one, or give another with --set server.listen=HOST:PORT)", err)
		}
		return fmt.Errorf("server.listen: %w", err)
	}
	calls, cancelCalls := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancelCalls(nil)
	web := &http.Server{
		Handler:           s.Handler(),
		BaseContext:       func(net.Listener) context.Context { return calls },
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	base := "http://" + listener.Addr().String()
	s.logger.Info("serving", append([]any{"mcp", base + "/mcp", "http", base + "/v1"}, s.Tools.attributes()...)...)
	s.settle()
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

// stop takes no new connection and gives calls under way StopTimeout to finish.
// What is left then is cancelled, answered as such and recorded. Open event
// streams are not waited for: they have no end of their own.
func (s *Server) stop(web *http.Server, cancelCalls context.CancelCauseFunc) error {
	ctx, cancel := context.WithTimeout(context.Background(), StopTimeout+EndTimeout)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- web.Shutdown(ctx) }()
	if err := s.Finish(func() { cancelCalls(tool.Stopping()) }); err != nil {
		return err
	}
	if err := <-closed; err != nil {
		return web.Close()
	}
	return nil
}

// Finish lets calls under way end, for StopTimeout, and then ends them: cancel is to do
// so with those that came in by HTTP. Streams and sessions are ended, too. It is for a
// server that takes no new requests.
func (s *Server) Finish(cancel func()) error {
	s.stopping.Store(true)
	s.logger.Info("stopping", "calls", s.Gateway.UnderWay(), "limit", StopTimeout)
	s.Approvals.LetGo() // a person may take longer than the server has
	s.waitForCalls(StopTimeout)
	s.MCP.CancelCalls() // before their requests, with which they could not be answered
	s.endStarted(EndTimeout / 4)
	s.waitForCalls(EndTimeout / 4)
	cancel()
	s.waitForCalls(EndTimeout / 2)
	s.Feed.Close()
	return s.MCP.Close()
}

// endStarted ends the calls that nobody waits for. What does not stop in time is
// left to the end of the process, which is recorded as an interruption.
func (s *Server) endStarted(limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := s.Gateway.Close(ctx); err != nil {
		s.logger.Warn("stopping", "problem", err)
	}
}

// waitForCalls returns when no call was under way for a moment, in which the
// last answers are sent, or when the time is up.
func (s *Server) waitForCalls(limit time.Duration) {
	const interval = 50 * time.Millisecond
	end := time.Now().Add(limit)
	for idle := 0; idle < 2 && time.Now().Before(end); idle++ {
		if s.Gateway.UnderWay() > 0 {
			idle = 0
		}
		time.Sleep(interval)
	}
}
