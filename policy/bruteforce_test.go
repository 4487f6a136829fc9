package policy_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// randomPolicies is how many random policies are compared with the reference.
const randomPolicies = 10_000

// world is one call: what the reference and the engine are asked about.
type world struct {
	spec   *tool.Spec
	caller string
	args   map[string]any
	via    tool.Via
	calls  int
}

// formula is a condition as the reference understands it.
type formula struct {
	text string
	eval func(w *world) bool
}

// referenceRule is a rule as the reference understands it.
type referenceRule struct {
	config policy.RuleConfig
	when   *formula
}

// maker makes random policies. In a read-once policy every late atom stands in
// one place only, so that three-valued logic is exact.
type maker struct {
	r        *rand.Rand
	readOnce bool
	used     int // late atoms, of a read-once policy
}

const mostAtoms = 4 // late atoms of a read-once policy

func (m *maker) pick(of ...string) string { return of[m.r.IntN(len(of))] }

func (m *maker) known() formula {
	name, tag := m.pick("a", "b", "c"), m.pick("t1", "t2", "read_only")
	return []formula{
		{"true", func(*world) bool { return true }},
		{"false", func(*world) bool { return false }},
		{"tool.read_only", func(w *world) bool { return slices.Contains(w.spec.Tags, "read_only") }},
		{"tool.name == '" + name + "'", func(w *world) bool { return w.spec.Name == name }},
		{"'" + tag + "' in tool.tags", func(w *world) bool { return slices.Contains(w.spec.Tags, tag) }},
		{"caller.name != 'ann'", func(w *world) bool { return w.caller != "ann" }},
		{"glob(caller.name, 'b*')", func(w *world) bool { return strings.HasPrefix(w.caller, "b") }},
	}[m.r.IntN(7)]
}

func (m *maker) late() formula {
	if m.readOnce {
		if m.used == mostAtoms {
			return m.known()
		}
		name := fmt.Sprintf("x%d", m.used)
		m.used++
		return formula{"args." + name, func(w *world) bool { return w.args[name] == true }}
	}
	name := m.pick("x0", "x1")
	return []formula{
		{"args." + name, func(w *world) bool { return w.args[name] == true }},
		{"args." + name + " == false", func(w *world) bool { return w.args[name] == false }},
		{"has('args." + name + "')", func(w *world) bool { return w.args[name] != nil }},
		{"args." + name + " == nil", func(w *world) bool { return w.args[name] == nil }},
		{"(args." + name + " ?? tool.read_only)", func(w *world) bool {
			if w.args[name] == nil {
				return slices.Contains(w.spec.Tags, "read_only")
			}
			return w.args[name] == true
		}},
		{"call.via == 'direct'", func(w *world) bool { return w.via == "direct" }},
		{"calls('1h', 'tool') > 0", func(w *world) bool { return w.calls > 0 }},
	}[m.r.IntN(7)]
}

func (m *maker) formula(depth int) formula {
	if depth == 0 || m.r.IntN(4) == 0 {
		if m.r.IntN(5) < 2 {
			return m.known()
		}
		return m.late()
	}
	a, b := m.formula(depth-1), m.formula(depth-1)
	switch m.r.IntN(4) {
	case 0:
		return formula{"(" + a.text + " && " + b.text + ")", func(w *world) bool { return a.eval(w) && b.eval(w) }}
	case 1:
		return formula{"(" + a.text + " || " + b.text + ")", func(w *world) bool { return a.eval(w) || b.eval(w) }}
	case 2:
		return formula{"!(" + a.text + ")", func(w *world) bool { return !a.eval(w) }}
	}
	c := m.formula(depth - 1)
	return formula{"(" + c.text + " ? " + a.text + " : " + b.text + ")", func(w *world) bool {
		if c.eval(w) {
			return a.eval(w)
		}
		return b.eval(w)
	}}
}

