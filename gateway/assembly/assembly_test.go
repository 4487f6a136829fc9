package assembly_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/tool"
)

// build assembles a configuration and returns what was made and everything
// that was reported, one problem a line.
func build(t *testing.T, text string, secrets assembly.Secrets) (*assembly.Assembly, string) {
	t.Helper()
	cfg, problems := config.Parse("tools.yaml", []byte(text))
	if cfg == nil {
		t.Fatal(problems)
	}
	a := assembly.Build(cfg, secrets)
	t.Cleanup(func() { _ = a.Close() })
	return a, cfg.Problems().Error()
}

func TestBuild(t *testing.T) {
	t.Parallel()
	a, problems := build(t, `
version: 1
defaults: {timeout: 7s, max_output: 1KiB}
tools:
  on: {description: On., tags: [read_only], expr: "1"}
  off: {enabled: false, description: Off., expr: "1"}
  own: {title: Own, description: Own., timeout: 3s, max_output: 2KiB, parameters: {type: object, properties: {z: {}, a: {}}}, expr: args.z}
policy: {default: allow}
`, assembly.Declared)
	if problems != "" || a.Generation == nil {
		t.Fatalf("problems: %s", problems)
	}
	var got []tool.Spec
	for _, s := range ofFile(a) {
		own := *s
		own.Print = "" // TestPrint is about that
		got = append(got, own)
	}
	want := []tool.Spec{
		{
			Name: "on", Description: "On.", Tags: []string{"read_only"}, Method: "on", Source: "declared",
			Parameters: json.RawMessage(`{"type":"object","properties":{}}`), Timeout: 7e9, MaxOutput: 1 << 10,
			MaxResultSize: 16_000, ConcurrencySafe: true,
		},
		{
			Name: "own", Title: "Own", Description: "Own.", Method: "own", Source: "declared",
			Parameters: json.RawMessage(`{"type":"object","properties":{"z":{},"a":{}}}`), Timeout: 3e9, MaxOutput: 2 << 10,
			MaxResultSize: 16_000, ConcurrencySafe: true,
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestNamesInTemplates(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, parameters, problem string }{
		{"no parameters", ``, "args has no field x"},
		{"no properties", `parameters: {type: object}`, ""},
		{"listed", `parameters: {type: object, properties: {x: {}}}`, ""},
		{"not listed", `parameters: {type: object, properties: {y: {}}}`, "args has no field x"},
		{"closed", `parameters: {type: object, additionalProperties: false}`, "args has no field x"},
		{"said to be open", `parameters: {type: object, properties: {y: {}}, additionalProperties: true}`, ""},
		{"open to some", `parameters: {type: object, properties: {y: {}}, additionalProperties: {type: string}}`, ""},
	}
	for _, tt := range tests {
		_, problems := build(t, "version: 1\ntools:\n  a:\n    description: A.\n    expr: args.x\n    "+tt.parameters+"\npolicy: {default: allow}\n", assembly.Declared)
		if tt.problem == "" && problems != "" || !strings.Contains(problems, tt.problem) {
			t.Errorf("%s: got %q, want %q", tt.name, problems, tt.problem)
		}
	}
}

func TestSecrets(t *testing.T) {
	t.Setenv("ASSEMBLY_TOKEN", "hunter2hunter2")
	const text = `
version: 1
secrets: {crm: {env: ASSEMBLY_TOKEN}, other: {env: ASSEMBLY_UNSET}}
tools:
  say: {description: Say., command: {argv: [cat], stdin: "${secret.crm} ${secret['other']}"}}
policy: {default: allow}
`
	if _, problems := build(t, text, assembly.Declared); problems != "" {
		t.Errorf("declared: %s", problems)
	}
	a, problems := build(t, text, assembly.Resolved)
	if want := "tools.yaml:3:39: secrets.other: environment variable ASSEMBLY_UNSET is not set"; problems != want {
		t.Errorf("resolved: got %q, want %q", problems, want)
	}
	if a.Generation != nil {
		t.Error("a generation was made without a secret")
	}
}
