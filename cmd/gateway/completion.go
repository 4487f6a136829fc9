package main

import (
	"context"
	"embed"
	"strings"

	"github.com/urfave/cli/v3"
)

// completions are the scripts of the shells. They are our own: those of the library
// evaluate what was typed, so that a $(command) in an argument runs when a key is
// pressed, and need a package that many machines lack.
//
//go:embed completion
var completions embed.FS

func completionCommand(io streams) *cli.Command {
	about := map[string]string{
		"bash": "put source <(gateway completion bash) into ~/.bashrc",
		"zsh":  "put source <(gateway completion zsh) into ~/.zshrc, behind compinit",
		"fish": "gateway completion fish > ~/.config/fish/completions/gateway.fish",
	}
	cmd := &cli.Command{Name: "completion", Usage: "print a script that makes a shell complete commands, flags, tools and their arguments", Action: noCommand}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		cmd.Commands = append(cmd.Commands, &cli.Command{
			Name: shell, Usage: about[shell],
			Action: func(_ context.Context, cmd *cli.Command) error {
				if err := noArguments(cmd); err != nil {
					return err
				}
				script, err := completions.ReadFile("completion/" + shell)
				if err != nil {
					return err
				}
				_, err = io.out.Write([]byte(strings.TrimSpace(string(script)) + "\n"))
				return err
			},
		})
	}
	return cmd
}
