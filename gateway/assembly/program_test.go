package assembly_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/tool"
)

// answering is a tool of the program.
type answering struct{}

func (answering) Run(context.Context, tool.Input) (tool.Output, error) {
	return tool.TextOutput("done"), nil
}

func ofProgram(name, parameters string, tags ...string) *tool.Tool {
	t := &tool.Tool{Spec: tool.Spec{Name: name, Description: "Does " + name + ".", Tags: tags}, Runner: answering{}}
	if parameters != "" {
		t.Spec.Parameters = json.RawMessage(parameters)
	}
	return t
}

// read reads a configuration.
func read(t testing.TB, text string) *config.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tools.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, problems := config.Load(config.Options{Files: []string{path}})
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return cfg
}

const besideProgram = `version: 1
defaults: {timeout: 7s, retries: 2, think_augment: true, log: {results: none}}
admit: {deny: [secretive]}
groups: {shop: {description: Shopping., tools: ["buy*", sell]}}
profiles: {few: {tools: ["b*"], groups: [shop]}, tagged: {tags: [read_only]}}
inject: [{tools: ["*"], set: {user: caller.id}}]
hooks:
  before: [{name: cap, tools: ["buy*"], set: {args.n: "min(args.n ?? 1, 5)"}}]
policy:
  default: deny
  rules:
    - {name: reads, tags: [read_only], action: allow}
    - {name: few, tools: ["buy*"], when: args.n < 3, action: allow}
    - {name: lots, tools: ["b*"], when: args.lot == 1, action: deny}
    - {name: rest, tools: ["*"], callers: [ann], action: ask}
tools:
  buy: {description: Buy., parameters: {type: object, properties: {n: {type: integer}, lot: {type: integer}, user: {type: string}}}, expr: args.n}
  off: {description: Off., enabled: false, expr: "1"}
`

const bought = `{"type":"object","properties":{"n":{"type":"integer"},"lot":{},"user":{"type":"string"}},"required":["n"]}`

// TestProgramMistakes: what is wrong with tools of the program is said of the program,
// whether they are there from the start or come later.
func TestProgramMistakes(t *testing.T) {
	t.Parallel()
	bad := func(change func(*tool.Tool)) *tool.Tool {
		b := ofProgram("bad", "")
		change(b)
		return b
	}
	tests := []struct {
		name  string
		tools []*tool.Tool
		want  string
		later string // what Change says, where it is something else: places are known no more
	}{
		{"fine", []*tool.Tool{ofProgram("buy_2", bought), ofProgram("sell", "", "read_only")}, "", ""},
		{"nil", []*tool.Tool{nil}, "tool [0] of the program: it is nil", ""},
		{"its own error", []*tool.Tool{bad(func(b *tool.Tool) { b.Err = errors.New("chan int has no JSON form") })}, "tool bad of the program: chan int has no JSON form", ""},
		{"no runner", []*tool.Tool{bad(func(b *tool.Tool) { b.Runner = nil })}, "tool bad of the program: the tool does not say how it runs (give it a Runner)", ""},
		{"no name", []*tool.Tool{ofProgram("", "")}, "tool [0] of the program: the name of this tool is not one that models can call (letters, digits, _ and - only, no digit or - at the start, at most 64 characters: _ for example)", ""},
		{"a name", []*tool.Tool{ofProgram("a b", "")}, "tool a b of the program: the name of this tool is not one that models can call (letters, digits, _ and - only, no digit or - at the start, at most 64 characters: a_b for example)", ""},
		{"a reserved name", []*tool.Tool{ofProgram("ReadResult", "")}, "tool ReadResult of the program: this name is reserved for a tool of the gateway itself (rename it, to my_ReadResult for example)", ""},
		{"that of a tool of the file", []*tool.Tool{ofProgram("buy", "")}, "tool buy of the program: models confuse this name with that of tools.buy at tools.yaml:17:3 (rename one of them)", ""},
		{"like that of one that is off", []*tool.Tool{ofProgram("O-F-F", "")}, "tool O-F-F of the program: models confuse this name with that of tools.off at tools.yaml:18:3 (rename one of them)", ""},
		{"twice", []*tool.Tool{ofProgram("new", ""), ofProgram("New", "")}, "tool New of the program: models confuse this name with that of another tool of the program, new (rename one of them)", ""},
		{"a schema", []*tool.Tool{ofProgram("bad", `{"type":"object","properties":{"a":{"type":"strin"}}}`)}, `tool bad of the program: parameters.properties.a.type: unknown type "strin" (did you mean string?)`, ""},
		{"what is no schema", []*tool.Tool{ofProgram("bad", `{`)}, `tool bad of the program: parameters: `, ""},
		{
			"numbers",
			[]*tool.Tool{bad(func(b *tool.Tool) {
				b.Spec.Timeout, b.Spec.MaxResultSize, b.Spec.Retries = -1, 5, 1
			})},
			"tool bad of the program: max_result_size: 5 is out of bounds (leave it zero to take what the configuration has for all tools)\n" +
				"tool bad of the program: retries: only a tool that changes nothing may be tried again, and this one has no tag read_only (remove it, or add the tag read_only if the tool changes nothing)\n" +
				"tool bad of the program: timeout: -1 is out of bounds (leave it zero to take what the configuration has for all tools)", "",
		},
		{"in no group", []*tool.Tool{bad(func(b *tool.Tool) { b.Spec.ByGroup = true })}, "tool bad of the program: the tool is in no group, so no chat could ever have it: what is not core is active where one of its groups is (name it in the tools of an entry under groups, or remove core)", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := read(t, besideProgram)
			a := assembly.BuildWith(cfg, assembly.Options{Tools: tt.tools})
			check := func(how string, err error) {
				t.Helper()
				got := ""
				if err != nil {
					got = err.Error()
				}
				if i := strings.Index(got, " at /"); i >= 0 { // the folder of the test
					end := strings.Index(got[i:], "tools.yaml")
					got = got[:i+4] + got[i+end:]
				}
				if got != tt.want && (tt.name != "what is no schema" || !strings.HasPrefix(got, tt.want)) {
					t.Errorf("%s: %s", how, cmp.Diff(tt.want, got))
				}
			}
			check("from the start", cfg.Problems().Err())
			_ = a.Close()
			late := assembly.BuildWith(read(t, besideProgram), assembly.Options{})
			defer func() { _ = late.Close() }()
			g, errs := late.Change(assembly.Change{In: tt.tools})
			check("later", errs[0])
			if (g == nil) != (tt.want != "") {
				t.Error("a generation is made, or none is")
			}
		})
	}
}

