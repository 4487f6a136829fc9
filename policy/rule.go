package policy

import (
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

// rule is a compiled RuleConfig.
type rule struct {
	index   int // in the section
	name    string
	about   Matcher
	callers []tool.Glob
	via     []string
	when    *expression.Program // nil when the rule has no condition
	text    string              // of the condition, as it is written
	effect  Effect
	reason  *expression.Template // nil when the rule gives none
	show    bool
	limit   *tool.RateLimit // nil when the rule has none
	asking  *asking         // nil unless the rule asks
}

// compileRule compiles the rule at the cursor, whose preset is expanded. It
// reports every mistake and then returns nil.
func (e *Engine) compileRule(at diag.Cursor, index int, cfg *RuleConfig) *rule {
	r := &rule{index: index, name: cfg.Name, effect: Effect(cfg.Action), via: cfg.Via, show: cfg.Show, limit: cfg.RateLimit}
	var okMatcher, okCallers, okAsking bool
	r.about, okMatcher = CompileMatcher(at, cfg.Tools, cfg.Tags, cfg.Groups)
	r.callers, okCallers = compileGlobs(at.Key("callers"), cfg.Callers)
	ok := okMatcher && okCallers
	env := e.env
	if okMatcher && cfg.expressive() {
		env = env.Declare(expression.Var{Name: "args", Late: true, Type: e.catalogue.args(&r.about)})
	}
	if cfg.When != nil {
		r.text = strings.TrimSpace(*cfg.When)
		r.when = expression.Compile(at.Key("when"), *cfg.When, env, expression.WantBool)
		ok = ok && r.when != nil
	}
	if cfg.Reason != "" {
		r.reason = expression.ParseTemplate(at.Key("reason"), cfg.Reason, env)
		ok = ok && r.reason != nil
	}
	if cfg.Show && r.effect != Deny {
		at.Key("show").Hintf("remove it", "only a deny rule keeps anyone from a tool, and this one is of action %s", cfg.Action)
		ok = false
	}
	ok = r.checkLimit(at.Key("rate_limit")) && ok
	r.asking, okAsking = compileAsking(at, cfg, env)
	if !ok || !okAsking {
		return nil
	}
	return r
}

// expressive reports whether the rule has anything that may read arguments. For what
// they are, every tool has to be looked at.
func (cfg *RuleConfig) expressive() bool {
	return cfg.When != nil || cfg.Reason != "" || cfg.Approvers != nil || cfg.Summary != ""
}

// checkLimit holds the limit to its bounds and to rules that let calls through.
func (r *rule) checkLimit(at diag.Cursor) (ok bool) {
	ok = true
	if r.limit == nil {
		return ok
	}
	if r.effect == Deny {
		at.Hintf("remove it", "a rule that denies lets no call through, so there is nothing to limit")
		ok = false
	}
	r.limit.Check(func(key, hint, text string) {
		at.Key(key).Hintf(hint, "%s", text)
		ok = false
	})
	return ok
}

// reaches reports whether the rule is about the tool, as far as that hangs on
// the tool itself.
func (r *rule) reaches(s *tool.Spec) bool { return r.about.judges(s) }

// calledBy reports whether the matcher on the caller holds.
func (r *rule) calledBy(c *tool.Caller) bool {
	return len(r.callers) == 0 || tool.MatchAny(r.callers, c.Name)
}

// calledVia reports whether the matcher on the way of the call holds.
func (r *rule) calledVia(via tool.Via) bool {
	return len(r.via) == 0 || slices.Contains(r.via, string(via))
}

// concerns reports whether the matchers hold that are not on the tool.
func (r *rule) concerns(req *Request) bool { return r.calledBy(&req.Caller) && r.calledVia(req.Via) }

// holds evaluates the condition.
func (r *rule) holds(vars *expression.Vars) (bool, error) {
	if r.when == nil {
		return true, nil
	}
	return r.when.Bool(vars)
}

// evaluates reports whether the rule has an expression or a template that is looked at
// when it decides.
func (r *rule) evaluates() bool {
	return r.when != nil || r.reason != nil || r.asking != nil && r.asking.summary != nil
}

// counts reports whether the condition asks how many calls there were. What the
// reason asks changes its text only.
func (r *rule) counts() bool { return r.when != nil && r.when.Calls(callsName) }

// reads reports whether the rule uses a variable.
func (r *rule) reads(name string) bool {
	return r.when != nil && r.when.Reads(name) || r.reason != nil && r.reason.Reads(name) ||
		r.asking != nil && r.asking.summary != nil && r.asking.summary.Reads(name)
}

// early says what is certain of the rule, for a tool and a caller that it
// concerns, before there is a call; of those that come one way, where via names one.
func (r *rule) early(vars *expression.Vars, via tool.Via) expression.Truth {
	truth := expression.Yes
	if r.when != nil {
		truth = r.when.Early(vars)
	}
	if truth == expression.Yes && len(r.via) > 0 && via == "" {
		return expression.Unknown
	}
	return truth
}

// decision is what becomes of a call for which the rule holds. A reason that
// cannot be put into words denies.
func (r *rule) decision(vars *expression.Vars) Decision {
	d := Decision{Effect: r.effect, Rule: r.name, Limit: r.limit}
	if r.reason != nil {
		if d.Reason, _, d.Err = r.reason.Text(vars); d.Err != nil {
			d.Effect, d.Limit = Deny, nil
			return d
		}
	}
	if r.asking != nil {
		d.Ask = r.asking.ask(vars)
	}
	return d
}
