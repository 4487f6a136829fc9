package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/wasm/python/cpython"
)

func pythonCommand(io streams) *cli.Command {
	return &cli.Command{
		Name: "python", Usage: "the Python interpreter of the code interpreter",
		Action:   noCommand,
		Commands: []*cli.Command{pythonInstallCommand(io), pythonRunCommand(io)},
	}
}

func pythonInstallCommand(io streams) *cli.Command {
	return &cli.Command{
		Name: "install", Usage: "install the Python interpreter: from npm, or what --from names",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "from", Usage: "another build: `FILE|URL|DIR`, a .wasm, or a .tgz, .zip or folder with python.wasm and, beside it, lib or lib.zip"},
			&cli.StringFlag{Name: "sha256", Usage: "what the file, or python.wasm in it, has to be: `HEX`"},
			&cli.StringFlag{Name: "into", Usage: "install into the folder `DIR` instead of the user's own; code_interpreter.runtime names it later, or it is the folder python beside the program"},
			&cli.BoolFlag{Name: "optimize", Usage: "put it through wasm-opt, which is of npm and needs Node: 5 to 15 % faster, after a minute or two of work"},
			&cli.BoolFlag{Name: "force", Usage: "install again what is installed already"},
			jsonFlag(),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error { return installPython(ctx, io, cmd) },
	}
}

func installPython(ctx context.Context, io streams, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	for _, flag := range []string{"from", "sha256", "into"} {
		if cmd.IsSet(flag) && cmd.String(flag) == "" {
			return usagef("--%s is empty: give it a value, or leave the flag out", flag)
		}
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	places := host.PythonPlaces(cmd.String("into"))
	before := ""
	if r, err := cpython.Find(cpython.Places{Configured: places.Default(), Cache: places.Cache}); err == nil && places.Default() != "" {
		before = r.Module
	}
	steps := newSteps(io)
	runtime, err := cpython.Install(ctx, cpython.Options{
		From: cmd.String("from"), SHA256: cmd.String("sha256"), Into: places.Default(), Cache: places.Cache,
		Optimize: cmd.Bool("optimize"), Force: cmd.Bool("force"), Progress: steps.show,
	})
	steps.bar.clear()
	if wrong, ok := errors.AsType[*cpython.OptionError](err); ok {
		return usagef("%w", wrong)
	}
	if err != nil {
		return fmt.Errorf("the Python interpreter is not installed: %w", err)
	}
	return tellInstalled(io, cmd, runtime, runtime.Module == before)
}

// installedJSON is an interpreter that is installed.
type installedJSON struct {
	Folder    string `json:"folder"`
	Version   string `json:"version"`
	Source    string `json:"source"`
	SHA256    string `json:"sha256"`
	Library   string `json:"library,omitempty"`
	Optimized bool   `json:"optimized"`
	Already   bool   `json:"already_installed"`
}

func tellInstalled(io streams, cmd *cli.Command, r *cpython.Runtime, already bool) error {
	if cmd.Bool("json") {
		return printJSON(io.out, installedJSON{r.Folder, r.Version, r.Source, r.SHA256, r.Library, r.Optimized, already})
	}
	if already {
		_, err := fmt.Fprintf(io.out, "Python %s (%s) is installed and whole in %s; --force installs it again\n", r.Version, r.Source, r.Folder)
		return err
	}
	_, err := fmt.Fprintf(io.out, "Python %s is installed in %s\n  from    %s\n  sha256  %s\n", r.Version, r.Folder, r.Source, r.SHA256)
	return err
}

// steps tell a person how far an installation is: on a terminal with a bar, and
// elsewhere with a line for every stage.
type steps struct {
	io   streams
	bar  *progress
	last string
}

func newSteps(io streams) *steps { return &steps{io: io, bar: newProgress(io.err)} }

func (s *steps) show(stage string, done, total int64) {
	switch {
	case s.bar.out == nil:
		if stage != s.last {
			_, _ = fmt.Fprintf(s.io.err, "%s …\n", stage)
		}
	case total > 0:
		s.bar.show(stage+", kB", int(done/1000), int(total/1000)+1)
	case done > 0:
		s.bar.show(fmt.Sprintf("%s: %d s", stage, done), 0, 0)
	default:
		s.bar.show(stage, 0, 0)
	}
	s.last = stage
}
