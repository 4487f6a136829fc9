package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/config"
)

func configCommand(io streams) *cli.Command {
	return &cli.Command{
		Name:   "config",
		Usage:  "show what all layers of the configuration say together",
		Action: noCommand,
		Commands: []*cli.Command{{
			Name:  "print",
			Usage: "print the configuration that files, environment and --set make; no secret is read",
			Flags: configFlags(
				jsonFlag(),
				&cli.BoolFlag{Name: "origins", Usage: "say of every value where it was written"},
			),
			Action: func(_ context.Context, cmd *cli.Command) error {
				if err := noArguments(cmd); err != nil {
					return err
				}
				return printConfig(io, layers(cmd), config.PrintOptions{JSON: cmd.Bool("json"), Origins: cmd.Bool("origins")})
			},
		}},
	}
}

// printConfig prints what is readable of a configuration, also of one with
// mistakes; those go to standard error.
func printConfig(io streams, opts config.Options, how config.PrintOptions) error {
	cfg, problems := config.Load(opts)
	if cfg == nil {
		return &exitError{exitUsage, problems}
	}
	if err := cfg.Print(io.out, how); err != nil {
		return err
	}
	if problems.Err() != nil {
		return &exitError{exitUsage, problems}
	}
	for _, p := range problems {
		_, _ = fmt.Fprintln(io.err, p)
	}
	return nil
}
