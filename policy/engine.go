package policy

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

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
	Tool    *tool.Spec
	Args    map[string]any // checked arguments; numbers are json.Number
	Caller  tool.Caller    // the outermost
	Chat    tool.Chat
	Via     tool.Via
	Reason  string    // why the model says it calls the tool; may be empty
	Depth   int       // calls that lie between the caller and this one
	Now     time.Time // what now() gives and calls() counts back from; the present when zero
	Counter Counter   // what calls() asks; without one it gives 0
}

// now is the time of the call.
func (r *Request) now() time.Time {
	if r.Now.IsZero() {
		return time.Now()
	}
	return r.Now
}

// Decision is what the policy says about one request.
type Decision struct {
	Effect Effect
	Rule   string          // the rule that decided; empty when none did
	Reason string          // the rule's reason; empty when it gives none
	Limit  *tool.RateLimit // the rule's limit, which the call has to keep too; nil for none
	Err    error           // why the rule's condition or reason failed; the effect is then Deny
	// Builtin says that no rule decided and that the default was not asked: the
	// tool is built in, and such a tool is allowed.
	Builtin bool
	Ask     *Terms // how a person is asked; nil unless the effect is Ask; shared
}

// Engine is a compiled policy; it does not change and is safe for concurrent
// use. The nil Engine, that of a configuration without a policy section,
// allows every call.
type Engine struct {
	env       *expression.Env
	catalogue catalogue
	rules     []*rule
	fallback  Effect
	terms     *Terms                  // how a person is asked where the default is to ask; else nil
	byTool    map[*tool.Spec]prepared // of the catalogue
}

// Compile compiles a policy section and reports every mistake at its place.
// The engine is only to be used when nothing was reported.
//
// What rules read of the arguments is checked against the tools that they can
// reach, if tools are given; those must then be all there are. Rules that do
// not reach one of these tools cost its calls nothing.
func Compile(at diag.Cursor, cfg *Config, tools ...Known) *Engine {
	e := &Engine{catalogue: newCatalogue(tools), fallback: Effect(cfg.Default)}
	if e.fallback == "" {
		e.fallback = Deny
	}
	if e.fallback == Ask {
		e.terms = &Terms{By: ByDesk}
	}
	e.env = Environment(dataVar(at.Key("data"), cfg.Data))
	taken := namesOfRules(cfg.Rules)
	for i := range cfg.Rules {
		here := at.Key("rules").Index(i)
		rc, ok := expand(here, cfg.Rules[i])
		if cfg.Rules[i].Name == "" && rc.Name != "" {
			if taken[rc.Name] {
				here.Key("preset").Hintf("give this one a name of its own", "another rule has the name %s too", rc.Name)
			}
			taken[rc.Name] = true // a preset without a name has its own
		}
		if r := e.compileRule(here, i, &rc); r != nil && ok && (rc.Enabled == nil || *rc.Enabled) {
			e.rules = append(e.rules, r)
		}
	}
	e.index()
	return e
}

// namesOfRules are the names that are written; that they differ is checked where
// they are read.
func namesOfRules(rules []RuleConfig) map[string]bool {
	names := map[string]bool{}
	for i := range rules {
		names[rules[i].Name] = true
	}
	return names
}

// dataName is the variable of what the section holds under data.
const dataName = "data"

// dataVar declares the variable data, whose values never change.
func dataVar(at diag.Cursor, data map[string]json.RawMessage) expression.Var {
	values := make(map[string]any, len(data))
	for name, raw := range data {
		v, err := decode(raw)
		if err != nil {
			at.Key(name).Errorf("this is not JSON")
		}
		values[name] = v
	}
	return expression.Var{Name: dataName, Type: expression.Closed(slices.Collect(maps.Keys(values))), Value: values}
}

// Decide finds the first rule that matches the request. A condition or a
// reason that fails to evaluate denies. Nothing is counted: see [Counter].
func (e *Engine) Decide(req *Request) Decision {
	if e == nil {
		return Decision{Effect: Allow}
	}
	_, d := e.decide(req, nil)
	return d
}

// decide gives the rule that decides too, which is nil where none does. Without
// vars they are made when the first rule needs them, and most rules need none.
func (e *Engine) decide(req *Request, vars *expression.Vars) (*rule, Decision) {
	p := e.about(req.Tool)
	for _, r := range p.rules {
		if !r.concerns(req) {
			continue
		}
		if vars == nil && r.evaluates() {
			vars = e.env.Vars(req.values(p.reads))
		}
		ok, err := r.holds(vars)
		if err != nil {
			return r, Decision{Effect: Deny, Rule: r.name, Err: err}
		}
		if ok {
			return r, r.decision(vars)
		}
	}
	return nil, e.otherwise(req.Tool)
}

// OfArguments reports whether the denial of a request may hang on its arguments: the
// rule that decided reads them, or one before it does that lets calls through.
func (e *Engine) OfArguments(req *Request, d *Decision) bool {
	if e == nil {
		return false
	}
	for _, r := range e.about(req.Tool).rules {
		decided := d.Rule != "" && r.name == d.Rule
		if r.concerns(req) && (decided || r.effect != Deny) && r.when != nil && r.when.Reads("args") {
			return true
		}
		if decided {
			return d.Err != nil
		}
	}
	return false
}

// otherwise is what is decided about calls of a tool where no rule does.
func (e *Engine) otherwise(s *tool.Spec) Decision {
	if builtin(s) {
		return Decision{Effect: Allow, Builtin: true}
	}
	return Decision{Effect: e.fallback, Ask: e.terms}
}
