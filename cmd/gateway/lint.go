package main

import (
	"context"
	"fmt"
	"os"
	"slices"
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
			return lint(io, layers(cmd), format, cmd.Bool("connect"))
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

// lint prints every problem of the file, sorted by place.
func lint(io streams, opts config.Options, format string, connect bool) error {
	use := assembly.Options{Documents: assembly.DocumentsKept}
	if connect {
		use.Documents = assembly.DocumentsNeeded
	}
	c, err := host.Check(opts, use)
	if err != nil {
		return err
	}
	if err := printProblems(io, c.Problems, format); err != nil {
		return err
	}
	if c.Problems.Err() != nil {
		return &exitError{code: exitUsage}
	}
	notePython(io, &c.Config.Interpreter)
	_, _ = fmt.Fprintf(io.err, "%s: ok, %s, %s\n", strings.Join(opts.Files, ", "), count(c.Tools, "tool"), count(len(c.Problems), "warning"))
	return nil
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

func printProblems(io streams, problems diag.Problems, format string) error {
	switch format {
	case formatJSON:
		return printProblemsJSON(io, problems)
	case formatSARIF:
		dir, err := os.Getwd()
		if err != nil {
			return err
		}
		return printJSON(io.out, newSARIF(problems, dir))
	}
	for _, p := range problems {
		if _, err := fmt.Fprintln(io.out, p); err != nil {
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
	Text     string `json:"text"`
	Hint     string `json:"hint,omitempty"`
	// Tools are the names of all tools that it is about, where the text names a few.
	Tools []string `json:"tools,omitempty"`
}

func printProblemsJSON(io streams, problems diag.Problems) error {
	list := make([]problemJSON, 0, len(problems))
	for _, p := range problems {
		list = append(list, problemJSON{p.Place.File, p.Place.Line, p.Place.Column, p.Key, severity(p), p.Text, p.Hint, strings.Fields(p.Tools)})
	}
	return printJSON(io.out, list)
}

func severity(p diag.Problem) string {
	if p.Warning {
		return "warning"
	}
	return "error"
}
