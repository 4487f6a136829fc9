package main

import (
	_ "embed"
	"strings"

	"github.com/urfave/cli/v3"
)

// withExamples gives the help of every command its examples, below what is described of
// it.
func withExamples(cmd *cli.Command, path string) {
	for _, sub := range cmd.Commands {
		withExamples(sub, strings.TrimSpace(path+" "+sub.Name))
	}
	lines, ok := examplesOf(path)
	if !ok {
		return
	}
	text := "Examples:\n  " + strings.Join(lines, "\n  ")
	if cmd.Description != "" {
		text = cmd.Description + "\n\n" + text
	}
	cmd.Description = text
}

// examples has command lines below the path of each command, with what they are for
// behind a number sign.
//
//go:embed examples.txt
var examples string

// examplesOf are those of a command by its path below gateway.
func examplesOf(path string) (lines []string, ok bool) {
	_, text, ok := strings.Cut("\n"+examples, "\n# "+path+"\n")
	text, _, _ = strings.Cut(text, "\n\n")
	return strings.Split(strings.TrimSpace(text), "\n"), ok
}