// some picks some of the words, or none at all.
func (m *maker) some(words ...string) []string {
	if m.r.IntN(3) > 0 {
		return nil
	}
	return []string{m.pick(words...), m.pick(words...)}
}

func (m *maker) rule(i int) referenceRule {
	rule := referenceRule{config: policy.RuleConfig{
		Name: fmt.Sprint("r", i), Action: m.pick("allow", "deny", "deny", "ask"), Show: false,
		Tools: m.some("a", "b", "*", "**", "a*"), Tags: m.some("t1", "t2", "read_only"),
		Groups: m.some("g1", "g2"), Callers: m.some("ann", "b*", "*"),
	}}
	if !m.readOnce {
		rule.config.Via = m.some("direct", "code", "batch")
	}
	rule.config.Show = rule.config.Action == "deny" && m.r.IntN(2) == 0
	if m.r.IntN(4) > 0 {
		f := m.formula(2)
		rule.when, rule.config.When = &f, &f.text
	}
	return rule
}

// matches is the reference: one rule against one call.
func (r *referenceRule) matches(w *world) bool {
	glob := func(patterns []string, s string) bool {
		return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
			prefix, star := strings.CutSuffix(strings.ReplaceAll(p, "**", "*"), "*")
			return p == s || star && strings.HasPrefix(s, prefix)
		})
	}
	among := func(entries, of []string) bool {
		return len(entries) == 0 || slices.ContainsFunc(entries, func(e string) bool { return slices.Contains(of, e) })
	}
	c := &r.config
	named := slices.DeleteFunc(slices.Clone(c.Tools), func(p string) bool { return strings.Trim(p, "*") == "" })
	if w.spec.Source == tool.SourceBuiltin && (len(named) == 0 || !glob(named, w.spec.Name)) {
		return false
	}
	return glob(c.Tools, w.spec.Name) && among(c.Tags, w.spec.Tags) && among(c.Groups, w.spec.Groups) &&
		glob(c.Callers, w.caller) && among(c.Via, []string{string(w.via)}) && (r.when == nil || r.when.eval(w))
}

func (m *maker) specs() []*tool.Spec {
	var specs []*tool.Spec
	for _, name := range []string{"a", "b", "ab"}[:1+m.r.IntN(3)] {
		specs = append(specs, &tool.Spec{Name: name, Source: m.pick("declared", "declared", "builtin"), Tags: m.some("t1", "t2", "read_only"), Groups: m.some("g1", "g2")})
	}
	return specs
}

// worlds are all calls of one tool by one caller that can be told apart.
func (m *maker) worlds(spec *tool.Spec, caller string) []world {
	var out []world
	if m.readOnce {
		for bits := range 1 << m.used {
			args := map[string]any{}
			for i := range m.used {
				args[fmt.Sprintf("x%d", i)] = bits>>i&1 == 1
			}
			out = append(out, world{spec, caller, args, tool.ViaDirect, 0})
		}
		return out
	}
	values := []any{nil, true, false}
	for _, x := range values {
		for _, y := range values {
			for _, via := range []tool.Via{tool.ViaDirect, "code"} {
				for calls := range 2 {
					out = append(out, world{spec, caller, map[string]any{"x0": x, "x1": y}, via, calls})
				}
			}
		}
	}
	return out
}

