package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/find"
)

// searchedFile is what answers to searches are made of: tools of all permissions, in
// the list and out of it, some of which only the caller other may know.
const searchedFile = `version: 1
secrets: {agent: {file: agent}, other: {file: other}}
server: {callers: {agent: {token: "${secret.agent}"}, other: {token: "${secret.other}"}}}
discovery: {limit: 9}
tools:
  refund: {description: Give money back., tags: [destructive], defer: true, parameters: {type: object, properties: {order: {type: string}}}, expr: '"done"'}
  lookup: {description: Look an order up. It gives its money too., tags: [read_only], expr: '"found"'}
  reverse: {description: Give all money of a month back., defer: true, expr: '"done"'}
  money_printer: {description: Print money., defer: true, expr: '"done"'}
  vault: {description: Give all money there is., tags: [read_only], defer: true, expr: '"done"'}
sources: {bank: {defer: true, openapi: {spec: bank.yaml}}}
policy:
  rules:
    - {name: other, callers: [other], action: allow}
    - {name: printing, tools: [money_printer], action: deny, show: true, reason: No printing.}
    - {name: vaults, tools: [vault], action: deny}
    - {name: asked, tools: [reverse], action: ask}
    - {name: rest, action: allow}
`

const searchedBank = `openapi: 3.0.3
info: {title: Bank, version: "1"}
servers: [{url: "https://bank.example.com"}]
paths:
  /balance: {get: {operationId: balance, summary: Tell how much money there is, responses: {"200": {description: ok}}}}
`

// searchedFor are the searches that are made at every door. Of each it is known which tools are found for a
// caller who may not know all and for one who may; nil where only a few of several.
var searchedFor = []struct {
	search       string
	agent, other []string
}{
	{`{"query": "give money back"}`, []string{"bank-balance", "lookup", "refund", "reverse"}, []string{"bank-balance", "lookup", "money_printer", "refund", "reverse", "vault"}},
	{`{"query": "money", "limit": 2}`, nil, nil},
	{`{"query": "money", "limit": 3, "detail": "schema", "explain": true}`, nil, nil},
	{`{"query": "money", "detail": "names"}`, []string{"bank-balance", "lookup", "refund", "reverse"}, []string{"bank-balance", "lookup", "money_printer", "refund", "reverse", "vault"}},
	{`{"query": "money", "detail": "summary", "namespace": "bank"}`, []string{"bank-balance"}, []string{"bank-balance"}},
	{`{"query": "money", "tags": ["read_only"], "explain": true}`, []string{"bank-balance", "lookup"}, []string{"bank-balance", "lookup", "vault"}},
	{`{"query": "refund"}`, []string{"refund"}, []string{"refund"}},
	{`{"query": "vault"}`, []string{}, []string{"vault"}},
	{`{"query": "money_printer"}`, []string{"bank-balance", "lookup", "refund", "reverse"}, []string{"money_printer"}},
	{`{"query": "qqqq"}`, []string{}, []string{}},
}

