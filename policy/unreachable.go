package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

// AdviseOrder warns of rules, and of patterns in them, that never decide: conditions
// that are always true or never, and what earlier rules decide about first. Tools are
// those of the configuration, with those of the gateway that rules may name. Only what
// holds for every caller, every chat and every way of a call is told of. What hangs on
// policy.data does not: another layer may have other values.
func (e *Engine) AdviseOrder(at diag.Cursor, tools []*tool.Spec) {
	if e == nil {
		return
	}
	o := order{engine: e, fates: make(map[*rule]*fate, len(e.rules)), known: map[string][][]*rule{}}
	for _, s := range tools {
		o.add(s)
	}
	for _, r := range e.rules {
		here := at.Key("rules").Index(r.index)
		if e.adviseConstant(here.Key("when"), r) {
			continue
		}
		if f := o.fates[r]; f != nil {
			if !o.isNet(r, f) {
				f.advise(here, r)
			}
		}
	}
}

// adviseConstant warns of a condition that says the same of every call, and reports
// whether it never holds.
func (e *Engine) adviseConstant(at diag.Cursor, r *rule) (never bool) {
	if r.when == nil || slices.ContainsFunc(append(variables, dataName), r.when.Reads) {
		return false
	}
	switch r.when.Early(e.env.Vars(nil)) {
	case expression.Yes:
		at.As(diag.ConstantCondition).Warnf("remove it", "the condition is always true")
	case expression.No:
		at.As(diag.ConstantCondition).Warnf("write enabled: false if that is meant", "the condition is never true, so rule %q never decides", r.name)
		return true
	}
	return false
}

// order finds out which rules are decided before.
type order struct {
	engine *Engine
	fates  map[*rule]*fate
	known  map[string][][]*rule // what [decidedBefore] gives, by the rules and what is certain of them
}

// fate is what becomes of one rule, over the tools that it is about.
type fate struct {
	about    []*tool.Spec // all of them
	alive    []*tool.Spec // about which it may decide
	never    bool         // of one of them its condition is never true
	before   []*rule      // what decides in its place
	shadowed []shadow
}

// shadow is a tool about all calls of which other rules decide first.
type shadow struct {
	spec   *tool.Spec
	before []*rule
}

// add takes account of one tool.
func (o *order) add(s *tool.Spec) {
	rules := o.engine.about(s).rules
	truths := make([]expression.Truth, len(rules))
	var key strings.Builder
	var vars *expression.Vars
	for i, r := range rules {
		if truths[i] = expression.Yes; r.when != nil {
			if vars == nil {
				vars = o.engine.listVars(s, tool.Caller{})
			}
			truths[i] = r.always(vars)
		}
		fmt.Fprint(&key, r.index, truths[i], " ")
	}
	before, ok := o.known[key.String()]
	if !ok {
		before = decidedBefore(rules, truths)
		o.known[key.String()] = before
	}
	for i, r := range rules {
		o.fate(r).add(s, truths[i], before[i])
	}
}

func (o *order) fate(r *rule) *fate {
	if o.fates[r] == nil {
		o.fates[r] = &fate{}
	}
	return o.fates[r]
}

func (f *fate) add(s *tool.Spec, truth expression.Truth, before []*rule) {
	f.about = append(f.about, s)
	switch {
	case len(before) > 0:
		f.shadowed = append(f.shadowed, shadow{s, before})
		for _, r := range before {
			if !slices.Contains(f.before, r) {
				f.before = append(f.before, r)
			}
		}
	case truth == expression.No:
		f.never = true
	default:
		f.alive = append(f.alive, s)
	}
}

// isNet reports whether a rule that never decides is there for tools still to come: it
// names none, and what decides before it are rules that name some of its tools and
// reach no others.
func (o *order) isNet(r *rule, f *fate) bool {
	if len(f.alive) > 0 || f.never || slices.ContainsFunc(r.about.tools, literal) {
		return false
	}
	about := make(map[*tool.Spec]bool, len(f.about))
	for _, s := range f.about {
		about[s] = true
	}
	return !slices.ContainsFunc(f.before, func(b *rule) bool {
		others := func(s *tool.Spec) bool { return !about[s] }
		return !b.about.someByName() || slices.ContainsFunc(o.fates[b].about, others) || sameItems(b.about.tools, r.about.tools)
	})
}

// always says what is certain of the rule's condition for a tool, whoever calls it.
func (r *rule) always(vars *expression.Vars) expression.Truth {
	if r.when.Reads("caller") || r.when.Reads(dataName) {
		return expression.Unknown
	}
	return r.when.Early(vars)
}

// decidedBefore gives for each of the rules that are about one tool those before it
// that together decide about all of its calls; none where a call may come to it. A
// condition that cannot be evaluated decides too: it denies.
func decidedBefore(rules []*rule, truths []expression.Truth) [][]*rule {
	out := make([][]*rule, len(rules))
	for i, r := range rules {
		var sure []*rule
		for j, earlier := range rules[:i] {
			if truths[j] == expression.Yes || earlier.when != nil && earlier.text == r.text {
				sure = append(sure, earlier)
			}
		}
		out[i] = r.decidedBy(sure)
	}
	return out
}

// decidedBy gives those of the rules, each of which holds wherever the rule does and
// its matchers on the caller and the way let it, that leave nothing to the rule.
func (r *rule) decidedBy(sure []*rule) []*rule {
	callers, ways := r.callers, r.via
	if len(callers) == 0 {
		callers = []tool.Glob{"*"}
	}
	if len(ways) == 0 {
		ways = allWays()
	}
	var out []*rule
	for _, caller := range callers {
		for _, way := range ways {
			i := slices.IndexFunc(sure, func(s *rule) bool { return s.calledByAll(caller) && s.calledVia(tool.Via(way)) })
			if i < 0 {
				return nil
			}
			if !slices.Contains(out, sure[i]) {
				out = append(out, sure[i])
			}
		}
	}
	return out
}

