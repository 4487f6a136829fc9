package assembly

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/tool"
)

// placeOf is where what is wrong with a tool of the program is reported: it stands in
// no file, and its name is all that there is to find it by, or its place in the list where it
// has none.
func placeOf(name string) diag.Cursor {
	spot := diag.Spot{Key: diag.Place{File: "tool " + name + " of the program"}}
	return diag.NewCursor(new(diag.Report), func(path []string) (diag.Spot, bool) { return spot, len(path) == 0 })
}

// programs compiles the tools that the program brings, beside others that have their
// names first.
func (b *builder) programs(others []*candidate, tools []*tool.Tool) []*candidate {
	if len(tools) == 0 {
		return nil
	}
	taken := takenNames(others)
	var out []*candidate
	for i, t := range tools {
		if c := b.program(b.cfg.At(), i, t, taken); c != nil {
			out = append(out, c)
		} else {
			b.partial = true
		}
	}
	return out
}

// program compiles the tool of the program at a place of their list, whose mistakes are reported where the
// cursor does, and puts its name among those that are taken; nil after a mistake.
func (b *builder) program(onto diag.Cursor, i int, t *tool.Tool, taken map[string]*candidate) *candidate {
	if t == nil {
		placeOf(fmt.Sprintf("[%d]", i)).Onto(onto).Errorf("it is nil")
		return nil
	}
	at := placeOf(cmp.Or(t.Spec.Name, fmt.Sprintf("[%d]", i))).Onto(onto)
	switch {
	case t.Err != nil:
		at.Errorf("%v", t.Err)
		return nil
	case t.Runner == nil:
		at.Hintf("give it a Runner", "the tool does not say how it runs")
		return nil
	case !config.CheckSpec(at, &t.Spec) || !free(at, t.Spec.Name, taken):
		return nil
	}
	c := b.programTool(at, t)
	if c != nil {
		taken[tool.FoldName(t.Spec.Name)] = c
	}
	return c
}

// free reports whether no other tool has the name, or one that models confuse with it.
func free(at diag.Cursor, name string, taken map[string]*candidate) bool {
	other := taken[tool.FoldName(name)]
	if other == nil {
		return true
	}
	at.Hintf("rename one of them", "models confuse this name with that of %s", other.described())
	return false
}

// described says which tool it is and where it stands.
func (c *candidate) described() string {
	name := c.entry.Spec.Name
	switch {
	case c.program != nil:
		return "another tool of the program, " + name
	case c.source != nil:
		return name + " of the source " + c.source.name
	}
	if at := c.at.Place(); at.File != "" {
		return fmt.Sprintf("%s at %s", c.at.Path(), at)
	}
	return c.at.Path()
}

func (b *builder) programTool(at diag.Cursor, t *tool.Tool) *candidate {
	spec := b.programSpec(t)
	b.checkCore(at, spec)
	s, doc := b.schema(at.Key("parameters"), spec.Parameters)
	if s == nil {
		return nil
	}
	like := &config.Tool{Parameters: t.Spec.Parameters, Tags: spec.Tags, Log: spec.Logged}
	return &candidate{
		entry: &registry.Entry{Spec: spec, Schema: s, Runner: t.Runner}, config: like, args: shapeOf(like, s), at: at, program: t,
		known:    b.known(spec, like, doc),
		admitted: b.admission.admits(spec),
	}
}

// programSpec is the tool's own with what the configuration says of all tools. The
// program keeps what it gave.
func (b *builder) programSpec(t *tool.Tool) *tool.Spec {
	spec, d := t.Spec, &b.cfg.Defaults
	spec.Tags, spec.Parameters = slices.Clone(spec.Tags), slices.Clone(spec.Parameters)
	if spec.Parameters == nil {
		spec.Parameters = json.RawMessage(noParameters)
	}
	spec.Namespace, spec.Method, spec.Source = "", spec.Name, tool.SourceGo
	spec.Print = printOf(tool.SourceGo, spec.Print)
	spec.Timeout = cmp.Or(spec.Timeout, d.Timeout)
	spec.MaxOutput = cmp.Or(spec.MaxOutput, int64(d.MaxOutput))
	spec.MaxResultSize = cmp.Or(spec.MaxResultSize, d.MaxResultSize)
	spec.Logged = spec.Logged.Or(d.Log)
	if spec.ReadOnly() {
		spec.Retries = cmp.Or(spec.Retries, d.Retries)
	}
	spec.Groups = b.groups.of(&spec)
	return &spec
}
