package main

import (
	"context"
	"errors"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// activateFlag names groups that are active for one command: whoever types it is the
// user.
func activateFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "activate", Usage: "as in a chat in which the `GROUP` is active; may be repeated"}
}

// activated checks the groups of activateFlag.
func activated(groups []string, g *gateway.Generation) error {
	known := gateway.New(g, nil, gateway.Options{}).Groups()
	for _, name := range groups {
		if !slices.Contains(known, name) {
			return usagef("there is no group %q%s", name, hinted(diag.DidYouMean(name, known)))
		}
	}
	return nil
}

// hinted puts a hint in brackets behind a sentence, where there is one.
func hinted(hint string) string {
	if hint == "" {
		return ""
	}
	return " (" + hint + ")"
}

// listing is what a list of tools shows and leaves out.
type listing struct {
	specs    []*tool.Spec
	hidden   int // by policy
	inactive int // for none of their groups is active
}

// listed opens a configuration without its secrets, which no list needs, and
// returns what the local user may see in a chat with these groups; all counts as
// every group.
func listed(ctx context.Context, io streams, opts config.Options, groups []string, all bool) (l listing, err error) {
	_, a, _, err := load(opts, assembly.Declared)
	if err != nil {
		return l, err
	}
	tellAbsent(io.err, a)
	g := gateway.New(a.Generation, nil, gateway.Options{})
	if err := activated(groups, a.Generation); err != nil {
		return l, errors.Join(err, a.Close())
	}
	if all {
		groups = g.Groups()
	}
	l.specs = g.Tools(ctx, tool.View{Caller: cliCaller(), Chat: tool.Chat{Groups: groups}})
	for _, e := range a.Generation.Tools.All() {
		switch {
		case !a.Generation.Policy.Lists(e.Spec, cliCaller()):
			l.hidden++
		case !e.Spec.ActiveIn(groups):
			l.inactive++
		}
	}
	return l, a.Close()
}
