package assembly

import (
	"maps"
	"slices"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httptool"
)

// compileUpstreams compiles the "upstreams" section. An entry with a mistake is
// nil, so that what calls it is not blamed too.
func (b *builder) compileUpstreams() map[string]*httptool.Upstream {
	deps := httptool.UpstreamDeps{SecretNames: b.secretNames, Secrets: b.values, Masker: b.masker}
	all := make(map[string]*httptool.Upstream, len(b.cfg.Upstreams))
	for _, name := range slices.Sorted(maps.Keys(b.cfg.Upstreams)) {
		all[name] = nil
		if !b.cfg.Broken("upstreams", name) {
			all[name] = b.client.NewUpstream(b.at("upstreams", name), name, b.cfg.Upstreams[name], deps)
		}
	}
	return all
}

// adviseUpstreams warns of upstreams that no tool calls.
func (b *builder) adviseUpstreams() {
	used := map[string]bool{}
	for _, t := range b.cfg.Tools {
		if t.HTTP != nil {
			used[t.HTTP.Upstream] = true
		}
	}
	for _, s := range b.cfg.Sources {
		if s.OpenAPI != nil {
			used[s.OpenAPI.Upstream] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.upstreams)) {
		if !used[name] {
			b.at("upstreams", name).As(diag.UnusedUpstream).Warnf("name it in the http block of a tool or the openapi block of a source, or remove it", "no tool calls this upstream")
		}
	}
}

// upstreamStates says how the upstreams stand that have a breaker, by name.
func upstreamStates(all map[string]*httptool.Upstream) func() map[string]string {
	return func() map[string]string {
		states := make(map[string]string, len(all))
		for name, u := range all {
			if state := u.State(); state != "" {
				states[name] = state
			}
		}
		return states
	}
}
