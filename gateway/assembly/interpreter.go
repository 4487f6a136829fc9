package assembly

import (
	"cmp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/interpreter"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
	"github.com/toolgate/toolgate/wasm/python/packages"
)

// usualPython is the version of the interpreter that is installed where nothing else
// is said. It is what models are told until one is installed.
const usualPython = "3.12"

// What a program of the tool may leave behind.
const (
	MaxValue     = 64 << 10 // bytes of the last expression's value
	MaxArtifacts = 50       // files under /out
	MaxWritten   = 32 << 20 // bytes of all files that are written
)

// Interpreters run the programs of code_interpreter.
type Interpreters interface {
	// Take gives what runs programs as they say, which is the same for the same ones
	// for as long as somebody has it, and what gives it up again. It does not wait for
	// anything to start.
	Take(p *Programs) (python interpreter.Python, release func())
}

// Programs say how programs are run.
type Programs struct {
	Timeout  time.Duration
	Memory   int64 // bytes
	Workers  int
	Queue    int
	Runtime  string   // folder of the interpreter; where it is installed when empty
	Packages []string // absolute paths of wheels and folders that were checked

	print string // of what is in the packages
}

// Print tells programs apart that are run otherwise.
func (p *Programs) Print() string {
	return printOf(p.Timeout, p.Memory, p.Workers, p.Queue, p.Runtime, p.Packages, p.print)
}

// Installed is the version of the interpreter in a folder or, where that is empty, where
// it is installed; empty where there is none. It starts nothing.
type Installed func(runtime string) (version string)

// lease is what runs the programs of an assembly, from its first generation until it
// is closed.
type lease struct {
	from     Interpreters // nil where nothing is run
	programs Programs

	mu      sync.Mutex // guards what follows
	release func()     // nil while nothing was taken
}

// take has the runner run programs by what it takes.
func (l *lease) take(r *interpreter.Later) {
	if l.from == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.release == nil {
		var python interpreter.Python
		python, l.release = l.from.Take(&l.programs)
		r.Set(python)
	}
}

// close gives up what was taken. It may be called again.
func (l *lease) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.release != nil {
		l.release()
		l.release = func() {}
	}
}

// interpreter compiles the "code_interpreter" section to its tool; nil where there is
// none.
func (b *builder) interpreter(opts *Options) *candidate {
	section := &b.cfg.Interpreter
	if b.cfg.Broken("code_interpreter", "enabled") || b.cfg.Broken("code_interpreter") {
		b.partial = true
		return nil
	}
	version := b.installed(opts.Installed)
	set := b.packages(cmp.Or(version, usualVersion(section)))
	if !section.Enabled {
		return nil
	}
	limits := interpreter.Limits{Timeout: section.Timeout, Memory: section.Memory, Value: MaxValue, Artifacts: MaxArtifacts, Written: MaxWritten}
	b.lease = &lease{from: opts.Interpreters, programs: Programs{
		Timeout: section.Timeout, Memory: int64(section.Memory), Workers: section.Workers, Queue: section.Queue,
		Runtime: section.Runtime, Packages: section.Packages, print: set.Print(),
	}}
	if opts.Only != "" && opts.Only != interpreter.ToolName {
		b.lease.from = nil
	}
	about := interpreter.About{Version: shortVersion(cmp.Or(version, usualVersion(section))), Packages: named(set), Limits: limits}
	b.python = new(interpreter.Later)
	spec := interpreter.NewSpec(about)
	spec.MaxResultSize, spec.Logged = b.cfg.Defaults.MaxResultSize, b.cfg.Defaults.Log
	spec.Groups = b.groups.of(spec)
	spec.Print = printOf("code_interpreter", section.Runtime, set.Print())
	s := compiled(spec.Name, spec.Parameters)
	names, closed := s.Properties()
	return &candidate{
		entry:  &registry.Entry{Spec: spec, Schema: s, Runner: interpreter.New(b.python, interpreter.Options{Limits: limits, Files: opts.Files, Address: opts.FileAddress})},
		config: &config.Tool{Log: spec.Logged}, args: shape{names: names, closed: closed}, at: b.at("code_interpreter"),
		known:    policy.Known{Spec: spec, Parameters: spec.Parameters},
		admitted: b.admission.admits(spec),
	}
}

// installed is the version of the interpreter; empty where it is not known.
func (b *builder) installed(look Installed) string {
	section := &b.cfg.Interpreter
	if look == nil || !section.Enabled || b.cfg.Broken("code_interpreter", "runtime") {
		return ""
	}
	return look(section.Runtime)
}

// usualVersion is the version of Python where no interpreter was looked at; that of a
// folder of somebody's own is not known.
func usualVersion(section *config.Interpreter) string {
	if section.Runtime != "" {
		return ""
	}
	return usualPython
}

// shortVersion is a version without what follows its second number.
func shortVersion(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}

// packages reads what programs can import; every mistake is reported at its path.
func (b *builder) packages(python string) *packages.Set {
	paths := b.cfg.Interpreter.Packages
	if len(paths) == 0 || b.cfg.Broken("code_interpreter", "packages") || b.moved(len(paths), "code_interpreter", "packages") {
		return &packages.Set{}
	}
	set, mistakes := packages.Load(paths, python)
	for _, m := range mistakes {
		b.at("code_interpreter", "packages", strconv.Itoa(m.Entry)).Hintf(m.Hint, "%s", m.Text)
	}
	if set == nil {
		return &packages.Set{}
	}
	return set
}

// named are the packages as models are told of them.
func named(set *packages.Set) []interpreter.Package {
	out := make([]interpreter.Package, 0, len(set.Packages))
	for i := range set.Packages {
		p := &set.Packages[i]
		if p.Version == "" { // a folder, whose modules have other names than it
			for _, module := range p.Modules {
				out = append(out, interpreter.Package{Name: module})
			}
			continue
		}
		out = append(out, interpreter.Package{Name: p.Name, Version: p.Version})
	}
	return out
}

// adviseInterpreter warns of a section that changes nothing.
func (b *builder) adviseInterpreter(all []*candidate) {
	at := b.at("code_interpreter")
	if at.Present() && !b.cfg.Interpreter.Enabled {
		at.As(diag.UselessSetting).Warnf("write enabled: true", "code_interpreter is not enabled, so the section changes nothing")
		return
	}
	for _, c := range all {
		if c.entry.Spec.Source == tool.SourceInterpreter && !c.admitted {
			b.admission.refusal(b.at("admit", "allow"), c.entry.Spec).As(diag.UselessSetting).Warnf("admit it, or write enabled: false", "code_interpreter is enabled and not admitted, so there is no such tool")
		}
	}
}

// place is where a tool stands that no source has.
func (b *builder) place(s *tool.Spec) diag.Cursor {
	switch s.Source {
	case tool.SourceInterpreter:
		return b.at("code_interpreter")
	case tool.SourceGo:
		return placeOf(s.Name).Onto(b.cfg.At())
	}
	return b.at("tools", s.Name)
}
