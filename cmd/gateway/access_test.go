package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/gateway/runlog"
)

const accessFile = `version: 1
secrets: {client: {file: client}, admin: {file: admin}, ann: {file: ann}, bob: {file: bob}}
server:
  token: ${secret.client}
  admin_token: ${secret.admin}
  callers:
    ann: {token: "${secret.ann}", groups: [staff], claims: {tenant: 7}}
    bob: {token: "${secret.bob}", may: [approve]}
networks: {allow: [127.0.0.0/8]}
tools:
  whoami:
    description: Say what the gateway knows.
    parameters: {type: object, properties: {who: {type: string}, tenant: {type: integer}, user: {type: string}, tier: {type: integer}}}
    expr: args
  staff: {description: For staff., expr: "1"}
  gold: {description: For chats that paid., expr: "1"}
  upstream:
    description: Show what the upstream was sent.
    http: {url: "URL", path: /, result: 'headers["x-seen"]'}
inject: [{tools: [whoami], set: {who: caller.name, tenant: caller.claims.tenant, user: chat.context.user.id}}]
hooks: {before: [{name: tier, tools: [whoami], when: chat.context.tier != nil, set: {args.tier: chat.context.tier}}]}
policy:
  default: deny
  rules:
    - {name: staff, tools: [staff], callers: [ann], when: '"staff" in caller.groups', action: allow}
    - {name: gold, tools: [gold], when: chat.context.tier >= 2, action: allow}
    - {name: all, tools: [whoami, upstream], action: allow}
`

// tokenOf is the token of a caller of the file.
func tokenOf(caller string) string { return caller + "-7Qx9vT2mZk4Lw8Rb" }

// guardedServer serves both doors as gateway serve does, with the tokens of the
// file, and keeps what it logs.
type guardedServer struct {
	*host.Server
	url, dir string
	lines    *safeBuffer
}

type safeBuffer struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func serveAccess(t *testing.T, upstream string) *guardedServer {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"tools.yaml": strings.ReplaceAll(accessFile, "URL", upstream)}
	for _, caller := range []string{"client", "admin", "ann", "bob"} {
		files[caller] = tokenOf(caller) + "\n"
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lines := new(safeBuffer)
	talk := newTalk(lines)
	logger := slog.New(slog.NewTextHandler(talk, &slog.HandlerOptions{Level: slog.LevelDebug}))
	h, err := open(config.Options{Files: []string{filepath.Join(dir, "tools.yaml")}}, logger)
	if err != nil {
		t.Fatal(err)
	}
	talk.hide(h.Masker)
	s := host.NewServer(h, host.ServerOptions{})
	web := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		_ = s.Close()
		web.Close()
		_ = h.Close()
		_ = talk.Close()
	})
	return &guardedServer{Server: s, url: web.URL, dir: dir, lines: lines}
}

// ask sends a request as a caller; nobody when that is empty.
func (s *guardedServer) ask(t *testing.T, caller, method, path, body string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if caller != "" {
		req.Header.Set("Authorization", "Bearer "+tokenOf(caller))
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// call runs a tool over HTTP and gives its text.
func (s *guardedServer) call(t *testing.T, caller, name, args string, header ...string) string {
	t.Helper()
	_, body := s.ask(t, caller, http.MethodPost, "/v1/tools/"+name+"/call", args, header...)
	var r struct{ Content []struct{ Text string } }
	if err := json.Unmarshal([]byte(body), &r); err != nil || len(r.Content) != 1 {
		t.Fatalf("%s: %s, %v", name, body, err)
	}
	return r.Content[0].Text
}

// TestEveryDoorAsksForTheToken holds that no path of either door is answered
// without a token, whatever the method, but for those that say how the process
// is.
func TestEveryDoorAsksForTheToken(t *testing.T) {
	t.Parallel()
	s := serveAccess(t, "http://127.0.0.1:1")
	for _, path := range []string{"/mcp", "/chats/c/mcp", "/p/x/mcp", "/v1/tools", "/v1/tools/whoami/call", "/v1/calls", "/v1/calls/x", "/v1/chats/c", "/metrics", "/", "/nothing"} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
			for _, query := range []string{"", "?access_token=" + tokenOf("ann"), "?token=" + tokenOf("ann")} {
				if status, body := s.ask(t, "", method, path+query, `{}`); status != http.StatusUnauthorized || !strings.Contains(body, `"error_type":"unauthorized"`) {
					t.Errorf("%s %s%s: %d %s", method, path, query, status, body)
				}
			}
		}
	}
	// There is no OAuth here, and clients that look for it are told so at once.
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"} {
		if status, body := s.ask(t, "", http.MethodGet, path, ""); status != http.StatusNotFound || !strings.Contains(body, "no_such_route") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if status, body := s.ask(t, "", http.MethodGet, path, ""); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	for caller, want := range map[string]int{"client": http.StatusOK, "admin": http.StatusOK, "ann": http.StatusOK, "bob": http.StatusForbidden} {
		if status, body := s.ask(t, caller, http.MethodGet, "/v1/tools", ""); status != want {
			t.Errorf("%s lists: %d %s", caller, status, body)
		}
		if status, body := s.ask(t, caller, http.MethodPost, "/mcp", initialize); status != want {
			t.Errorf("%s begins a session: %d %s", caller, status, body)
		}
	}
}

