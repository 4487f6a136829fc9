package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/clients"
	"github.com/toolgate/toolgate/gateway/config"
)

func mcpCommand(io streams) *cli.Command {
	return &cli.Command{
		Name:   "mcp",
		Usage:  "make MCP clients use this gateway",
		Action: noCommand,
		Commands: []*cli.Command{{
			Name: "add", ArgsUsage: "CLIENT",
			Usage: "show what a client has to be told, and where, or write it there; clients: " + strings.Join(clients.Names(), ", "),
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "url", Usage: "the `URL` of a gateway that runs (default: http://" + config.DefaultListen + "/mcp)"},
				&cli.BoolFlag{Name: "stdio", Usage: "let the client start a gateway of its own"},
				&cli.StringSliceFlag{Name: "config", Aliases: []string{"c"}, Value: []string{"tools.yaml"}, Usage: "with --stdio, a configuration `FILE`; may be repeated"},
				&cli.StringFlag{Name: "name", Value: "toolgate", Usage: "the `NAME` under which the client shows the tools"},
				&cli.StringFlag{Name: "token-env", Usage: "with --url, the environment `VARIABLE` from which the client reads the token"},
				&cli.BoolFlag{Name: "write", Usage: "write it into the client's file; a copy of the file is kept"},
				&cli.StringFlag{Name: "file", Usage: "the client's `FILE`, where it is another one than usual"},
				jsonFlag(),
			},
			Action: func(_ context.Context, cmd *cli.Command) error { return addClient(io, cmd) },
		}},
	}
}

func addClient(io streams, cmd *cli.Command) error {
	if cmd.Args().Len() != 1 {
		return usagef("%s takes one argument, the client: %s", cmd.FullName(), strings.Join(clients.Names(), ", "))
	}
	server, err := serverFor(cmd)
	if err != nil {
		return err
	}
	setup, err := clients.New(cmd.Args().First(), server, here())
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if setup.Note != "" {
		_, _ = fmt.Fprintf(io.err, "warning: %s\n", setup.Note)
	}
	if cmd.IsSet("file") {
		setup.File, setup.Command = cmd.String("file"), ""
	}
	if cmd.Bool("write") {
		return writeSetup(io, setup, cmd.Bool("json"))
	}
	return printSetup(io, setup, cmd.Bool("json"))
}

// serverFor is what the flags say of the server.
func serverFor(cmd *cli.Command) (clients.Server, error) {
	s := clients.Server{Name: cmd.String("name"), TokenEnv: cmd.String("token-env")}
	if !cmd.Bool("stdio") {
		if cmd.IsSet("config") {
			return s, usagef("--config goes with --stdio; a gateway that runs has its configuration")
		}
		s.URL = "http://" + config.DefaultListen + "/mcp"
		if cmd.IsSet("url") {
			s.URL = cmd.String("url")
		}
		return s, nil
	}
	if cmd.IsSet("url") {
		return s, usagef("give either --url or --stdio, not both")
	}
	program, err := os.Executable()
	if err != nil {
		return s, err
	}
	s.Command = []string{program, "serve", "--stdio"}
	for _, file := range cmd.StringSlice("config") {
		path, err := filepath.Abs(file) // the client starts it in a folder of its own
		if err != nil {
			return s, err
		}
		if err := configThere(file, path); err != nil {
			return s, err
		}
		s.Command = append(s.Command, "--config", path)
	}
	return s, nil
}

// configThere says why a configuration cannot be read, in the words in which
// loading it says that. What it holds may be mended later.
func configThere(named, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usagef("%s: there is no such file (create it, or name another one with --config)", named)
	case err == nil && info.IsDir():
		return usagef("%s: the file cannot be read: is a directory", named)
	case err != nil:
		if wrapped, ok := errors.AsType[*fs.PathError](err); ok {
			err = wrapped.Err
		}
		return usagef("%s: the file cannot be read: %w", named, err)
	}
	return nil
}

