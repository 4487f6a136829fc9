package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/find"
)

// searchedFile is what answers to searches are made of: tools of all permissions, in
// the list and out of it.
const searchedFile = `version: 1
tools:
  refund: {description: Give money back., tags: [destructive], defer: true, parameters: {type: object, properties: {order: {type: string}}}, expr: '"done"'}
  lookup: {description: Look an order up. It gives its money too., tags: [read_only], expr: '"found"'}
  reverse: {description: Give all money of a month back., defer: true, expr: '"done"'}
  money_printer: {description: Print money., defer: true, expr: '"done"'}
policy:
  rules:
    - {name: printing, tools: [money_printer], action: deny, show: true, reason: No printing.}
    - {name: asked, tools: [reverse], action: ask}
    - {name: others, action: allow}
`

// TestSearchDoors: searches are answered alike over MCP, over HTTP and at the command
// line, with a server and without one.
func TestSearchDoors(t *testing.T) {
	t.Parallel()
	doors := map[string]searcher{
		"mcp-2025-11-25": searchOf(legacyDoor), "mcp-2026-07-28": searchOf(modernDoor), "stdio": searchOf(stdioDoor), "http call": searchOf(httpDoor),
		"cli": func(t *testing.T, path, search string) string { return searchCLI(t, search, "--config", path) },
		"cli --server": func(t *testing.T, path, search string) string {
			return searchCLI(t, search, "--server", serveFile(t, path), "--chat", "c-1")
		},
	}
	for _, search := range []string{
		`{"query": "give money back"}`, `{"query": "money", "limit": 1}`, `{"query": "refund"}`, `{"query": "money printer"}`, `{"query": "qqqq"}`,
		`{"query": "money", "detail": "names"}`, `{"query": "money", "tags": ["read_only"], "explain": true}`, `{"query": "money", "detail": "schema", "explain": true}`,
	} {
		t.Run(search, func(t *testing.T) {
			t.Parallel()
			want := strings.TrimSpace(string(post(t, serveFile(t, searched(t))+"/v1/discover", nil, []byte(search))))
			if !strings.HasPrefix(want, `{"tools":[`) {
				t.Fatal(want)
			}
			for name, ask := range doors {
				want := want
				if !strings.HasPrefix(name, "cli") { // models are not told what was spared
					want = spared.ReplaceAllString(want, "}")
				}
				if d := cmp.Diff(want, ask(t, searched(t), search)); d != "" {
					t.Errorf("%s:\n%s", name, d)
				}
			}
		})
	}
}

var spared = regexp.MustCompile(`,"spared_schema_tokens":[0-9]+}$`)

// searcher makes one search of the tools of a file.
type searcher func(t *testing.T, path, search string) string

// searchOf searches at a door: by a call of the tool that models search with.
func searchOf(open func(*testing.T, string) door) searcher {
	return func(t *testing.T, path, search string) string {
		t.Helper()
		return open(t, path)(t, doorCase{Name: search, Tool: find.ToolName, Args: json.RawMessage(search)}).text
	}
}

// searched is a file in a folder of its own, so that nothing was found there before.
func searched(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tools.yaml")
	if err := os.WriteFile(path, []byte(searchedFile), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// searchCLI makes the same search with flags.
func searchCLI(t *testing.T, search string, where ...string) string {
	t.Helper()
	var s searchJSON
	if err := json.Unmarshal([]byte(search), &s); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"gateway", "tools", "search", "--json"}, where...)
	if s.Limit > 0 {
		args = append(args, "--limit", "1")
	}
	if s.Detail != "" {
		args = append(args, "--detail", s.Detail)
	}
	for _, tag := range s.Tags {
		args = append(args, "--tag", tag)
	}
	if s.Explain {
		args = append(args, "--explain")
	}
	var out bytes.Buffer
	if err := run(t.Context(), append(args, s.Query), streams{http.NoBody, &out, io.Discard}); err != nil {
		t.Fatalf("%s: %v", search, err)
	}
	return strings.TrimSpace(out.String())
}
