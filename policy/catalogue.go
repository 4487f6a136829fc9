package policy

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Known is a tool that rules are checked against.
type Known struct {
	Spec *tool.Spec
	// Parameters is the schema of the arguments that rules see; nil for a tool
	// that takes none.
	Parameters json.RawMessage

	args *shape // nil unless Know made it
}

// Know is a Known whose schema was decoded already. It is read at once: for many
// tools that can be done side by side.
func Know(spec *tool.Spec, parameters json.RawMessage, decoded any) Known {
	return Known{Spec: spec, Parameters: parameters, args: shapeIn(decoded)}
}

// KnowNames is a Known of whose arguments the names are known, which of them are
// always there, and whether there can be others. It costs little.
func KnowNames(spec *tool.Spec, names, required []string, closed bool) Known {
	s := &shape{open: !closed, members: make(map[string]*shape, len(names)), required: make(map[string]bool, len(required))}
	anything := &shape{open: true}
	for _, name := range names {
		s.members[name] = anything
	}
	for _, name := range required {
		s.required[name] = true
	}
	return Known{Spec: spec, args: s}
}

// catalogue is the tools of a configuration with what their arguments are.
type catalogue []catalogued

type catalogued struct {
	spec *tool.Spec
	args *shape
}

func newCatalogue(tools []Known) catalogue {
	c := make(catalogue, len(tools))
	for i, k := range tools {
		if k.args == nil {
			k.args = shapeOf(k.Parameters)
		}
		c[i] = catalogued{k.Spec, k.args}
	}
	return c
}

// args is the type of the arguments of whatever tools a rule with the matchers is
// about: what one of them has may be there. About tools that nobody knows,
// nothing is known.
func (c catalogue) args(m *Matcher) expression.Type {
	var all shape
	known := false
	for _, t := range c {
		if m.judges(t.spec) {
			known = true
			all.add(t.args)
		}
	}
	if !known {
		return expression.JSON
	}
	return all.typ()
}

// lacking finds a tool that a rule with the matchers is about, that has the first
// name of a path of the arguments, and in which the path may lead to nothing;
// nil when there is none.
func (c catalogue) lacking(m *Matcher, path []string) *tool.Spec {
	for _, t := range c {
		if t.args.members[path[0]] != nil && m.judges(t.spec) && t.args.optional(path) {
			return t.spec
		}
	}
	return nil
}

// named finds a tool by its name; nil when there is none.
func (c catalogue) named(name string) *tool.Spec {
	for _, t := range c {
		if t.spec.Name == name {
			return t.spec
		}
	}
	return nil
}

// names lists the names of the tools, sorted.
func (c catalogue) names() []string {
	out := make([]string, len(c))
	for i, t := range c {
		out[i] = t.spec.Name
	}
	slices.Sort(out)
	return out
}

// Check reports what Compile would of the rules that are about one of some tools, which
// are among those that it is given.
func Check(at diag.Cursor, cfg *Config, some []*tool.Spec, tools ...Known) {
	e := &Engine{catalogue: newCatalogue(tools)}
	e.env = Environment(dataVar(at.Key("data"), cfg.Data))
	nowhere := diag.NewCursor(new(diag.Report), nil)
	for i := range cfg.Rules {
		rc, _ := expand(nowhere, cfg.Rules[i])
		about, ok := CompileMatcher(nowhere, rc.Tools, rc.Tags, rc.Groups)
		if !ok || slices.ContainsFunc(some, about.judges) {
			e.compileRule(at.Key("rules").Index(i), i, &rc)
		}
	}
}

// With is the engine beside more tools, and without those that are gone: the same
// rules decide. That what they read of the arguments is there is not checked; Compile
// does that. The nil Engine stays what it is.
func (e *Engine) With(more []Known, gone map[*tool.Spec]bool) *Engine {
	if e == nil {
		return nil
	}
	next := *e
	next.catalogue = slices.DeleteFunc(slices.Clone(e.catalogue), func(c catalogued) bool { return gone[c.spec] })
	next.byTool = maps.Clone(e.byTool)
	maps.DeleteFunc(next.byTool, func(s *tool.Spec, _ prepared) bool { return gone[s] })
	for _, c := range newCatalogue(more) {
		next.catalogue = append(next.catalogue, c)
		next.byTool[c.spec] = next.prepare(c.spec)
	}
	return &next
}
