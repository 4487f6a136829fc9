package assembly_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

const addTool = `
version: 1
networks: {allow: [127.0.0.0/8]}
tools:
  add:
    description: Add.
    parameters: {type: object, properties: {a: {type: number}, b: {type: number}}, required: [a, b]}
    expr: args.a + args.b
policy: {default: allow}
`

// nowhere is a log that keeps nothing.
type nowhere struct{}

func (nowhere) Start(runlog.Record) error { return nil }
func (nowhere) End(runlog.Record) error   { return nil }

// callOf assembles a configuration and calls one tool of it.
func callOf(t *testing.T, text, name, args string) tool.Result {
	t.Helper()
	a, problems := build(t, text, assembly.Resolved)
	if a.Generation == nil {
		t.Fatal(problems)
	}
	return gateway.New(a.Generation, nowhere{}, gateway.Options{}).
		Call(t.Context(), tool.Call{Tool: name, Arguments: json.RawMessage(args), Caller: tool.Caller{ID: "ann", Name: "ann", Kind: tool.KindGo}})
}

// TestPipeline holds what is expected of hooks around the addition of 1 and 2.
func TestPipeline(t *testing.T) {
	t.Parallel()
	broken := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(broken.Close)
	desk := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"action":"set","args":{"a":"4","b":5}}`)
	}))
	t.Cleanup(desk.Close)
	tests := []struct{ name, hooks, want string }{
		{"nothing", `{}`, "3"},
		{"arguments rewritten", `{before: [{name: ten times, tools: [add], set: {args.a: args.a * 10, args.b: args.b * 10}}]}`, "30"},
		{"result wrapped", `{after: [{name: words, tools: [add], result: '"The result is " + result.text'}]}`, "The result is 3"},
		{"the result is a number", `{after: [{name: twice, tools: [add], result: result.value * 2}]}`, "6"},
		{"both", `{before: [{name: ten, set: {args.a: args.a * 10, args.b: args.b * 10}}], after: [{name: words, result: '"The result is " + result.text'}]}`, "The result is 30"},
		{"refused", `{before: [{name: no, when: args.a == 1, refuse: Not one.}]}`, "Error: Not one\nDo not repeat the call unchanged; use other arguments or another tool, or tell the user."},
		{"webhook", `{before: [{name: desk, http: {url: "` + desk.URL + `"}}]}`, "9"},
		{"failing webhook denies", `{before: [{name: desk, http: {url: "` + broken.URL + `"}}]}`, "Error: a check of this call is not available\nNothing is wrong with the arguments; tell the user that the gateway's check is failing."},
		{"failing webhook is skipped", `{before: [{name: desk, http: {url: "` + broken.URL + `"}, on_error: skip}]}`, "3"},
		{"failing webhook after", `{after: [{name: desk, http: {url: "` + broken.URL + `"}}]}`, "Error: a check of this call's result is not available\nThe tool has run and may have had an effect; only its result is withheld. Do not repeat the call; tell the user."},
		{"failing webhook after is skipped", `{after: [{name: desk, http: {url: "` + broken.URL + `"}, on_error: skip}]}`, "3"},
		{"webhook in a closed network", `{before: [{name: desk, http: {url: "http://10.1.2.3"}}]}`, "Error: a check of this call is not available\nNothing is wrong with the arguments; tell the user that the gateway's check is failing."},
		{"time", `{after: [{name: stamp, result: '{sum: result.value, year: now().year > 2000}'}]}`, `{"sum":3,"year":true}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := callOf(t, addTool+"hooks: "+tt.hooks+"\n", "add", `{"a":1,"b":2}`)
			if d := cmp.Diff(tt.want, got.Output.Text()); d != "" {
				t.Errorf("%s\n%v", d, got.Error)
			}
		})
	}
}

func TestHookMistakes(t *testing.T) {
	t.Parallel()
	const broken = addTool + `
inject:
  - {tools: [add], set: {c: caller.id}}
  - {tools: ["*"], set: {d: caller.id}}
hooks:
  before:
    - {name: a, when: args.a > , set: {args.a: "1"}}
    - {name: b, set: {a: "1"}}
    - {name: c, tools: [sub], refuse: No.}
    - {name: typo, tools: [add], when: args.aa > 1, set: {args.bb: args.a, args.b: args.ab}}
    - {name: d, enabled: false, http: {url: "https://${args.host}"}}
  after:
    - {name: e}
    - {name: f, result: result.vlue}
    - {name: g, http: {url: "http://127.0.0.1", headers: {X: "${secret.gone}"}}}
`
	_, problems := build(t, broken, assembly.Declared)
	for _, want := range []string{
		"inject.0.set.c: the tool add has no argument c",
		"hooks.before.0.when: ",
		`hooks.before.1.set.a: "a" does not name an argument`,
		"hooks.before.3.when: args has no field aa",
		"hooks.before.3.set.args.bb: no tool that this hook reaches has an argument bb (did you mean b?)",
		"hooks.before.3.set.args.b: args has no field ab",
		"hooks.before.4.http.url: scheme and host must be literal text",
		"hooks.after.0: the hook does not say what it does",
		"hooks.after.1.result: result has no field vlue (did you mean value?)",
		"hooks.after.2.http.headers.X: secret has no field gone",
	} {
		if strings.Count(problems, want) != 1 {
			t.Errorf("%q is not there once:\n%s", want, problems)
		}
	}
	if strings.Contains(problems, "inject.1") || strings.Contains(problems, "reaches none") {
		t.Error(problems)
	}
	_, warnings := build(t, addTool+`
inject: [{tools: [sub], set: {c: caller.id}}]
hooks: {before: [{name: c, tools: [sub], refuse: No.}, {name: w, http: {url: "http://10.1.2.3"}}], after: [{name: d, tags: [read_only], refuse: No.}]}
`, assembly.Declared)
	for _, want := range []string{"inject.0: warning: ", `hook "c" reaches none`, `hook "d" reaches none`, "every call will be refused: 10.1.2.3 is a private address"} {
		if strings.Count(warnings, want) != 1 {
			t.Errorf("%q is not there once:\n%s", want, warnings)
		}
	}
}

