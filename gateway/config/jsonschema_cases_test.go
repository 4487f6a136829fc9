package config

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestSchemaScalars has the spellings that the loader takes and an editor must
// not complain about, and the slips it can find.
func TestSchemaScalars(t *testing.T) {
	s := compiledSchema(t)
	tests := []struct {
		yaml string
		good bool
	}{
		{"defaults: {timeout: 30s}", true},
		{"defaults: {timeout: 1d}", true},
		{"defaults: {timeout: 1d12h0.5m}", true},
		{"defaults: {timeout: +1.5h}", true},
		{"defaults: {timeout: .5s}", true},
		{"defaults: {timeout: 1.s}", true},
		{"defaults: {timeout: 1d0}", true},
		{"defaults: {timeout: 500µs}", true},
		{"defaults: {timeout: 30}", false},
		{"defaults: {timeout: 0s}", false},
		{"defaults: {timeout: -1s}", false},
		{"defaults: {timeout: 1w}", false},
		{"defaults: {timeout: 1h1d}", false},
		{"defaults: {max_output: 16000}", true},
		{"defaults: {max_output: '16000'}", true},
		{"defaults: {max_output: 8MiB}", true},
		{"defaults: {max_output: 8 MiB}", true},
		{"defaults: {max_output: 8Mib}", false},
		{"defaults: {max_output: 1.5MiB}", false},
		{"defaults: {max_output: 0}", false},
		{"defaults: {think_augment: yes}", false},
		{"networks: {allow: ['fd00::/8']}", true},
		{"networks: {allow: [10.0.0.1]}", false},
		{"tools: {a: {expr: ' '}}", false},
		{"tools: {a: {expr: 1}}", false},
		{"tools: {a: {}}", false},
		{"tools: {a: {expr: '1', command: {argv: date}}}", false},
		{"tools: {a: {command: {argv: date}}}", true},
		{"tools: {a: {command: {argv: [sleep, 1.5, true]}}}", true},
		{"tools: {a: {command: {argv: [sleep, ~]}}}", false},
		{"tools: {a: {expr: '1', parameters: {default: ~}}}", true},
		{"tools: {a: {expr: '1', parameters: ~}}", false},
		{"tools: {1a: {expr: '1'}}", false},
		{"tools: {call_tool: {expr: '1'}}", false},
		{"tools: ~", false},
		{"secrets: {a: {env: A}}", true},
		{"secrets: {a: {env: A, file: b}}", false},
		{"secrets: {a: {}}", false},
		{"store: {url: 'postgres://x'}", false},
		{"policy: {rules: [{name: a}]}", false},
		{"policy: {rules: [{preset: allow_readonly}]}", true},
		{"policy: {rules: [{preset: allow_readonly, action: deny}]}", false},
		{"policy: {rules: [{name: a, action: deny}, {name: b, action: deny, before: a}]}", true},
		{"policy: {rules: [{name: a, action: deny}, {name: b, action: deny, before: a, after: a}]}", false},
		{"policy: {tests: [{name: a, call: b, expect: deny}, {name: c, lists: {b: true}}]}", true},
		{"policy: {tests: [{name: a, call: b}]}", false},
		{"policy: {tests: [{name: a, lists: {b: true}, expect: deny}]}", false},
		{"hooks: {before: [{name: a, refuse: No.}], after: [{name: a, append: '1'}]}", true},
		{"hooks: {before: [{name: a}]}", false},
		{"hooks: {after: [{name: a, append: '1', refuse: No.}]}", false},
		{"groups: {a: {tools: []}}", false},
		{"groups: {'a b': {tools: [c]}}", false},
		{"admit: {allow: ['tag: ']}", false},
		{"tools: {a: {expr: '1', timeout: ~}}", false},
		{"policy: {default: maybe}", false},
		{"sources: {a: {openapi: {spec: a.yaml, auth: {k: '${secret.x}', l: {username: a}, m: {client_id: a, client_secret: b}}}}}", true},
		{"sources: {a: {prefix: '', openapi: {spec: a.yaml}, include: [{tag: a}, {path: /x, exclude: true}]}}", true},
		{"sources: {a: {openapi: {spec: a.yaml, auth: {k: 5}}}}", false},
		{"sources: {a: {openapi: {spec: a.yaml, auth: {k: {username: a, value: b}}}}}", false},
		{"sources: {a: {openapi: {spec: a.yaml, auth: {k: ' '}}}}", false},
		{"sources: {a: {openapi: {spec: a.yaml, base_url: 'https://a', upstream: b}}}", false},
		{"sources: {a: {openapi: {spec: a.yaml}, include: [{exclude: true}]}}", false},
		{"sources: {a: {openapi: {spec: a.yaml}, prefix: 'a b'}}", false},
		{"sources: {'a b': {openapi: {spec: a.yaml}}}", false},
		{"sources: {a: {}}", false},
		{"x-mine: 1", false},
	}
	for _, tt := range tests {
		text := []byte("version: 1\n" + tt.yaml + "\n")
		value, ok := instance("t.yaml", text)
		if !ok {
			t.Fatalf("%s is not readable", tt.yaml)
		}
		if err := s.Validate(value); (err == nil) != tt.good {
			t.Errorf("%s: the schema says %v", tt.yaml, err)
		}
		if _, problems := Parse("t.yaml", text); (problems.Err() == nil) != tt.good {
			t.Errorf("%s: the loader says %v", tt.yaml, problems)
		}
	}
}

// TestSchemaOfLayers: a file over others may leave out and remove what they
// say, and its values have to be of the right form all the same.
func TestSchemaOfLayers(t *testing.T) {
	s := compiledSchema(t)
	for text, want := range map[string]bool{
		"tools: {a: {timeout: 5s}}": true, "tools: {a: ~}": true, "tools: {a: {output: ~, parameters: ~}}": true,
		"policy: {rules: [{name: a, when: ~}]}": true, "defaults: {max_output: ~}": true, "secrets: ~": true,
		"tools: {a: {timeout: 5}}": false, "tools: {a: {titel: x}}": false, "policy: {rules: [~]}": false, "tools: {a: {output: maybe}}": false,
	} {
		value, ok := instance("t.yaml", []byte("include: [base.yaml]\n"+text+"\n"))
		if !ok {
			t.Fatalf("%s is not readable", text)
		}
		if err := s.Validate(value); (err == nil) != want {
			t.Errorf("%s: the schema says %v", text, err)
		}
	}
}

// TestSchemaTakesLayers: the main file of every good set of layers is accepted.
func TestSchemaTakesLayers(t *testing.T) {
	s := compiledSchema(t)
	paths, err := filepath.Glob("testdata/good-layers/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files, %v", err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.Files {
			if file.Name != "tools.yaml" {
				continue
			}
			value, ok := instance(file.Name, file.Data)
			if err := s.Validate(value); err != nil || !ok {
				t.Errorf("%s: readable %v, %v", path, ok, err)
			}
		}
	}
}
