package policy_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// BenchmarkDecide measures a decision that no rule but the last makes: with
// rules whose matchers reach the tool, so that each condition is evaluated, and
// with rules about other tools. The goals are 20 µs for 100 rules and 200 µs
// for 1,000.
func BenchmarkDecide(b *testing.B) {
	for _, rules := range []int{1, 100, 1000} {
		for _, kind := range []string{"reached", "other tools", "other callers"} {
			b.Run(fmt.Sprintf("%d/%s", rules, kind), func(b *testing.B) {
				e, spec := benchEngine(b, rules, kind)
				req := policy.Request{
					Tool: spec, Args: map[string]any{"amount": json.Number("12.5"), "env": "test"},
					Caller: tool.Caller{ID: "ann", Name: "ann", Groups: []string{"ops"}}, Via: tool.ViaDirect,
				}
				b.ReportAllocs()
				for b.Loop() {
					if d := e.Decide(&req); d.Effect != policy.Allow {
						b.Fatal(d)
					}
				}
			})
		}
	}
}

// BenchmarkLists measures what is asked of each tool for each list.
func BenchmarkLists(b *testing.B) {
	for _, rules := range []int{1, 100, 1000} {
		b.Run(fmt.Sprint(rules), func(b *testing.B) {
			e, spec := benchEngine(b, rules, "reached")
			b.ReportAllocs()
			for b.Loop() {
				if !e.Lists(spec, tool.Caller{Name: "ann"}) {
					b.Fatal("hidden")
				}
			}
		})
	}
}

func benchEngine(b *testing.B, rules int, kind string) (*policy.Engine, *tool.Spec) {
	b.Helper()
	spec := &tool.Spec{Name: "pay", Tags: []string{"destructive", "network"}}
	cfg := policy.Config{}
	for i := range rules {
		when := fmt.Sprintf(`args.amount > %d and args.env == "prod"`, i+100)
		r := policy.RuleConfig{Name: fmt.Sprint(i), Tools: []string{"pay*"}, When: &when, Action: "deny"}
		switch kind {
		case "other tools":
			r.Tools = []string{fmt.Sprintf("tool_%d_*", i), "other"}
		case "other callers":
			r.Callers = []string{fmt.Sprintf("robot-%d-*", i)}
		}
		cfg.Rules = append(cfg.Rules, r)
	}
	cfg.Rules[rules-1] = policy.RuleConfig{Name: "last", Tools: []string{"pay"}, When: new("args.amount < 50"), Action: "allow"}
	var report diag.Report
	e := policy.Compile(diag.NewCursor(&report, nil), &cfg, policy.Known{Spec: spec, Parameters: []byte(`{"type":"object"}`)})
	if err := report.Problems().Err(); err != nil {
		b.Fatal(err)
	}
	return e, spec
}
