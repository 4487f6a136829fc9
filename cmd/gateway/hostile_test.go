package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/host"
)

// TestLogCannotBeForged holds that a line break or an escape of a terminal in
// what a client sends makes no line of its own, in what the server writes and in
// what gateway log prints.
func TestLogCannotBeForged(t *testing.T) {
	t.Parallel()
	s := serveAccess(t, "http://127.0.0.1:1")
	forged := "x\r\ntime=now level=ERROR msg=forged\x1b[31m\u202e\u0085"
	status, _ := s.ask(t, "ann", http.MethodPost, "/v1/tools/"+url.PathEscape(forged)+"/call", `{}`)
	if status != http.StatusNotFound {
		t.Fatalf("%d", status)
	}
	s.ask(t, "ann", http.MethodPost, "/v1/tools/whoami/call", `{"user": "\r\nlevel=ERROR msg=forged", "x\u001b[31m\r\nmsg=forged": 1}`)
	s.ask(t, "ann", http.MethodGet, "/"+url.PathEscape(forged), "")
	if err := s.House.Close(); err != nil { // so that everything is recorded
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); strings.Count(s.lines.String(), "msg=request") < 3 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	var printed bytes.Buffer
	if err := run(t.Context(), []string{"gateway", "log", "--config", filepath.Join(s.dir, "tools.yaml")}, streams{http.NoBody, &printed, &printed}); err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"lines": s.lines.String(), "gateway log": printed.String()} {
		if !strings.Contains(text, "forged") {
			t.Errorf("%s: the call is missing: %s", where, text)
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "time=now") || strings.HasPrefix(line, "msg=") || strings.HasPrefix(line, "level=") || strings.ContainsAny(strings.TrimSuffix(line, "\n"), "\r\x1b\u202e\u0085") {
				t.Errorf("%s: %q", where, line)
			}
		}
	}
}

// TestLinksAreNotFollowed holds that what a tool's answer links to is passed on
// and never fetched.
func TestLinksAreNotFollowed(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	web := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer web.Close()
	h := openText(t, strings.ReplaceAll(`version: 1
networks: {allow: [127.0.0.0/8]}
tools:
  links:
    description: Give links.
    output: content
    expr: '[{type: "resource_link", uri: "URL/a", name: "a"}, {type: "resource", resource: {uri: "URL/b", text: "see URL/c"}}, {type: "text", text: "![x](URL/d)"}]'
policy: {default: allow}
`, "URL", web.URL), discardLogger())
	s := host.NewServer(h, host.ServerOptions{})
	t.Cleanup(func() { _ = s.Close() })
	for _, ask := range []struct{ path, body string }{
		{"/v1/tools/links/call", `{}`},
		{"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"links","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"x","version":"0"}}}}`},
	} {
		req := httptest.NewRequest(http.MethodPost, "http://localhost"+ask.path, strings.NewReader(ask.body))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if ask.path == "/mcp" {
			req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
			req.Header.Set("Mcp-Method", "tools/call")
			req.Header.Set("Mcp-Name", "links")
		}
		res := httptest.NewRecorder()
		s.Handler().ServeHTTP(res, req)
		if !strings.Contains(res.Body.String(), web.URL+"/a") {
			t.Errorf("%d %s", res.Code, res.Body)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d links were fetched", n)
	}
}
