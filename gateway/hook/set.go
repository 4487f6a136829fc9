package hook

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// Client sends the requests of webhooks; it decides which addresses may be
// reached.
type Client interface {
	Do(req *http.Request) (*http.Response, error)
	// Advise warns at a place of the configuration of an address, a scheme
	// with a host, that no request could reach.
	Advise(at diag.Cursor, origin string)
}

// Deps is what hooks need beside their configuration.
type Deps struct {
	Client      Client
	SecretNames []string                // the secrets that templates of webhooks may name
	Secrets     map[string]secret.Value // their values; nil where nothing is run
	// Broken reports whether what stands at a path has been found wrong
	// already, and so is passed over; nil when nothing has.
	Broken func(path ...string) bool
}

// broken asks whether an entry of the list at a path is to be passed over.
func (d *Deps) broken(i int, path ...string) bool {
	return d.Broken != nil && d.Broken(append(path, strconv.Itoa(i))...)
}

// Set is every hook of a configuration, compiled. It does not change once all
// tools are bound, and is then safe for concurrent use. The nil Set has no
// hooks.
type Set struct {
	injections []*injection
	before     []*before
	after      []*after
	plans      map[string]*Plan
}

// Compile compiles the "hooks" and "inject" sections of the configuration at
// root and reports every mistake at its place. Hooks that are disabled are
// checked and left out. What hooks read and set of the arguments is checked
// against the tools that they can reach, if tools are given; those must then be
// all there are. The set is only to be used when nothing was reported.
func Compile(root diag.Cursor, cfg *Config, inject []InjectConfig, deps Deps, tools ...Tool) *Set {
	s := &Set{plans: map[string]*Plan{}}
	c := newCompiler(deps, tools)
	for i := range inject {
		if deps.broken(i, "inject") {
			continue
		}
		s.injections = append(s.injections, c.injection(root.Key("inject").Index(i), &inject[i]))
	}
	for i := range cfg.Before {
		if deps.broken(i, "hooks", "before") {
			continue
		}
		h := c.before(root.Key("hooks").Key("before").Index(i), &cfg.Before[i])
		if h != nil && on(cfg.Before[i].Enabled) {
			s.before = append(s.before, h)
		}
	}
	for i := range cfg.After {
		if deps.broken(i, "hooks", "after") {
			continue
		}
		h := c.after(root.Key("hooks").Key("after").Index(i), &cfg.After[i])
		if h != nil && on(cfg.After[i].Enabled) {
			s.after = append(s.after, h)
		}
	}
	return s
}

func on(enabled *bool) bool { return enabled == nil || *enabled }

// Tool is what a set needs to know of a tool.
type Tool struct {
	Spec   *tool.Spec     // with its Parameters as declared
	Schema *schema.Schema // of these
	Args   []string       // the arguments that expressions may name
	// Closed says that no other argument can be sent. Without it, and without
	// names, expressions may name any.
	Closed bool
	Think  bool              // models may say why they call it
	Fixed  map[string]any    // arguments that models do not see, with their values
	Hints  map[string]string // by the result's action, else its mode, else *
}

// Plan is what a set does around the calls of one tool; safe for concurrent
// use. The nil Plan does nothing.
type Plan struct {
	tool     Tool
	think    bool           // Reason takes toolcall_reason
	shown    *schema.Schema // of what models are shown, where arguments are injected; else nil
	injected []*injected
	before   []*before
	after    []*after
}

// Bind makes the plan of a tool, reports what cannot be injected into it, and
// returns the schema that models are shown: without the arguments that are
// injected and, where they may give a reason, with one for it.
func (s *Set) Bind(t Tool) json.RawMessage {
	p := &Plan{tool: t}
	s.plans[t.Spec.Name] = p
	for _, h := range s.before {
		if h.about.Reaches(t.Spec) {
			p.before = append(p.before, h)
		}
	}
	for _, h := range s.after {
		if h.about.Reaches(t.Spec) {
			p.after = append(p.after, h)
		}
	}
	p.injected = s.injectedInto(t)
	return p.show()
}

// Tools are those that are bound.
func (s *Set) Tools() []Tool {
	out := make([]Tool, 0, len(s.plans))
	for _, p := range s.plans {
		out = append(out, p.tool)
	}
	return out
}

// Without is a set with the same hooks to which some tools are not bound, by name, and
// others can be. The plans of all others are the same ones.
func (s *Set) Without(names map[string]bool) *Set {
	next := *s
	next.plans = maps.Clone(s.plans)
	maps.DeleteFunc(next.plans, func(name string, _ *Plan) bool { return names[name] })
	return &next
}

// Plan finds the plan of the tool of this name.
func (s *Set) Plan(name string) *Plan {
	if s == nil {
		return nil
	}
	return s.plans[name]
}

// Advise warns of hooks and injected arguments that reach none of the tools and, in
// others, of names, patterns and tags that add none.
func (s *Set) Advise(tools []*tool.Spec) {
	warn := func(at diag.Cursor, about *policy.Matcher, what string) {
		if !slices.ContainsFunc(tools, about.Reaches) {
			at.As(diag.UnmatchedHook).Warnf("check the names in tools and tags", "%s reaches none of the tools", what)
			return
		}
		about.Advise(at, tools)
	}
	for _, in := range s.injections {
		warn(in.at, &in.about, "this entry")
	}
	for _, h := range s.before {
		warn(h.at, &h.about, "hook "+quoted(h.name))
	}
	for _, h := range s.after {
		warn(h.at, &h.about, "hook "+quoted(h.name))
	}
}

// Call is a call as hooks see and change it.
type Call struct {
	ID      string
	Request policy.Request // its Args are replaced, never changed in place
	Notes   []string       // what the record should tell of
}

func (c *Call) note(text string) { c.Notes = append(c.Notes, text) }

// compiler holds what hooks are compiled against.
type compiler struct {
	deps     Deps
	tools    []Tool
	args     []string        // the arguments of the tools that the hook reaches; nil when they may be any
	call     *expression.Env // a call before it runs
	answered *expression.Env // and after
	template *expression.Env // a call, for the templates of webhooks
}

func newCompiler(deps Deps, tools []Tool) *compiler {
	return &compiler{
		deps: deps, tools: tools,
		call:     policy.Environment(),
		answered: policy.Environment(resultVar()),
		template: policy.Environment(expression.Secrets(deps.SecretNames)),
	}
}

// about is the compiler of a hook that reaches some of the tools: its args have
// the names that one of these has. Of no tool, or of tools that are not known,
// nothing is known.
func (c *compiler) about(m *policy.Matcher) *compiler {
	out, names := *c, []string{}
	reached := false
	for _, t := range c.tools {
		if !m.Reaches(t.Spec) {
			continue
		}
		if !t.Closed && len(t.Args) == 0 {
			return c
		}
		reached, names = true, append(names, t.Args...)
	}
	if !reached {
		return c
	}
	args := expression.Var{Name: "args", Late: true, Type: expression.Closed(names)}
	out.args, out.call, out.answered, out.template = names, c.call.Declare(args), c.answered.Declare(args), c.template.Declare(args)
	return &out
}

// says reports a hook that does nothing. A key that is written and broken has
// been reported already and counts. That a hook does one thing only is for the
// reader of the file to see to: of several the first stands.
func says(at diag.Cursor, given bool, keys ...string) bool {
	written := slices.ContainsFunc(append(keys, "python"), func(key string) bool { return at.Key(key).Present() })
	if !given && !written {
		at.Hintf("give it exactly one of "+listed(keys), "the hook does not say what it does")
	}
	return given
}
