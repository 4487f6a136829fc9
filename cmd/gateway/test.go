package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/gateway/rehearsal"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Kinds beside those of package rehearsal.
const (
	kindRule          = "rule"          // tests of the policy
	kindConfiguration = "configuration" // what is wrong, where no test could be run
)

func testCommand(io streams) *cli.Command {
	return &cli.Command{
		Name:  "test",
		Usage: "run the tests of the configuration: of tools, of hooks and of rules; no connection is opened, no process started, no secret needed",
		Flags: configFlags(
			&cli.StringSliceFlag{Name: "run", Usage: "only the tests whose name fits the pattern `GLOB`; may be repeated"},
			&cli.StringSliceFlag{Name: "tool", Usage: "only the tests about the tool `NAME`, or tools that fit a pattern; may be repeated"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "print tests that pass, too, and name the tools that have none"},
			&cli.StringFlag{Name: "junit", Usage: "write the outcome to `FILE` as JUnit XML, too"},
			jsonFlag(), connectFlag(),
		),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := noArguments(cmd); err != nil {
				return err
			}
			chosen, err := newChoice(cmd)
			if err != nil {
				return err
			}
			file := cmd.String("junit")
			if file == "" {
				return testFile(ctx, io, cmd, chosen)
			}
			if err := os.WriteFile(file, nil, 0o644); err != nil { // nor must an old outcome stay
				return usagef("the file of --junit cannot be written: %w", err)
			}
			return testFile(ctx, io, cmd, chosen)
		},
	}
}

// verdict is how one test ended.
type verdict struct {
	kind, tool, name string
	place            diag.Place
	differences      []rehearsal.Difference
	took             time.Duration
}

// title is the test for a reader.
func (v *verdict) title() string {
	switch {
	case v.kind == kindConfiguration:
		return v.kind
	case v.tool == "":
		return v.kind + ": " + v.name
	}
	return v.kind + " " + v.tool + ": " + v.name
}

// testFile runs the tests that are chosen and fails when one of them does.
func testFile(ctx context.Context, io streams, cmd *cli.Command, chosen *choice) error {
	verdicts, err := testedFile(ctx, io, cmd, chosen)
	if file := cmd.String("junit"); file != "" {
		shown := verdicts
		if err != nil {
			shown = []verdict{mistaken(err)}
		}
		if failed := writeJUnit(file, shown); failed != nil {
			err = errors.Join(err, fmt.Errorf("the outcome cannot be written: %w", failed))
		}
	}
	if err != nil {
		return err
	}
	if err := printVerdicts(io, verdicts, cmd.Bool("json"), cmd.Bool("verbose")); err != nil {
		return err
	}
	return conclude(io, verdicts)
}

// testedFile loads the configuration and runs the tests.
func testedFile(ctx context.Context, io streams, cmd *cli.Command, chosen *choice) ([]verdict, error) {
	cfg, a, _, err := loadWith(layers(cmd), assembly.Declared, documentsOf(cmd))
	if err != nil {
		return nil, err
	}
	tellAbsent(io.err, a)
	if err := chosen.check(cfg, a); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	verdicts, err := rehearse(ctx, cfg, a, documentsOf(cmd), chosen)
	if err := errors.Join(err, a.Close()); err != nil {
		return nil, err
	}
	if cmd.Bool("verbose") {
		tellUntested(io.err, a)
		tellOff(io.err, cfg)
	}
	return verdicts, nil
}

// mistaken is what a program that shows outcomes reads where no test could be run.
func mistaken(err error) verdict {
	v := verdict{kind: kindConfiguration, name: kindConfiguration}
	for _, p := range diag.As(err).Errors() {
		v.differences = append(v.differences, rehearsal.Difference{Got: p.String()})
	}
	if len(v.differences) == 0 {
		v.differences = []rehearsal.Difference{{Got: err.Error()}}
	}
	return v
}

