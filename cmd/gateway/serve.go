package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/mcpserver"
)

// Limits of the server.
const (
	headerTimeout = 10 * time.Second // to send a request's header
	idleTimeout   = 2 * time.Minute  // of a connection between requests
	maxHeader     = 64 << 10         // bytes of a request's header
	stopTimeout   = 10 * time.Second // for calls under way when the server is told to stop
)

func serveCommand(io streams) *cli.Command {
	return &cli.Command{
		Name:  "serve",
		Usage: "serve the tools over MCP and HTTP until interrupted",
		Flags: []cli.Flag{
			configFlag(),
			&cli.BoolFlag{Name: "stdio", Usage: "serve one MCP client on standard input and output instead of listening"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := noArguments(cmd); err != nil {
				return err
			}
			return serve(ctx, io, cmd.String("config"), cmd.Bool("stdio"))
		},
	}
}

func serve(ctx context.Context, io streams, path string, stdio bool) (err error) {
	logger := slog.New(slog.NewTextHandler(io.err, nil))
	h, err := open(path, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	s := newServer(h, logger)
	defer func() { err = errors.Join(err, s.mcp.Close()) }()
	if stdio {
		return s.mcp.ServeStdio(ctx, io.in, io.out)
	}
	return s.listen(ctx, h.config.Server.Listen)
}

// server is an opened gateway behind its two doors.
type server struct {
	*house
	mcp      *mcpserver.Server
	logger   *slog.Logger
	stopping atomic.Bool
}

func newServer(h *house, logger *slog.Logger) *server {
	return &server{
		house:  h,
		mcp:    mcpserver.New(h.gateway, mcpserver.Options{Version: currentVersion(), Logger: logger}),
		logger: logger,
	}
}

// handler puts both doors under one address, behind the guard that keeps web
// pages out.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.mcp.Handler())
	mux.Handle("/", httpapi.New(s.gateway, httpapi.Options{Ready: s.ready, Logger: s.logger}))
	return httpapi.Guard(mux)
}

// ready tells a load balancer to send no more calls while the server stops.
func (s *server) ready() error {
	if s.stopping.Load() {
		return errors.New("the server is stopping")
	}
	return nil
}

// listen serves until ctx ends, then lets calls under way finish.
func (s *server) listen(ctx context.Context, address string) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("server.listen: %w", err)
	}
	web := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	base := "http://" + listener.Addr().String()
	s.logger.Info("serving", "mcp", base+"/mcp", "http", base+"/v1", "tools", len(s.config.Tools))
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return s.stop(web)
	}
}

// stop takes no new connection, gives calls under way stopTimeout to finish,
// and then cuts off what is left, which is recorded as cancelled. Open event
// streams are not waited for: they have no end of their own.
func (s *server) stop(web *http.Server) error {
	s.stopping.Store(true)
	s.logger.Info("stopping", "calls", s.gateway.UnderWay(), "limit", stopTimeout)
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- web.Shutdown(ctx) }()
	s.waitForCalls(ctx)
	if err := s.mcp.Close(); err != nil {
		return err
	}
	if err := <-closed; err != nil {
		return web.Close()
	}
	return nil
}

// waitForCalls returns when no call was under way for a moment, in which the
// last answers are sent, or when ctx ends.
func (s *server) waitForCalls(ctx context.Context) {
	const interval = 50 * time.Millisecond
	for idle := 0; idle < 2 && ctx.Err() == nil; idle++ {
		if s.gateway.UnderWay() > 0 {
			idle = 0
		}
		time.Sleep(interval)
	}
}
