package hook

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// injection is one entry of the "inject" section.
type injection struct {
	at      diag.Cursor
	about   policy.Matcher
	literal []string // the names among its patterns
	set     []*injected
}

// injected is an argument that the server owns.
type injected struct {
	at      diag.Cursor
	name    string
	program *expression.Program // nil for a value that is always the same
	env     *expression.Env
	value   any
}

// injection compiles an entry. One with a mistake still tells which arguments
// it names.
func (c *compiler) injection(at diag.Cursor, cfg *InjectConfig) *injection {
	in := &injection{at: at}
	in.about, _ = policy.CompileMatcher(at, cfg.Tools, nil, nil)
	for _, pattern := range cfg.Tools {
		if !strings.ContainsAny(pattern, "*?") {
			in.literal = append(in.literal, pattern)
		}
	}
	c = c.about(&in.about)
	for _, name := range slices.Sorted(maps.Keys(cfg.Set)) {
		here := at.Key("set").Key(name)
		program := expression.Compile(here, cfg.Set[name], c.call, expression.WantAny)
		in.set = append(in.set, &injected{at: here, name: name, program: program, env: c.call})
	}
	return in
}

// injectedInto lists the arguments that are injected into a tool, each once:
// of two entries that set the same one the later stands. An argument that the
// tool does not have is a mistake where the tool is named, and left out where
// a pattern reaches it.
func (s *Set) injectedInto(t Tool) []*injected {
	names, _ := t.Schema.Properties()
	out := fixed(t)
	for _, in := range s.injections {
		if !in.about.Reaches(t.Spec) {
			continue
		}
		for _, arg := range in.set {
			if !slices.Contains(names, arg.name) {
				in.unknown(t.Spec.Name, arg.name, names)
				continue
			}
			out = slices.DeleteFunc(out, func(a *injected) bool { return a.name == arg.name })
			out = append(out, arg)
		}
	}
	return out
}

// fixed are the arguments whose values are part of the tool.
func fixed(t Tool) []*injected {
	var out []*injected
	for _, name := range slices.Sorted(maps.Keys(t.Fixed)) {
		out = append(out, &injected{at: diag.NewCursor(new(diag.Report), nil), name: name, value: t.Fixed[name]})
	}
	return out
}

func (in *injection) unknown(toolName, name string, names []string) {
	if !slices.Contains(in.literal, toolName) {
		return
	}
	hint := diag.DidYouMean(name, names)
	if hint == "" {
		hint = "declare it under parameters.properties of the tool, or name the tool by a pattern"
	}
	in.at.Key("set").Key(name).Hintf(hint, "the tool %s has no argument %s", toolName, name)
}

// names are the arguments that are injected.
func (p *Plan) names() []string {
	out := make([]string, len(p.injected))
	for i, arg := range p.injected {
		out[i] = arg.name
	}
	return out
}

// Shown is the schema of what models may send, where it is not that of the
// tool; else nil.
func (p *Plan) Shown() *schema.Schema {
	if p == nil {
		return nil
	}
	return p.shown
}

// Injects reports whether Inject does anything.
func (p *Plan) Injects() bool { return p != nil && len(p.injected) > 0 }

// Inject sets the arguments that the server owns. What was sent for them is
// dropped first and noted, so that no expression sees it. An expression that
// gives nothing leaves its argument out.
func (p *Plan) Inject(c *Call) error {
	if !p.Injects() {
		return nil
	}
	c.Request.Args = maps.Clone(c.Request.Args)
	for _, arg := range p.injected {
		if _, sent := c.Request.Args[arg.name]; sent {
			c.note("what was sent for " + arg.name + " was dropped: the gateway sets it")
			delete(c.Request.Args, arg.name)
		}
	}
	var vars *expression.Vars
	args := maps.Clone(c.Request.Args)
	if args == nil {
		args = map[string]any{}
	}
	for _, arg := range p.injected {
		if vars == nil && arg.env != nil {
			vars = arg.env.Vars(c.Request.Values())
		}
		value, err := arg.eval(vars)
		if err != nil {
			return p.notOurs(fmt.Errorf("inject %s: %w", arg.name, err))
		}
		if value != nil {
			args[arg.name] = value
		}
	}
	c.Request.Args = args
	return nil
}

// eval gives the value for one call.
func (a *injected) eval(vars *expression.Vars) (any, error) {
	if a.program == nil {
		return a.value, nil
	}
	value, err := a.program.Eval(vars)
	if err != nil {
		return nil, err
	}
	return plain(value)
}

// Blame says whose fault it is that arguments, checked already, are not valid:
// it returns what a model can repair or, where that is nothing, the operator's
// error. invalid is what the tool's own schema says of them.
func (p *Plan) Blame(args map[string]any, invalid error) error {
	if p.Shown() == nil {
		return invalid
	}
	sent := maps.Clone(args)
	for _, name := range p.names() {
		delete(sent, name)
	}
	if err := p.shown.Validate(p.shown.Cast(sent)); err != nil {
		return err
	}
	return p.notOurs(fmt.Errorf("with the arguments that are injected: %w", invalid))
}

func (p *Plan) notOurs(cause error) error {
	return tool.Errorf(tool.Internal, "the arguments of %s that the gateway itself sets could not be set", p.tool.Spec.Name).
		Because(cause).
		WithHint("Nothing is wrong with the arguments you sent; tell the user.")
}
