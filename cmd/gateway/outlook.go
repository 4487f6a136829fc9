package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/find"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// rowJSON is one line of policy table --json.
type rowJSON struct {
	Tool    string   `json:"tool"`
	Effect  string   `json:"effect"`
	Rules   []string `json:"rules"`
	Default bool     `json:"default"` // the default may decide
	Builtin bool     `json:"builtin"` // where no rule decides the call is allowed, for the tool is built in
	Listed  bool     `json:"listed"`
}

// judged are the tools whose calls rules are about: all but those by which others are
// called.
func judged(a *assembly.Assembly) []*registry.Entry {
	return slices.DeleteFunc(slices.Clone(a.Generation.Tools.All()), func(e *registry.Entry) bool {
		return e.Spec.Source == tool.SourceBuiltin && find.Calls(e.Spec.Name)
	})
}

// printTable shows what is certain of each tool before it is called.
func printTable(io streams, a *assembly.Assembly, caller tool.Caller, asJSON bool) error {
	engine := a.Generation.Policy
	rows := make([]rowJSON, 0, len(a.Generation.Tools.All()))
	for _, e := range judged(a) {
		o := engine.Outlook(e.Spec, caller)
		rows = append(rows, rowJSON{e.Spec.Name, string(o.Effect), append([]string{}, o.Rules...), o.Else && !o.Builtin, o.Else && o.Builtin, engine.Lists(e.Spec, caller)})
	}
	if asJSON {
		return printJSON(io.out, rows)
	}
	w := tabwriter.NewWriter(io.out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		who := r.Rules
		if r.Default {
			who = append(who, "(default)")
		}
		if r.Builtin {
			who = append(who, "(built in)")
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", r.Tool, r.Effect, strings.Join(who, ", "))
	}
	return w.Flush()
}

func diffCommand(io streams) *cli.Command {
	return &cli.Command{
		Name: "diff", ArgsUsage: "OTHER.yaml [MORE.yaml]...",
		Usage: "show for which tools, and for which tests of both, another configuration decides otherwise; exit 1 when there are any",
		Description: "The files must make a complete configuration together, for they take the place of all that --config names; " +
			"each is laid over those before it, as with --config: policy diff tools.yaml prod.yaml",
		Flags: configFlags(append(callerFlags(), jsonFlag(), connectFlag())...),
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Args().Len() == 0 {
				return usagef("%s needs the other file, and those that are laid over it", cmd.FullName())
			}
			return diffPolicies(io, cmd, cmd.Args().Slice())
		},
	}
}

// changeJSON is one difference as policy diff --json prints it.
type changeJSON struct {
	Tool   string `json:"tool,omitempty"`
	Test   string `json:"test,omitempty"`
	Before string `json:"before"`
	After  string `json:"after"`
}

func (c *changeJSON) String() string {
	what := "tool " + c.Tool
	if c.Tool == "" {
		what = fmt.Sprintf("test %q", c.Test)
	}
	return fmt.Sprintf("%s: %s -> %s", what, c.Before, c.After)
}

// diffPolicies compares what becomes of calls now with what would, if the other
// files took the place of the first.
func diffPolicies(io streams, cmd *cli.Command, others []string) error {
	now := layers(cmd)
	then := config.Options{Files: others, Env: now.Env, Set: now.Set}
	cfgNow, a, _, err := loadWith(now, assembly.Declared, documentsOf(cmd))
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	cfgThen, b, _, err := loadWith(then, assembly.Declared, documentsOf(cmd))
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	tellAbsent(io.err, a)
	tellAbsent(io.err, b)
	changes := toolChanges(a, b, askingCaller(cmd))
	for _, cfg := range []*config.Config{cfgNow, cfgThen} {
		if cfg.Policy != nil {
			changes = append(changes, testChanges(a, b, cfg.Policy.Tests, changes)...)
		}
	}
	if err := printChanges(io, changes, cmd.Bool("json")); err != nil {
		return err
	}
	if len(changes) > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

func printChanges(io streams, changes []changeJSON, asJSON bool) error {
	if asJSON {
		return printJSON(io.out, append([]changeJSON{}, changes...))
	}
	var errs []error
	for i := range changes {
		_, err := fmt.Fprintln(io.out, changes[i].String())
		errs = append(errs, err)
	}
	_, _ = fmt.Fprintln(io.err, count(len(changes), "change"))
	return errors.Join(errs...)
}

// toolChanges lists the tools of which something else is certain. Where it
// depends on the call both times, other rules may decide.
func toolChanges(a, b *assembly.Assembly, caller tool.Caller) []changeJSON {
	var out []changeJSON
	for _, e := range judged(a) {
		before := a.Generation.Policy.Outlook(e.Spec, caller)
		later, ok := b.Generation.Tools.Lookup(e.Spec.Name)
		if !ok {
			out = append(out, changeJSON{Tool: e.Spec.Name, Before: before.String(), After: "no such tool"})
			continue
		}
		after := b.Generation.Policy.Outlook(later.Spec, caller)
		if before.Effect != after.Effect || before.Effect == policy.Depends && before.String() != after.String() {
			out = append(out, changeJSON{Tool: e.Spec.Name, Before: before.String(), After: after.String()})
		}
	}
	for _, e := range judged(b) {
		if _, ok := a.Generation.Tools.Lookup(e.Spec.Name); !ok {
			out = append(out, changeJSON{Tool: e.Spec.Name, Before: "no such tool", After: b.Generation.Policy.Outlook(e.Spec, caller).String()})
		}
	}
	return out
}

// testChanges runs tests under both policies and lists those that come out
// otherwise, but for what is known already: both files may have the same test.
func testChanges(a, b *assembly.Assembly, tests []policy.TestConfig, known []changeJSON) []changeJSON {
	seen := map[changeJSON]bool{}
	for _, c := range known {
		seen[c] = true
	}
	before, after := outcomes(a, tests), outcomes(b, tests)
	var out []changeJSON
	for _, t := range tests {
		x, y := before[t.Name], after[t.Name]
		c := changeJSON{Test: t.Name, Before: x.text, After: y.text}
		if x.key != y.key && !seen[c] {
			out = append(out, c)
		}
	}
	return out
}

// outcome is what came of a test: what is compared, and how it is shown.
type outcome struct{ key, text string }

func outcomes(a *assembly.Assembly, tests []policy.TestConfig) map[string]outcome {
	out := make(map[string]outcome, len(tests))
	for _, t := range tests {
		out[t.Name] = outcome{"unfit", "a test that does not fit the file"}
	}
	results := a.RuleTests(tests).Run()
	for i := range results {
		r := &results[i]
		switch {
		case r.Decision.Effect != "":
			out[r.Name] = outcome{string(r.Decision.Effect), r.Decision.String()}
		case r.OK():
			out[r.Name] = outcome{"ok", "listed as the test says"}
		default:
			text := strings.Join(r.Differences, "; ")
			out[r.Name] = outcome{text, text}
		}
	}
	return out
}