// TestRulesSeeTheCaller holds that rules and inject know a caller by the token,
// and that a tool which another caller may not call is not there for that one.
func TestRulesSeeTheCaller(t *testing.T) {
	t.Parallel()
	s := serveAccess(t, "http://127.0.0.1:1")
	for caller, want := range map[string]string{"ann": `{"tenant":7,"who":"ann"}`, "client": `{"who":"client"}`, "admin": `{"who":"admin"}`} {
		if got := s.call(t, caller, "whoami", `{"who": "root", "tenant": 1}`); got != want {
			t.Errorf("%s is %s, want %s", caller, got, want)
		}
		_, list := s.ask(t, caller, http.MethodGet, "/v1/tools", "")
		if got := strings.Contains(list, `"staff"`); got != (caller == "ann") {
			t.Errorf("%s sees the tool: %v", caller, got)
		}
	}
	known, unknown := s.call(t, "client", "staff", `{}`), s.call(t, "client", "stuff", `{}`)
	if strings.ReplaceAll(known, "staff", "stuff") != unknown {
		t.Errorf("a denied tool reads\n%s\nand an unknown one\n%s", known, unknown)
	}
}

// TestTokenIsNotPassedOn holds that an upstream is sent nothing of what a caller
// showed to the gateway.
func TestTokenIsNotPassedOn(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Seen", fmt.Sprint(len(r.Header["Authorization"]), " ", len(r.Header["Cookie"]), " ", strings.Contains(fmt.Sprint(r.Header), "Mcp-"), " ", r.Host))
	}))
	defer upstream.Close()
	s := serveAccess(t, upstream.URL)
	got := s.call(t, "ann", "upstream", `{}`, "Cookie", "a=b", "X-Chat-Id", "c", "Mcp-Name", "x")
	if want := "0 0 false " + strings.TrimPrefix(upstream.URL, "http://"); got != want {
		t.Errorf("the upstream was sent %s, want %s", got, want)
	}
}

