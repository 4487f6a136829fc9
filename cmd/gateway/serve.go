package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
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
	mcp := mcpserver.New(h.gateway, mcpserver.Options{Version: currentVersion()})
	defer func() { err = errors.Join(err, mcp.Close()) }()
	if stdio {
		return mcp.ServeStdio(ctx, io.in, io.out)
	}
	return h.listen(ctx, logger, mcp)
}

// listen serves both doors on the configured address until ctx ends, then lets
// calls under way finish.
func (h *house) listen(ctx context.Context, logger *slog.Logger, mcp *mcpserver.Server) error {
	address := h.config.Server.Listen
	if err := onlyLoopback(address); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("server.listen: %w", err)
	}
	server := &http.Server{
		Handler:           h.handler(mcp),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	base := "http://" + listener.Addr().String()
	logger.Info("serving", "mcp", base+"/mcp", "http", base+"/v1", "tools", len(h.config.Tools))
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	return h.stop(server, mcp, logger)
}

// stop ends the server: it takes no new connection, gives calls under way
// stopTimeout to finish, and then cuts off what is left, which is recorded as
// cancelled. Open event streams do not count: they have no end of their own.
func (h *house) stop(server *http.Server, mcp *mcpserver.Server, logger *slog.Logger) error {
	logger.Info("stopping", "calls", h.underWay.Load(), "limit", stopTimeout)
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- server.Shutdown(ctx) }()
	h.waitForCalls(ctx)
	if err := mcp.Close(); err != nil {
		return err
	}
	if err := <-closed; err != nil {
		return server.Close()
	}
	return nil
}

// waitForCalls returns when no call is under way or ctx ends.
func (h *house) waitForCalls(ctx context.Context) {
	const interval = 20 * time.Millisecond
	for h.underWay.Load() > 0 && ctx.Err() == nil {
		time.Sleep(interval)
	}
}

// counted counts the requests that may be calls.
func (h *house) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			h.underWay.Add(1)
			defer h.underWay.Add(-1)
		}
		next.ServeHTTP(w, r)
	})
}

// handler puts both doors under one address, behind the guard that keeps web
// pages out.
func (h *house) handler(mcp *mcpserver.Server) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.Handler())
	mux.Handle("/", httpapi.New(h.gateway, httpapi.Options{}))
	return httpapi.Guard(h.counted(mux))
}

// onlyLoopback refuses an address that other machines can reach: there are no
// tokens yet, and whoever connects may call every tool that policy allows.
func onlyLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err == nil && host == "localhost" {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() {
		return nil
	}
	return &exitError{exitUsage, fmt.Errorf("server.listen: %s can be reached from other machines, and callers cannot be told apart yet; listen on 127.0.0.1 or [::1]", address)}
}
