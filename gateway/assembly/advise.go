package assembly

import (
	"maps"
	"slices"
	"strconv"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// advise warns of what is valid and yet not what anyone wants. It is for a
// configuration without errors: with one, half of it would be a false alarm. A
// tool that is not registered can be named, and nothing else is said of it.
func (b *builder) advise(all []*candidate, tools *registry.Registry, engine *policy.Engine) {
	for _, e := range tools.All() {
		if e.Spec.Source == tool.SourceDeclared {
			b.adviseTool(e.Spec, e.Schema)
		}
	}
	specs := specsOf(all)
	if b.partial {
		return // what fits none of the tools may fit those that are missing
	}
	b.adviseDeferred(tools, engine)
	b.admission.advise(append(specs, refusable()...))
	b.groups.advise(func(name string) diag.Cursor { return b.at("groups", name) }, specs, b.cfg.Groups)
	adviseProfiles(b.profiles, specs)
	if engine == nil {
		b.cfg.At().As(diag.NoPolicy).Warnf("add a policy section; its default is deny", "there is no policy, so every call is allowed")
		return
	}
	var ignored diag.Report
	nobodys := map[string]int{} // tools by the source that they come from
	b.unseen = map[string]bool{}
	engine.Advise(b.at("policy"), func(name string) diag.Cursor {
		e, ok := tools.Lookup(name)
		if ok && e.Spec.Namespace == "" {
			return b.place(e.Spec)
		}
		if ok {
			nobodys[e.Spec.Namespace]++
			b.unseen[name] = true
		}
		return diag.NewCursor(&ignored, nil)
	}, append(specs, specsOfAll(judged())...))
	for _, name := range slices.Sorted(maps.Keys(nobodys)) {
		b.at("sources", name).As(diag.UnusableTool).Warnf("name them, or one of their tags, in a rule",
			"no rule reaches %s of this source and the default is deny, so nobody can see or call them", counted(nobodys[name], "tool"))
	}
}

func (b *builder) adviseTool(spec *tool.Spec, s *schema.Schema) {
	switch {
	case spec.Description == "" && spec.Deferred && spec.SearchHint == "":
		b.at("tools", spec.Name).As(diag.MissingDescription).Warnf("add a description or a search_hint", "nothing is said of this tool, so searches find it by its name, its tags and its arguments alone")
	case spec.Description == "":
		b.at("tools", spec.Name).As(diag.MissingDescription).Warnf("add a description", "models choose a tool by its description, and this one has none")
	}
	for i, tag := range spec.Tags {
		if near := nearTag(tag); near != "" {
			b.at("tools", spec.Name, "tags", strconv.Itoa(i)).As(diag.MisspeltTag).Warnf(near, "the tag %s has no meaning of its own", tag)
		}
	}
	b.adviseRequired(spec, s)
	for _, m := range s.Misspelt() {
		within(b.at("tools", spec.Name, "parameters"), m.Path).As(diag.SuspectSchema).Warnf(m.Hint, "%s", m.Text)
	}
}

// nearTag asks whether a tag was meant to be one that has a meaning.
func nearTag(tag string) string {
	known := tool.KnownTags()
	for _, k := range known {
		if tag == k {
			return ""
		}
		if tool.FoldName(tag) == tool.FoldName(k) {
			return "did you mean " + k + "?"
		}
	}
	return diag.DidYouMean(tag, known)
}

// adviseRequired finds required arguments that no property describes: a model
// is not shown them and can hardly guess them.
func (b *builder) adviseRequired(spec *tool.Spec, s *schema.Schema) {
	names, _ := s.Properties()
	required := schema.Required(spec.Parameters)
	if len(names) == 0 || len(required) == 0 {
		return
	}
	known := make(map[string]bool, len(names))
	for _, n := range names {
		known[n] = true
	}
	for i, name := range required {
		if !known[name] {
			b.at("tools", spec.Name, "parameters", "required", strconv.Itoa(i)).
				As(diag.SuspectSchema).Warnf(diag.DidYouMean(name, names), "%s is required and is none of the properties", name)
		}
	}
}