// conclude prints how many tests passed and failed.
func conclude(io streams, verdicts []verdict) error {
	failed := 0
	for i := range verdicts {
		if len(verdicts[i].differences) > 0 {
			failed++
		}
	}
	if len(verdicts) == 0 {
		_, _ = fmt.Fprintln(io.err, "no test was run: there is none under tests of a tool, of hooks or of policy that was asked for")
		return nil
	}
	_, _ = fmt.Fprintf(io.err, "%d passed, %d failed\n", len(verdicts)-failed, failed)
	if failed > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

// rehearse runs the tests of tools and hooks, then those of the rules.
func rehearse(ctx context.Context, cfg *config.Config, a *assembly.Assembly, documents assembly.Documents, chosen *choice) ([]verdict, error) {
	var out []verdict
	if len(a.Trials) > 0 {
		stage := assembly.Rehearse(cfg, assembly.Options{Documents: documents, CacheDir: host.CacheDir(), Installed: host.PythonVersion})
		if err := cfg.Problems().Err(); err != nil {
			return nil, &exitError{exitUsage, errors.Join(cfg.Problems(), stage.Close())}
		}
		for i := range stage.Trials {
			t := &stage.Trials[i]
			if !chosen.has(t.Tool, t.Name) {
				continue
			}
			began := time.Now()
			differences := t.Run(ctx)
			out = append(out, verdict{t.Kind, t.Tool, t.Name, t.Place, differences, time.Since(began)})
		}
		if err := stage.Close(); err != nil {
			return nil, err
		}
	}
	return append(append(out, untestable(cfg, a, chosen)...), ruleVerdicts(cfg, a, chosen)...), ctx.Err()
}

// untestable are the tests of sources that are left out: they fail, for else nobody
// would notice that they are never run.
func untestable(cfg *config.Config, a *assembly.Assembly, chosen *choice) (out []verdict) {
	for name, why := range a.Absent() {
		for key, o := range cfg.Sources[name].Tools {
			at := cfg.At().Key("sources").Key(name).Key("tools").Key(key)
			for i := range o.Tests {
				if chosen.has(key, o.Tests[i].Name) {
					d := rehearsal.Difference{Field: "source", Want: "the document of the source " + name, Got: why}
					out = append(out, verdict{rehearsal.KindTool, key, o.Tests[i].Name, at.Key("tests").Index(i).Place(), []rehearsal.Difference{d}, 0})
				}
			}
		}
	}
	return out
}

func ruleVerdicts(cfg *config.Config, a *assembly.Assembly, chosen *choice) (out []verdict) {
	if a.Tests == nil {
		return nil
	}
	places := map[string]diag.Place{}
	about := map[string]string{}
	for i, t := range cfg.Policy.Tests {
		places[t.Name] = cfg.At().Key("policy").Key("tests").Index(i).Place()
		about[t.Name] = t.Call
	}
	for _, r := range a.Tests.Run() {
		if !chosen.has(about[r.Name], r.Name) {
			continue
		}
		v := verdict{kind: kindRule, tool: about[r.Name], name: r.Name, place: places[r.Name]}
		for _, text := range r.Differences {
			v.differences = append(v.differences, rehearsal.Difference{Got: text})
		}
		out = append(out, v)
	}
	return out
}

// tellUntested names the tools that no test is about.
func tellUntested(w interface{ Write([]byte) (int, error) }, a *assembly.Assembly) {
	tested := map[string]bool{}
	for i := range a.Trials {
		tested[a.Trials[i].Tool] = true
	}
	var names []string
	for _, e := range a.Generation.Tools.All() {
		if e.Spec.Source != tool.SourceBuiltin && !tested[e.Spec.Name] {
			names = append(names, e.Spec.Name)
		}
	}
	if len(names) > 0 {
		_, _ = fmt.Fprintf(w, "without a test: %s\n", strings.Join(names, ", "))
	}
}

// tellOff names the tools with tests that are off. Those of the file itself are tested
// all the same; those of sources are not made, so their tests are not run.
func tellOff(w interface{ Write([]byte) (int, error) }, cfg *config.Config) {
	var own, names []string
	for name, t := range cfg.Tools {
		if !t.On() && len(t.Tests) > 0 {
			own = append(own, name)
		}
	}
	for source, s := range cfg.Sources {
		for key, o := range s.Tools {
			if off := !s.On() || o.Enabled != nil && !*o.Enabled; off && len(o.Tests) > 0 {
				names = append(names, source+": "+key)
			}
		}
	}
	for _, told := range []struct {
		what  string
		names []string
	}{{"tested, though enabled is false", own}, {"tests not run, for enabled is false", names}} {
		if len(told.names) > 0 {
			slices.Sort(told.names)
			_, _ = fmt.Fprintf(w, "%s: %s\n", told.what, strings.Join(told.names, ", "))
		}
	}
}

// writeJUnit writes the outcome for programs that show those of builds.
func writeJUnit(file string, verdicts []verdict) error {
	data, err := junit(verdicts)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}
