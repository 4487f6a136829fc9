package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// rule is a rule as every side gets it. Within one of the lists one entry is enough; what
// is empty holds always.
type rule struct {
	name    string
	tools   []string // globs on the tool's name
	tags    []string
	callers []string // globs on the caller's name
	when    condition
	allow   bool
}

// condition is the same condition in the languages of the sides; ours and that of expr are
// the same here.
type condition struct {
	expr, cedar string
	args        bool // it reads arguments, so that nothing is known before there is a call
}

// request is a call to decide about.
type request struct {
	tool   *subject
	caller caller
	args   arguments
}

// subject is a tool.
type subject struct {
	name string
	tags []string
}

type caller struct {
	name   string
	groups []string
}

type arguments struct {
	amount int64
	env    string
	path   string
}

// material is everything that a kind of rules is measured with.
type material struct {
	tools    []subject
	rules    []rule
	requests []request
}

// kind is a kind of rules, of which there may be any number. In all of them rules that
// deny stand before those that allow, and nothing is allowed by default: then the first
// rule that matches decides as Cedar does, where a rule that forbids beats all others.
type kind struct {
	name  string
	rules func(n int) []rule
}

func kinds() []kind {
	return []kind{
		{"matchers only, the last decides", func(n int) []rule {
			rules := denials(n-1, byCaller)
			return append(rules, rule{name: "last", tools: []string{"crm_*"}, callers: []string{"*"}, allow: true})
		}},
		{"conditions, the last decides", func(n int) []rule {
			rules := denials(n-1, byArguments)
			return append(rules, rule{name: "last", tools: []string{"crm_*"}, when: condition{`args.env != "none"`, `context.env != "none"`, true}, allow: true})
		}},
		{"conditions, none decides", func(n int) []rule { return denials(n, byArguments) }},
		{mixed, mixture},
	}
}

const mixed = "mixed"

// denials are rules about every tool that is called, none of which denies.
func denials(n int, one func(i int) rule) []rule {
	rules := make([]rule, n)
	for i := range rules {
		rules[i] = one(i)
		rules[i].name = fmt.Sprintf("rule %d", i)
	}
	return rules
}

func byCaller(i int) rule {
	return rule{tools: []string{"crm_*"}, callers: []string{fmt.Sprintf("stranger-%d-*", i)}}
}

func byArguments(i int) rule {
	return rule{tools: []string{"crm_*"}, when: condition{
		fmt.Sprintf(`args.amount > %d and args.env == "prod"`, 10_000+i),
		fmt.Sprintf(`context.amount > %d && context.env == "prod"`, 10_000+i), true,
	}}
}

// mixture is rules as a house may have them, about ten systems: six of ten deny. All are
// about different tools, callers or arguments, so that requests are decided here and there.
func mixture(n int) []rule {
	makers := []func(i int, system string) rule{
		func(i int, system string) rule { // one tool
			return rule{tools: []string{fmt.Sprintf("%s_delete_%d", system, i)}}
		},
		func(i int, system string) rule {
			return rule{tools: []string{system + "_*"}, tags: []string{"destructive"}, callers: []string{fmt.Sprintf("robot-%d", i)}}
		},
		func(i int, system string) rule {
			limit := 5000 + i
			return rule{tools: []string{system + "_update_*", system + "_delete_*"}, when: condition{fmt.Sprintf("args.amount > %d", limit), fmt.Sprintf("context.amount > %d", limit), true}}
		},
		func(i int, system string) rule {
			return rule{tools: []string{fmt.Sprintf("%s_*_%d", system, i)}, tags: []string{"network", "privileged"}, when: condition{
				`args.path startsWith "/etc/"`, `context.path like "/etc/*"`, true,
			}}
		},
		func(i int, _ string) rule { return rule{callers: []string{fmt.Sprintf("stranger-%d-*", i)}} },
		func(i int, system string) rule {
			return rule{tools: []string{fmt.Sprintf("%s_update_%d*", system, i)}, when: condition{
				`args.env == "prod" and not ("ops" in caller.groups)`, `context.env == "prod" && !(principal in Group::"ops")`, true,
			}}
		},
		func(_ int, system string) rule {
			return rule{tools: []string{system + "_*"}, tags: []string{"read_only"}, allow: true}
		},
		func(_ int, system string) rule {
			return rule{tools: []string{system + "_update_*"}, when: condition{`"ops" in caller.groups`, `principal in Group::"ops"`, false}, allow: true}
		},
		func(i int, system string) rule {
			return rule{tools: []string{fmt.Sprintf("%s_*_%d", system, i)}, callers: []string{"ann", "bo*"}, allow: true}
		},
		func(_ int, system string) rule {
			return rule{tools: []string{system + "_delete_*"}, when: condition{`args.amount < 100 and args.env == "test"`, `context.amount < 100 && context.env == "test"`, true}, allow: true}
		},
	}
	if n == 1 {
		return []rule{{name: "reads", tags: []string{"read_only"}, allow: true}}
	}
	var denies, allows []rule
	for i := range n {
		r := makers[i%len(makers)](i, systems()[i/len(makers)%len(systems())])
		r.name = fmt.Sprintf("rule %d", i)
		if r.allow {
			allows = append(allows, r)
		} else {
			denies = append(denies, r)
		}
	}
	return append(denies, allows...)
}

func systems() []string {
	return []string{"crm", "billing", "tickets", "wiki", "mail", "files", "builds", "hosts", "staff", "shop"}
}

const (
	toolsInAll = 1000
	asked      = 256 // requests
)

// gather puts together what a kind is measured with. It is the same in every run.
func gather(k kind, rules int) *material {
	m := &material{rules: k.rules(rules)}
	for i := range toolsInAll {
		verb := []string{"get", "find", "update", "delete"}[i/10%4]
		tags := [][]string{{"read_only"}, {"read_only", "network"}, {"network"}, {"destructive", "privileged"}}[i/10%4]
		m.tools = append(m.tools, subject{fmt.Sprintf("%s_%s_%d", systems()[i%10], verb, i), tags})
	}
	called := m.tools
	if k.name != mixed { // there all rules are about these
		called = nil
		for _, t := range m.tools {
			if strings.HasPrefix(t.name, "crm_") {
				called = append(called, t)
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range asked {
		m.requests = append(m.requests, request{
			tool:   &called[random.IntN(len(called))],
			caller: callers()[random.IntN(len(callers()))],
			args: arguments{
				amount: random.Int64N(8000),
				env:    []string{"prod", "test", "stage"}[random.IntN(3)],
				path:   []string{"/etc/passwd", "/srv/data/7.csv"}[random.IntN(2)],
			},
		})
	}
	return m
}

func callers() []caller {
	return []caller{{"ann", []string{"ops", "staff"}}, {"bob", []string{"staff"}}, {"robot-11", nil}, {"stranger-4-x", nil}, {"zoe", []string{"guests"}}}
}
