package assembly_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/interpreter"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

// pools are what programs are given to, by their settings. They print the code.
type pools struct {
	mu    sync.Mutex
	taken []string // a line for each take and release
}

func (p *pools) note(what string, programs *assembly.Programs) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken = append(p.taken, what+" "+programs.Timeout.String())
}

func (p *pools) Take(programs *assembly.Programs) (interpreter.Python, func()) {
	p.note("take", programs)
	return p, func() { p.note("release", programs) }
}

func (*pools) Run(_ context.Context, _ string, job *wire.Job) (interpreter.Ran, error) {
	return interpreter.Ran{Reply: wire.Reply{Outcome: wire.OK}, Stdout: []byte(job.Code)}, nil
}

// TestInterpreterSection holds what is said of the section, and whether there is the
// tool, against its text.
func TestInterpreterSection(t *testing.T) {
	t.Parallel()
	const on = "code_interpreter: {enabled: true}\n"
	const policy = "policy: {default: deny, rules: [{name: r, tools: [code_interpreter], action: allow}, {name: a, tools: [a], action: allow}]}\n"
	for _, c := range []struct {
		name, text string
		there      bool
		want       string // problems
	}{
		{name: "none", text: policy, want: `tools.yaml:3:33: policy.rules.0: warning: rule "r" reaches none of the tools (check the names in tools and tags)`},
		{name: "on", text: on + policy, there: true},
		{name: "off", text: "code_interpreter: {workers: 3}\n", want: "tools.yaml:3:1: code_interpreter: warning: code_interpreter is not enabled, so the section changes nothing (write enabled: true)"},
		{name: "not admitted", text: on + policy + "admit: {deny: [code_interpreter]}\n", want: "tools.yaml:5:16: admit.deny.0: warning: code_interpreter is enabled and not admitted, so there is no such tool (admit it, or write enabled: false)"},
		{name: "not among those that are admitted", text: on + policy + "admit: {allow: [a]}\n", want: "tools.yaml:5:9: admit.allow: warning: code_interpreter is enabled and not admitted, so there is no such tool (admit it, or write enabled: false)"},
		{name: "no rule", text: on + "policy: {default: deny, rules: [{name: a, tools: [a], action: allow}]}\n", there: true, want: "tools.yaml:3:1: code_interpreter: warning: no rule reaches this tool and the default is deny, so nobody can see or call it (name the tool or one of its tags in a rule)"},
		{name: "argument of a rule", text: on + "policy: {default: deny, rules: [{name: r, tools: [code_interpreter], when: args.cod == 'x', action: allow}, {name: a, tools: [a], action: allow}]}\n", want: "tools.yaml:4:81: policy.rules.0.when: args has no field cod (did you mean code?)"},
		{
			name: "all that holds for tools", there: true,
			text: on + policy + "groups: {g: {description: G., tools: [code_interpreter]}}\nprofiles: {p: {tools: [code_interpreter]}}\n" +
				"hooks: {before: [{name: h, tools: [code_interpreter], when: len(args.code) > 1000, refuse: Too long.}]}\ninject: [{tools: [code_interpreter], set: {dependencies: \"['attrs']\"}}]\n",
		},
		{name: "no such wheel", text: "code_interpreter: {enabled: true, packages: [./none.whl]}\n" + policy, want: "tools.yaml:3:46: code_interpreter.packages.0: DIR/none.whl is not there (write the path of a wheel or of a folder; a relative one belongs to the folder of this file)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "tools.yaml", "version: 1\ntools: {a: {description: A., expr: '1'}}\n"+c.text)
			cfg, _ := config.Load(config.Options{Files: []string{dir + "/tools.yaml"}})
			if cfg == nil {
				t.Fatal("it does not load")
			}
			a := assembly.BuildWith(cfg, assembly.Options{Installed: func(string) string { return "3.12.0" }})
			defer func() { _ = a.Close() }()
			var got []string
			for _, p := range cfg.Problems() {
				if text := strings.ReplaceAll(p.String(), dir+"/", ""); !strings.Contains(text, "there is no policy") {
					got = append(got, strings.ReplaceAll(text, "packages.0: ", "packages.0: DIR/"))
				}
			}
			if d := cmp.Diff(c.want, strings.Join(got, "\n")); d != "" {
				t.Error(d)
			}
			there := false
			if a.Generation != nil {
				_, there = a.Generation.Tools.Lookup("code_interpreter")
			}
			if there != c.there {
				t.Errorf("the tool is there: %v", there)
			}
		})
	}
}

// TestInterpreterRuns runs a program through the gateway and looks at who holds what
// runs it.
func TestInterpreterRuns(t *testing.T) {
	t.Parallel()
	p := &pools{}
	made := func(text string) *assembly.Assembly {
		dir := t.TempDir()
		write(t, dir, "tools.yaml", "version: 1\n"+text)
		cfg, _ := config.Load(config.Options{Files: []string{dir + "/tools.yaml"}})
		a := assembly.BuildWith(cfg, assembly.Options{Secrets: assembly.Resolved, Interpreters: p})
		if a.Generation == nil {
			t.Fatal(cfg.Problems())
		}
		return a
	}
	g := gateway.New(made("code_interpreter: {enabled: true, timeout: 1s}\n").Generation, nowhere{}, gateway.Options{})
	call := tool.Call{Tool: "code_interpreter", Arguments: []byte(`{"code":"print(1)","extra":1}`)}
	if r := g.Call(t.Context(), call); r.Error == nil || r.Error.Code != tool.InvalidArgs {
		t.Errorf("got %+v", r)
	}
	call.Arguments = []byte(`{"code":"print(1)"}`)
	if r := g.Call(t.Context(), call); r.Output.Text() != "print(1)" {
		t.Errorf("got %+v", r)
	}
	g.Swap(made("code_interpreter: {enabled: true, timeout: 2s}\n").Generation)
	g.Swap(made("tools: {a: {expr: '1'}}\n").Generation)
	want := []string{"take 1s", "take 2s", "release 1s", "release 2s"}
	p.mu.Lock()
	defer p.mu.Unlock()
	if d := cmp.Diff(want, p.taken); d != "" {
		t.Error(d)
	}
}
