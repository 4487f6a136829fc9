package policy

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Advise warns of rules that are valid and yet not what anyone wants, given
// the tools of the configuration, and of tools that no rule lets anyone call.
// at is the place of the policy section, toolAt that of a tool. Of a tool that is
// built in nothing is said; the name of one in a rule is a known one.
func (e *Engine) Advise(at diag.Cursor, toolAt func(name string) diag.Cursor, tools []*tool.Spec) {
	judged := slices.DeleteFunc(slices.Clone(tools), builtin)
	tags := namesOf(judged, func(s *tool.Spec) []string { return s.Tags })
	for _, r := range e.rules {
		here := at.Key("rules").Index(r.index)
		if here.Key("tags").Present() { // else they are those of a preset
			adviseTags(here.Key("tags"), r, tags)
		}
		adviseReach(here, r, tools)
		e.adviseCondition(here.Key("when"), r)
	}
	e.adviseTools(toolAt, judged)
}

// adviseReach warns of a rule that is about no tool, and of names in its tools
// that no tool has.
func adviseReach(at diag.Cursor, r *rule, tools []*tool.Spec) {
	names := namesOf(tools, func(s *tool.Spec) []string { return []string{s.Name} })
	reaches, hint := slices.ContainsFunc(tools, r.reaches), ""
	for i, g := range r.about.tools {
		if !literal(g) {
			adviseGlob(at.Key("tools").Index(i), r, g, names)
			continue
		}
		if slices.Contains(names, string(g)) {
			continue
		}
		near := diag.DidYouMean(string(g), names)
		switch {
		case reaches:
			at.Key("tools").Index(i).As(diag.UnmatchedPattern).Warnf(cmp.Or(near, "check the name"), "no tool is named %s", g)
		case hint == "":
			hint = near
		}
	}
	if !reaches && !r.guards() {
		at.As(diag.UnmatchedRule).Warnf(cmp.Or(hint, "check the names in tools and tags"), "rule %q reaches none of the tools", r.name)
	}
}

// adviseGlob warns of a pattern that no name fits. One of a rule that denies may be
// about tools still to come.
func adviseGlob(at diag.Cursor, r *rule, g tool.Glob, names []string) {
	if r.effect != Deny && strings.Trim(string(g), "*") != "" && len(r.about.tools) > 1 && !slices.ContainsFunc(names, g.Match) {
		at.As(diag.UnmatchedPattern).Warnf("check the pattern, or remove it", "%q fits none of the tools", g)
	}
}

// guards reports whether the rule keeps back tools with tags that have a meaning of
// their own, also while there are none.
func (r *rule) guards() bool {
	known := func(tag string) bool { return slices.Contains(tool.KnownTags(), tag) }
	return r.effect != Allow && len(r.about.tools) == 0 && len(r.about.groups) == 0 && slices.ContainsFunc(r.about.tags, known)
}

// literal reports whether a pattern fits one name only.
func literal(g tool.Glob) bool { return !strings.ContainsAny(string(g), "*?") }

// CheckGroups reports every group in the rules of a section that is none of
// those declared. The section is the one at the cursor.
func CheckGroups(at diag.Cursor, cfg *Config, declared []string) {
	for i := range cfg.Rules {
		for j, name := range cfg.Rules[i].Groups {
			if slices.Contains(declared, name) {
				continue
			}
			hint := cmp.Or(diag.DidYouMean(name, declared), "declare it under groups")
			at.Key("rules").Index(i).Key("groups").Index(j).Hintf(hint, "there is no group %q", name)
		}
	}
}

// adviseTags warns of tags that no tool has. Those with a meaning of their own may be
// there for tools still to come, and so may those of a rule that denies; either is told
// of only where it was meant to be another.
func adviseTags(at diag.Cursor, r *rule, known []string) {
	for i, tag := range r.about.tags {
		if slices.Contains(known, tag) {
			continue
		}
		near := diag.DidYouMean(tag, known)
		if near != "" || r.effect != Deny && !slices.Contains(tool.KnownTags(), tag) {
			at.Index(i).As(diag.UnknownTag).Warnf(cmp.Or(near, "give it to a tool, or remove it"), "no tool has the tag %s", tag)
		}
	}
}

// adviseCondition warns of conditions that a caller gets round, or into, in
// ways that are easily overlooked.
func (e *Engine) adviseCondition(at diag.Cursor, r *rule) {
	if r.when == nil {
		return
	}
	if r.effect == Allow {
		for _, pattern := range r.when.Unanchored() {
			at.As(diag.LoosePattern).Warnf("write ^ before and $ behind it", "the pattern %q allows every text that fits in part", pattern)
		}
		return
	}
	for _, path := range r.when.Unguarded("args") {
		spec := e.catalogue.lacking(&r.about, path)
		if spec == nil || !r.when.Evades("args", path, e.env.Vars(sample(spec).Values())) {
			continue
		}
		name := pathText(path)
		at.As(diag.AbsentArgument).Warnf("say what holds then with "+name+" ?? …, or ask with has("+quoted(name)+")",
			"a call may leave out %s, and comparing what is absent is false, so that such a call gets past this rule of action %s", name, r.effect)
	}
}

// sample is a call that stands for all, with everything that a call always has.
func sample(s *tool.Spec) *Request {
	const somebody = "somebody"
	return &Request{
		Tool: s, Via: tool.ViaDirect,
		Caller: tool.Caller{ID: somebody, Name: somebody, Kind: tool.KindMCP, Groups: []string{somebody}},
		Chat:   tool.Chat{ID: tool.DefaultChat, Groups: []string{somebody}},
	}
}

// pathText writes a path through the arguments as an expression does.
func pathText(path []string) string {
	text := "args"
	for _, name := range path {
		if plainName.MatchString(name) {
			text += "." + name
		} else {
			text += "[" + strconv.Quote(name) + "]"
		}
	}
	return text
}

// plainName is a name that may stand behind a dot.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// quoted writes a text in an expression, with quotes that it does not have
// where there are any.
func quoted(text string) string {
	if strings.Contains(text, `"`) && !strings.ContainsAny(text, `'\`) {
		return "'" + text + "'"
	}
	return strconv.Quote(text)
}

// adviseTools warns of tools that would never be listed for want of a rule.
func (e *Engine) adviseTools(at func(name string) diag.Cursor, tools []*tool.Spec) {
	if e.fallback != Deny {
		return
	}
	for _, t := range tools {
		if !slices.ContainsFunc(e.rules, func(r *rule) bool { return r.reaches(t) }) {
			at(t.Name).As(diag.UnusableTool).Warnf("name the tool or one of its tags in a rule", "no rule reaches this tool and the default is deny, so nobody can see or call it")
		}
	}
}

// namesOf collects what each tool has, sorted.
func namesOf(tools []*tool.Spec, of func(*tool.Spec) []string) []string {
	var names []string
	for _, t := range tools {
		names = append(names, of(t)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
