package main

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// spoken is what a process wrote.
type spoken struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (s *spoken) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *spoken) has(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.text.String(), text)
}

// TestNeighbour starts two servers on one store, and ends one of them with kill -9:
// both say so while both are there.
func TestNeighbour(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "tools.yaml")
	if err := os.WriteFile(config, []byte(killConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	bin := build(t, "github.com/toolgate/toolgate/cmd/gateway")
	const told = "another server uses this store: what runs once and what calls() counts hold within one server only"
	notes := func(p *process) bool {
		status, body := ask(t, http.MethodGet, p.url+"/readyz", "")
		if status != http.StatusOK {
			t.Errorf("not ready: %d %s", status, body)
		}
		return strings.Contains(body, told)
	}
	var talk [2]spoken
	first := startCommand(t, &talk[0], exec.CommandContext(t.Context(), bin, "serve", "--config", config))
	if out, err := exec.CommandContext(t.Context(), bin, "tools", "call", "read", "--config", config).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if notes(first) || talk[0].has(told) {
		t.Error("a server alone has a neighbour")
	}
	second := startCommand(t, &talk[1], exec.CommandContext(t.Context(), bin, "serve", "--config", config))
	if !notes(first) || !notes(second) || !talk[1].has("level=WARN") || !talk[1].has(told) {
		t.Error("two servers do not tell of each other")
	}
	_ = second.cmd.Process.Signal(syscall.SIGKILL)
	_ = second.cmd.Wait()
	if notes(first) {
		t.Error("a server has a neighbour that is gone")
	}
}

// TestKilledHandle asks for calls that ran when the server was killed, or stopped.
func TestKilledHandle(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "tools.yaml")
	text := killConfig + "secrets: {ann: {env: ANN}, bob: {env: BOB}}\n"
	text = strings.Replace(text, `server: {listen: "127.0.0.1:0"}`,
		`server: {listen: "127.0.0.1:0", callers: {ann: {token: "${secret.ann}"}, bob: {token: "${secret.bob}"}}}`, 1)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	bin := build(t, "github.com/toolgate/toolgate/cmd/gateway")
	begin := func() *process {
		cmd := exec.CommandContext(t.Context(), bin, "serve", "--config", config)
		cmd.Env = append(os.Environ(), "ANN=ann-0123456789abcdef", "BOB=bob-0123456789abcdef")
		return startCommand(t, new(spoken), cmd)
	}
	as := func(name, method, url string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+name+"-0123456789abcdef")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		var body bytes.Buffer
		_, _ = body.ReadFrom(resp.Body)
		return resp.StatusCode, body.String()
	}
	server := begin()
	_, accepted := as("ann", http.MethodPost, server.url+"/v1/tools/stuck/call?wait=0")
	id := regexp.MustCompile(`call_[a-z0-9]{20,}`).FindString(accepted)
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, log := as("ann", http.MethodGet, server.url+"/v1/log?status=running"); strings.Contains(log, id) {
			break
		}
	}
	_ = server.cmd.Process.Signal(syscall.SIGKILL)
	_ = server.cmd.Wait()
	server = begin()
	for _, ask := range []struct{ method, query string }{{http.MethodGet, ""}, {http.MethodGet, "?wait=1"}, {http.MethodDelete, ""}} {
		status, body := as("ann", ask.method, server.url+"/v1/calls/"+id+ask.query)
		for _, want := range []string{`"state":"failed"`, `"tool":"stuck"`, `"error_type":"interrupted"`, `"text":"Error: `, "may have had an effect"} {
			if status != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("%s%s: %d %s, without %s", ask.method, ask.query, status, body, want)
			}
		}
		if status, body := as("bob", ask.method, server.url+"/v1/calls/"+id+ask.query); status != http.StatusNotFound {
			t.Errorf("another caller: %d %s", status, body)
		}
	}
	if status, body := as("ann", http.MethodGet, server.url+"/v1/calls/call_nope"); status != http.StatusNotFound {
		t.Errorf("no call: %d %s", status, body)
	}
}
