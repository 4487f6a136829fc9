package assembly

import (
	"cmp"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/find"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// discovery is how models find the tools, and what gives up the index that it holds;
// nil where there is no tool to find.
func (a *Assembly) discovery(tools *registry.Registry) (d *gateway.Discovery, release func()) {
	docs := gateway.Documents(tools)
	if len(docs) == 0 {
		return nil, func() {}
	}
	section := &a.own.section
	d = &gateway.Discovery{
		Limit: section.Most(), Budget: cmp.Or(section.Budget, find.DefaultBudget),
		ByRisk: section.CallTools == config.CallToolsByRisk, Learn: section.Learn,
	}
	if a.shelf == nil {
		return d, func() {}
	}
	d.Lease = a.shelf.Take(docs)
	return d, d.Lease.Release
}

// checkGolden reports tools that golden searches expect and nobody knows. Where a
// source is left out, it could be one of its tools.
func (b *builder) checkGolden(all []*candidate) {
	golden := b.cfg.Discovery.Golden
	if len(golden) == 0 || b.partial || b.cfg.Broken("discovery", "golden") {
		return
	}
	names := namesOf(specsOf(all))
	for i := range golden {
		for j, name := range golden[i].Expect {
			at := b.expectation(i, j)
			switch {
			case slices.Contains(names, name):
			case isOwn(name):
				at.Hintf("name another", "%s is a tool of the gateway itself, and those are not searched for", name)
			default:
				at.Hintf(diag.DidYouMean(name, names), "no tool is named %q", name)
			}
		}
	}
}

// expectation is the place of a name that a golden search expects.
func (b *builder) expectation(search, name int) diag.Cursor {
	at := b.at("discovery", "golden").Index(search).Key("expect")
	if item := at.Index(name); item.Present() {
		return item
	}
	return at // a name alone
}

func isOwn(name string) bool {
	return slices.ContainsFunc(append(refusable(), reader(nil).Spec), func(s *tool.Spec) bool { return s.Name == name })
}

// adviseDeferred warns where models have no way to find what is deferred, and of what
// is set for searches where nothing is.
func (b *builder) adviseDeferred(tools *registry.Registry, engine *policy.Engine) {
	n := 0
	for _, e := range tools.All() {
		if e.Spec.Deferred && engine.ListsToSome(e.Spec) {
			n++
		}
	}
	if n == 0 {
		if b.cfg.Discovery.Learn {
			b.at("discovery", "learn").Warnf("write defer: true at tools or sources, or remove it", "no tool is deferred, so models are offered no searches to learn from")
		}
		return
	}
	are := map[bool]string{true: "is", false: "are"}[n == 1]
	switch own, admitted := tools.Lookup(find.ToolName); {
	case !admitted:
		b.at("admit", "deny").Warnf("admit "+find.ToolName+", or defer none", "%s %s deferred and %s is not admitted, so models cannot find what is not in their list", counted(n, "tool"), are, find.ToolName)
	case !engine.ListsToSome(own.Spec):
		b.at("policy", "rules").Warnf("name "+find.ToolName+" in no rule that denies, or defer none", "%s %s deferred and the rules keep everybody from %s, so models cannot find what is not in their list", counted(n, "tool"), are, find.ToolName)
	}
}

// firstSentence is what a text begins with.
func firstSentence(text string) string {
	text = strings.TrimSpace(text)
	end := len(text)
	for _, mark := range []string{". ", ".\n", "! ", "? ", "\n", "。"} {
		if i := strings.Index(text, mark); i >= 0 {
			end = min(end, i)
		}
	}
	return text[:end]
}
