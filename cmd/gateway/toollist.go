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
	"github.com/toolgate/toolgate/gateway/find"
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
	specs    []*tool.Spec // in list order; behind the others those that models find by searching
	hidden   int          // by policy
	inactive int          // for none of their groups is active
}

// deferred is how many of those that are shown are found by searching.
func (l *listing) deferred() int {
	n := 0
	for _, s := range l.specs {
		if s.Deferred {
			n++
		}
	}
	return n
}

// keep leaves out those that are deferred, or all others.
func (l *listing) keep(deferred bool) {
	l.specs = slices.DeleteFunc(l.specs, func(s *tool.Spec) bool { return s.Deferred != deferred })
}

// deferredNames are the tools of a generation that models find by searching.
func deferredNames(g *gateway.Generation) []string {
	var names []string
	for _, e := range g.Tools.All() {
		if e.Spec.Deferred {
			names = append(names, e.Spec.Name)
		}
	}
	return names
}

// listed opens a configuration without its secrets, which no list needs, and
// returns what the local user may see in a chat with these groups, in which all
// deferred tools were found; all counts as every group.
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
	l.specs = g.Tools(ctx, tool.View{Caller: cliCaller(), Chat: tool.Chat{Groups: groups, Found: deferredNames(a.Generation)}})
	for _, e := range a.Generation.Tools.All() {
		switch {
		case e.Spec.Source == tool.SourceBuiltin && find.Calls(e.Spec.Name): // no rule is asked about it
		case !a.Generation.Policy.Lists(e.Spec, cliCaller()):
			l.hidden++
		case !e.Spec.ActiveIn(groups):
			l.inactive++
		}
	}
	return l, a.Close()
}
