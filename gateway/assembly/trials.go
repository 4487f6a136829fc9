package assembly

import (
	"maps"
	"slices"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/rehearsal"
)

// Rehearse builds a configuration so that its tests can be run: what its tools and
// hooks ask is answered by the tests, and a text stands for each secret. Documents at
// an address are taken from where they are kept, unless opts say otherwise. A
// configuration is to be built without that before, for what is wrong with its
// connections is not seen here: there are none. Every test is by itself, so no upstream
// is left alone because of failures that others wanted.
func Rehearse(cfg *config.Config, opts Options) *Assembly {
	own := *cfg
	own.Upstreams = make(map[string]httptool.UpstreamConfig, len(cfg.Upstreams))
	for name, u := range cfg.Upstreams {
		u.TLS, u.Proxy, u.Breaker = nil, "", &httptool.Breaker{Failures: new(0)}
		own.Upstreams[name] = u
	}
	opts.Secrets, opts.Network, opts.Machine = Standing, rehearsal.Network{}, rehearsal.Machine{}
	return BuildWith(&own, opts)
}

// trials compiles the tests of tools and hooks.
func (b *builder) trials(all []*candidate, hooks *hook.Set) []rehearsal.Test {
	prepare := preparer(all, hooks)
	subjects, names := make(map[string]*rehearsal.Subject, len(all)), make([]string, 0, len(all))
	var out []rehearsal.Test
	for _, c := range all {
		name := c.entry.Spec.Name
		s := &rehearsal.Subject{
			Entry: c.entry, Plan: hooks.Plan(name), Asks: asksOf(c), Dir: b.cfg.Dir(),
			Prepare: prepare,
		}
		subjects[name], names = s, append(names, name)
		if at := c.at.Key("tests"); !at.Index(len(c.tests)).Present() {
			out = append(out, rehearsal.ToolTests(at, s, c.tests)...)
		}
	}
	if b.partial || b.moved(len(b.cfg.Hooks.Tests), "hooks", "tests") {
		return out
	}
	find := func(name string) *rehearsal.Subject { return subjects[name] }
	return append(out, rehearsal.HookTests(b.at("hooks", "tests"), b.cfg.Hooks.Tests, b.webhookNames(), names, find)...)
}

// asksOf says what a tool asks when it runs.
func asksOf(c *candidate) rehearsal.Asks {
	switch {
	case c.source != nil, c.config.HTTP != nil:
		return rehearsal.AsksService
	case c.config.Command != nil:
		return rehearsal.AsksProgram
	}
	return rehearsal.AsksNobody
}

// webhookNames are the names of the hooks that ask a service, sorted.
func (b *builder) webhookNames() []string {
	asking := map[string]bool{}
	for _, h := range b.cfg.Hooks.Before {
		asking[h.Name] = asking[h.Name] || h.HTTP != nil
	}
	for _, h := range b.cfg.Hooks.After {
		asking[h.Name] = asking[h.Name] || h.HTTP != nil
	}
	maps.DeleteFunc(asking, func(_ string, asks bool) bool { return !asks })
	return slices.Sorted(maps.Keys(asking))
}
