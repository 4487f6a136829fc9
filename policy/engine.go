package policy

import (
	"slices"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Effect is what becomes of a call.
type Effect string

// The effects.
const (
	Allow Effect = "allow"
	Deny  Effect = "deny"
	Ask   Effect = "ask" // a person has to agree first
)

// Request is a call about which to decide.
type Request struct {
	Tool   *tool.Spec
	Args   map[string]any // checked arguments; numbers are json.Number
	Caller tool.Caller
	Via    tool.Via
}

// Decision is what the policy says about one request.
type Decision struct {
	Effect Effect
	Rule   string // the rule that decided; empty for the default
	Reason string // the rule's reason; empty when it gives none
	Err    error  // why the rule's condition or reason failed; the effect is then Deny
}

// Engine is a compiled policy; it does not change and is safe for concurrent
// use. The nil Engine, that of a configuration without a policy section,
// allows every call.
type Engine struct {
	env      *expression.Env
	rules    []*rule
	fallback Effect
}

// Compile compiles a policy section and reports every mistake at its place.
// The engine is only to be used when nothing was reported.
func Compile(at diag.Cursor, cfg *Config) *Engine {
	e := &Engine{env: environment(), fallback: Effect(cfg.Default)}
	if e.fallback == "" {
		e.fallback = Deny
	}
	for i := range cfg.Rules {
		rc := &cfg.Rules[i]
		r := compileRule(at.Key("rules"), i, rc, e.env)
		if r != nil && (rc.Enabled == nil || *rc.Enabled) {
			e.rules = append(e.rules, r)
		}
	}
	return e
}

// Advise warns of rules that are valid and yet not what anyone wants, given
// the tools of the configuration, and of tools that no rule lets anyone call.
// at is the place of the policy section, toolAt that of a tool.
func (e *Engine) Advise(at diag.Cursor, toolAt func(name string) diag.Cursor, tools []*tool.Spec) {
	known := tagsOf(tools)
	for _, r := range e.rules {
		here := at.Key("rules").Index(r.index)
		for i, tag := range r.tags {
			if near := diag.DidYouMean(tag, known); near != "" && !slices.Contains(known, tag) {
				here.Key("tags").Index(i).Warnf(near, "no tool has the tag %s", tag)
			}
		}
		if !slices.ContainsFunc(tools, r.reaches) {
			here.Warnf("check the names in tools and tags", "rule %q reaches none of the tools", r.name)
		}
		if r.effect == Ask {
			here.Key("action").Warnf("use deny or allow", "no approver can be set up yet, so a call that this rule asks about does not run")
		}
	}
	e.adviseTools(toolAt, tools)
}

// adviseTools warns of tools that would never be listed for want of a rule.
func (e *Engine) adviseTools(at func(name string) diag.Cursor, tools []*tool.Spec) {
	if e.fallback != Deny {
		return
	}
	for _, t := range tools {
		if !slices.ContainsFunc(e.rules, func(r *rule) bool { return r.reaches(t) }) {
			at(t.Name).Warnf("name the tool or one of its tags in a rule", "no rule reaches this tool and the default is deny, so nobody can see or call it")
		}
	}
}

// tagsOf are the tags of the tools, sorted.
func tagsOf(tools []*tool.Spec) []string {
	var tags []string
	for _, t := range tools {
		tags = append(tags, t.Tags...)
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// Decide finds the first rule that matches the request. A condition or a
// reason that fails to evaluate denies.
func (e *Engine) Decide(req *Request) Decision {
	if e == nil {
		return Decision{Effect: Allow}
	}
	var vars *expression.Vars
	for _, r := range e.rules {
		if !r.matches(req) {
			continue
		}
		if vars == nil {
			vars = e.env.Vars(req.values())
		}
		ok, err := r.holds(vars)
		if err != nil {
			return Decision{Effect: Deny, Rule: r.name, Err: err}
		}
		if ok {
			return r.decision(vars)
		}
	}
	return Decision{Effect: e.fallback}
}

func (r *rule) decision(vars *expression.Vars) Decision {
	d := Decision{Effect: r.effect, Rule: r.name}
	if r.reason == nil {
		return d
	}
	if d.Reason, _, d.Err = r.reason.Text(vars); d.Err != nil {
		d.Effect = Deny
	}
	return d
}

// Lists reports whether a caller may be shown a tool: unless every call of it
// is certainly denied, whatever its arguments.
func (e *Engine) Lists(s *tool.Spec, caller tool.Caller) bool {
	if e == nil {
		return true
	}
	req := Request{Tool: s, Caller: caller, Via: tool.ViaDirect}
	values := req.values()
	delete(values, "args")
	var vars *expression.Vars
	for _, r := range e.rules {
		if !r.matches(&req) {
			continue
		}
		if vars == nil {
			vars = e.env.Vars(values)
		}
		truth := r.early(vars)
		if truth != expression.No && r.effect != Deny {
			return true
		}
		if truth == expression.Yes {
			return false
		}
	}
	return e.fallback != Deny
}