// TestHooksBesideBrokenTool: an argument that only a tool with a mistake has
// is no second mistake.
func TestHooksBesideBrokenTool(t *testing.T) {
	t.Parallel()
	_, problems := build(t, addTool+"hooks: {before: [{name: h, when: args.c > 1, refuse: No.}]}\n", assembly.Declared)
	if !strings.Contains(problems, "hooks.before.0.when: args has no field c") {
		t.Error(problems)
	}
	broken := strings.Replace(addTool, "  add:", "  sub: {description: Sub., parameters: {type: object, properties: {c: {type: nmber}}}, expr: args.c}\n  add:", 1)
	_, problems = build(t, broken+"hooks: {before: [{name: h, when: args.c > 1, refuse: No.}]}\n", assembly.Declared)
	if problems == "" || strings.Contains(problems, "hooks") {
		t.Error(problems)
	}
}

// TestMistakesOnce: what the configuration found wrong with a hook is not said
// once more, and the other hooks are checked.
func TestMistakesOnce(t *testing.T) {
	t.Parallel()
	_, problems := build(t, addTool+`
inject: [{tools: [add], set: {c: caller.id}}, {tools: [add], st: {a: nope}, set: {c: nope}}]
hooks:
  before: [{name: a, set: {}}, {name: b}, {name: c, when: nope, refuse: No.}, {name: f, wen: nope, set: {}}]
  after: [{name: d, http: {}}, {name: e, result: nope}]
`, assembly.Declared)
	for _, want := range []string{"inject.0", "inject.1", "before.0", "before.1", "before.2", "before.3", "after.0", "after.1"} {
		if strings.Count(problems, want) != 1 {
			t.Errorf("%s is not there once:\n%s", want, problems)
		}
	}
}

func TestReasonNotTaken(t *testing.T) {
	t.Parallel()
	const own = "toolcall_reason of its own, which it keeps"
	tests := []struct{ name, defaults, tool, want string }{
		{"its own", "", `think_augment: true, parameters: {type: object, properties: {toolcall_reason: {type: string}}}`, "tools.x.think_augment: warning: the tool has an argument " + own},
		{"behind allOf", "", `think_augment: true, parameters: {type: object, properties: {}, allOf: [{properties: {toolcall_reason: {type: string}}}]}`, own},
		{"within anyOf", "", `think_augment: true, parameters: {type: object, properties: {a: {}}, anyOf: [{properties: {toolcall_reason: {type: string}}}, {required: [a]}]}`, own},
		{"by default", "defaults: {think_augment: true}", `parameters: {type: object, properties: {toolcall_reason: {type: string}}}`, "tools.x: warning: the tool has an argument " + own},
		{"not asked for", "defaults: {think_augment: true}", `think_augment: false, parameters: {type: object, properties: {toolcall_reason: {type: string}}}`, ""},
		{"no properties", "", `think_augment: true, parameters: {type: object}`, "tools.x.think_augment: warning: the parameters have no properties"},
		{"no properties, by default", "defaults: {think_augment: true}", `parameters: {type: object}`, ""},
		{"fine", "", `think_augment: true`, ""},
	}
	for _, tt := range tests {
		text := "version: 1\n" + tt.defaults + "\ntools: {x: {description: X., expr: '1', " + tt.tool + "}}\npolicy: {default: allow}\n"
		a, problems := build(t, text, assembly.Declared)
		if a.Generation == nil || strings.Count(problems, "warning") != min(1, len(tt.want)) || !strings.Contains(problems, tt.want) {
			t.Errorf("%s: %s", tt.name, problems)
		}
	}
}

func TestThinkAugment(t *testing.T) {
	t.Parallel()
	a, problems := build(t, `
version: 1
defaults: {think_augment: true}
tools:
  on: {description: On., expr: "1"}
  off: {description: Off., think_augment: false, expr: "1"}
policy: {default: allow}
`, assembly.Declared)
	if a.Generation == nil {
		t.Fatal(problems)
	}
	for name, want := range map[string]bool{"on": true, "off": false} {
		e, _ := a.Generation.Tools.Lookup(name)
		if got := strings.Contains(string(e.Spec.Parameters), "toolcall_reason"); got != want {
			t.Errorf("%s: %s", name, e.Spec.Parameters)
		}
	}
}
