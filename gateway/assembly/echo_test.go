package assembly_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestUpstreamEchoesSecret lets an upstream send the secret it was given back
// in many ways: no answer, record, page of the log or log line shows it.
func TestUpstreamEchoesSecret(t *testing.T) {
	const token = "sk-live/9f8e7d6c5b4a+3210"
	t.Setenv("ECHO_TOKEN", token)
	upstream := httptest.NewServer(http.HandlerFunc(echoSecret))
	defer upstream.Close()
	a, problems := build(t, `
version: 1
networks: {allow: [127.0.0.0/8]}
secrets: {token: {env: ECHO_TOKEN}}
tools:
  echo:
    description: Echo.
    tags: [read_only]
    parameters: {type: object, properties: {how: {type: string}}, required: [how]}
    http:
      url: "`+upstream.URL+`"
      path: /x
      query: {how: "${args.how}", key: "${secret.token}"}
      headers: {Authorization: "Bearer ${secret.token}"}
      result: '{body: body, header: headers["x-echo"]}'
policy: {default: allow}
`, assembly.Resolved)
	if a.Generation == nil {
		t.Fatal(problems)
	}
	dir := t.TempDir()
	journal, err := runlog.Open(dir, runlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	g := gateway.New(a.Generation, journal, gateway.Options{Logger: slog.New(slog.NewTextHandler(&lines, nil))})
	ways := []string{"body", "header", "error", "redirect", "lines", "long error", "break"}
	for _, how := range ways {
		got := g.Call(t.Context(), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"how":"` + how + `"}`), Caller: tool.Caller{ID: "ann", Name: "ann"}})
		hides(t, how, token, got, got.Output.Text())
	}
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
	entries, _, err := runlog.Read(dir, runlog.Query{Limit: 100})
	if err != nil || len(entries) != len(ways) {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	hides(t, "the log", token, entries, lines.String())
}

// echoSecret answers with the credential of the request.
func echoSecret(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch r.URL.Query().Get("how") {
	case "body":
		_, _ = io.WriteString(w, "you sent "+token)
	case "header":
		w.Header().Set("X-Echo", token)
	case "error":
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"detail":"bad token `+strings.ReplaceAll(token, "/", `\/`)+`"}`)
	case "redirect":
		w.Header().Set("Location", "http://127.0.0.2/?k="+url.QueryEscape(token))
		w.WriteHeader(http.StatusFound)
	case "lines":
		_, _ = io.WriteString(w, "it is "+token[:9]+"\r\n\t"+token[9:])
	case "long error": // an excerpt ends inside it
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, strings.Repeat("x", 2000-12)+token+strings.Repeat("y", 100))
	case "break":
		w.Header().Set("Content-Length", "1000")
	}
}

// hides looks for eight bytes in a row of a token in a value and a text.
func hides(t *testing.T, name, token string, value any, text string) {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	shown := string(data) + text
	for i := range len(token) - 7 {
		if part := token[i : i+8]; strings.Contains(shown, part) || strings.Contains(shown, url.QueryEscape(part)) {
			t.Errorf("%s: %q is shown: %s", name, part, shown)
			return
		}
	}
}
