package assembly_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/tool"
)

const toldSecrets = `
version: 1
secrets: {crm: {env: TOLD_TOKEN}, other: {env: TOLD_OTHER}}
groups: {money: {description: Pays with hunter2-hunter2., tools: [pay]}}
tools:
  plain: {description: Plain., expr: "1"}
  pay:
    title: Pay hunter2-hunter2
    description: Pay with hunter2-hunter2 or aHVudGVyMi1odW50ZXIy. Now.
    search_hint: HUNTER2-HUNTER2 hunter2-hunter2
    defer: true
    parameters:
      type: object
      properties: {key: {type: string, enum: [a, hunter2-hunter2], default: hunter2-hunter2, description: Such as hunter2-hunter2.}}
    expr: len(args.key)
policy: {default: allow}
`

// TestSecretsTold holds that no value of a secret is in what is told of tools and groups,
// which every door shows, and that what they take stays.
func TestSecretsTold(t *testing.T) {
	t.Setenv("TOLD_TOKEN", "hunter2-hunter2")
	t.Setenv("TOLD_OTHER", "unused-and-unseen")
	a, problems := build(t, toldSecrets, assembly.Resolved)
	if a.Generation == nil {
		t.Fatal(problems)
	}
	pay, _ := a.Generation.Tools.Lookup("pay")
	got := strings.Join([]string{pay.Spec.Title, pay.Spec.Description, pay.Spec.SearchHint, string(pay.Spec.Parameters)}, "\n")
	const want = `Pay [secret]
Pay with [secret] or [secret]. Now.
HUNTER2-HUNTER2 [secret]
{"type":"object","properties":{"key":{"type":"string","enum":["a","[secret]"],"default":"[secret]","description":"Such as [secret]."}}}`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	const warned = `tools.yaml:7:3: tools.pay: warning: the value of a secret stands in what is told of the tool, and [secret] is shown in its place (take it out of there; what a tool sends may name it as ${secret.…})`
	if d := cmp.Diff(warned, problems); d != "" {
		t.Error(d)
	}
	g := gateway.New(a.Generation, nowhere{}, gateway.Options{})
	caller := tool.Caller{ID: "ann", Name: "ann", Kind: tool.KindGo}
	for args, want := range map[string]string{`{}`: "15", `{"key":"hunter2-hunter2"}`: "15", `{"key":"a"}`: "1"} {
		result := g.Call(t.Context(), tool.Call{Tool: "pay", Arguments: []byte(args), Caller: caller})
		if got := result.Output.Text(); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	if said := fmt.Sprintf("%+v", a.Generation.Groups); strings.Contains(said, "hunter2") || !strings.Contains(said, "Pays with [secret].") {
		t.Error(said)
	}
}

// TestSecretsInSchemas holds that a schema stays one that calls can be written by.
func TestSecretsInSchemas(t *testing.T) {
	t.Setenv("TOLD_TOKEN", "latest")
	t.Setenv("TOLD_OTHER", "integer")
	a, problems := build(t, `
version: 1
secrets: {crm: {env: TOLD_TOKEN}, other: {env: TOLD_OTHER}}
tools:
  name: {description: The latest., parameters: {type: object, properties: {latest: {type: string, description: The latest.}}}, expr: "1"}
  deep: {description: Deep., parameters: {type: object, properties: {a: {type: object, properties: {latest: {type: string}}}}}, expr: "1"}
  word: {description: Word., parameters: {type: object, properties: {a: {type: integer}}}, expr: "1"}
  text: {description: Text., parameters: {type: object, properties: {a: {type: string, description: An integer.}}}, expr: "1"}
policy: {default: allow}
`, assembly.Resolved)
	if a.Generation == nil {
		t.Fatal(problems)
	}
	var got []string
	for _, s := range ofFile(a) {
		got = append(got, s.Name+" "+s.Description+" "+string(s.Parameters))
	}
	want := []string{
		`deep Deep. {"type":"object","properties":{"a":{"type":"object","properties":{"latest":{"type":"string"}}}}}`,
		`name The [secret]. {"type":"object","properties":{"latest":{"type":"string","description":"The latest."}}}`,
		`text Text. {"type":"object","properties":{"a":{"type":"string","description":"An [secret]."}}}`,
		`word Word. {"type":"object","properties":{"a":{"type":"integer"}}}`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	const kept = `the value of a secret is the name of an argument, or a word of the schema, of the tool, and everybody is shown it`
	if n := strings.Count(problems, kept); n != 3 || strings.Count(problems, "\n") != 3 {
		t.Error(problems)
	}
}

// TestSecretsInSources holds that a source gets one warning for its tools.
func TestSecretsInSources(t *testing.T) {
	t.Setenv("TOLD_TOKEN", "hunter2-hunter2")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"api.json":   `{"openapi":"3.0.3","info":{"title":"Pets","version":"1"},"servers":[{"url":"https://pets.example.com"}],"paths":{"/a":{"get":{"operationId":"a","summary":"As hunter2-hunter2.","responses":{"200":{"description":"ok"}}}},"/b":{"get":{"operationId":"b","summary":"B.","parameters":[{"name":"q","in":"query","description":"As hunter2-hunter2.","schema":{"type":"string"}}],"responses":{"200":{"description":"ok"}}}},"/c":{"get":{"operationId":"c","summary":"C.","responses":{"200":{"description":"ok"}}}}}}`,
		"tools.yaml": "version: 1\nsecrets: {crm: {env: TOLD_TOKEN}}\nsources: {pets: {openapi: {spec: api.json}}}\npolicy: {default: allow}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg, problems := config.Load(config.Options{Files: []string{filepath.Join(dir, "tools.yaml")}})
	if cfg == nil {
		t.Fatal(problems)
	}
	a := assembly.Build(cfg, assembly.Resolved)
	t.Cleanup(func() { _ = a.Close() })
	if a.Generation == nil {
		t.Fatal(cfg.Problems())
	}
	for _, s := range ofFile(a) {
		if strings.Contains(s.Description+string(s.Parameters), "hunter2") {
			t.Errorf("%s: %s %s", s.Name, s.Description, s.Parameters)
		}
	}
	got := strings.ReplaceAll(cfg.Problems().Error(), dir+"/", "")
	const want = `tools.yaml:3:11: sources.pets: warning: the value of a secret stands in what is told of 2 tools of this source, and [secret] is shown in its place (take it out of there; what a tool sends may name it as ${secret.…})`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
