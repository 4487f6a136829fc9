package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/discovery/measure"
	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// evalDepth is how many results of a search are looked at.
	evalDepth = measure.Depth
	// missDepth is how far down a tool may be and still count as found.
	missDepth = 5
	// defaultMisses is how many misses are shown unless another number is asked for.
	defaultMisses = 20
)

func discoveryCommand(io streams) *cli.Command {
	return &cli.Command{
		Name:     "discovery",
		Usage:    "measure how well searches find tools",
		Action:   noCommand,
		Commands: []*cli.Command{evalCommand(io)},
	}
}

func evalCommand(io streams) *cli.Command {
	return &cli.Command{
		Name: "eval", ArgsUsage: "[FILE]",
		Usage: "make the searches of a FILE, or those of discovery.golden, and measure how well the tools that they should find are found",
		Flags: configFlags(
			jsonFlag(), connectFlag(),
			&cli.StringFlag{Name: "tools", Usage: "search the tools of a `FILE`, lines of JSON or what tools/list of MCP or GET /v1/tools answers, in place of those of the configuration"},
			&cli.FloatFlag{Name: "min-ndcg", Usage: "fail where nDCG@5 is less than this `NUMBER`, between 0 and 1"},
			&cli.FloatFlag{Name: "min-recall", Usage: "fail where recall@5 is less than this `NUMBER`, between 0 and 1"},
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Value: defaultMisses, Usage: "show at most `N` misses; 0 for all"},
			&cli.StringFlag{Name: "caller", Usage: "search as the caller `NAME`, who finds what no rule hides; without it all tools are found"},
			&cli.StringSliceFlag{Name: "group", Usage: "a `GROUP` that the caller is in; may be repeated"},
		),
		Action: func(ctx context.Context, cmd *cli.Command) error { return evaluate(ctx, io, cmd) },
	}
}

func evaluate(ctx context.Context, io streams, cmd *cli.Command) error {
	if err := checkEvalFlags(cmd); err != nil {
		return err
	}
	shelf, err := openEvaluation(io, cmd)
	if err != nil {
		return err
	}
	report, err := shelf.run(ctx)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		err = printJSON(io.out, report)
	} else {
		err = report.print(io.out, cmd.Int("limit"))
	}
	return errors.Join(err, report.under(io, cmd))
}

func checkEvalFlags(cmd *cli.Command) error {
	if cmd.Args().Len() > 1 {
		return usagef("%s takes one file at most, got %q too", cmd.FullName(), cmd.Args().Get(1))
	}
	for _, name := range []string{"min-ndcg", "min-recall"} {
		if v := cmd.Float(name); !(v >= 0 && v <= 1) {
			return usagef("--%s is between 0 and 1, not %v", name, v)
		}
	}
	switch n := cmd.Int("limit"); {
	case n < 0:
		return usagef("--limit is 0 or more, not %d", n)
	case cmd.IsSet("group") && !cmd.IsSet("caller"):
		return usagef("--group is about --caller NAME, which is not given")
	case cmd.IsSet("tools") && cmd.IsSet("caller"):
		return usagef("--caller is about the rules of a configuration; with --tools there are none")
	case cmd.IsSet("tools") && !cmd.Args().Present():
		return usagef("with --tools, %s needs the FILE of searches", cmd.FullName())
	}
	return nil
}

// evaluation is what is searched, and for what.
type evaluation struct {
	docs    []discovery.Document
	visible func(index int) bool
	cases   []searchCase
}

// openEvaluation reads what the flags name.
func openEvaluation(io streams, cmd *cli.Command) (*evaluation, error) {
	if path := cmd.String("tools"); path != "" {
		docs, err := readTools(path)
		if err != nil {
			return nil, err
		}
		return newEvaluation(docs, cmd.Args().First(), nil)
	}
	cfg, a, _, err := loadWith(layers(cmd), assembly.Declared, documentsOf(cmd))
	if err != nil {
		return nil, err
	}
	defer func() { _ = a.Close() }() // it closes idle connections
	tellAbsent(io.err, a)
	e, err := newEvaluation(gateway.Documents(a.Generation.Tools), cmd.Args().First(), cfg)
	if err == nil && cmd.IsSet("caller") {
		e.visible = listedFor(a.Generation, e.docs, askingCaller(cmd))
	}
	return e, err
}

// newEvaluation searches in documents for what a file, or the configuration, says.
func newEvaluation(docs []discovery.Document, path string, cfg *config.Config) (e *evaluation, err error) {
	e = &evaluation{docs: docs, visible: func(int) bool { return true }}
	if path != "" {
		e.cases, err = readCases(path)
	} else {
		e.cases, err = goldenCases(cfg)
	}
	if err != nil {
		return nil, err
	}
	advice := "gateway tools list shows the names there are"
	if cfg == nil {
		advice = "the names are those in the file of --tools"
	}
	return e, checkExpected(e.cases, docs, advice)
}

// listedFor tells which documents are of tools that rules do not hide from a caller.
func listedFor(g *gateway.Generation, docs []discovery.Document, who tool.Caller) func(int) bool {
	return func(i int) bool {
		entry, ok := g.Tools.Lookup(docs[i].Name)
		return ok && g.Policy.Lists(entry.Spec, who)
	}
}

// run makes all searches.
func (e *evaluation) run(ctx context.Context) (*evalReport, error) {
	index, err := discovery.Build(ctx, e.docs)
	if err != nil {
		return nil, err
	}
	defer func() { _ = index.Close() }() // it is in memory
	scope := index.Scope(e.visible)
	results, relevant := make([][]string, len(e.cases)), make([][]string, len(e.cases))
	report := &evalReport{Tools: scope.Len(), Misses: []missJSON{}}
	for i := range e.cases {
		c := &e.cases[i]
		found, err := scope.Search(ctx, discovery.Query{Text: c.Query, Limit: evalDepth})
		if err != nil {
			return nil, fmt.Errorf("the search for %q: %w", c.Query, err)
		}
		for _, hit := range found.Hits {
			results[i] = append(results[i], hit.Name)
		}
		relevant[i] = c.Expect
		if m, missed := missOf(c, results[i]); missed {
			report.Misses = append(report.Misses, m)
		}
	}
	report.take(measure.Of(results, relevant))
	return report, nil
}

// missOf says which of the tools that a search should find are not among its first.
func missOf(c *searchCase, found []string) (missJSON, bool) {
	m := missJSON{ID: c.ID, Query: c.Query, Found: append([]string{}, found[:min(missDepth, len(found))]...)}
	for _, name := range c.Expect {
		at := slices.Index(found, name)
		m.Expected = append(m.Expected, expectedJSON{Name: name, Rank: at + 1})
		m.missed = m.missed || at < 0 || at >= missDepth
	}
	return m, m.missed
}
