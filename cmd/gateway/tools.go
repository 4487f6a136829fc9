package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/find"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/gateway/tool"
)

func toolsCommand(io streams) *cli.Command {
	return &cli.Command{
		Name:   "tools",
		Usage:  "list, show, call and find the tools of a configuration",
		Action: noCommand,
		Commands: []*cli.Command{
			{
				Name: "list", Usage: "list the tools that policy does not hide, as in a chat in which no group is active",
				Flags: configFlags(
					jsonFlag(), activateFlag(),
					&cli.BoolFlag{Name: "deferred", Usage: "only tools that models have to search for"},
					&cli.StringFlag{Name: "format", Usage: "print what models are sent, as JSON in this `FORMAT`: " + strings.Join(formatNames(), ", ")},
				),
				Action: func(ctx context.Context, cmd *cli.Command) error { return listTools(ctx, io, cmd) },
			},
			{
				Name: "show", Usage: "show one tool and its argument schema", ArgsUsage: "NAME",
				Flags: configFlags(jsonFlag()),
				Action: func(ctx context.Context, cmd *cli.Command) error {
					if cmd.Args().Len() != 1 {
						return usagef("%s takes one argument, the tool's name", cmd.FullName())
					}
					return showTool(ctx, io, layers(cmd), cmd.Args().First(), cmd.Bool("json"))
				},
			},
			callCommand(io),
			searchCommand(io),
			hintsCommand(io),
		},
	}
}

