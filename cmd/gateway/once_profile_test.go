package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOncePerProfile holds that what a profile does not hold is only not found
// there: the same key, or call id, runs the tool outside of it, once.
func TestOncePerProfile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.yaml")
	file := `
version: 1
tools:
  hidden: {description: Read., expr: '"found"'}
  shown: {description: Read., expr: '"shown"'}
profiles: {p1: {tools: [shown]}}
policy: {default: allow}
`
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	url := serveFile(t, path)
	calls := `{"role": "assistant", "tool_calls": [{"id": "call_0", "type": "function", "function": {"name": "hidden", "arguments": "{}"}}]}`
	doors := map[string]func(query string) (text string, replayed bool){
		"key": func(query string) (string, bool) {
			data, header := postHeader(t, url+"/v1/tools/hidden/call"+query, http.Header{"Idempotency-Key": {"k"}}, []byte(`{}`))
			return string(data), header.Get("Idempotent-Replayed") == "true"
		},
		"batch": func(query string) (string, bool) {
			data := string(post(t, url+"/v1/calls"+query, http.Header{"X-Chat-Id": {"c"}}, []byte(calls)))
			return data, strings.Contains(data, `"replayed":true`)
		},
	}
	for name, ask := range doors {
		for _, c := range []struct {
			query, want string
			replayed    bool
		}{{"?profile=p1", "not_found", false}, {"?profile=p1", "not_found", true}, {"", "found", false}, {"", "found", true}, {"?profile=p1", "not_found", true}} {
			if text, replayed := ask(c.query); !strings.Contains(text, c.want) || c.want == "found" && strings.Contains(text, "not_found") || replayed != c.replayed {
				t.Errorf("%s, %q: %s, replayed %v", name, c.query, text, replayed)
			}
		}
	}
}
