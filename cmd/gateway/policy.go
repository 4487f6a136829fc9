package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

func policyCommand(io streams) *cli.Command {
	return &cli.Command{
		Name:   "policy",
		Usage:  "test, explain and compare the rules of a configuration; nothing is run",
		Action: noCommand,
		Commands: []*cli.Command{
			{
				Name: "test", Usage: "run the tests of the policy section",
				Flags: configFlags(jsonFlag(), connectFlag()),
				Action: func(_ context.Context, cmd *cli.Command) error {
					if err := noArguments(cmd); err != nil {
						return err
					}
					return withPolicy(io, cmd, func(a *assembly.Assembly) error { return testPolicy(io, a.Tests, cmd.Bool("json")) })
				},
			},
			explainCommand(io),
			{
				Name: "table", Usage: "show what becomes of the calls of each tool",
				Flags: configFlags(append(callerFlags(), jsonFlag(), connectFlag())...),
				Action: func(_ context.Context, cmd *cli.Command) error {
					if err := noArguments(cmd); err != nil {
						return err
					}
					return withPolicy(io, cmd, func(a *assembly.Assembly) error { return printTable(io, a, askingCaller(cmd), cmd.Bool("json")) })
				},
			},
			diffCommand(io),
		},
	}
}

func explainCommand(io streams) *cli.Command {
	return &cli.Command{
		Name: "explain", ArgsUsage: "NAME [key=value | key:=JSON]...",
		Usage: "show what the rules decide about one call, and why; hooks are left out, so give the arguments as hooks leave them",
		Flags: configFlags(append(callerFlags(), jsonFlag(), connectFlag(),
			&cli.StringFlag{Name: "args", Usage: "all arguments as one `JSON` object, in place of key=value"},
			&cli.StringFlag{Name: "via", Value: string(tool.ViaDirect), Usage: "how the call is made: direct, batch, call_tool or code"},
		)...),
		Action: func(_ context.Context, cmd *cli.Command) error {
			name, rest := cmd.Args().First(), cmd.Args().Tail()
			if name == "" {
				return usagef("%s needs the tool's name", cmd.FullName())
			}
			if err := checkVia(cmd.String("via")); err != nil {
				return err
			}
			args, err := callArguments(cmd, rest)
			if err != nil {
				return err
			}
			return withPolicy(io, cmd, func(a *assembly.Assembly) error { return explain(io, cmd, a, name, args) })
		},
	}
}

// checkVia refuses a way in which no call is made.
func checkVia(given string) error {
	known := []string{string(tool.ViaDirect), "batch", "call_tool", "code"}
	if slices.Contains(known, given) {
		return nil
	}
	hint := cmp.Or(diag.DidYouMean(given, known), "write direct, batch, call_tool or code")
	return usagef("no call is made via %q (%s)", given, hint)
}

// callerFlags say who is taken to call.
func callerFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "caller", Value: "anonymous", Usage: "the `NAME` of the caller"},
		&cli.StringSliceFlag{Name: "group", Usage: "a `GROUP` that the caller is in; may be repeated"},
	}
}

// askingCaller is who is taken to call. It comes in by the door that agents use
// most.
func askingCaller(cmd *cli.Command) tool.Caller {
	name := cmd.String("caller")
	return tool.Caller{ID: name, Name: name, Kind: tool.KindMCP, Groups: cmd.StringSlice("group")}
}

// withPolicy loads the configuration without its secrets, which no rule needs, and
// without asking for documents unless that is wanted.
func withPolicy(io streams, cmd *cli.Command, f func(*assembly.Assembly) error) error {
	_, a, _, err := loadWith(layers(cmd), assembly.Declared, documentsOf(cmd))
	if err != nil {
		return err
	}
	tellAbsent(io.err, a)
	return errors.Join(f(a), a.Close())
}

// testJSON is the outcome of a test as policy test --json prints it.
type testJSON struct {
	Name        string   `json:"name"`
	OK          bool     `json:"ok"`
	Differences []string `json:"differences,omitempty"`
	Effect      string   `json:"effect,omitempty"`
	Rule        string   `json:"rule,omitempty"`
}