// here is this machine. What cannot be found out stays empty.
func here() clients.Place {
	home, _ := os.UserHomeDir()
	dir, _ := os.Getwd()
	return clients.Place{
		OS: runtime.GOOS, Home: home, Dir: dir, Getenv: os.Getenv,
		Exists: func(file string) bool { _, err := os.Stat(file); return err == nil },
	}
}

// setupJSON is what mcp add --json prints.
type setupJSON struct {
	Client  string `json:"client"`
	File    string `json:"file,omitempty"`
	Snippet string `json:"snippet"`
	Command string `json:"command,omitempty"`
	Docs    string `json:"documentation"`
	Written bool   `json:"written"`
	Backup  string `json:"backup,omitempty"`

	Replaced *replacedJSON `json:"replaced,omitempty"`
}

// replacedJSON is what became of an entry that was there.
type replacedJSON struct {
	Address bool     `json:"address"`
	Kept    []string `json:"kept"`
	Dropped []string `json:"dropped"`
}

func newSetupJSON(s *clients.Setup, w clients.Written) setupJSON {
	out := setupJSON{Client: s.Client, File: s.File, Snippet: s.Snippet, Command: s.Command, Docs: s.Docs, Written: w.Changed, Backup: w.Backup}
	if r := w.Replaced; r != nil {
		out.Replaced = &replacedJSON{r.Address, append([]string{}, r.Kept...), append([]string{}, r.Dropped...)}
	}
	return out
}

// printSetup prints the snippet on standard output and where it belongs on
// standard error.
func printSetup(io streams, s *clients.Setup, asJSON bool) error {
	if asJSON {
		return printJSON(io.out, newSetupJSON(s, clients.Written{}))
	}
	where := "this belongs into " + s.File
	if s.File == "" {
		where = "where this belongs is not documented for this system"
	}
	_, _ = fmt.Fprintf(io.err, "%s: %s (see %s)\n", s.Client, where, s.Docs)
	if _, err := fmt.Fprint(io.out, s.Snippet); err != nil {
		return err
	}
	if s.Command != "" {
		_, _ = fmt.Fprintf(io.err, "or run: %s\n", s.Command)
	}
	if s.File != "" {
		_, _ = fmt.Fprintln(io.err, "or let it be written: repeat this command with --write")
	}
	return nil
}

// writeSetup merges the snippet into the client's file, or prints it where that
// cannot be done.
func writeSetup(io streams, s *clients.Setup, asJSON bool) error {
	if s.File == "" {
		return usagef("the file of %s is not documented for this system (name it with --file)", s.Client)
	}
	done, err := s.Write(s.File)
	if err != nil {
		how, text := "add this by hand", s.Snippet
		if hand, ok := errors.AsType[*clients.ByHand](err); ok {
			how, text = hand.How, hand.Text
		}
		_, _ = fmt.Fprintf(io.err, "%s was left as it is; %s:\n%s", s.File, how, text)
		return fmt.Errorf("%s: %w", s.File, err)
	}
	if asJSON {
		return printJSON(io.out, newSetupJSON(s, done))
	}
	_, _ = fmt.Fprintf(io.err, "%s: %s\n", s.Client, wordWritten(s, &done))
	return nil
}

// wordWritten says what was done to the client's file.
func wordWritten(s *clients.Setup, done *clients.Written) string {
	if !done.Changed {
		return "nothing to do, it stands in " + s.File
	}
	text := "written into " + s.File
	if r := done.Replaced; r != nil {
		text = fmt.Sprintf("changed the entry %q in %s", s.Name(), s.File)
		if r.Address {
			text = fmt.Sprintf("replaced the address of %q in %s", s.Name(), s.File)
		}
		var rest []string
		if len(r.Kept) > 0 {
			rest = append(rest, "kept "+strings.Join(r.Kept, ", "))
		}
		if len(r.Dropped) > 0 {
			rest = append(rest, "took out "+strings.Join(r.Dropped, ", "))
		}
		if len(rest) > 0 {
			text += " (" + strings.Join(rest, "; ") + ")"
		}
	}
	if done.Backup != "" {
		text += "; what was there before is in " + done.Backup
	}
	return text
}
