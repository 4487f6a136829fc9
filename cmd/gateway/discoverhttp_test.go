package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/host"
)

const deferringConfig = `
version: 1
tools:
  add: {description: Add two numbers., tags: [read_only], parameters: {type: object, properties: {a: {type: integer}}}, expr: "{sum: args.a}"}
  refund: {description: Give money back for an order., defer: true, parameters: {type: object, properties: {order: {type: string}}, required: [order]}, expr: "{ok: args.order}"}
  ship: {description: Send an order to a customer., defer: true, tags: [read_only], parameters: {type: object, properties: {order: {type: string}}}, expr: "1"}
  closed: {description: Give money back for an order in secret., defer: true, expr: "1"}
policy: {default: allow, rules: [{name: no, tools: [closed], action: deny}]}
`

// TestDiscoverOverHTTP finds a tool and calls it in each of the three ways, and holds
// what lists, chats, events and figures say of that.
func TestDiscoverOverHTTP(t *testing.T) {
	t.Parallel()
	h := openText(t, deferringConfig, discardLogger())
	s := host.NewServer(h, host.ServerOptions{})
	t.Cleanup(func() { _ = s.Close() })
	t.Cleanup(s.Begin(t.Context()))
	handler := s.Handler()
	ask := func(method, target, body string) string {
		t.Helper()
		res := httptest.NewRecorder()
		handler.ServeHTTP(res, httptest.NewRequest(method, "http://localhost"+target, strings.NewReader(body)))
		if res.Code != http.StatusOK || strings.Contains(res.Body.String(), "closed") {
			t.Errorf("%s %s: %d %s", method, target, res.Code, res.Body)
		}
		return strings.TrimSpace(res.Body.String())
	}
	names := func(target string) (names, marked []string) {
		t.Helper()
		var list struct {
			Tools []struct {
				Name     string
				Deferred bool `json:"defer_loading"`
			}
		}
		if err := json.Unmarshal([]byte(ask(http.MethodGet, target, "")), &list); err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			if tool.Deferred {
				marked = append(marked, tool.Name)
			}
		}
		return names, marked
	}
	lists := func(target string, want, wantMarked []string) {
		t.Helper()
		got, marked := names(target)
		if diff := cmp.Diff([][]string{want, wantMarked}, [][]string{got, marked}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", target, diff)
		}
	}
	own, _ := names("/v1/tools?format=anthropic")
	all := append(own[:len(own):len(own)], "refund", "ship")
	before := ask(http.MethodGet, "/v1/tools?format=anthropic", "")
	lists("/v1/tools?format=anthropic&deferred=true&chat=c", all, []string{"refund", "ship"})

	for _, chat := range []string{"", "c"} {
		body := ask(http.MethodPost, "/v1/discover?chat="+strings.Repeat("default", 1-len(chat))+chat, `{"query":"give money back","limit":1,"format":"anthropic"}`)
		var found struct {
			Tools       []struct{ Name, Permission string }
			Definitions []struct{ Name string }
			References  []struct {
				Name string `json:"tool_name"`
			} `json:"tool_references"`
			Spared int `json:"spared_schema_tokens"`
		}
		if err := json.Unmarshal([]byte(body), &found); err != nil {
			t.Fatal(err)
		}
		if len(found.Tools) != 1 || found.Tools[0].Name != "refund" || len(found.Definitions) != 1 || len(found.References) != 1 || found.References[0].Name != "refund" || found.Spared == 0 {
			t.Errorf("%q: %s", chat, body)
		}
	}
	lists("/v1/tools?format=anthropic", own, nil)
	lists("/v1/tools?format=anthropic&chat=c", append(own[:len(own):len(own)], "refund"), nil)
	lists("/v1/tools?format=anthropic&deferred=true&chat=c", all, []string{"refund", "ship"})
	if after := ask(http.MethodGet, "/v1/tools?format=anthropic&chat=c", ""); !strings.HasPrefix(after, strings.TrimSuffix(before, "]}")) {
		t.Errorf("%s\ndoes not begin with\n%s", after, before)
	}
	if again := ask(http.MethodPost, "/v1/discover?chat=c", `{"query":"refund","format":"openai-chat"}`); strings.Contains(again, "listed") || strings.Count(again, `"order":{"type":"string"}`) != 2 {
		t.Error(again)
	}

	const answer = `"structured":{"ok":"o7"}`
	step := `[{"id":"1","type":"function","function":{"name":"call_tool","arguments":"{\"name\":\"refund\",\"arguments\":{\"order\":\"o7\"}}"}}]`
	for way, body := range map[string]string{
		"by its name":             ask(http.MethodPost, "/v1/tools/refund/call", `{"order":"o7"}`),
		"inside of call_tool":     ask(http.MethodPost, "/v1/tools/call_tool/call", `{"name":"refund","arguments":{"order":"o7"}}`),
		"inside of it, in a step": ask(http.MethodPost, "/v1/calls", step),
	} {
		if !strings.Contains(body, answer) || !strings.Contains(body, `"tool":"refund"`) {
			t.Errorf("%s: %s", way, body)
		}
	}
	if body := ask(http.MethodPost, "/v1/calls", step); !strings.Contains(body, `"messages":[{"role":"tool","tool_call_id":"1","content":"{\"ok\":\"o7\"}"}]`) {
		t.Error(body)
	}
	if shown := ask(http.MethodGet, "/v1/chats/c", ""); !strings.Contains(shown, `"found":["refund"]`) {
		t.Error(shown)
	}
	ask(http.MethodPost, "/v1/discover", `{"query":"xyzzy"}`)
	figures := ask(http.MethodGet, "/metrics", "")
	for _, line := range []string{`searches_total{outcome="found"} 2`, `searches_total{outcome="exact"} 1`, `searches_total{outcome="nothing"} 1`, `searches_total{outcome="refused"} 0`} {
		if !strings.Contains(figures, "toolgate_discovery_"+line+"\n") {
			t.Errorf("no %s", line)
		}
	}
}
