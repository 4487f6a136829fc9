// Command gateway is the tool gateway for LLM agents: it serves the tools of
// one configuration file over MCP and HTTP, checks the file, and runs its tools
// from the command line.
//
// Data goes to standard output, talk to standard error. It exits with 0 when
// all went well, 1 when something failed, 2 when the file or the flags are
// wrong, and 3 when policy refused a call.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/host"
)

// The exit codes.
const (
	exitFailed  = 1
	exitUsage   = 2 // the file or the flags are wrong
	exitRefused = 3 // policy refused the call
)

// exitError is a failure with the code to exit with. A nil err has been
// reported already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usagef is a mistake in the flags or arguments.
func usagef(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// streams are what a command reads and writes.
type streams struct {
	in       io.ReadCloser
	out, err io.Writer
}

func main() {
	if code, ok := host.ServeWorker(os.Args); ok {
		os.Exit(code)
	}
	log.SetOutput(io.Discard) // libraries write secrets there; see takeStandardLog
	std := streams{os.Stdin, os.Stdout, os.Stderr}
	os.Exit(report(std.err, run(context.Background(), os.Args, std)))
}

// untilSignal is a context that the first signal ends, for what has to finish
// in good order; a second signal ends the process at once. Elsewhere the first
// one does: a command that is stuck must not need two.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	return until(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// untilToldToStop is untilSignal for a server, which a hangup does not end.
func untilToldToStop(ctx context.Context) (context.Context, context.CancelFunc) {
	return until(ctx, os.Interrupt, syscall.SIGTERM)
}

func until(ctx context.Context, signals ...os.Signal) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, signals...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// run is the whole program but for the process around it.
func run(ctx context.Context, args []string, io streams) error {
	return root(io).Run(ctx, args)
}

// report tells a person what went wrong and gives the code to exit with.
func report(w io.Writer, err error) int {
	if err == nil {
		return 0
	}
	exit, ok := errors.AsType[*exitError](err)
	if !ok {
		exit = &exitError{exitFailed, err}
	}
	if exit.err == nil {
		return exit.code
	}
	if problems := diag.As(exit.err); problems != nil {
		_, _ = fmt.Fprintln(w, problems.Error())
		return exit.code
	}
	_, _ = fmt.Fprintln(w, "gateway: "+exit.err.Error())
	return exit.code
}

// help is what is said of the program as a whole.
const help = `The first steps: write tools.yaml (gateway schema prints its schema, for editors), check it with
gateway lint, try a tool with gateway tools call, and serve the tools with gateway serve.

Data goes to standard output, talk to standard error. Exit codes: 0 ok, 1 failed, 2 the file or
the flags are wrong, 3 refused by policy, or the tool is not active.

Environment: TOOLGATE_SECTION__KEY=VALUE changes keys of the file, as --set does; TOOLGATE_TOKEN is
shown to a gateway that --server names.`

func root(io streams) *cli.Command {
	cmd := &cli.Command{
		Name:           "gateway",
		Usage:          "a declarative tool gateway for LLM agents",
		Description:    help,
		HideVersion:    true,
		Reader:         io.in,
		Writer:         io.out,
		ErrWriter:      io.err,
		Action:         noCommand,
		ExitErrHandler: func(context.Context, *cli.Command, error) {}, // main exits
		Commands: []*cli.Command{
			serveCommand(io), lintCommand(io), testCommand(io), toolsCommand(io), openapiCommand(io), policyCommand(io), configCommand(io), schemaCommand(io), logCommand(io), approvalsCommand(io), chatsCommand(io), discoveryCommand(io), mcpCommand(io), pythonCommand(io), versionCommand(io), completionCommand(io), completeCommand(io),
		},
	}
	withExamples(cmd, "")
	onUsageError(cmd)
	return cmd
}

// onUsageError makes every wrong flag an error of one line, at every level, and
// a flag that is repeated take each value as it is.
func onUsageError(cmd *cli.Command) {
	cmd.DisableSliceFlagSeparator = true // commas are part of values
	cmd.OnUsageError = func(_ context.Context, c *cli.Command, err error, _ bool) error {
		return usagef("%w (see %s --help)", err, c.FullName())
	}
	for _, sub := range cmd.Commands {
		onUsageError(sub)
	}
}

// noCommand is what a command with subcommands does when none of them is named.
func noCommand(_ context.Context, cmd *cli.Command) error {
	word := cmd.Args().First()
	if word == "" {
		return cli.ShowSubcommandHelp(cmd)
	}
	names := make([]string, 0, len(cmd.Commands))
	for _, sub := range cmd.Commands {
		names = append(names, sub.Name)
	}
	if near := diag.DidYouMean(word, names); near != "" {
		return usagef("%s has no command %q (%s)", cmd.FullName(), word, near)
	}
	return usagef("%s has no command %q (see %s --help)", cmd.FullName(), word, cmd.FullName())
}

// noArguments refuses what a command would otherwise ignore.
func noArguments(cmd *cli.Command) error {
	if cmd.Args().Present() {
		return usagef("%s takes no argument, got %q", cmd.FullName(), cmd.Args().First())
	}
	return nil
}

// configFlags are the flags that say what the configuration is, and others.
func configFlags(others ...cli.Flag) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringSliceFlag{
			Name: "config", Aliases: []string{"c"}, Value: []string{"tools.yaml"},
			Usage: "a configuration `FILE`; where the flag is repeated, later files change earlier ones",
		},
		&cli.StringSliceFlag{Name: "set", Usage: "change one key after all files and the environment: `KEY=VALUE`, such as server.listen=localhost:9000"},
	}, others...)
}

// layers are the layers of the configuration that a command was given.
func layers(cmd *cli.Command) config.Options {
	return config.Options{Files: cmd.StringSlice("config"), Env: os.Environ(), Set: cmd.StringSlice("set")}
}

func jsonFlag() cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print JSON"}
}
