package policy_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// TestUnreachableAgainstReference: of random rules over random tools, one that is said
// never to decide decides about none of the calls that can be told apart, by the
// reference that shares no code with the engine, whoever calls and whichever way; and a
// pattern that is said to change nothing can be taken out of its rule.
func TestUnreachableAgainstReference(t *testing.T) {
	t.Parallel()
	told := map[diag.Class]int{}
	for seed := range uint64(randomPolicies) {
		m := &maker{r: rand.New(rand.NewPCG(seed, 11))}
		specs := m.specs()
		var rules []referenceRule
		cfg := policy.Config{Default: m.pick("allow", "deny")}
		for i := range 2 + m.r.IntN(4) {
			rule := m.rule(i)
			if i > 0 && m.r.IntN(4) == 0 { // as people copy rules
				rule.config, rule.when = rules[i-1].config, rules[i-1].when
				rule.config.Name, rule.config.Action, rule.config.Show = fmt.Sprint("r", i), m.pick("allow", "deny", "ask"), false
			}
			rules = append(rules, rule)
			cfg.Rules = append(cfg.Rules, rule.config)
		}
		decides := deciders(m, rules, specs)
		for _, p := range orderAdvice(t, &cfg, specs) {
			var i, j int
			told[p.Class]++
			switch p.Class {
			case diag.UnreachableRule, diag.DuplicateRule:
				if _, err := fmt.Sscanf(p.Key, "policy.rules.%d", &i); err != nil || decides[[2]int{i, -1}] {
					t.Errorf("%v: %s decides", err, p)
				}
			case diag.ShadowedPattern:
				if _, err := fmt.Sscanf(p.Key, "policy.rules.%d.tools.%d", &i, &j); err != nil || decides[[2]int{i, j}] {
					t.Errorf("%v: %s decides", err, p)
				}
			case diag.ConstantCondition:
				never := p.Text != "the condition is always true"
				if _, err := fmt.Sscanf(p.Key, "policy.rules.%d.when", &i); err != nil || never && decides[[2]int{i, -1}] {
					t.Errorf("%v: %s decides", err, p)
				}
			default:
				t.Errorf("%s is of class %s", p, p.Class)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d: default %s, rules %s", seed, cfg.Default, ruleText(rules))
		}
	}
	for _, class := range []diag.Class{diag.UnreachableRule, diag.DuplicateRule, diag.ShadowedPattern, diag.ConstantCondition} {
		if told[class] < randomPolicies/500 {
			t.Errorf("the policies are too alike: %s was told %d times", class, told[class])
		}
	}
}

// deciders finds by trying every call which rules decide, with -1, and about tools that
// fit which of their patterns.
func deciders(m *maker, rules []referenceRule, specs []*tool.Spec) map[[2]int]bool {
	out := map[[2]int]bool{}
	for _, spec := range specs {
		for _, caller := range []string{"ann", "bob", "eve"} {
			worlds := m.worlds(spec, caller)
			for i := range worlds {
				for _, via := range []tool.Via{tool.ViaDirect, tool.ViaBatch, tool.ViaCallTool, "code"} {
					w := worlds[i]
					w.via = via
					first := slices.IndexFunc(rules, func(r referenceRule) bool { return r.matches(&w) })
					if first < 0 {
						continue
					}
					out[[2]int{first, -1}] = true
					for j, pattern := range rules[first].config.Tools {
						if tool.Glob(pattern).Match(spec.Name) {
							out[[2]int{first, j}] = true
						}
					}
				}
			}
		}
	}
	return out
}

// orderAdvice is what is said of the order of rules.
func orderAdvice(t *testing.T, cfg *policy.Config, specs []*tool.Spec) diag.Problems {
	t.Helper()
	var r diag.Report
	at := diag.NewCursor(&r, nil).Key("policy")
	known := make([]policy.Known, len(specs))
	for i, s := range specs {
		known[i] = policy.Known{Spec: s, Parameters: []byte(`{"type":"object"}`)}
	}
	e := policy.Compile(at, cfg, known...)
	if err := r.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	e.AdviseOrder(at, specs)
	return r.Problems()
}
