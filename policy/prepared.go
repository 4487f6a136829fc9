package policy

import (
	"slices"
	"sync"

	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

// prepared is what calls of one tool are decided by.
type prepared struct {
	rules      []*rule     // those that reach the tool, in their order
	reads      []string    // the variables that one of them reads
	counting   bool        // one of them calls calls()
	asks       bool        // a person may be asked
	asksClient bool        // the user of the calling program may be
	shown      func() bool // the tool is surely listed, whoever asks
}

// index prepares each tool of the catalogue.
func (e *Engine) index() {
	e.byTool = make(map[*tool.Spec]prepared, len(e.catalogue))
	for _, t := range e.catalogue {
		e.byTool[t.spec] = e.prepare(t.spec)
	}
}

func (e *Engine) prepare(s *tool.Spec) prepared {
	p := prepared{rules: e.reaching(s)}
	for _, name := range variables {
		if slices.ContainsFunc(p.rules, func(r *rule) bool { return r.reads(name) }) {
			p.reads = append(p.reads, name)
		}
	}
	p.counting = slices.ContainsFunc(p.rules, (*rule).counts)
	p.asks, p.asksClient = e.asking(s, p.rules)
	rules := p.rules
	p.shown = sync.OnceValue(func() bool { return e.shownToAll(s, rules) })
	return p
}

func (e *Engine) reaching(s *tool.Spec) []*rule {
	var rules []*rule
	for _, r := range e.rules {
		if r.reaches(s) {
			rules = append(rules, r)
		}
	}
	return rules
}

// about is what calls of a tool are decided by. Of one outside the catalogue no
// more is found out than one question needs.
func (e *Engine) about(s *tool.Spec) prepared {
	if p, ok := e.byTool[s]; ok {
		return p
	}
	p := prepared{rules: e.reaching(s), reads: variables, shown: func() bool { return false }}
	p.counting = slices.ContainsFunc(p.rules, (*rule).counts)
	p.asks, p.asksClient = e.asking(s, p.rules)
	return p
}

// Counts reports whether what is decided about calls of a tool may hang on
// calls(): a decision and its count then belong together, or calls that come at
// the same time would all be decided before one of them counts.
func (e *Engine) Counts(s *tool.Spec) bool { return e != nil && e.about(s).counting }

// shownToAll reports whether [Engine.Lists] surely says yes, whoever the caller
// is. It gives up at the first rule that asks who that is. What else a rule can
// know before there is a call never changes: functions that ask for the present
// or for other calls are late.
func (e *Engine) shownToAll(s *tool.Spec, rules []*rule) bool {
	vars := e.listVars(s, tool.Caller{})
	for _, r := range rules {
		if len(r.callers) > 0 || r.when != nil && r.when.Reads("caller") {
			return false
		}
		truth := r.early(vars, "")
		if truth != expression.No && r.effect != Deny {
			return true
		}
		if truth == expression.Yes {
			return false
		}
	}
	return e.otherwise(s).Effect != Deny
}
