package main

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/config"
)

// TestFoundIsShownAndTold: what a search at one door finds is told to the sessions of
// its chat, stands in their lists, and is shown where chats are, until the chat is
// forgotten.
func TestFoundIsShownAndTold(t *testing.T) {
	text := strings.Replace(groupsFile, "pay: {description: Pay., core: false,", "pay: {description: Pay., defer: true,", 1)
	s, _ := serveGroups(t, groupsFolder(t, text))
	session := s.session(t, "agent", "/mcp?chat=c")
	told := s.listen(t, "agent", "/mcp?chat=c", session)
	list := func() string {
		_, body := s.ask(t, "agent", http.MethodPost, "/mcp?chat=c", `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, "Mcp-Session-Id", session)
		return body
	}
	if body := list(); strings.Contains(body, `"name":"pay"`) || !strings.Contains(body, `"name":"discover_tools"`) {
		t.Fatal(body)
	}
	s.ask(t, "agent", http.MethodPost, "/v1/discover", `{"query": "pay"}`, "X-Chat-Id", "c")
	if !told() {
		t.Fatal("the session was told of nothing")
	}
	if body := list(); !strings.Contains(body, `"name":"pay"`) {
		t.Error(body)
	}
	t.Setenv(config.EnvToken, tokenOf("admin"))
	for _, where := range [][]string{{"--server", s.url}, {"--config", filepath.Join(s.dir, "tools.yaml")}} {
		var out bytes.Buffer
		err := run(t.Context(), append([]string{"gateway", "chats", "show", "c", "--caller", "agent"}, where...), streams{http.NoBody, &out, &out})
		if err != nil || !strings.Contains(out.String(), "\nfound   pay\n") {
			t.Errorf("%s: %v\n%s", where, err, out.String())
		}
	}
	s.ask(t, "agent", http.MethodDelete, "/v1/chats/c", "")
	if !told() {
		t.Error("the session was not told that the chat was forgotten")
	}
	if body := list(); strings.Contains(body, `"name":"pay"`) {
		t.Error(body)
	}
}

// listen opens the stream of a session and returns what waits for the next word of a
// changed list of tools; it is false when the stream ends before.
func (s *guardedServer) listen(t *testing.T, caller, path, session string) (told func() bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + tokenOf(caller), "Accept": "text/event-stream", "Mcp-Session-Id": session} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = res.Body.Close()
	})
	lines := bufio.NewScanner(res.Body)
	return func() bool {
		for lines.Scan() {
			if strings.Contains(lines.Text(), "notifications/tools/list_changed") {
				return true
			}
		}
		return false
	}
}