// TestAgainstReference compares random policies over random tools with a
// reference that shares no code with the engine: Decide and Explain on every
// call there is, and what is listed with all of them together. What some call
// may do is listed, what is listed is not certainly denied (of read-once
// policies, where certainty is exact), and an Outlook holds for every call.
func TestAgainstReference(t *testing.T) {
	t.Parallel()
	var hidden, shown int
	for seed := range uint64(randomPolicies) {
		m := &maker{r: rand.New(rand.NewPCG(seed, 7)), readOnce: seed%2 == 0}
		specs := m.specs()
		var rules []referenceRule
		cfg := policy.Config{Default: m.pick("allow", "deny", "ask", "deny")}
		for i := range m.r.IntN(5) {
			rules = append(rules, m.rule(i))
			cfg.Rules = append(cfg.Rules, rules[i].config)
		}
		e := compileRandom(t, &cfg, specs)
		for _, spec := range specs {
			if compareTool(t, e, &cfg, rules, m.worlds(spec, m.pick("ann", "bob")), m.readOnce) {
				shown++
			} else {
				hidden++
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d: default %s, rules %s", seed, cfg.Default, ruleText(rules))
		}
	}
	if shown < randomPolicies/10 || hidden < randomPolicies/10 {
		t.Errorf("the policies are too alike: %d shown, %d hidden", shown, hidden)
	}
}

// compileRandom leaves every second policy without an index, so that both ways
// to the rules of a tool are compared.
func compileRandom(t *testing.T, cfg *policy.Config, specs []*tool.Spec) *policy.Engine {
	t.Helper()
	var report diag.Report
	var known []policy.Known
	for _, s := range specs {
		known = append(known, policy.Known{Spec: s, Parameters: []byte(`{"type":"object"}`)})
	}
	if len(specs) == 2 {
		known = nil
	}
	e := policy.Compile(diag.NewCursor(&report, nil), cfg, known...)
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	return e
}

// count is a Counter that gives one number.
type count int

func (c count) Calls(policy.Subject, time.Duration, time.Time) int { return int(c) }

func compareTool(t *testing.T, e *policy.Engine, cfg *policy.Config, rules []referenceRule, worlds []world, exact bool) bool {
	t.Helper()
	spec, caller := worlds[0].spec, tool.Caller{ID: worlds[0].caller, Name: worlds[0].caller}
	possible := map[policy.Effect]bool{}
	for i := range worlds {
		w := &worlds[i]
		effect, rule, builtin := policy.Effect(cfg.Default), "", spec.Source == tool.SourceBuiltin
		if builtin {
			effect = policy.Allow
		}
		for j := range rules {
			if rules[j].matches(w) {
				effect, rule, builtin = policy.Effect(rules[j].config.Action), rules[j].config.Name, false
				break
			}
		}
		possible[effect] = true
		req := policy.Request{Tool: spec, Args: w.args, Caller: caller, Via: w.via, Counter: count(w.calls)}
		d, x := e.Decide(&req), e.Explain(&req)
		if d.Effect != effect || d.Rule != rule || d.Builtin != builtin || d.Err != nil || x.Decision != d {
			t.Errorf("%s %v: decided %+v, explained %+v, want %s by %q", spec.Name, w, d, x.Decision, effect, rule)
		}
	}
	listed := e.Lists(spec, caller)
	certain := len(possible) == 1 && possible[policy.Deny]
	if !listed && !certain || exact && listed && certain {
		t.Errorf("%s for %s: listed %v, possible %v", spec.Name, caller.Name, listed, possible)
	}
	if o := e.Outlook(spec, caller); o.Effect != policy.Depends && (len(possible) != 1 || !possible[o.Effect]) || exact && o.Effect == policy.Depends && len(possible) == 1 && certain {
		t.Errorf("%s for %s: the outlook is %s, possible %v", spec.Name, caller.Name, o, possible)
	}
	if v, d := e.Visibility(spec, caller); (v == policy.Shown) != listed || v == policy.Told && d.Effect != policy.Deny {
		t.Errorf("%s for %s: visibility %v, listed %v", spec.Name, caller.Name, v, listed)
	}
	return listed
}

func ruleText(rules []referenceRule) string {
	var out []string
	for _, r := range rules {
		text := fmt.Sprintf("%s: %s tools %v tags %v groups %v callers %v via %v", r.config.Name, r.config.Action, r.config.Tools, r.config.Tags, r.config.Groups, r.config.Callers, r.config.Via)
		if r.when != nil {
			text += " when " + r.when.text
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}
