package main

import (
	"encoding/json"
	"strconv"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// parameters is the schema of every tool.
const parameters = `{"type":"object","properties":{"amount":{"type":"integer"},"env":{"type":"string"},"path":{"type":"string"}},"required":["amount","env","path"]}`

// ours is package policy.
func ours(m *material) (*side, error) {
	known := make([]policy.Known, len(m.tools))
	specs := make(map[string]*tool.Spec, len(m.tools))
	for i, t := range m.tools {
		spec := &tool.Spec{Name: t.name, Tags: t.tags}
		known[i], specs[t.name] = policy.Known{Spec: spec, Parameters: json.RawMessage(parameters)}, spec
	}
	cfg := ourRules(m.rules)
	var engine *policy.Engine
	compile := func(tools ...policy.Known) (*policy.Engine, error) {
		var report diag.Report
		e := policy.Compile(diag.NewCursor(&report, nil), cfg, tools...)
		return e, report.Problems().Err()
	}
	s := &side{name: "policy", compile: func() error {
		_, err := compile()
		return err
	}, against: func() (err error) {
		engine, err = compile(known...)
		return err
	}}
	requests := make([]policy.Request, len(m.requests))
	for i, r := range m.requests {
		requests[i] = policy.Request{
			Tool: specs[r.tool.name], Caller: ourCaller(r.caller), Via: tool.ViaDirect,
			Args: map[string]any{"amount": json.Number(strconv.FormatInt(r.args.amount, 10)), "env": r.args.env, "path": r.args.path},
		}
	}
	s.decide = func(i int) (bool, error) {
		d := engine.Decide(&requests[i])
		return d.Effect == policy.Allow, d.Err
	}
	s.list = func(c caller) ([]bool, error) {
		out := make([]bool, len(known))
		who := ourCaller(c)
		for i := range known {
			out[i] = engine.Lists(known[i].Spec, who)
		}
		return out, nil
	}
	return s, s.against()
}

func ourCaller(c caller) tool.Caller {
	return tool.Caller{ID: c.name, Name: c.name, Kind: tool.KindMCP, Groups: c.groups}
}

func ourRules(rules []rule) *policy.Config {
	cfg := &policy.Config{Default: string(policy.Deny)}
	for _, r := range rules {
		rc := policy.RuleConfig{Name: r.name, Tools: r.tools, Tags: r.tags, Callers: r.callers, Action: string(policy.Deny)}
		if r.allow {
			rc.Action = string(policy.Allow)
		}
		if r.when.expr != "" {
			rc.When = &r.when.expr
		}
		cfg.Rules = append(cfg.Rules, rc)
	}
	return cfg
}
