package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/wasm/python/cpython"
)

// The formats in which lint prints problems.
const (
	formatText  = "text"
	formatJSON  = "json"
	formatSARIF = "sarif"
)

func lintCommand(io streams) *cli.Command {
	return &cli.Command{
		Name:  "lint",
		Usage: "check the configuration file; start nothing, need no secret and, without --connect, open no connection",
		Flags: configFlags(
			&cli.StringFlag{Name: "format", Value: formatText, Usage: "print problems as `FORMAT`: text, json or sarif"},
			&cli.BoolFlag{Name: "json", Usage: "the same as --format json"},
			&cli.StringSliceFlag{Name: "ignore", Usage: "leave out warnings of the class `CLASS`, such as unknown-caller; may be given more than once"},
			&cli.BoolFlag{Name: "strict", Usage: "take warnings for errors"},
			&cli.BoolFlag{Name: "connect", Usage: "ask for the documents of sources that are at an address"},
		),
		Action: func(_ context.Context, cmd *cli.Command) error {
			if err := noArguments(cmd); err != nil {
				return err
			}
			format, err := lintFormat(cmd)
			if err != nil {
				return err
			}
			ignored, err := classesOf(cmd.StringSlice("ignore"))
			if err != nil {
				return err
			}
			return lint(io, layers(cmd), linting{format, ignored, cmd.Bool("strict"), cmd.Bool("connect")})
		},
	}
}

func lintFormat(cmd *cli.Command) (string, error) {
	format, known := cmd.String("format"), []string{formatText, formatJSON, formatSARIF}
	switch {
	case !slices.Contains(known, format):
		return "", usagef("--format must be one of %s, got %q", strings.Join(known, ", "), format)
	case !cmd.Bool("json"):
		return format, nil
	case cmd.IsSet("format") && format != formatJSON:
		return "", usagef("give either --json or --format %s, not both", format)
	}
	return formatJSON, nil
}

// linting is how a file is linted.
type linting struct {
	format  string
	ignored []diag.Class
	strict  bool // warnings are errors
	connect bool
}

// lint prints every problem of the file, sorted by place.
func lint(io streams, opts config.Options, how linting) error {
	use := assembly.Options{Documents: assembly.DocumentsKept}
	if how.connect {
		use.Documents = assembly.DocumentsNeeded
	}
	c, err := host.Check(opts, use)
	if err != nil {
		return err
	}
	problems := how.judge(c.Problems, opts.Files)
	if err := printProblems(io, problems, c.Shown, how.format); err != nil {
		return err
	}
	if problems.Err() != nil {
		return &exitError{code: exitUsage}
	}
	notePython(io, &c.Config.Interpreter)
	_, _ = fmt.Fprintf(io.err, "%s: ok, %s, %s\n", strings.Join(opts.Files, ", "), count(c.Tools, "tool"), count(len(problems), "warning"))
	for _, s := range c.Shown {
		noteShown(io, s)
	}
	return nil
}

// judge leaves out what is ignored, and makes errors of the rest where that is asked.
func (l *linting) judge(problems diag.Problems, files []string) diag.Problems {
	problems = withoutIgnored(problems, files)
	problems = slices.DeleteFunc(problems, func(p diag.Problem) bool { return p.Warning && slices.Contains(l.ignored, p.Class) })
	if l.strict {
		for i := range problems {
			problems[i].Warning = false
		}
	}
	return problems
}

// noteShown says what an agent is shown of the tools.
func noteShown(io streams, s assembly.Shown) {
	who := "an agent is shown"
	if s.Profile != "" {
		who = "with the profile " + s.Profile + ":"
	}
	line := fmt.Sprintf("%s %s, about %s tokens", who, count(s.Tools, "tool"), thousands(s.Tokens))
	if s.Deferred > 0 {
		more := "1 more is"
		if s.Deferred > 1 {
			more = thousands(s.Deferred) + " more are"
		}
		line += fmt.Sprintf("; %s found by searches, and would take about %s in the list", more, thousands(s.DeferredTokens))
	}
	_, _ = fmt.Fprintln(io.err, line)
}

// thousands writes a number that is not negative with commas.
func thousands(n int) string {
	const thousand = 1000
	if n < thousand {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/thousand), n%thousand)
}

// notePython says where there is no interpreter for a file that needs one. That is no
// problem of the file: it may be served elsewhere.
func notePython(io streams, section *config.Interpreter) {
	if !section.Enabled {
		return
	}
	if _, err := cpython.Find(host.PythonPlaces(section.Runtime)); err != nil {
		_, _ = fmt.Fprintf(io.err, "code_interpreter is not available on this machine: %v\n", err)
	}
}

func printProblems(io streams, problems diag.Problems, shown []assembly.Shown, format string) error {
	switch format {
	case formatJSON:
		return printProblemsJSON(io, problems, shown)
	case formatSARIF:
		dir, err := os.Getwd()
		if err != nil {
			return err
		}
		return printJSON(io.out, newSARIF(problems, dir))
	}
	for _, p := range problems {
		if _, err := fmt.Fprintln(io.out, p.Classed()); err != nil {
			return err
		}
	}
	return nil
}

// problemJSON is a problem as lint --format json prints it.
type problemJSON struct {
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Key      string `json:"key,omitempty"`
	Severity string `json:"severity"`
	Rule     string `json:"rule"` // the class of a warning; of an error, its section and that it is one
	Text     string `json:"text"`
	Hint     string `json:"hint,omitempty"`
	// Tools are the names of all tools that it is about, where the text names a few.
	Tools []string `json:"tools,omitempty"`
}

// shownJSON is what an agent is shown, as lint --format json prints it.
type shownJSON struct {
	Profile        string `json:"profile,omitempty"`
	Tools          int    `json:"tools"`
	Tokens         int    `json:"tokens"`
	Deferred       int    `json:"deferred"`
	DeferredTokens int    `json:"deferred_tokens"`
}

func printProblemsJSON(io streams, problems diag.Problems, shown []assembly.Shown) error {
	out := struct {
		Problems []problemJSON `json:"problems"`
		Shown    []shownJSON   `json:"shown"`
	}{make([]problemJSON, 0, len(problems)), make([]shownJSON, 0, len(shown))}
	for _, p := range problems {
		out.Problems = append(out.Problems, problemJSON{p.Place.File, p.Place.Line, p.Place.Column, p.Key, severity(p), ruleID(p), p.Text, p.Hint, strings.Fields(p.Tools)})
	}
	for _, s := range shown {
		out.Shown = append(out.Shown, shownJSON(s))
	}
	return printJSON(io.out, out)
}

func severity(p diag.Problem) string {
	if p.Warning {
		return "warning"
	}
	return "error"
}
