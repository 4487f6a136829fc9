package assembly

import (
	"errors"
	"maps"
	"slices"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// Change is tools that a program brings, or takes away again.
type Change struct {
	In []*tool.Tool
	// Out are some that came in with an earlier Change, by the same pointers; others are
	// passed over.
	Out []*tool.Tool
}

// Change gives a generation of the same configuration with other tools of the program:
// nothing of the configuration is read or asked for again, and what runs its tools is
// shared with the generation that is served until now. Of each change all tools come in
// or none does; then its error, [diag.Problems], says why, and the other changes are
// made all the same. What is to be taken out always is. The generation is nil when no
// tool came or went.
//
// It is for an assembly with a Generation, and for one goroutine at a time.
func (a *Assembly) Change(changes ...Change) (next *gateway.Generation, errs []error) {
	a.changing = true
	d, errs := a.draft(changes, false)
	if !slices.ContainsFunc(errs, failed) && d.mistakes() != nil { // find out whose they are
		d, errs = a.draft(changes, true)
	}
	if len(d.in) == 0 && len(d.out) == 0 {
		return nil, errs
	}
	g, err := d.generation()
	if err != nil {
		return nil, slices.Repeat([]error{err}, len(changes))
	}
	return g, errs
}

func failed(err error) bool { return err != nil }

// draft is the tools of an assembly while some of the program come and go.
type draft struct {
	assembly *Assembly
	taken    map[string]*candidate // by what models tell names apart by
	in       []*candidate
	out      map[*tool.Tool]*candidate
}

// draft makes the changes. Where each is checked, one whose tools do not go together
// with rules or hooks fails.
func (a *Assembly) draft(changes []Change, each bool) (*draft, []error) {
	d := &draft{assembly: a, taken: takenNames(a.all), out: map[*tool.Tool]*candidate{}}
	errs := make([]error, len(changes))
	for i := range changes {
		d.leave(changes[i].Out)
		errs[i] = d.enter(changes[i].In, each)
	}
	return d, errs
}

// leave takes out tools that came in before.
func (d *draft) leave(tools []*tool.Tool) {
	for _, t := range tools {
		d.in = slices.DeleteFunc(d.in, func(c *candidate) bool { return d.frees(c, t) })
		if d.out[t] != nil || !slices.Contains(d.assembly.added, t) {
			continue
		}
		for _, c := range d.assembly.all {
			if d.frees(c, t) {
				d.out[t] = c
			}
		}
	}
}

// frees gives up the name of a candidate if it is that tool.
func (d *draft) frees(c *candidate, t *tool.Tool) bool {
	if c.program != t {
		return false
	}
	delete(d.taken, tool.FoldName(c.entry.Spec.Name))
	return true
}

// enter takes in all tools or none.
func (d *draft) enter(tools []*tool.Tool, check bool) error {
	var found diag.Report
	onto, taken, before := diag.NewCursor(&found, nil), maps.Clone(d.taken), len(d.in)
	for i, t := range tools {
		if c := d.assembly.builder.program(onto, i, t, taken); c != nil {
			d.in = append(d.in, c)
		}
	}
	err := found.Problems().Err()
	if err == nil && check && len(tools) > 0 {
		err = d.mistakes()
	}
	if err != nil {
		d.in = d.in[:before]
		return err
	}
	d.taken = taken
	return nil
}

// mistakes are those of rules, hooks and injections that there would not be without
// the tools that come in.
func (d *draft) mistakes() error {
	if len(d.in) == 0 {
		return nil
	}
	now := d.findings(d.in)
	if len(now) == 0 {
		return nil
	}
	before := d.findings(nil)
	return slices.DeleteFunc(now, func(p diag.Problem) bool { return slices.Contains(before, p) }).Err()
}

// findings are the mistakes of rules and hooks where these tools come in. Those that
// are left out are not known, and so neither is what could be said of them.
func (d *draft) findings(in []*candidate) diag.Problems {
	b := d.assembly.builder
	if b.partial {
		return nil
	}
	var report diag.Report
	root := diag.NewCursor(&report, nil)
	if b.cfg.Policy != nil {
		policy.Check(root.Key("policy"), b.cfg.Policy, specsOf(d.in), known(slices.Concat(d.stay(), in))...)
	}
	if cfg := b.cfg.Hooks.Config(); len(cfg.Before)+len(cfg.After)+len(b.cfg.Inject) > 0 {
		tools := d.assembly.Generation.Hooks.Without(d.namesOut()).Tools()
		more := make([]hook.Tool, len(in))
		for i, c := range in {
			more[i] = b.hooked(c)
		}
		set := hook.Compile(root, &cfg, b.cfg.Inject, b.hookDeps(), append(tools, more...)...)
		for _, t := range more {
			set.Bind(t)
		}
	}
	return report.Problems().Errors()
}

// stay are the candidates that were there before and do not go.
func (d *draft) stay() []*candidate {
	return slices.DeleteFunc(slices.Clone(d.assembly.all), func(c *candidate) bool { return c.program != nil && d.out[c.program] != nil })
}

func (d *draft) namesOut() map[string]bool {
	names := make(map[string]bool, len(d.out))
	for _, c := range d.out {
		names[c.entry.Spec.Name] = true
	}
	return names
}

// generation makes the draft that of the assembly.
func (d *draft) generation() (*gateway.Generation, error) {
	a := d.assembly
	next := *a.Generation
	next.Hooks = d.hooks()
	for _, c := range d.in {
		maskSpec(next.Masker, c.entry.Spec)
	}
	tools, err := registry.New(a.withBuiltins(d.entries()))
	if err != nil {
		return nil, errors.New("the names of tools: " + err.Error()) // they were compared before
	}
	next.Tools, next.Policy, next.Profiles = tools, d.policy(), d.profiles()
	a.all = append(d.stay(), d.in...)
	a.added = slices.DeleteFunc(slices.Clone(a.added), func(t *tool.Tool) bool { return d.out[t] != nil })
	for _, c := range d.in {
		a.added = append(a.added, c.program)
	}
	a.Generation = a.generation(next)
	return a.Generation, nil
}

// hooks binds the tools that come in, whose specs then hold what models are shown.
func (d *draft) hooks() *hook.Set {
	set := d.assembly.Generation.Hooks.Without(d.namesOut())
	for _, c := range d.in {
		c.entry.Spec.Parameters = shown(set.Bind(d.assembly.builder.hooked(c)))
	}
	return set
}

// entries are the tools that are registered then.
func (d *draft) entries() []*registry.Entry {
	gone := d.specsOut()
	var out []*registry.Entry
	for _, e := range d.assembly.Generation.Tools.All() {
		if e.Spec.Source != tool.SourceBuiltin && !gone[e.Spec] {
			out = append(out, e)
		}
	}
	for _, c := range d.in {
		if c.admitted {
			out = append(out, c.entry)
		}
	}
	return out
}

func (d *draft) specsOut() map[*tool.Spec]bool {
	specs := make(map[*tool.Spec]bool, len(d.out))
	for _, c := range d.out {
		specs[c.entry.Spec] = true
	}
	return specs
}

// policy decides about calls of the tools by the rules there are.
func (d *draft) policy() *policy.Engine {
	more := make([]policy.Known, len(d.in))
	for i, c := range d.in {
		more[i] = c.known
	}
	return d.assembly.Generation.Policy.With(more, d.specsOut())
}

func (d *draft) profiles() map[string]gateway.Profile {
	out := make(map[string]gateway.Profile, len(d.assembly.Generation.Profiles))
	gone, profiles := d.namesOut(), d.assembly.builder.profiles
	for i := range profiles {
		in := maps.Clone(d.assembly.Generation.Profiles[profiles[i].name])
		maps.DeleteFunc(in, func(name string, _ bool) bool { return gone[name] })
		for _, c := range d.in {
			if c.admitted && profiles[i].has(c.entry.Spec) {
				in[c.entry.Spec.Name] = true
			}
		}
		out[profiles[i].name] = in
	}
	return out
}

// kept is the builder as far as Change needs it.
func (b *builder) kept() *builder {
	out := *b
	out.served, out.imported, out.watched, out.unseen, out.lacks, out.slow = nil, nil, nil, nil, nil, nil
	return &out
}

// brought are the tools that came in with Change; a is nil where nothing is served.
func (a *Assembly) brought() []*tool.Tool {
	if a == nil {
		return nil
	}
	return a.added
}

func (a *Assembly) changes() bool { return a != nil && a.changing }

// tools are all that the program brings.
func (o *Options) tools() []*tool.Tool { return slices.Concat(o.Tools, o.Served.brought()) }
