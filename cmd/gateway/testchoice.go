package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// choice are the tests that are asked for.
type choice struct{ names, tools []tool.Glob }

func newChoice(cmd *cli.Command) (*choice, error) {
	c := &choice{}
	var err error
	if c.names, err = globs(cmd, "run"); err != nil {
		return nil, err
	}
	c.tools, err = globs(cmd, "tool")
	return c, err
}

// globs are the patterns of a flag.
func globs(cmd *cli.Command, flag string) (out []tool.Glob, err error) {
	for _, pattern := range cmd.StringSlice(flag) {
		if pattern == "" {
			return nil, usagef("--%s needs a pattern", flag)
		}
		g, err := tool.ParseGlob(pattern)
		if err != nil {
			return nil, usagef("--%s: %w; ? stands for any one character", flag, err)
		}
		out = append(out, g)
	}
	return out, nil
}

func (c *choice) has(toolName, test string) bool {
	return (len(c.names) == 0 || tool.MatchAny(c.names, test)) && (len(c.tools) == 0 || tool.MatchAny(c.tools, toolName))
}

// choosable is a test that can be chosen.
type choosable struct{ tool, name string }

// allChoosable are all tests of a configuration.
func allChoosable(cfg *config.Config, a *assembly.Assembly) (out []choosable) {
	for i := range a.Trials {
		out = append(out, choosable{a.Trials[i].Tool, a.Trials[i].Name})
	}
	for name := range a.Absent() {
		for key, o := range cfg.Sources[name].Tools {
			for i := range o.Tests {
				out = append(out, choosable{key, o.Tests[i].Name})
			}
		}
	}
	for _, t := range cfg.Policy.Tests {
		out = append(out, choosable{t.Call, t.Name})
	}
	return out
}

// check refuses a pattern that fits no test, and patterns that no test fits together:
// who mistypes a name must not take it for a success.
func (c *choice) check(cfg *config.Config, a *assembly.Assembly) error {
	if len(c.names)+len(c.tools) == 0 {
		return nil
	}
	all := allChoosable(cfg, a)
	var names, about []string
	for _, o := range all {
		names, about = append(names, o.name), append(about, o.tool)
	}
	for _, g := range c.tools {
		if !slices.ContainsFunc(about, g.Match) {
			return c.noTool(g, a, about)
		}
	}
	for _, g := range c.names {
		if !slices.ContainsFunc(names, g.Match) {
			return usagef("no test has a name that fits --run %q%s", string(g), meant(string(g), names))
		}
	}
	if !slices.ContainsFunc(all, func(o choosable) bool { return c.has(o.tool, o.name) }) {
		return usagef("no test fits both --tool and --run")
	}
	return nil
}

// noTool says why no test is about a tool that fits.
func (c *choice) noTool(g tool.Glob, a *assembly.Assembly, about []string) error {
	var all []string
	for _, e := range a.Generation.Tools.All() {
		all = append(all, e.Spec.Name)
	}
	if slices.ContainsFunc(all, g.Match) {
		return usagef("no test is about a tool that fits --tool %q: it has none", string(g))
	}
	return usagef("no tool that has a test fits --tool %q%s", string(g), meant(string(g), append(all, about...)))
}

// meant is a hint in brackets, or "".
func meant(word string, known []string) string {
	slices.Sort(known)
	if hint := diag.DidYouMean(word, slices.Compact(known)); hint != "" && !strings.ContainsAny(word, "*?") {
		return " (" + hint + ")"
	}
	return ""
}
