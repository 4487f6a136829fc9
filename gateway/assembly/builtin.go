package assembly

import (
	"slices"

	"github.com/toolgate/toolgate/gateway/activation"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/result"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/tool"
)

// withBuiltins adds the gateway's own tools: one that reads on, where there is
// another to read on of, and one that asks for groups, where a group can make a tool
// active and the file does not refuse it.
func (a *Assembly) withBuiltins(entries []*registry.Entry) []*registry.Entry {
	if len(entries) == 0 {
		return nil
	}
	if a.mayAsk && slices.ContainsFunc(entries, func(e *registry.Entry) bool { return e.Spec.ByGroup }) {
		entries = append(entries, asker())
	}
	return append(entries, reader(a.results))
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

func builtin(spec *tool.Spec, runner tool.Runner) *registry.Entry {
	s, err := schema.Compile(spec.Parameters)
	if err != nil {
		panic("the schema of " + spec.Name + ": " + err.Error()) // it is part of this program
	}
	return &registry.Entry{Spec: spec, Schema: s, Runner: runner}
}

// builtins are the gateway's own tools as far as a file can name them.
func builtins() []*tool.Spec { return []*tool.Spec{reader(nil).Spec, asker().Spec} }
