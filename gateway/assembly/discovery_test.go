package assembly_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestDiscoverySection: what a generation takes from the section, and which of the
// gateway's own tools there are then.
func TestDiscoverySection(t *testing.T) {
	t.Parallel()
	const (
		tools = "tools: {a: {description: A., defer: true, expr: '1'}}\n"
		usual = "call_tool discover_tools read_result"
	)
	tests := []struct {
		name, text string
		want       *gateway.Discovery
		own        string
	}{
		{"no section", tools, &gateway.Discovery{Limit: 5, Budget: 12_000}, usual},
		{"an empty one", tools + "discovery: {}\n", &gateway.Discovery{Limit: 5, Budget: 12_000}, usual},
		{"all keys", tools + "discovery: {limit: 9, budget: 2000, learn: true, call_tools: by_risk}\n", &gateway.Discovery{Limit: 9, Budget: 2000, ByRisk: true, Learn: true}, "call_read_tool " + usual},
		{"one tool for all", tools + "discovery: {call_tools: one}\n", &gateway.Discovery{Limit: 5, Budget: 12_000}, usual},
		{"no tool", "", nil, ""},
		{"none that is registered", tools + "admit: {deny: [a]}\n", nil, ""},
		{"not admitted", tools + "admit: {deny: [discover_tools, call_read_tool]}\ndiscovery: {call_tools: by_risk}\n", &gateway.Discovery{Limit: 5, Budget: 12_000, ByRisk: true}, "call_tool read_result"},
		{"not by a pattern", tools + "admit: {allow: [a], deny: ['call_*']}\n", &gateway.Discovery{Limit: 5, Budget: 12_000}, "discover_tools read_result"},
	}
	for _, tt := range tests {
		a, problems := build(t, "version: 1\n"+tt.text, assembly.Declared)
		if a.Generation == nil {
			t.Fatalf("%s: %s", tt.name, problems)
		}
		got := a.Generation.Discovery
		same := (got == nil) == (tt.want == nil)
		if same && got != nil {
			same = got.Lease == nil && got.Limit == tt.want.Limit && got.Budget == tt.want.Budget && got.ByRisk == tt.want.ByRisk && got.Learn == tt.want.Learn
		}
		if !same {
			t.Errorf("%s: got %+v", tt.name, got)
		}
		var own []string
		for _, e := range a.Generation.Tools.All() {
			if e.Spec.Source == tool.SourceBuiltin {
				own = append(own, e.Spec.Name)
			}
		}
		if diff := cmp.Diff(tt.own, strings.Join(own, " ")); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// TestCallersWords: the tools that call others speak of each other only where both
// are there.
func TestCallersWords(t *testing.T) {
	t.Parallel()
	const tools = "tools: {a: {description: A., defer: true, expr: '1'}}\n"
	for _, tt := range []struct{ text, call, read string }{
		{"discovery: {call_tools: one}", " run like any other.", ""},
		{"discovery: {call_tools: by_risk}", " A tool that only reads is called with call_read_tool.", " Other tools are called with call_tool."},
		{"discovery: {call_tools: by_risk}\nadmit: {deny: [call_tool]}", "", " run like any other."},
		{"discovery: {call_tools: by_risk}\nadmit: {deny: [call_read_tool]}", " run like any other.", ""},
	} {
		a, problems := build(t, "version: 1\n"+tools+tt.text, assembly.Declared)
		if a.Generation == nil {
			t.Fatalf("%s: %s", tt.text, problems)
		}
		for name, want := range map[string]string{"call_tool": tt.call, "call_read_tool": tt.read} {
			e, ok := a.Generation.Tools.Lookup(name)
			if ok != (want != "") || ok && !strings.HasSuffix(e.Spec.Description, want) {
				t.Errorf("%s: %s is there: %v, and not %q", tt.text, name, ok, want)
			}
		}
	}
}

// TestDeferred: what the file says of deferral and of words to be found by is in the
// specs, and goes from the general to the particular.
func TestDeferred(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "api.yaml", `openapi: 3.0.3
info: {title: Pets, version: "1"}
servers: [{url: "https://pets.example.com"}]
paths:
  /a: {get: {operationId: a, summary: A, tags: [x], responses: {"200": {description: ok}}}}
  /b: {get: {operationId: b, summary: B, tags: [x], responses: {"200": {description: ok}}}}
  /c: {get: {operationId: c, summary: C, responses: {"200": {description: ok}}}}
  /d: {get: {operationId: d, summary: D, responses: {"200": {description: ok}}}}
`)
	write(t, dir, "tools.yaml", `version: 1
tools:
  one: {description: One., defer: true, search_hint: uno eins, expr: "1"}
  two: {description: Two., expr: "1"}
sources:
  far:
    defer: true
    include: [{tag: x, set: {defer: false}}, {name: "*"}]
    tools: {b: {defer: true, search_hint: bee}, d: {defer: false}}
    openapi: {spec: api.yaml}
  near: {include: [{tag: x, set: {defer: true}}, {name: "*"}], tools: {b: {defer: false}}, openapi: {spec: api.yaml}}
policy: {default: allow}
`)
	cfg, problems := config.Load(config.Options{Files: []string{filepath.Join(dir, "tools.yaml")}})
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	a := assembly.Build(cfg, assembly.Declared)
	t.Cleanup(func() { _ = a.Close() })
	var got []string
	for _, s := range ofFile(a) {
		line := s.Name
		if s.Deferred {
			line += " deferred"
		}
		if s.SearchHint != "" {
			line += " (" + s.SearchHint + ")"
		}
		got = append(got, line)
	}
	want := []string{"one deferred (uno eins)", "two", "far-a", "far-b deferred (bee)", "far-c deferred", "far-d", "near-a deferred", "near-b", "near-c", "near-d"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestLeases: each generation of an assembly holds the index of its own tools, and
// gives it up once, however it ends.
func TestLeases(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "tools.yaml", `version: 1
tools:
  one: {description: One., expr: "1"}
  needs: {description: Needs., requires: {command: [./program], check: watch}, expr: "2"}
policy: {default: allow}
`)
	cfg, problems := config.Load(config.Options{Files: []string{filepath.Join(dir, "tools.yaml")}})
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	a := assembly.BuildWith(cfg, assembly.Options{Secrets: assembly.Resolved, Shelf: new(discovery.Shelf)})
	first := a.Generation
	if first == nil {
		t.Fatal(cfg.Problems())
	}
	if err := os.WriteFile(filepath.Join(dir, "program"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	second, came, _ := a.Recheck(t.Context())
	if second == nil || len(came) != 1 {
		t.Fatalf("%v came", came)
	}
	for i, g := range []*gateway.Generation{first, second} {
		index, err := g.Discovery.Lease.Index(t.Context())
		if err != nil || index.Len() != i+1 {
			t.Fatalf("generation %d: %v, %+v", i, err, index)
		}
	}
	if first.Discovery == second.Discovery {
		t.Error("two generations hold one index")
	}
	first.Close()
	index, err := second.Discovery.Lease.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := index.Scope(func(int) bool { return true }).Search(t.Context(), discovery.Query{Text: "needs"})
	if err != nil || len(r.Hits) != 1 {
		t.Errorf("the index of the generation that is served: %v, %+v", err, r)
	}
	second.Close()
	if err := a.Close(); err != nil { // as a program does that has served it
		t.Error(err)
	}
}

// TestManyDeferred: of very many deferred tools some are tried, and the rest counts as
// little as it may.
func TestManyDeferred(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("version: 1\npolicy: {default: allow}\ntools:\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "  t%04d: {description: Alike., defer: true, expr: '1'}\n", i)
	}
	cfg, problems := config.Parse("tools.yaml", []byte(b.String()))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	a := assembly.BuildWith(cfg, assembly.Options{Searches: true})
	defer func() { _ = a.Close() }()
	found := cfg.Problems().Error()
	if strings.Count(found, "\n") > 0 || !strings.Contains(found, "(500 of 1000 were tried)") {
		t.Error(found)
	}
	if named := strings.Fields(cfg.Problems()[0].Tools); len(named) != 497 || named[0] != "t0006" {
		t.Errorf("%d are named to programs", len(named))
	}
}
