package assembly

import (
	"cmp"
	"maps"
	"slices"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// profile is one compiled entry of "profiles".
type profile struct {
	at     diag.Cursor
	name   string
	config config.Profile
	tools  []entry
}

// compileProfiles compiles the "profiles" section, by name.
func (b *builder) compileProfiles() []profile {
	var out []profile
	for _, name := range slices.Sorted(maps.Keys(b.cfg.Profiles)) {
		p := profile{at: b.at("profiles", name), name: name, config: b.cfg.Profiles[name]}
		p.tools = entries(p.at.Key("tools"), p.config.Tools, false)
		if !b.cfg.Broken("groups") {
			p.checkGroups(b.groups.names)
		}
		out = append(out, p)
	}
	return out
}

func (p *profile) checkGroups(declared []string) {
	for i, name := range p.config.Groups {
		if !slices.Contains(declared, name) {
			hint := cmp.Or(diag.DidYouMean(name, declared), "declare it under groups")
			p.at.Key("groups").Index(i).Hintf(hint, "there is no group %q", name)
		}
	}
}

// has reports whether a tool is in the profile.
func (p *profile) has(s *tool.Spec) bool {
	return slices.ContainsFunc(p.tools, func(e entry) bool { return e.fits(s) }) ||
		slices.ContainsFunc(p.config.Tags, s.HasTag) ||
		slices.ContainsFunc(p.config.Groups, func(name string) bool { return slices.Contains(s.Groups, name) })
}

// profilesOf are the profiles as the gateway knows them: the names of the tools
// in each, those included that are served only while what they need is there.
func profilesOf(profiles []profile, specs []*tool.Spec) map[string]gateway.Profile {
	out := make(map[string]gateway.Profile, len(profiles))
	for i := range profiles {
		in := gateway.Profile{}
		for _, s := range specs {
			if profiles[i].has(s) {
				in[s.Name] = true
			}
		}
		out[profiles[i].name] = in
	}
	return out
}

// adviseProfiles warns of profiles that no tool is in and, in others, of what
// adds none.
func adviseProfiles(profiles []profile, specs []*tool.Spec) {
	for i := range profiles {
		p := &profiles[i]
		if !slices.ContainsFunc(specs, p.has) {
			p.at.As(diag.EmptyProfile).Warnf("name tools, tags or groups that there are", "no tool is in this profile")
			continue
		}
		adviseEntries(p.tools, specs)
		known := tagsOf(specs)
		for j, tag := range p.config.Tags {
			if !slices.Contains(known, tag) {
				p.at.Key("tags").Index(j).As(diag.UnknownTag).Warnf(diag.DidYouMean(tag, known), "no tool has the tag %s", tag)
			}
		}
	}
}
