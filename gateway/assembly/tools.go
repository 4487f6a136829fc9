package assembly

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/toolgate/toolgate/gateway/cmdtool"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/exprtool"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// noParameters is the schema of a tool that declares none. It is open: a model
// that sends an argument nobody needs is not sent back.
const noParameters = `{"type":"object","properties":{}}`

// tools compiles the "code_interpreter", "tools" and "sources" sections, and the tools
// that the program brings: every tool without a mistake, whether it is going to be
// registered or not.
func (b *builder) tools(opts *Options) []*candidate {
	declared := b.declared()
	b.partial = len(declared) < len(b.cfg.Tools)
	if c := b.interpreter(opts); c != nil {
		declared = append(declared, c)
	}
	declared = append(declared, b.programs(declared, opts.tools())...)
	return append(declared, b.sources(declared)...)
}

func (b *builder) declared() []*candidate {
	names := slices.Sorted(maps.Keys(b.cfg.Tools))
	all := make([]*candidate, len(names))
	each(len(names), func(i int) {
		if !b.cfg.Broken("tools", names[i]) {
			t := b.cfg.Tools[names[i]]
			all[i] = b.tool(names[i], &t)
		}
	})
	return slices.DeleteFunc(all, func(c *candidate) bool { return c == nil })
}

// tool compiles one tool; nil after a mistake. It changes nothing that tools
// share: several are compiled at a time.
func (b *builder) tool(name string, t *config.Tool) *candidate {
	spec := b.spec(name, t)
	needs := b.needs(b.at("tools", name, "requires"), t.Requires)
	s, doc := b.schema(b.at("tools", name, "parameters"), spec.Parameters)
	if s == nil {
		return nil
	}
	args := shapeOf(t, s)
	runner := b.runner(name, t, args)
	if runner == nil {
		return nil
	}
	spec.Print = b.print(t) // of a block that is right, and so can be written
	return &candidate{
		entry: &registry.Entry{Spec: spec, Schema: s, Runner: runner}, config: t, args: args, needs: needs, at: b.at("tools", name), tests: t.Tests,
		known:    b.known(spec, t, doc),
		admitted: t.On() && b.admission.admits(spec),
	}
}

// known is the tool as rules are checked against it. It is read now, while the
// schema is decoded, and only where there are rules.
func (b *builder) known(spec *tool.Spec, t *config.Tool, doc *schema.Document) policy.Known {
	if b.cfg.Policy == nil || t.Parameters == nil {
		return policy.Known{Spec: spec, Parameters: t.Parameters}
	}
	return policy.Know(spec, t.Parameters, doc.Value())
}

func (b *builder) spec(name string, t *config.Tool) *tool.Spec {
	spec := &tool.Spec{
		Name: name, Title: t.Title, Description: t.Description, Tags: t.Tags, Deferred: t.Defer, SearchHint: t.SearchHint,
		Method: name, Source: tool.SourceDeclared, ByGroup: !t.IsCore(),
		Parameters:      t.Parameters,
		Timeout:         t.Timeout,
		MaxOutput:       int64(t.MaxOutput),
		MaxResultSize:   t.MaxResultSize,
		ConcurrencySafe: concurrencySafe(t),
		Exclusive:       t.Exclusive,
		RateLimit:       t.RateLimit,
		Logged:          t.Log,
		Retries:         b.retries(t),
	}
	if spec.Parameters == nil {
		spec.Parameters = json.RawMessage(noParameters)
	}
	spec.Groups = b.groups.of(spec)
	b.checkCore(b.at("tools", name, "core"), spec)
	return spec
}

// concurrencySafe takes a tool for one whose calls may run side by side unless
// its tags say that it can do harm.
func concurrencySafe(t *config.Tool) bool {
	if t.ConcurrencySafe != nil {
		return *t.ConcurrencySafe
	}
	return !slices.Contains(t.Tags, tool.TagDestructive) && !slices.Contains(t.Tags, tool.TagPrivileged)
}

// retries are those of the tool, else of its upstream, else of all tools; none
// where running twice may do something twice.
func (b *builder) retries(t *config.Tool) int {
	if !slices.Contains(t.Tags, tool.TagReadOnly) {
		return 0
	}
	if t.Retries != nil {
		return *t.Retries
	}
	if t.HTTP != nil {
		if own := b.cfg.Upstreams[t.HTTP.Upstream].Retries; own != nil {
			return *own
		}
	}
	return b.cfg.Defaults.Retries
}

// schema compiles a tool's argument schema, which stands at a place, and reports a
// mistake where it is; nil after one.
func (b *builder) schema(at diag.Cursor, raw json.RawMessage) (*schema.Schema, *schema.Document) {
	doc, err := schema.Read(raw)
	if err != nil {
		mistaken(at, err)
		return nil, nil
	}
	s, err := doc.Compile()
	if err != nil {
		mistaken(at, err)
		return nil, nil
	}
	if m := s.DefaultMistake(); m != nil {
		within(at, m.Path).Hintf(m.Hint, "%s", m.Text)
		return nil, nil
	}
	return s, doc
}

// mistaken reports what is wrong with a schema.
func mistaken(at diag.Cursor, err error) {
	if m, ok := errors.AsType[*schema.Mistake](err); ok {
		within(at, m.Path).Hintf(m.Hint, "%s", m.Text)
		return
	}
	at.Errorf("%v", err)
}

// within is the place at the end of a path.
func within(at diag.Cursor, path []string) diag.Cursor {
	for _, key := range path {
		at = at.Key(key)
	}
	return at
}

// shape is what a runner's templates may assume about arguments and answer.
type shape struct {
	output tool.OutputMode
	names  []string // top-level properties
	closed bool     // no other property can be sent
}

// shapeOf takes the names that templates may use from the schema. A tool
// without parameters has none. JSON Schema lets other properties in unless told
// otherwise, and yet a name that no property has is a slip of the pen: only a
// schema that says additionalProperties itself leaves the names open.
func shapeOf(t *config.Tool, s *schema.Schema) shape {
	names, closed := s.Properties()
	if t.Parameters == nil {
		return shape{output: t.Output, closed: true}
	}
	if s.SpeaksOfOthers() && !closed {
		return shape{output: t.Output}
	}
	return shape{output: t.Output, names: names, closed: closed}
}

// runner is the table of the kinds of tools.
func (b *builder) runner(name string, t *config.Tool, args shape) tool.Runner {
	at := b.at("tools", name)
	switch {
	case t.HTTP != nil:
		return httptool.New(at.Key("http"), *t.HTTP, httptool.Deps{
			Output: args.output, Args: args.names, Closed: args.closed,
			SecretNames: b.secretNames, Secrets: b.values, Masker: b.masker, Client: b.client,
			Upstreams: b.upstreams, Timeout: t.Timeout,
		})
	case t.Command != nil:
		return cmdtool.New(at.Key("command"), *t.Command, cmdtool.Deps{
			Output: args.output, Args: args.names, Closed: args.closed, Dir: b.cfg.Dir(),
			SecretNames: b.secretNames, Secrets: b.values, Masker: b.masker, Machine: b.machine,
		})
	default:
		return exprtool.New(at.Key("expr"), *t.Expr, exprtool.Deps{Output: args.output, Args: args.names, Closed: args.closed})
	}
}
