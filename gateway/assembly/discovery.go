package assembly

import (
	"cmp"
	"slices"
	"strconv"
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
			case b.changing:
				at.As(diag.UnmatchedPattern).Warnf("", "no tool is named %q now, so no search finds it", name)
			default:
				at.Hintf(cmp.Or(diag.DidYouMean(name, names), "gateway tools list shows the names there are"), "no tool is named %q", name)
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

// adviseDeferred warns where models have no way to find what is deferred, or to call
// what they found, and of what is set for searches where nothing is.
func (b *builder) adviseDeferred(tools *registry.Registry, engine *policy.Engine) {
	n, writing := 0, 0
	for _, e := range tools.All() {
		if e.Spec.Deferred && engine.ListsToSome(e.Spec) {
			n++
			if !e.Spec.ReadOnly() {
				writing++
			}
		}
	}
	if n == 0 {
		if b.cfg.Discovery.Learn {
			b.at("discovery", "learn").As(diag.UselessSetting).Warnf("write defer: true at tools or sources, or remove it", "no tool is deferred, so models are offered no searches to learn from")
		}
		return
	}
	switch own, admitted := tools.Lookup(find.ToolName); {
	case !admitted:
		b.admission.refusal(b.at("admit", "deny"), searcher(b.cfg.Discovery).Spec).As(diag.UnfindableTool).Warnf("admit "+find.ToolName+", or defer none", "%s deferred and %s is not admitted, so models cannot find what is not in their list", areCounted(n), find.ToolName)
	case !engine.ListsToSome(own.Spec):
		b.denial(engine, own.Spec).As(diag.UnfindableTool).Warnf("keep "+find.ToolName+" out of this rule, or defer none", "%s deferred and the rules keep everybody from %s, so models cannot find what is not in their list", areCounted(n), find.ToolName)
	default:
		b.adviseCalls(tools, n, writing)
	}
}

// adviseCalls warns where what is found is called by its name alone, which not every
// client lets its model do; that many tools are deferred, and of these do more than read.
func (b *builder) adviseCalls(tools *registry.Registry, deferred, writing int) {
	_, calls := tools.Lookup(find.CallName)
	_, reads := tools.Lookup(find.CallReadName)
	byRisk := b.cfg.Discovery.CallTools == config.CallToolsByRisk
	refusal := func(s *tool.Spec) diag.Cursor { return b.admission.refusal(b.at("admit", "deny"), s) }
	const who = "so clients that let models call only what is listed, and list once or speak MCP 2026-07-28, cannot call %s"
	switch {
	case !calls && !reads:
		refusal(find.CallSpec(byRisk)).As(diag.UnfindableTool).Warnf("admit "+find.CallName+", or defer none", "%s deferred and %s is not admitted, "+who, areCounted(deferred), find.CallName, "what was found")
	case !calls && writing > 0:
		refusal(find.CallSpec(byRisk)).As(diag.UnfindableTool).Warnf("admit "+find.CallName+", or defer only tools that are read_only", "%s deferred and %s is not admitted, "+who, areCounted(deferred), find.CallName, "those that are not read_only ("+strconv.Itoa(writing)+")")
	case byRisk && calls && !reads:
		refusal(find.CallReadSpec(true)).As(diag.UselessSetting).Warnf("admit it, or write call_tools: "+config.CallToolsOne, "%s is not admitted, so discovery.call_tools: %s changes nothing: %s calls all tools", find.CallReadName, config.CallToolsByRisk, find.CallName)
	}
}

// areCounted begins a sentence about that many tools.
func areCounted(n int) string {
	if n == 1 {
		return "1 tool is"
	}
	return counted(n, "tool") + " are"
}

// denial is the place of the rule that keeps everybody from a tool.
func (b *builder) denial(engine *policy.Engine, s *tool.Spec) diag.Cursor {
	at, rules := b.at("policy", "rules"), engine.Outlook(s, tool.Caller{}).Rules
	if len(rules) == 0 || b.moved(len(b.cfg.Policy.Rules), "policy", "rules") {
		return at
	}
	name := rules[len(rules)-1] // those behind one that certainly holds are not looked at
	i := slices.IndexFunc(b.cfg.Policy.Rules, func(r policy.RuleConfig) bool { return cmp.Or(r.Name, r.Preset) == name })
	if i < 0 {
		return at
	}
	return at.Index(i)
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
