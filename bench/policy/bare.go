package main

import (
	"path"
	"slices"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
)

// view is what conditions see; fields that are known when they are compiled are what expr
// reads fastest.
type view struct {
	Caller viewed         `expr:"caller"`
	Args   map[string]any `expr:"args"`
}

type viewed struct {
	Groups []string `expr:"groups"`
}

// bareRule is a rule with its condition compiled.
type bareRule struct {
	*rule
	code *vm.Program // nil for none
}

// bare is a loop over the rules with conditions compiled by expr: what one would write with
// this library alone. Matchers are looked at first; one machine is used again and again, as
// expr's documentation recommends.
func bare(m *material) (*side, error) {
	var rules []bareRule
	var machine vm.VM
	s := &side{name: "expr", compile: func() (err error) {
		rules, err = bareRules(m.rules)
		return err
	}}
	views := make([]view, len(m.requests))
	for i, r := range m.requests {
		views[i] = view{viewed{r.caller.groups}, map[string]any{"amount": r.args.amount, "env": r.args.env, "path": r.args.path}}
	}
	s.decide = func(i int) (bool, error) {
		r := &m.requests[i]
		for k := range rules {
			if !rules[k].matches(r.tool, r.caller.name) {
				continue
			}
			holds, err := rules[k].holds(&machine, &views[i])
			if err != nil {
				return false, err
			}
			if holds {
				return rules[k].allow, nil
			}
		}
		return false, nil
	}
	s.list = func(c caller) ([]bool, error) {
		out := make([]bool, len(m.tools))
		own := view{Caller: viewed{c.groups}}
		for i := range m.tools {
			var err error
			if out[i], err = bareList(rules, &machine, &own, &m.tools[i], c.name); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return s, s.compile()
}

// bareList reports whether some call of a tool may be allowed. What a condition asks of the
// arguments may hold.
func bareList(rules []bareRule, machine *vm.VM, own *view, t *subject, name string) (bool, error) {
	for k := range rules {
		r := &rules[k]
		if !r.matches(t, name) {
			continue
		}
		if r.when.args {
			if r.allow {
				return true, nil
			}
			continue
		}
		holds, err := r.holds(machine, own)
		if holds || err != nil {
			return r.allow, err
		}
	}
	return false, nil
}

func bareRules(rules []rule) ([]bareRule, error) {
	out := make([]bareRule, len(rules))
	for i := range rules {
		out[i].rule = &rules[i]
		if rules[i].when.expr == "" {
			continue
		}
		var err error
		if out[i].code, err = expr.Compile(rules[i].when.expr, expr.Env(view{}), expr.AsBool()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *bareRule) matches(t *subject, caller string) bool {
	fits := func(text string) func(string) bool {
		return func(glob string) bool {
			ok, err := path.Match(glob, text)
			return ok && err == nil
		}
	}
	return (len(r.tools) == 0 || slices.ContainsFunc(r.tools, fits(t.name))) &&
		(len(r.tags) == 0 || slices.ContainsFunc(r.tags, func(tag string) bool { return slices.Contains(t.tags, tag) })) &&
		(len(r.callers) == 0 || slices.ContainsFunc(r.callers, fits(caller)))
}

func (r *bareRule) holds(machine *vm.VM, v *view) (bool, error) {
	if r.code == nil {
		return true, nil
	}
	out, err := machine.Run(r.code, v)
	holds, _ := out.(bool)
	return holds, err
}
