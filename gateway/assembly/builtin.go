package assembly

import (
	"encoding/json"
	"slices"

	"github.com/toolgate/toolgate/gateway/activation"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/find"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/result"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// ownTools is which of the gateway's own tools there may be.
type ownTools struct {
	admission admission // which an entry of what to deny may keep out
	section   config.Discovery
}

// ownTools is what the file says of them.
func (b *builder) ownTools() ownTools {
	return ownTools{admission: b.admission, section: b.cfg.Discovery}
}

// withBuiltins adds the gateway's own tools: one that reads on, where there is
// another to read on of, those that find and call others and, where a group can make
// a tool active, one that asks for groups. The file may refuse all but the first.
func (a *Assembly) withBuiltins(entries []*registry.Entry) []*registry.Entry {
	if len(entries) == 0 {
		return nil
	}
	own := a.own.finders()
	if slices.ContainsFunc(entries, func(e *registry.Entry) bool { return e.Spec.ByGroup }) {
		own = append(own, asker())
	}
	own = slices.DeleteFunc(own, func(e *registry.Entry) bool { return a.own.admission.denies(e.Spec) })
	return append(append(entries, own...), reader(a.results))
}

// reader is the tool that reads on in results which were too large to show.
func reader(store result.Store) *registry.Entry {
	spec, runner := result.NewTool(store)
	spec.Logged.Results = tool.LogResultsNone // some tool's, which may say that it is not to be recorded
	return builtin(spec, runner)
}

// asker is the tool that asks for groups. The gateway puts it in the place of each
// chat.
func asker() *registry.Entry { return builtin(activation.NewSpec(nil), activation.Unplaced{}) }

// finders are the tools that find others and call them, each worded for which others
// there are. The gateway puts them in the place of each caller.
func (o *ownTools) finders() []*registry.Entry {
	byRisk := o.section.CallTools == config.CallToolsByRisk
	reads := byRisk && !o.admission.denies(find.CallReadSpec(true))
	out := []*registry.Entry{searcher(o.section), builtin(find.CallSpec(reads), find.Unplaced{})}
	if byRisk {
		out = append(out, builtin(find.CallReadSpec(!o.admission.denies(find.CallSpec(true))), find.Unplaced{}))
	}
	return out
}

// searcher is the tool that finds others. It takes more arguments than models are
// shown, and its answers keep to a budget of their own.
func searcher(section config.Discovery) *registry.Entry {
	spec := find.NewSpec(nil)
	spec.MaxResultSize = max(tool.DefaultMaxResultSize, 2*section.Budget)
	return &registry.Entry{Spec: spec, Schema: compiled(spec.Name, find.Accepted()), Runner: find.Unplaced{}}
}

func builtin(spec *tool.Spec, runner tool.Runner) *registry.Entry {
	return &registry.Entry{Spec: spec, Schema: compiled(spec.Name, spec.Parameters), Runner: runner}
}

func compiled(name string, parameters json.RawMessage) *schema.Schema {
	s, err := schema.Compile(parameters)
	if err != nil {
		panic("the schema of " + name + ": " + err.Error()) // it is part of this program
	}
	return s
}

// judged are the gateway's own tools whose calls rules may be about, as far as a file
// can name them: a call of a tool by another is that of the tool.
func judged() []*registry.Entry {
	return []*registry.Entry{reader(nil), searcher(config.Discovery{}), asker()}
}

// refusable are those that "admit" may keep out.
func refusable() []*tool.Spec {
	all := []*tool.Spec{asker().Spec}
	own := ownTools{section: config.Discovery{CallTools: config.CallToolsByRisk}}
	for _, e := range own.finders() {
		all = append(all, e.Spec)
	}
	return all
}

// knownOwn is one of the gateway's own tools as rules are checked against it.
func knownOwn(e *registry.Entry) policy.Known {
	parameters := e.Spec.Parameters
	if e.Spec.Name == find.ToolName {
		parameters = find.Accepted()
	}
	return policy.Known{Spec: e.Spec, Parameters: parameters}
}

// isOwn reports whether the name is that of one of the gateway's own tools.
func isOwn(name string) bool {
	return slices.ContainsFunc(append(refusable(), reader(nil).Spec), func(s *tool.Spec) bool { return s.Name == name })
}
