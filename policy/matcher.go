package policy

import (
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

func (m *Matcher) byName(s *tool.Spec) bool {
	return len(m.tools) == 0 || tool.MatchAny(m.tools, s.Name)
}

func (m *Matcher) byTag(s *tool.Spec) bool {
	return len(m.tags) == 0 || slices.ContainsFunc(m.tags, s.HasTag)
}

func (m *Matcher) byGroup(s *tool.Spec) bool {
	return len(m.groups) == 0 || slices.ContainsFunc(m.groups, func(g string) bool { return slices.Contains(s.Groups, g) })
}

// mismatch says why a tool is not one of those meant, or "".
func (m *Matcher) mismatch(s *tool.Spec) string {
	switch {
	case !m.byName(s):
		return fmt.Sprintf("the name %s fits none of its tools: %s", s.Name, globText(m.tools))
	case !m.byTag(s):
		return fmt.Sprintf("the tool has none of its tags: %s", strings.Join(m.tags, ", "))
	case !m.byGroup(s):
		return fmt.Sprintf("the tool is in none of its groups: %s", strings.Join(m.groups, ", "))
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
