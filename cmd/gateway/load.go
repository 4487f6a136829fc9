package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/gateway/tool"
)

// load reads a configuration and compiles every part of it. With secrets their
// values are read too, and what tools require is looked for; else no connection
// is opened but for the documents of sources that are at an address. One that cannot
// be had leaves out its source, as it does where tools are served. The error is all
// that is wrong with the file; warnings are returned apart.
func load(opts config.Options, secrets assembly.Secrets) (*config.Config, *assembly.Assembly, diag.Problems, error) {
	return loadWith(opts, secrets, assembly.DocumentsAsked)
}

// loadWith is load for a program that says what is done about documents at an address.
func loadWith(opts config.Options, secrets assembly.Secrets, documents assembly.Documents) (*config.Config, *assembly.Assembly, diag.Problems, error) {
	return compile(opts, func(cfg *config.Config) *assembly.Assembly {
		return assembly.BuildWith(cfg, assembly.Options{Secrets: secrets, Documents: documents, CacheDir: host.CacheDir(), Installed: host.PythonVersion})
	})
}

// tellAbsent says which sources are left out of what a program shows.
func tellAbsent(w io.Writer, a *assembly.Assembly) {
	absent := a.Absent()
	for _, name := range slices.Sorted(maps.Keys(absent)) {
		_, _ = fmt.Fprintf(w, "the source %s is left out: %s\n", name, plain(absent[name]))
	}
}

// connectFlag lets a program that needs no connection ask for documents.
func connectFlag() cli.Flag {
	return &cli.BoolFlag{Name: "connect", Usage: "ask for the documents of sources that are at an address; else kept copies are used"}
}

// documentsOf is what that flag says.
func documentsOf(cmd *cli.Command) assembly.Documents {
	if cmd.Bool("connect") {
		return assembly.DocumentsAsked
	}
	return assembly.DocumentsKept
}

func compile(opts config.Options, build func(*config.Config) *assembly.Assembly) (*config.Config, *assembly.Assembly, diag.Problems, error) {
	cfg, problems := config.Load(opts)
	if cfg == nil {
		return nil, nil, nil, &exitError{exitUsage, problems}
	}
	a := build(cfg)
	problems = cfg.Problems()
	if err := problems.Err(); err != nil {
		return nil, nil, nil, &exitError{exitUsage, errors.Join(problems, a.Close())}
	}
	return cfg, a, problems, nil
}

// openFor opens a gateway for a program that says what it is going to do with it.
func openFor(opts config.Options, use assembly.Options, logger *slog.Logger) (*host.House, error) {
	h, err := host.Open(host.Options{Config: opts, Use: use, Logger: logger, Worker: host.ThisProgram, Alone: true})
	if problems := diag.As(err); problems != nil {
		return nil, &exitError{exitUsage, problems}
	}
	return h, err
}

// cliCaller is who asks when a tool is listed or called from this program.
func cliCaller() tool.Caller {
	return tool.Caller{ID: "local", Name: "local", Kind: tool.KindCLI}
}