// TestChatsOverHTTP is the life of a chat: what it holds is seen by inject, hooks
// and rules of the calls in it, and of no others.
func TestChatsOverHTTP(t *testing.T) {
	t.Parallel()
	s := serveAccess(t, "http://127.0.0.1:1")
	const named = "X-Chat-Id"
	if status, body := s.ask(t, "ann", http.MethodPut, "/v1/chats/c1", `{"context": {"tier": 2, "user": {"id": "u7"}}}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	for _, tt := range []struct {
		caller, path, header string
		whoami               string
		gold                 bool
	}{
		{"ann", "", "c1", `{"tenant":7,"tier":2,"user":"u7","who":"ann"}`, true},
		{"ann", "?chat=c1", "c1", `{"tenant":7,"tier":2,"user":"u7","who":"ann"}`, true},
		{"ann", "", "c2", `{"tenant":7,"who":"ann"}`, false},
		{"ann", "", "default", `{"tenant":7,"who":"ann"}`, false},
		{"client", "", "c1", `{"who":"client"}`, false},
		{"admin", "", "c1", `{"who":"admin"}`, false},
	} {
		if got := s.call(t, tt.caller, "whoami", `{"user": "root"}`, named, tt.header); got != tt.whoami {
			t.Errorf("%s in %s: %s, want %s", tt.caller, tt.header, got, tt.whoami)
		}
		if got := s.call(t, tt.caller, "gold", `{}`, named, tt.header) == "1"; got != tt.gold {
			t.Errorf("%s in %s: gold is allowed: %v", tt.caller, tt.header, got)
		}
	}
	other, otherBody := s.ask(t, "client", http.MethodGet, "/v1/chats/c1", "")
	none, noneBody := s.ask(t, "client", http.MethodGet, "/v1/chats/nothing", "")
	if other != http.StatusNotFound || other != none || otherBody != noneBody {
		t.Errorf("a chat of another caller: %d %s, and no chat: %d %s", other, otherBody, none, noneBody)
	}
	if status, body := s.ask(t, "client", http.MethodGet, "/v1/chats/c1?caller=ann", ""); status != http.StatusForbidden {
		t.Errorf("%d %s", status, body)
	}
	if status, body := s.ask(t, "admin", http.MethodGet, "/v1/chats/c1?caller=ann", ""); status != http.StatusOK || !strings.Contains(body, `"context":{"tier":2,"user":{"id":"u7"}}`) {
		t.Errorf("%d %s", status, body)
	}
	if status, body := s.ask(t, "ann", http.MethodDelete, "/v1/chats/c1", ""); status != http.StatusOK || body != `{"id":"c1","status":"deleted"}`+"\n" {
		t.Errorf("%d %s", status, body)
	}
	if got := s.call(t, "ann", "whoami", `{}`, named, "c1"); got != `{"tenant":7,"who":"ann"}` {
		t.Errorf("in the chat that was deleted: %s", got)
	}
}

// TestNoTokenLeaves looks for the callers' tokens at every way out: answers,
// lines, the record of calls, figures, and the configuration as it is printed.
func TestNoTokenLeaves(t *testing.T) {
	t.Parallel()
	s := serveAccess(t, "http://127.0.0.1:1")
	var out []string
	keep := func(status int, body string) { out = append(out, fmt.Sprint(status, body)) }
	all := []string{"client", "admin", "ann", "bob"}
	for _, caller := range all {
		token := tokenOf(caller)
		keep(s.ask(t, caller, http.MethodPost, "/v1/tools/whoami/call", `{"who": "`+token+`", "user": "Bearer `+token+`"}`, "X-Request-Id", token))
		keep(s.ask(t, caller, http.MethodPost, "/v1/tools/"+token+"/call", `{"`+token+`": 1}`))
		keep(s.ask(t, caller, http.MethodGet, "/v1/tools?access_token="+token, ""))
		keep(s.ask(t, caller, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+token+`"}}`))
		keep(s.ask(t, caller, http.MethodGet, "/v1/chats/none", ""))
		keep(s.ask(t, caller, http.MethodGet, "/readyz", ""))
	}
	_, figures := s.ask(t, "bob", http.MethodGet, "/metrics", "")
	if !strings.Contains(figures, "toolgate_") {
		t.Fatalf("no figures: %.200s", figures)
	}
	var printed bytes.Buffer
	path := filepath.Join(s.dir, "tools.yaml")
	for _, args := range [][]string{{"config", "print", "--origins"}, {"config", "print", "--json"}, {"log", "--json"}, {"log"}, {"lint", "--json"}} {
		full := append([]string{"gateway"}, append(args, "--config", path)...)
		if err := run(t.Context(), full, streams{http.NoBody, &printed, &printed}); err != nil {
			t.Fatal(err)
		}
	}
	entries, _, err := runlog.Read(filepath.Join(s.dir, "gateway.db.journal"), runlog.Query{})
	if err != nil || len(entries) == 0 {
		t.Fatalf("%d calls in the journal, %v", len(entries), err)
	}
	record := fmt.Sprintf("%+v", entries)
	for end := time.Now().Add(10 * time.Second); !strings.Contains(s.lines.String(), "path=/readyz"); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no lines: %s", s.lines)
		}
	}
	for _, caller := range all {
		for where, text := range map[string]string{"answers": strings.Join(out, "\n"), "lines": s.lines.String(), "record": record, "figures": figures, "commands": printed.String()} {
			if i := strings.Index(text, tokenOf(caller)); i >= 0 {
				t.Errorf("the token of %s is in the %s: %.300s", caller, where, text[max(0, i-100):])
			}
		}
	}
}

// TestStdioNeedsNoToken holds that who started the server itself is let in, and
// that the tokens of others are not even read.
func TestStdioNeedsNoToken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tools.yaml")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(accessFile, "URL", "http://127.0.0.1:1")), 0o600); err != nil { // there are no files of the secrets
		t.Fatal(err)
	}
	var out bytes.Buffer
	in := io.NopCloser(strings.NewReader(initialize + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"whoami","arguments":{}}}` + "\n"))
	if err := run(t.Context(), []string{"gateway", "serve", "--stdio", "--config", path}, streams{in, &out, io.Discard}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `"structuredContent":{"who":"anonymous"}`) {
		t.Errorf("%s", out.String())
	}
	var talk bytes.Buffer
	err := run(t.Context(), []string{"gateway", "serve", "--config", path}, streams{http.NoBody, io.Discard, &talk})
	if err == nil || !strings.Contains(err.Error(), "secrets.client") {
		t.Errorf("the server that listens starts without its tokens: %v", err)
	}
}