// testPolicy runs the tests and fails when one of them does.
func testPolicy(io streams, tests *policy.Tests, asJSON bool) error {
	var results []policy.TestResult
	if tests != nil {
		results = tests.Run()
	}
	failed := 0
	list := make([]testJSON, 0, len(results))
	for i := range results {
		r := &results[i]
		if !r.OK() {
			failed++
		}
		list = append(list, testJSON{r.Name, r.OK(), r.Differences, string(r.Decision.Effect), r.Decision.Rule})
	}
	if err := printTests(io, list, asJSON); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(io.err, "%s, %d failed\n", count(len(results), "test"), failed)
	if failed > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

func printTests(io streams, list []testJSON, asJSON bool) error {
	if asJSON {
		return printJSON(io.out, list)
	}
	for _, t := range list {
		word := "ok  "
		if !t.OK {
			word = "FAIL"
		}
		if _, err := fmt.Fprintln(io.out, strings.Join(append([]string{word + "  " + t.Name}, t.Differences...), "\n        ")); err != nil {
			return err
		}
	}
	return nil
}

func explain(io streams, cmd *cli.Command, a *assembly.Assembly, name string, sent json.RawMessage) error {
	call, err := a.Generation.Inner(tool.Call{Tool: name, Arguments: sent, Via: tool.Via(cmd.String("via"))})
	if err != nil {
		return fmt.Errorf("no rule is asked: %w", err)
	}
	entry, err := entryOf(a, call.Tool)
	if err != nil {
		return err
	}
	req := policy.Request{
		Tool: entry.Spec, Caller: askingCaller(cmd),
		Chat: tool.Chat{ID: tool.DefaultChat}, Via: call.Via,
	}
	if err := a.Prepare(entry, &req, call.Arguments); err != nil {
		return fmt.Errorf("the arguments do not fit %s, so no rule is asked: %w", call.Tool, err)
	}
	x := a.Generation.Policy.Explain(&req)
	if cmd.Bool("json") {
		out := host.NewExplanation(&req, &x, a.Generation.ApprovalExpires)
		if req.Tool.ByGroup {
			out.Inactive = req.Tool.Groups
		}
		return printJSON(io.out, out)
	}
	if req.Tool.ByGroup {
		_, _ = fmt.Fprintf(io.err, "%s is not core: its calls are refused (inactive) in chats where none of its groups is active: %s\n", call.Tool, strings.Join(req.Tool.Groups, ", "))
	}
	return printExplanation(io.out, &req, &x, a.Generation)
}

func entryOf(a *assembly.Assembly, name string) (*registry.Entry, error) {
	if entry, ok := a.Generation.Tools.Lookup(name); ok {
		return entry, nil
	}
	var names []string
	for _, e := range a.Generation.Tools.All() {
		names = append(names, e.Spec.Name)
	}
	hint := diag.DidYouMean(name, names)
	if hint == "" {
		hint = "see gateway policy table"
	}
	return nil, fmt.Errorf("no tool is named %q (%s)", name, hint)
}

func printExplanation(out io.Writer, req *policy.Request, x *policy.Explanation, gen *gateway.Generation) error {
	who := "rule " + strconv.Quote(x.Rule)
	switch {
	case gen.Policy == nil:
		who = "nothing: there is no policy section"
	case x.Builtin:
		who = "nothing: no rule names this tool, which is built in"
	case x.Rule == "":
		who = "the default: no rule matches"
	}
	text := fmt.Sprintf("%s by %s\n", x.Effect, who)
	if x.Reason != "" {
		text += "reason: " + plain(x.Reason) + "\n"
	}
	if x.Err != nil {
		text += "error: " + plain(x.Err.Error()) + "\n"
	}
	if ask := host.AskingOf(x, gen.ApprovalExpires); ask != nil {
		text += askingText(ask) + "\n"
	}
	for _, l := range host.LimitsOf(req, x) {
		text += l.String() + "\n"
	}
	if _, err := io.WriteString(out, text); err != nil || len(x.Tried) == 0 {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w)
	for _, t := range x.Tried {
		mark, when := " ", t.When
		if t.Decided {
			mark = ">"
		}
		if strings.HasPrefix(t.Why, "when ") && when != "" {
			when = ": " + when
		} else {
			when = ""
		}
		_, _ = fmt.Fprintf(w, "%s %d\t%s\t%s%s\n", mark, t.Index+1, t.Rule, t.Why, when)
	}
	return w.Flush()
}
