package assembly

import (
	"maps"
	"slices"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/secret"
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

// forChats are the groups as the gateway knows them, without what the masker knows.
func (g *groups) forChats(section map[string]config.Group, masker *secret.Masker) *gateway.Groups {
	all := make([]gateway.Group, 0, len(g.names))
	for _, name := range g.names {
		all = append(all, gateway.Group{Name: name, Description: masker.Text(section[name].Description)})
	}
	return gateway.NewGroups(all)
}

// checkCore reports a tool that no chat could ever have.
func (b *builder) checkCore(at diag.Cursor, s *tool.Spec) {
	if !s.ByGroup || len(s.Groups) > 0 || b.cfg.Broken("groups") {
		return
	}
	const hint = "name it in the tools of an entry under groups, or remove core"
	at.Hintf(hint, "the tool is in no group, so no chat could ever have it: what is not core is active where one of its groups is")
}

// checkSourceCore reports a source of whose tools no chat could have any, and warns of
// one of whose tools no chat could have some.
func (b *builder) checkSourceCore(s *imported, all []*candidate) {
	var names []string
	for _, c := range all {
		if c.entry.Spec.ByGroup && len(c.entry.Spec.Groups) == 0 {
			names = append(names, c.entry.Spec.Name)
		}
	}
	at := s.at.Key("core")
	switch {
	case len(names) == 0 || b.cfg.Broken("groups"):
	case len(names) == len(all):
		at.Hintf("name them in the tools of an entry under groups, or remove core", "the tools of this source are in no group, so no chat could ever have them: what is not core is active where one of its groups is")
	default:
		at.As(diag.UnusableTool).Warnf("name them in the tools of an entry under groups, or leave them out with include", "%s are in no group, so no chat can have them: %s", counted(len(names), "tool"), few(names))
	}
}

// advise warns of groups that no tool is in and, in other groups, of entries
// that fit none, and where models are to ask for a group of which nothing is said.
func (g *groups) advise(at func(name string) diag.Cursor, specs []*tool.Spec, section map[string]config.Group) {
	for _, name := range g.names {
		inIt := func(s *tool.Spec) bool { return slices.Contains(s.Groups, name) }
		if !slices.ContainsFunc(specs, inIt) {
			at(name).As(diag.EmptyGroup).Warnf("check the names in tools", "no tool is in this group")
			continue
		}
		adviseEntries(g.entries[name], specs)
		if section[name].Description == "" && slices.ContainsFunc(specs, func(s *tool.Spec) bool { return s.ByGroup && inIt(s) }) {
			at(name).As(diag.MissingDescription).Warnf("add a description", "models ask for a group by its description, and this one has none")
		}
	}
}
