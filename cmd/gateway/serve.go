package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/host"
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
	lines.use(h.Config.Log)
	log.hide(h.Masker)
	warn(logger, h.Warnings)
	defer takeStandardLog(logger)()
	s := host.NewServer(h, host.ServerOptions{Version: currentVersion()})
	defer func() { err = errors.Join(err, s.Close()) }()
	defer s.Begin(ctx)()
	ctx, stop := untilToldToStop(ctx)
	defer stop()
	defer s.KeepLoaded(ctx, host.Reloads{Hangups: hangups, Hide: log.hide, Applied: func(c *config.Config) { lines.use(c.Log) }})()
	if stdio {
		return s.ServeStdio(ctx, io.in, io.out)
	}
	return s.Listen(ctx, h.Config.Server.Listen)
}