// count writes a number of things: 1 tool, 2 tools.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// specJSON is a tool as the tools commands print it.
type specJSON struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description"`
	Tags        []string        `json:"tags"`
	Deferred    bool            `json:"deferred,omitempty"`
	SearchHint  string          `json:"search_hint,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Timeout     string          `json:"timeout"`
	MaxOutput   int64           `json:"max_output"`
	RateLimit   *host.Limit     `json:"rate_limit,omitempty"`
	Source      string          `json:"source,omitempty"` // of "sources"
	Origin      string          `json:"origin,omitempty"` // in it
}

func newSpecJSON(s *tool.Spec) specJSON {
	return specJSON{
		Name: s.Name, Title: s.Title, Description: s.Description, Tags: append([]string{}, s.Tags...),
		Deferred: s.Deferred, SearchHint: s.SearchHint, Parameters: s.Parameters,
		Timeout: s.Timeout.String(), MaxOutput: s.MaxOutput, RateLimit: host.NewLimit("", s.RateLimit), Source: s.Namespace, Origin: s.Origin,
	}
}

func listTools(ctx context.Context, io streams, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	format, err := formatOf(cmd)
	if err != nil {
		return err
	}
	l, err := listed(ctx, io, layers(cmd), cmd.StringSlice("activate"), false)
	if err != nil {
		return err
	}
	deferred := l.deferred()
	switch {
	case format != nil:
		l.keep(false)
	case cmd.Bool("deferred"):
		l.keep(true)
	}
	tellUnlisted(io.err, &l, deferred)
	switch {
	case format != nil:
		return printJSON(io.out, format(l.specs))
	case cmd.Bool("json"):
		list := make([]specJSON, 0, len(l.specs))
		for _, s := range l.specs {
			list = append(list, newSpecJSON(s))
		}
		return printJSON(io.out, list)
	}
	return tableOfTools(io.out, l.specs, deferred > 0)
}

// tellUnlisted says how many tools are not in the list that models are given, and why.
func tellUnlisted(w io.Writer, l *listing, deferred int) {
	if l.hidden > 0 {
		_, _ = fmt.Fprintf(w, "%s hidden by policy\n", count(l.hidden, "tool"))
	}
	if l.inactive > 0 {
		_, _ = fmt.Fprintf(w, "%s in groups that are not active (--activate GROUP)\n", count(l.inactive, "tool"))
	}
	if deferred > 0 {
		_, _ = fmt.Fprintf(w, "%s deferred: models find them with %s\n", count(deferred, "tool"), find.ToolName)
	}
}

// tableOfTools shows one tool a line; where some are deferred, which.
func tableOfTools(out io.Writer, specs []*tool.Spec, marks bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range specs {
		mark := ""
		switch {
		case marks && s.Deferred:
			mark = "deferred\t"
		case marks:
			mark = "\t"
		}
		line, _, _ := strings.Cut(s.Description, "\n")
		_, _ = fmt.Fprintf(w, "%s\t%s%s\t%s\n", s.Name, mark, strings.Join(s.Tags, ","), plain(line))
	}
	return w.Flush()
}

func showTool(ctx context.Context, io streams, opts config.Options, name string, asJSON bool) error {
	l, err := listed(ctx, io, opts, nil, true)
	if err != nil {
		return err
	}
	for _, s := range l.specs {
		if s.Name != name {
			continue
		}
		if asJSON {
			return printJSON(io.out, newSpecJSON(s))
		}
		return printSpec(io, s)
	}
	return fmt.Errorf("no tool is named %q (see gateway tools list)", name)
}

func printSpec(io streams, s *tool.Spec) error {
	w := tabwriter.NewWriter(io.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(w, "name\t%s\n", s.Name)
	if s.Title != "" {
		_, _ = fmt.Fprintf(w, "title\t%s\n", plain(s.Title))
	}
	if s.Namespace != "" {
		_, _ = fmt.Fprintf(w, "source\t%s\norigin\t%s\n", s.Namespace, plain(s.Origin))
	}
	if s.ByGroup {
		_, _ = fmt.Fprintf(w, "core\tfalse: active where one of these groups is: %s\n", strings.Join(s.Groups, ", "))
	}
	_, _ = fmt.Fprintf(w, "tags\t%s\ntimeout\t%v\nmax_output\t%d bytes\n", strings.Join(s.Tags, ", "), s.Timeout, s.MaxOutput)
	if s.Deferred {
		_, _ = fmt.Fprintf(w, "defer\ttrue: models find it with %s\n", find.ToolName)
	}
	if s.SearchHint != "" {
		_, _ = fmt.Fprintf(w, "search_hint\t%s\n", plain(s.SearchHint))
	}
	if s.RateLimit != nil {
		_, _ = fmt.Fprintf(w, "rate_limit\t%s\n", s.RateLimit)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(io.out, "\n%s\n\n", plainLines(s.Description))
	return printJSON(io.out, s.Parameters)
}

func callCommand(io streams) *cli.Command {
	return &cli.Command{
		Name: "call", Usage: "call one tool through the gate", ArgsUsage: "NAME [key=value | key:=JSON]...",
		Flags: configFlags(
			jsonFlag(), activateFlag(),
			&cli.StringFlag{Name: "args", Usage: "all arguments as one `JSON` object, in place of key=value"},
		),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			name, rest := cmd.Args().First(), cmd.Args().Tail()
			if name == "" {
				return usagef("%s needs the tool's name", cmd.FullName())
			}
			args, err := callArguments(cmd, rest)
			if err != nil {
				return err
			}
			chat := tool.Chat{Groups: cmd.StringSlice("activate")}
			return callTool(sayingThatItWaits(ctx, io, cmd), io, layers(cmd), tool.Call{Tool: name, Arguments: args, Caller: cliCaller(), Chat: chat}, cmd.Bool("json"))
		},
	}
}

// callArguments makes one JSON object of what was typed. A value after = is
// text, which the gate casts to what the schema asks for; one after := is JSON.
func callArguments(cmd *cli.Command, pairs []string) (json.RawMessage, error) {
	if cmd.IsSet("args") {
		if len(pairs) > 0 {
			return nil, usagef("give either --args or key=value, not both")
		}
		return json.RawMessage(cmd.String("args")), nil
	}
	args := make(map[string]json.RawMessage, len(pairs))
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		name, isJSON := strings.CutSuffix(key, ":")
		if !ok || name == "" {
			return nil, usagef("%q is not key=value or key:=JSON", pair)
		}
		if _, twice := args[name]; twice {
			return nil, usagef("argument %q is given twice", name)
		}
		if !isJSON {
			quoted, err := json.Marshal(value)
			if err != nil {
				return nil, err
			}
			args[name] = quoted
			continue
		}
		if !json.Valid([]byte(value)) {
			return nil, usagef("%s:= wants JSON, got %q", name, value)
		}
		args[name] = json.RawMessage(value)
	}
	return json.Marshal(args)
}

func callTool(ctx context.Context, io streams, opts config.Options, call tool.Call, asJSON bool) (err error) {
	only := runs(&call)
	h, err := openFor(opts, assembly.Options{Only: only}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, h.Close())
		host.Tidy(&h.Config.Store)
	}()
	if err := activated(call.Chat.Groups, h.Version.Assembly.Generation); err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx) // a program that the tool started must not outlive this one
	defer stop()
	result := h.Gateway.Call(ctx, call)
	if err := printResult(io, &result, asJSON); err != nil {
		return err
	}
	if why := h.LeftOut[only]; why != "" {
		_, _ = fmt.Fprintf(io.err, "%s is left out: %s\n", only, why)
	}
	if code := exitCode(&result); code != 0 {
		return &exitError{code: code}
	}
	return nil
}

// runs is the tool that a call runs: the inner one where it calls another.
func runs(call *tool.Call) string {
	if find.Calls(call.Tool) {
		if inner, err := find.Unwrap(call.Tool, call.Arguments); err == nil { // else the call says what is wrong
			return inner.Name
		}
	}
	return call.Tool
}

// printResult prints what the model would read: an answer on standard output,
// a failure on standard error; with --json the result object on standard
// output in both cases.
func printResult(io streams, r *tool.Result, asJSON bool) error {
	if asJSON {
		return printJSON(io.out, r)
	}
	text := strings.TrimSuffix(r.Output.Text(), "\n")
	if r.Error == nil {
		_, err := fmt.Fprintln(io.out, text)
		return err
	}
	if r.Error.Cause != nil {
		text += "\n" + causeLabel + plain(r.Error.Cause.Error())
	}
	_, err := fmt.Fprintln(io.err, text)
	return err
}

// causeLabel stands before what whoever runs this program may know and a model
// may not.
const causeLabel = "cause (not shown to a model): "

// exitCode maps how a call ended to the program's exit code.
func exitCode(r *tool.Result) int {
	if r.Error == nil {
		return 0
	}
	switch {
	case r.Error.Code == tool.Denied, r.Error.Code == tool.Inactive, r.Error.Code == tool.NeedsApproval, r.Error.Code == tool.ApprovalDenied:
		return exitRefused
	case r.Error.Code == tool.NotFound && r.Error.Cause != nil: // it is there, and policy hides it
		return exitRefused
	}
	return exitFailed
}
