package assembly_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
)

const printedFile = `version: 1
upstreams: {up: {url: "https://up.example", headers: {x-a: one}}, other: {url: "https://other.example"}}
secrets: {key: {env: KEY}, key2: {env: KEY2}}
sources: {src: {openapi: {spec: api.json, auth: {k: "${secret.key}"}}}}
tools:
  h: {description: H., http: {upstream: up, path: /x}}
  c: {description: C., command: {argv: [echo, a], env: {A: b}}}
  e: {description: E., expr: "1"}
policy: {default: allow}
`

const printedDocument = `{"openapi": "3.0.3", "info": {"title": "T", "version": "1"}, "servers": [{"url": "https://one.example/v1"}],
"security": [{"k": []}], "components": {"securitySchemes": {"k": {"type": "apiKey", "in": "header", "name": "X-Key"}, "l": {"type": "http", "scheme": "bearer"}}},
"paths": {"/drafts/{id}": {"delete": {"operationId": "op", "summary": "Delete a draft", "responses": {"204": {"description": "gone"}},
"parameters": [{"name": "id", "in": "path", "required": true, "description": "Which.", "schema": {"type": "string"}}, {"name": "q", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}}],
"requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {"a": {"type": "string"}}}}}}}}}}`

// TestPrint tells tools apart that do something else under the same name, and none
// whose texts alone are others.
func TestPrint(t *testing.T) {
	t.Parallel()
	prints := func(file, document string) map[string]string {
		dir := t.TempDir()
		for name, text := range map[string]string{"tools.yaml": file, "api.json": document} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cfg, problems := config.Load(config.Options{Files: []string{filepath.Join(dir, "tools.yaml")}})
		if cfg == nil {
			t.Fatal(problems)
		}
		a := assembly.Build(cfg, assembly.Declared)
		defer func() { _ = a.Close() }()
		if err := cfg.Problems().Err(); err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, s := range ofFile(a) {
			out[s.Name] = s.Print
		}
		return out
	}
	before := prints(printedFile, printedDocument)
	if len(before) != 4 || before["c"] == before["e"] {
		t.Fatal(before)
	}
	for _, tt := range []struct{ name, old, replacement, changes string }{
		{"path", "path: /x", "path: /y", "h"},
		{"url of the upstream", "https://up.example", "https://down.example", "h"},
		{"header of the upstream", "x-a: one", "x-a: two", "h"},
		{"upstream", "upstream: up", "upstream: other", "h"},
		{"what an upstream may take", "headers: {x-a: one}", "headers: {x-a: one}, timeout: 3s, retries: 2", ""},
		{"argv", "[echo, a]", "[echo, b]", "c"},
		{"env", "A: b", "A: c", "c"},
		{"expression", `expr: "1"`, `expr: "2"`, "e"},
		{"text", "H., http", "Other., http", ""},
		{"secret of the source", "secret.key}", "secret.key2}", "src-op"},
		{"base address", "spec: api.json", "spec: api.json, base_url: https://two.example", "src-op"},
		{"upstream of the source", "spec: api.json", "spec: api.json, upstream: up", "src-op"},
		{"texts of the source", "openapi: {spec", "defaults: {timeout: 7s}, openapi: {spec", ""},
		{"pages", "openapi: {spec", `tools: {op: {pages: {next: body.next, items: body.items}}}, openapi: {spec`, "src-op"},
		{"method", `"delete"`, `"put"`, "src-op"},
		{"path of the operation", "/drafts/{id}", "/sent/{id}", "src-op"},
		{"server", "one.example/v1", "one.example/v2", "src-op"},
		{"server of the operation", `"summary"`, `"servers": [{"url": "https://three.example"}], "summary"`, "src-op"},
		{"place of a parameter", `"in": "query"`, `"in": "header"`, "src-op"},
		{"style of a parameter", `"in": "query"`, `"in": "query", "explode": false`, "src-op"},
		{"body", "application/json", "application/x-www-form-urlencoded", "src-op"},
		{"scheme", "X-Key", "X-Other", "src-op"},
		{"texts of the operation", "Delete a draft", "Remove a draft", ""},
		{"text of a parameter", "Which.", "Which one.", ""},
		{"lines of the document", `"paths"`, "\n\n\"paths\"", ""},
	} {
		file, document := strings.Replace(printedFile, tt.old, tt.replacement, 1), strings.Replace(printedDocument, tt.old, tt.replacement, 1)
		if file == printedFile && document == printedDocument {
			t.Errorf("%s: nothing is replaced", tt.name)
		}
		var changed []string
		for name, print := range prints(file, document) {
			if before[name] != print {
				changed = append(changed, name)
			}
		}
		if got := strings.Join(changed, " "); got != tt.changes {
			t.Errorf("%s: changes %q, want %q", tt.name, got, tt.changes)
		}
	}
}
