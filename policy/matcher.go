package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Matcher says which tools something is about. All lists that are given must
// hold; within one of them, one entry is enough.
type Matcher struct {
	tools  []tool.Glob // on the full name
	tags   []string
	groups []string
}

// CompileMatcher compiles the matchers of the map at a cursor: its keys tools,
// tags and groups. It reports every mistake there; ok is false after one.
func CompileMatcher(at diag.Cursor, tools, tags, groups []string) (m Matcher, ok bool) {
	m = Matcher{tags: tags, groups: groups}
	m.tools, ok = compileGlobs(at.Key("tools"), tools)
	return m, ok
}

// Reaches reports whether the tool is one of those meant.
func (m *Matcher) Reaches(s *tool.Spec) bool { return m.byName(s) && m.byTag(s) && m.byGroup(s) }

// Advise warns of names, patterns and tags in the matchers of the map at a cursor that
// fit none of the tools.
func (m *Matcher) Advise(at diag.Cursor, tools []*tool.Spec) {
	names := namesOf(tools, func(s *tool.Spec) []string { return []string{s.Name} })
	for i, g := range m.tools {
		if strings.Trim(string(g), "*") != "" && !slices.ContainsFunc(names, g.Match) {
			at.Key("tools").Index(i).As(diag.UnmatchedPattern).Warnf(cmp.Or(diag.DidYouMean(string(g), names), "check the name, or remove it"), "%q fits none of the tools", g)
		}
	}
	tags := namesOf(tools, func(s *tool.Spec) []string { return s.Tags })
	for i, tag := range m.tags {
		if !slices.Contains(tags, tag) && !slices.Contains(tool.KnownTags(), tag) {
			at.Key("tags").Index(i).As(diag.UnknownTag).Warnf(cmp.Or(diag.DidYouMean(tag, tags), "give it to a tool, or remove it"), "no tool has the tag %s", tag)
		}
	}
}

// judges reports whether a rule with these matchers is about the tool. About one
// that is built in it is only where it names it: a rule written with the tools
// of a configuration in mind must not take away what a model needs to use them.
func (m *Matcher) judges(s *tool.Spec) bool { return m.Reaches(s) && (!builtin(s) || m.names(s)) }

func builtin(s *tool.Spec) bool { return s.Source == tool.SourceBuiltin }

// names reports whether a pattern that does not fit every name fits the tool's.
func (m *Matcher) names(s *tool.Spec) bool {
	return slices.ContainsFunc(m.tools, func(g tool.Glob) bool { return strings.Trim(string(g), "*") != "" && g.Match(s.Name) })
}

// someByName reports whether the matchers name tools, and not all that there are.
func (m *Matcher) someByName() bool {
	return len(m.tools) > 0 && !slices.ContainsFunc(m.tools, func(g tool.Glob) bool { return strings.Trim(string(g), "*") == "" })
}

func (m *Matcher) byName(s *tool.Spec) bool {
	return len(m.tools) == 0 || tool.MatchAny(m.tools, s.Name)
}

func (m *Matcher) byTag(s *tool.Spec) bool {
	return len(m.tags) == 0 || slices.ContainsFunc(m.tags, s.HasTag)
}

func (m *Matcher) byGroup(s *tool.Spec) bool {
	return len(m.groups) == 0 || slices.ContainsFunc(m.groups, func(g string) bool { return slices.Contains(s.Groups, g) })
}

// mismatch says why a rule with these matchers is not about a tool, or "".
func (m *Matcher) mismatch(s *tool.Spec) string {
	switch {
	case !m.byName(s):
		return fmt.Sprintf("the name %s fits none of its tools: %s", s.Name, globText(m.tools))
	case !m.byTag(s):
		return fmt.Sprintf("the tool has none of its tags: %s", strings.Join(m.tags, ", "))
	case !m.byGroup(s):
		return fmt.Sprintf("the tool is in none of its groups: %s", strings.Join(m.groups, ", "))
	case !m.judges(s):
		return "the tool is built in, and the rule does not name it"
	}
	return ""
}

func globText(globs []tool.Glob) string {
	texts := make([]string, len(globs))
	for i, g := range globs {
		texts[i] = string(g)
	}
	return strings.Join(texts, ", ")
}

func compileGlobs(at diag.Cursor, patterns []string) ([]tool.Glob, bool) {
	globs := make([]tool.Glob, 0, len(patterns))
	ok := true
	for i, p := range patterns {
		g, err := tool.ParseGlob(p)
		if err != nil {
			at.Index(i).Errorf("%v", err)
			ok = false
		}
		globs = append(globs, g)
	}
	return globs, ok
}
