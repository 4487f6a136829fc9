package assembly

import (
	"maps"
	"slices"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// groups are the compiled "groups": which tools belong to which.
type groups struct {
	names   []string // sorted
	entries map[string][]entry
}

// compileGroups compiles the "groups" section.
func (b *builder) compileGroups() groups {
	g := groups{names: slices.Sorted(maps.Keys(b.cfg.Groups)), entries: map[string][]entry{}}
	for _, name := range g.names {
		g.entries[name] = entries(b.at("groups", name, "tools"), b.cfg.Groups[name].Tools, false)
	}
	return g
}

// of are the names of the groups that a tool is in, sorted.
func (g *groups) of(s *tool.Spec) []string {
	var out []string
	for _, name := range g.names {
		if slices.ContainsFunc(g.entries[name], func(e entry) bool { return e.fits(s) }) {
			out = append(out, name)
		}
	}
	return out
}

// advise warns of groups that no tool is in and, in other groups, of entries
// that fit none.
func (g *groups) advise(at func(name string) diag.Cursor, specs []*tool.Spec) {
	for _, name := range g.names {
		inIt := func(s *tool.Spec) bool { return slices.Contains(s.Groups, name) }
		if !slices.ContainsFunc(specs, inIt) {
			at(name).Warnf("check the names in tools", "no tool is in this group")
			continue
		}
		adviseEntries(g.entries[name], specs)
	}
}
