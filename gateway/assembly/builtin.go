package assembly

import (
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/result"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/tool"
)

// withReader adds the tool that reads on where there is another to read on of.
func withReader(entries []*registry.Entry, store result.Store) []*registry.Entry {
	if len(entries) == 0 {
		return nil
	}
	return append(entries, reader(store))
}

// reader is the tool that reads on in results which were too large to show.
func reader(store result.Store) *registry.Entry {
	spec, runner := result.NewTool(store)
	s, err := schema.Compile(spec.Parameters)
	if err != nil {
		panic("the schema of " + spec.Name + ": " + err.Error()) // it is part of this program
	}
	spec.Logged.Results = tool.LogResultsNone // some tool's, which may say that it is not to be recorded
	return &registry.Entry{Spec: spec, Schema: s, Runner: runner}
}
