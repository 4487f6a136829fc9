package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/config"
)

func schemaCommand(io streams) *cli.Command {
	return &cli.Command{
		Name:  "schema",
		Usage: "print the JSON Schema of the configuration file, for editors",
		Action: func(_ context.Context, cmd *cli.Command) error {
			if err := noArguments(cmd); err != nil {
				return err
			}
			text, err := config.Schema()
			if err != nil {
				return err
			}
			_, err = io.out.Write(text)
			return err
		},
	}
}