// viaCode is the way of a call that a program of code_interpreter makes.
const viaCode = "code"

// allWays are the ways of a call.
func allWays() []string {
	return []string{string(tool.ViaDirect), string(tool.ViaBatch), string(tool.ViaCallTool), viaCode}
}

// calledByAll reports whether the matcher on the caller surely holds for every name
// that fits the pattern.
func (r *rule) calledByAll(names tool.Glob) bool {
	return len(r.callers) == 0 || slices.ContainsFunc(r.callers, func(g tool.Glob) bool { return g.Covers(names) })
}

// advise warns of a rule that never decides or else of the patterns in it that change
// nothing.
func (f *fate) advise(at diag.Cursor, r *rule) {
	switch {
	case len(f.alive) > 0:
		f.advisePatterns(at.Key("tools"), r)
	case len(f.before) == 0:
		at.Key("when").As(diag.ConstantCondition).Warnf("check the condition, or what the tools are", "the condition is false for each tool that rule %q is about, so it never decides", r.name)
	case len(f.before) == 1 && !f.never && f.before[0].asksLike(r):
		f.adviseRepeat(at, r, f.before[0])
	case f.never:
		at.As(diag.UnreachableRule).Warnf("check the condition and the order of the rules", "rule %q never decides: of some tools that it is about its condition is false, and calls of the others are decided before, by %s", r.name, rulesText(f.before))
	default:
		hint := "move it above " + quotedName(f.before[0]) + ", or remove it"
		if !slices.ContainsFunc(f.before, func(b *rule) bool { return b.effect != r.effect }) {
			hint = "remove it"
		}
		at.As(diag.UnreachableRule).Warnf(hint, "rule %q never decides: every call that it is about is decided before, by %s", r.name, rulesText(f.before))
	}
}

// asksLike reports whether the rule has the matchers and the condition of another one.
func (r *rule) asksLike(other *rule) bool {
	return r.text == other.text && sameItems(r.about.tools, other.about.tools) && sameItems(r.about.tags, other.about.tags) &&
		sameItems(r.about.groups, other.about.groups) && sameItems(r.callers, other.callers) && sameItems(r.via, other.via)
}

// sameItems reports whether two lists have the same items, whatever their order.
func sameItems[T tool.Glob | string](a, b []T) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

func (f *fate) adviseRepeat(at diag.Cursor, r, first *rule) {
	if r.effect == first.effect {
		at.As(diag.DuplicateRule).Warnf("remove one of them", "rule %q repeats rule %q, which decides first", r.name, first.name)
		return
	}
	at.As(diag.DuplicateRule).Warnf("one of them is meant to ask something else", "rule %q asks what rule %q does, which decides first and with another action, %s", r.name, first.name, first.effect)
}

// advisePatterns warns of patterns of the tools of a rule about all of which others
// decide first, and otherwise.
func (f *fate) advisePatterns(at diag.Cursor, r *rule) {
	for i, g := range r.about.tools {
		if before := f.decidedOtherwise(r, g); len(before) > 0 {
			at.Index(i).As(diag.ShadowedPattern).Warnf("remove it, or move the rule above "+quotedName(before[0]),
				"what this rule of action %s says of %s changes nothing: its calls are decided before, by %s of action %s", r.effect, g, rulesText(before), before[0].effect)
		}
	}
}

// decidedOtherwise gives the rules that decide, in the place of a rule and with one
// other action, about all tools that fit a pattern of it.
func (f *fate) decidedOtherwise(r *rule, g tool.Glob) []*rule {
	var out []*rule
	for _, s := range f.shadowed {
		if g.Match(s.spec.Name) {
			out = append(out, s.before...)
		}
	}
	fits := func(s *tool.Spec) bool { return g.Match(s.Name) }
	if len(out) == 0 || slices.ContainsFunc(f.alive, fits) || slices.ContainsFunc(out, func(b *rule) bool { return b.effect == r.effect || b.effect != out[0].effect }) {
		return nil
	}
	slices.SortFunc(out, func(a, b *rule) int { return a.index - b.index })
	return slices.Compact(out)
}

func quotedName(r *rule) string { return fmt.Sprintf("%q", r.name) }

// maxNamed is how many of many rules are named.
const maxNamed = 3

// rulesText names rules.
func rulesText(rules []*rule) string {
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = quotedName(r)
	}
	switch n := len(names); {
	case n == 1:
		return "rule " + names[0]
	case n > maxNamed:
		return fmt.Sprintf("rules %s and %d more", strings.Join(names[:maxNamed], ", "), n-maxNamed)
	default:
		return "rules " + strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// Denied reports whether the rules keep everybody from a tool, who was told nothing of
// it (see show of a rule), and which rule does: none where the default is to deny and
// each rule that reaches the tool denies too, or never holds for it.
func (e *Engine) Denied(s *tool.Spec) (rule string, denied bool) {
	if e == nil || e.ListsToSome(s) {
		return "", false
	}
	vars := e.listVars(s, tool.Caller{})
	for _, r := range e.about(s).rules {
		truth := expression.Yes
		if r.when != nil {
			truth = r.always(vars)
		}
		switch {
		case r.show && truth != expression.No:
			return "", false
		case truth == expression.Yes && len(r.callers) == 0 && len(r.via) == 0:
			return r.name, true
		}
	}
	return "", true
}

// Reaches reports whether one of the rules is about the tool.
func (e *Engine) Reaches(s *tool.Spec) bool { return e != nil && len(e.about(s).rules) > 0 }