// TestSearchDoors: searches are answered alike over MCP, over HTTP and at the command
// line, with a server and without one, for callers who may know more and less. A search
// that is made again in the same chat finds the same; what it says of what stands in a
// list by then hangs on the list that the door has.
func TestSearchDoors(t *testing.T) {
	dir := groupsFolder(t, searchedFile)
	if err := os.WriteFile(filepath.Join(dir, "bank.yaml"), []byte(searchedBank), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := serveGroups(t, dir)
	for i, c := range searchedFor {
		for caller, want := range map[string][]string{"agent": c.agent, "other": c.other} {
			t.Setenv(config.EnvToken, tokenOf(caller))
			first := ""
			for name, open := range searchDoors(dir) {
				if caller == "other" && (name == "stdio" || name == "cli") {
					continue // who asks there is somebody else
				}
				ask := open(t, s, caller, fmt.Sprintf("%s-%d", strings.ReplaceAll(name, " ", "-"), i))
				times := 2
				if name == "cli" {
					times = 1 // there is no chat in which it could search again
				}
				for again := range times {
					got := ask(t, c.search)
					what := fmt.Sprintf("%s by %s at %s, %d", c.search, caller, name, again)
					checkFound(t, what, got, want)
					switch {
					case again > 0:
					case first == "":
						first = got
					default:
						if d := cmp.Diff(first, got); d != "" {
							t.Errorf("%s:\n%s", what, d)
						}
					}
				}
			}
		}
	}
}

// checkFound holds an answer to the names that are wanted or, where that is nil, to be
// of several.
func checkFound(t *testing.T, what, answer string, want []string) {
	t.Helper()
	var found struct {
		Tools []struct{ Name, Permission string }
	}
	if err := json.Unmarshal([]byte(answer), &found); err != nil {
		t.Fatalf("%s: %v\n%s", what, err, answer)
	}
	got := []string{}
	for _, tool := range found.Tools {
		if got = append(got, tool.Name); tool.Permission == "" {
			t.Errorf("%s: nothing is said of who may call %s", what, tool.Name)
		}
	}
	slices.Sort(got)
	if want == nil && len(got) < 2 || want != nil && !slices.Equal(got, want) {
		t.Errorf("%s: found %q, want %q", what, got, want)
	}
}

// spared is what models are not told.
var spared = regexp.MustCompile(`,"spared_schema_tokens":[0-9]+}$`)

// opened makes searches in one chat.
type opened func(t *testing.T, search string) string

// searchDoors open a chat in which a caller searches, in each way that there is.
func searchDoors(dir string) map[string]func(t *testing.T, s *guardedServer, caller, chat string) opened {
	const protocol = "2026-07-28"
	file := filepath.Join(dir, "tools.yaml")
	text := func(t *testing.T, search, answer string) string {
		t.Helper()
		return rpcAnswer(t, doorCase{Name: search}, []byte(answer)).text
	}
	told := func(answer string) string { return spared.ReplaceAllString(strings.TrimSpace(answer), "}") }
	call := func(search string, meta map[string]any, t *testing.T) string {
		return string(rpcCall(t, doorCase{Tool: find.ToolName, Args: json.RawMessage(search)}, meta))
	}
	return map[string]func(t *testing.T, s *guardedServer, caller, chat string) opened{
		"http discover": func(_ *testing.T, s *guardedServer, caller, chat string) opened {
			return func(t *testing.T, search string) string {
				_, answer := s.ask(t, caller, http.MethodPost, "/v1/discover", search, "X-Chat-Id", chat)
				return told(answer)
			}
		},
		"http call": func(_ *testing.T, s *guardedServer, caller, chat string) opened {
			return func(t *testing.T, search string) string {
				return s.call(t, caller, find.ToolName, search, "X-Chat-Id", chat)
			}
		},
		"mcp 2025-11-25": func(t *testing.T, s *guardedServer, caller, chat string) opened {
			path := "/mcp?chat=" + chat
			session := s.session(t, caller, path)
			return func(t *testing.T, search string) string {
				_, answer := s.ask(t, caller, http.MethodPost, path, call(search, nil, t), "Mcp-Session-Id", session)
				return text(t, search, string(eventOf(answer)))
			}
		},
		"mcp 2026-07-28": func(_ *testing.T, s *guardedServer, caller, chat string) opened {
			meta := map[string]any{
				"io.modelcontextprotocol/protocolVersion":    protocol,
				"io.modelcontextprotocol/clientCapabilities": map[string]any{},
				"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "test", "version": "1"},
			}
			return func(t *testing.T, search string) string {
				_, answer := s.ask(t, caller, http.MethodPost, "/mcp?chat="+chat, call(search, meta, t),
					"Mcp-Protocol-Version", protocol, "Mcp-Method", "tools/call", "Mcp-Name", find.ToolName)
				return text(t, search, string(eventOf(answer)))
			}
		},
		"stdio": func(t *testing.T, _ *guardedServer, _, _ string) opened {
			ask := stdioDoor(t, file)
			return func(t *testing.T, search string) string {
				return ask(t, doorCase{Name: search, Tool: find.ToolName, Args: json.RawMessage(search)}).text
			}
		},
		"cli --server": func(_ *testing.T, s *guardedServer, _, chat string) opened {
			return func(t *testing.T, search string) string {
				return told(searchCLI(t, search, "--server", s.url, "--chat", chat))
			}
		},
		"cli": func(*testing.T, *guardedServer, string, string) opened {
			return func(t *testing.T, search string) string { return told(searchCLI(t, search, "--config", file)) }
		},
	}
}

// eventOf is an answer, which may be the last event of a stream.
func eventOf(answer string) []byte {
	if strings.HasPrefix(answer, "{") {
		return []byte(answer)
	}
	return lastEvent([]byte(answer))
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
		args = append(args, "--limit", strconv.Itoa(s.Limit))
	}
	if s.Namespace != "" {
		args = append(args, "--namespace", s.Namespace)
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
