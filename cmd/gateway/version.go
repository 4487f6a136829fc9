package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v3"
)

func versionCommand(io streams) *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version of this program",
		Flags: []cli.Flag{jsonFlag()},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if err := noArguments(cmd); err != nil {
				return err
			}
			v := currentVersion()
			if cmd.Bool("json") {
				return printJSON(io.out, map[string]string{"version": v, "go": runtime.Version()})
			}
			_, err := fmt.Fprintf(io.out, "gateway %s (%s)\n", v, runtime.Version())
			return err
		},
	}
}

// currentVersion is the module's version that the toolchain stamped.
func currentVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
