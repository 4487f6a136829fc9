package assembly

import (
	"context"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/rehearsal"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi/spec"
	"github.com/toolgate/toolgate/policy"
)

// candidate is a tool without a mistake, and what decides whether it is
// registered.
type candidate struct {
	entry    *registry.Entry
	config   *config.Tool
	args     shape
	known    policy.Known
	needs    []need
	admitted bool // enabled, and let in by "admit"
	at       diag.Cursor
	source   *imported       // that it comes from; nil for a declared one
	op       *spec.Operation // that it is made of; nil for a declared one
	fixed    map[string]any  // arguments that models do not see
	program  *tool.Tool      // that it is; nil for one of the configuration
	tests    []rehearsal.ToolConfig
}

// forget gives up what only building needs.
func (c *candidate) forget() {
	c.args, c.op, c.fixed, c.tests = shape{}, nil, nil, nil
	if c.program == nil {
		c.config = &config.Tool{Requires: c.config.Requires}
	}
}

// atCall reports whether the needs are looked at when the tool is called.
func (c *candidate) atCall() bool {
	return c.config.Requires != nil && c.config.Requires.Check == checkCall
}

// isWatched reports whether the needs are looked at again and again.
func (c *candidate) isWatched() bool {
	return c.config.Requires != nil && c.config.Requires.Check == checkWatch && len(c.needs) > 0
}

// specsOf are the tools of all candidates, whether registered or not.
func specsOf(all []*candidate) []*tool.Spec {
	specs := make([]*tool.Spec, 0, len(all))
	for _, c := range all {
		specs = append(specs, c.entry.Spec)
	}
	return specs
}

func specsOfAll(entries []*registry.Entry) []*tool.Spec {
	specs := make([]*tool.Spec, 0, len(entries))
	for _, e := range entries {
		specs = append(specs, e.Spec)
	}
	return specs
}

func entriesOf(some []*candidate) []*registry.Entry {
	entries := make([]*registry.Entry, 0, len(some))
	for _, c := range some {
		entries = append(entries, c.entry)
	}
	return entries
}

// registered are the candidates that are admitted and, where the configuration
// is to be run, have what they need. One that is left out gets a warning.
func (b *builder) registered(all []*candidate) []*candidate {
	b.lacks = b.lookAround(all)
	var out []*candidate
	for _, c := range all {
		if !c.admitted {
			continue
		}
		if why := short(c.needs, b.lacks); why != "" && !c.atCall() {
			b.leftOut[c.entry.Spec.Name] = why
			c.at.As(diag.LeftOutTool).Warnf("", "left out: %s", why)
			continue
		}
		if c.atCall() && b.mode == Resolved {
			c.entry.Runner = b.guard(c)
		}
		out = append(out, c)
	}
	return out
}

// lookAround looks for what admitted tools need before they are registered,
// unless nothing is to be run; when only one tool is of interest, for what that
// one needs.
func (b *builder) lookAround(all []*candidate) map[need]*lack {
	if b.mode != Resolved {
		return nil
	}
	wanted := map[need]bool{}
	for _, c := range b.ofInterest(all) {
		if !c.admitted || c.atCall() {
			continue
		}
		for _, n := range c.needs {
			wanted[n] = true
		}
	}
	return b.surroundings.lookAll(context.Background(), wanted)
}

// ofInterest are those whose surroundings and secrets matter: all, unless only
// one tool is going to be called.
func (b *builder) ofInterest(all []*candidate) []*candidate {
	if b.only == "" {
		return all
	}
	for _, c := range all {
		if c.entry.Spec.Name == b.only {
			return []*candidate{c}
		}
	}
	return nil
}

// guard wraps a runner whose needs are looked at when it is called. Tools with
// the same need share what is found out about it.
func (b *builder) guard(c *candidate) tool.Runner {
	g := &guarded{Runner: c.entry.Runner}
	for _, n := range c.needs {
		if b.watched[n] == nil {
			b.watched[n] = newWatched(n, &b.surroundings)
		}
		g.needs = append(g.needs, b.watched[n])
	}
	return g
}
