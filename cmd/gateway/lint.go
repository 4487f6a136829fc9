package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
)

func lintCommand(io streams) *cli.Command {
	return &cli.Command{
		Name:  "lint",
		Usage: "check the configuration file; start nothing, open no connection, need no secret",
		Flags: []cli.Flag{configFlag(), jsonFlag()},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if err := noArguments(cmd); err != nil {
				return err
			}
			return lint(io, cmd.String("config"), cmd.Bool("json"))
		},
	}
}

// lint prints every problem of the file, sorted by place.
func lint(io streams, path string, asJSON bool) error {
	cfg, problems := config.Load(path)
	if cfg != nil {
		a := assembly.Build(cfg, assembly.Declared)
		if err := a.Close(); err != nil {
			return err
		}
		problems = cfg.Problems()
	}
	if err := printProblems(io, problems, asJSON); err != nil {
		return err
	}
	if problems.Err() != nil {
		return &exitError{code: exitUsage}
	}
	_, _ = fmt.Fprintf(io.err, "%s: ok, %s, %s\n", path, count(len(cfg.Tools), "tool"), count(len(problems), "warning"))
	return nil
}

// problemJSON is a problem as lint --json prints it.
type problemJSON struct {
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Key      string `json:"key,omitempty"`
	Severity string `json:"severity"`
	Text     string `json:"text"`
	Hint     string `json:"hint,omitempty"`
}

func printProblems(io streams, problems diag.Problems, asJSON bool) error {
	if !asJSON {
		for _, p := range problems {
			if _, err := fmt.Fprintln(io.out, p); err != nil {
				return err
			}
		}
		return nil
	}
	list := make([]problemJSON, 0, len(problems))
	for _, p := range problems {
		severity := "error"
		if p.Warning {
			severity = "warning"
		}
		list = append(list, problemJSON{p.Place.File, p.Place.Line, p.Place.Column, p.Key, severity, p.Text, p.Hint})
	}
	return printJSON(io.out, list)
}
