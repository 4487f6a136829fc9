package reload

import (
	"bytes"
	"context"
	"slices"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/tool"
)

// list is what is needed to tell who is listed what.
type list struct {
	generation *gateway.Generation
	callers    map[string]tool.Caller // by identity
}

// listOf are the lists of a version. Who does not authenticate is always asked
// about: over stdio nobody does.
func listOf(v *Version) list {
	l := list{v.Assembly.Generation, map[string]tool.Caller{}}
	for _, c := range append(v.Assembly.Access.Callers(), tool.CallerOf(context.Background(), tool.KindMCP)) {
		c.Kind = tool.KindMCP
		l.callers[c.ID] = c
	}
	return l
}

// listDiffers reports whether one of the callers that both know is listed other
// tools, or told something else of one of them, in the whole or in one of the
// profiles. What a list shows of a tool are its name, title, description,
// parameters and, made of the tags, annotations.
func listDiffers(before, after list) bool {
	for _, profile := range profilesOf(before.generation, after.generation) {
		for id, now := range after.callers {
			was, known := before.callers[id]
			if known && !slices.EqualFunc(
				before.generation.Listed(tool.View{Caller: was, Profile: profile}),
				after.generation.Listed(tool.View{Caller: now, Profile: profile}), shownAlike) {
				return true
			}
		}
	}
	return false
}

// profilesOf are the profiles that both have, that of all tools among them: one
// that is new has no reader yet, and one that is gone has none any more.
func profilesOf(before, after *gateway.Generation) []string {
	names := []string{""}
	for name := range after.Profiles {
		if _, had := before.Profiles[name]; had {
			names = append(names, name)
		}
	}
	return names
}

func shownAlike(a, b *tool.Spec) bool {
	return a == b || a.Name == b.Name && a.Title == b.Title && a.Description == b.Description &&
		bytes.Equal(a.Parameters, b.Parameters) && slices.Equal(a.Tags, b.Tags)
}