// TestProgramBesideRules: tools go together with what rules and hooks read of them.
func TestProgramBesideRules(t *testing.T) {
	t.Parallel()
	const file = `version: 1
hooks: {before: [{name: cap, tools: [hooked], set: {args.n: "1"}}]}
inject: [{tools: [given], set: {user: caller.id}}]
policy: {rules: [{name: much, tools: ["spend*"], when: args.sum > 3, action: deny}, {name: all, tools: ["*"], action: allow}]}
tools: {one: {description: One., expr: "1"}}
`
	n := `{"type":"object","properties":{"n":{"type":"integer"}}}`
	const noSum = "args has no field sum"
	spend := ofProgram("spend", n)
	a := assembly.BuildWith(read(t, file), assembly.Options{})
	defer func() { _ = a.Close() }()
	_, errs := a.Change(
		assembly.Change{In: []*tool.Tool{spend}}, assembly.Change{In: []*tool.Tool{ofProgram("hooked", ""), ofProgram("other", "")}},
		assembly.Change{In: []*tool.Tool{ofProgram("given", n)}}, assembly.Change{In: []*tool.Tool{ofProgram("fine", n)}},
	)
	for i, want := range []string{"policy.rules.0.when: ", "hooks.before.0.set.args.n: no tool that this hook reaches has an argument n", "inject.0.set.user: the tool given has no argument user", ""} {
		if errs[i] == nil && want != "" || errs[i] != nil && (want == "" || !strings.Contains(errs[i].Error(), want)) {
			t.Errorf("%d: %v", i, errs[i])
		}
	}
	if got := namesIn(a); got != "fine one" {
		t.Error(got)
	}
	// One that has the argument makes the rule good; when it goes, the other stays, and
	// so may everything else come and go.
	sums := ofProgram("spend_sum", `{"type":"object","properties":{"sum":{"type":"integer"}}}`)
	for i, c := range []assembly.Change{{In: []*tool.Tool{sums}}, {In: []*tool.Tool{spend}}, {Out: []*tool.Tool{sums}}, {In: []*tool.Tool{ofProgram("new", "")}}, {Out: []*tool.Tool{spend}}} {
		if _, errs := a.Change(c); errs[0] != nil {
			t.Error(i, errs[0], noSum)
		}
	}
	if got := namesIn(a); got != "fine new one" {
		t.Error(got)
	}
}

func namesIn(a *assembly.Assembly) string {
	var out []string
	for _, s := range ofFile(a) {
		out = append(out, s.Name)
	}
	return strings.Join(out, " ")
}

