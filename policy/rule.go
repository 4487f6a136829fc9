package policy

import (
	"slices"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

// rule is a compiled RuleConfig.
type rule struct {
	index   int // in the section
	name    string
	tools   []glob
	tags    []string
	callers []glob
	when    *expression.Program // nil when the rule has no condition
	effect  Effect
	reason  *expression.Template // nil when the rule gives none
}

// compileRule compiles the rule at an index of a list. It reports every mistake and then returns nil.
func compileRule(at diag.Cursor, index int, cfg *RuleConfig, env *expression.Env) *rule {
	at = at.Index(index)
	r := &rule{index: index, name: cfg.Name, tags: cfg.Tags, effect: Effect(cfg.Action)}
	var okTools, okCallers bool
	r.tools, okTools = compileGlobs(at.Key("tools"), cfg.Tools)
	r.callers, okCallers = compileGlobs(at.Key("callers"), cfg.Callers)
	ok := okTools && okCallers
	if cfg.When != nil {
		r.when = expression.Compile(at.Key("when"), *cfg.When, env, expression.WantBool)
		ok = ok && r.when != nil
	}
	if cfg.Reason != "" {
		r.reason = expression.ParseTemplate(at.Key("reason"), cfg.Reason, env)
		ok = ok && r.reason != nil
	}
	if !ok {
		return nil
	}
	return r
}

func compileGlobs(at diag.Cursor, patterns []string) ([]glob, bool) {
	globs := make([]glob, 0, len(patterns))
	ok := true
	for i, p := range patterns {
		g, err := parseGlob(p)
		if err != nil {
			at.Index(i).Errorf("%v", err)
			ok = false
		}
		globs = append(globs, g)
	}
	return globs, ok
}

// reaches reports whether the matchers on the tool itself hold.
func (r *rule) reaches(s *tool.Spec) bool {
	if len(r.tools) > 0 && !matchAny(r.tools, s.Name) {
		return false
	}
	return len(r.tags) == 0 || slices.ContainsFunc(r.tags, s.HasTag)
}

// matches reports whether all matchers hold.
func (r *rule) matches(req *Request) bool {
	return r.reaches(req.Tool) && (len(r.callers) == 0 || matchAny(r.callers, req.Caller.Name))
}

// holds evaluates the condition.
func (r *rule) holds(vars *expression.Vars) (bool, error) {
	if r.when == nil {
		return true, nil
	}
	return r.when.Bool(vars)
}

// early evaluates the condition as far as it is certain without arguments.
func (r *rule) early(vars *expression.Vars) expression.Truth {
	if r.when == nil {
		return expression.Yes
	}
	return r.when.Early(vars)
}