// TestChangeIsBuild compares an assembly whose tools come and go with one that is built
// with those that are there, over random changes.
func TestChangeIsBuild(t *testing.T) {
	t.Parallel()
	seed := uint64(len(besideProgram))
	random := rand.New(rand.NewPCG(seed, 1))
	pool := []*tool.Tool{
		ofProgram("buy_2", bought), ofProgram("Buy2", bought), ofProgram("sell", "", "read_only"), ofProgram("secretive", ""),
		ofProgram("bad", `{"type":"strin"}`), ofProgram("b_closed", `{"type":"object","properties":{},"additionalProperties":false}`), ofProgram("look", "", "read_only", "network"),
	}
	pool[2].Spec.ByGroup, pool[6].Spec.Deferred = true, true
	a := assembly.BuildWith(read(t, besideProgram), assembly.Options{})
	defer func() { _ = a.Close() }()
	var in []*tool.Tool
	took := 0
	for range 150 {
		before := slices.Clone(in)
		changes := make([]assembly.Change, 1+random.IntN(3))
		wants := make([]bool, len(changes))
		for i := range changes {
			for _, k := range random.Perm(len(pool))[:random.IntN(3)] {
				if one := pool[k]; slices.Contains(in, one) {
					changes[i].Out = append(changes[i].Out, one)
				} else {
					changes[i].In = append(changes[i].In, one)
				}
			}
			in = slices.DeleteFunc(in, func(o *tool.Tool) bool { return slices.Contains(changes[i].Out, o) })
			with := slices.Concat(in, changes[i].In)
			if wants[i] = built(t, with) != nil; wants[i] {
				in = with
				took += len(changes[i].In)
			}
		}
		_, errs := a.Change(changes...)
		for i, err := range errs {
			if (err == nil) != wants[i] {
				t.Fatalf("seed %d: %v and %+v: %v", seed, toolNames(before), changes, err)
			}
		}
		if d := cmp.Diff(shownBy(built(t, in)), shownBy(a)); d != "" {
			t.Fatalf("seed %d: %v: %s", seed, toolNames(in), d)
		}
	}
	if took < 50 {
		t.Error("only", took, "tools came in")
	}
}

// built is an assembly of the tools; nil where they cannot be.
func built(t *testing.T, tools []*tool.Tool) *assembly.Assembly {
	t.Helper()
	a := assembly.BuildWith(read(t, besideProgram), assembly.Options{Tools: tools})
	t.Cleanup(func() { _ = a.Close() })
	if a.Generation == nil {
		return nil
	}
	return a
}

func toolNames(tools []*tool.Tool) (names []string) {
	for _, t := range tools {
		names = append(names, t.Spec.Name)
	}
	return names
}

// shownBy is what an assembly makes of its tools.
func shownBy(a *assembly.Assembly) map[string]any {
	out := map[string]any{"profiles": a.Generation.Profiles}
	g := a.Generation
	for _, e := range g.Tools.All() {
		plan := g.Hooks.Plan(e.Spec.Name)
		out[e.Spec.Name] = []any{*e.Spec, plan.BeforePrint(), plan.Injects(), plan.TakesReason()}
		for _, who := range []string{"ann", "bob"} {
			out[e.Spec.Name+" for "+who] = fmt.Sprint(g.Policy.Outlook(e.Spec, tool.Caller{Name: who}), g.Policy.Lists(e.Spec, tool.Caller{Name: who}))
		}
	}
	out["names"] = slices.Sorted(maps.Keys(out))
	return out
}

// TestChangeKeepsPrograms: what runs programs is taken once, and given up with the last
// generation, however many tools came and went; changes are after the text is given up.
func TestChangeKeepsPrograms(t *testing.T) {
	t.Parallel()
	p := &pools{}
	cfg := read(t, besideProgram+"code_interpreter: {enabled: true, timeout: 1s}\n")
	a := assembly.BuildWith(cfg, assembly.Options{Secrets: assembly.Resolved, Interpreters: p})
	cfg.Forget()
	a.Forget()
	open := []func(){a.Generation.Close}
	for i := range 3 {
		one := ofProgram(fmt.Sprintf("own_%d", i), "")
		for _, c := range []assembly.Change{{In: []*tool.Tool{one}}, {Out: []*tool.Tool{one}}} {
			g, errs := a.Change(c)
			if errs[0] != nil {
				t.Fatal(errs[0])
			}
			open = append(open, g.Close)
		}
	}
	_, errs := a.Change(assembly.Change{In: []*tool.Tool{ofProgram("Buy", "")}})
	if errs[0] == nil || errs[0].Error() != "tool Buy of the program: models confuse this name with that of tools.buy (rename one of them)" {
		t.Error(errs[0])
	}
	if d := cmp.Diff([]string{"take 1s"}, p.taken); d != "" {
		t.Error(d)
	}
	for _, end := range open {
		end()
	}
	if d := cmp.Diff([]string{"take 1s", "release 1s"}, p.taken); d != "" {
		t.Error(d)
	}
}
