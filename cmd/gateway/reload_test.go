package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// reloadConfig has an administrator; its one tool is named anew by a test.
const reloadConfig = `
version: 1
server: {listen: "127.0.0.1:0", admin_token: "${secret.admin}", token: "${secret.client}"}
secrets: {admin: {file: admin}, client: {file: client}}
tools:
  one: {description: One., expr: "1"}
policy: {default: allow}
`

// put writes files into a folder.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// ask sends a request, with a token unless it is empty, and returns the status
// and the body.
func ask(t *testing.T, method, url, token string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return exchange(t, req, token)
}

// exchange sends a request with the token.
func exchange(t *testing.T, req *http.Request, token string) (int, string) {
	t.Helper()
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// TestReloadOfProgram: an administrator reloads, a bad file is told of by every
// door until it is corrected, and tokens are those of the file.
func TestReloadOfProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const admin, client = "token-of-an-administrator", "token-of-a-client-0"
	put(t, dir, map[string]string{"tools.yaml": reloadConfig, "admin": admin, "client": client})
	server := start(t, build(t, "github.com/toolgate/toolgate/cmd/gateway"), "serve", "--config", filepath.Join(dir, "tools.yaml"))
	see := func(path, token, want string) {
		t.Helper()
		if _, body := ask(t, http.MethodGet, server.url+path, token); !strings.Contains(body, want) {
			t.Errorf("%s lacks %s:\n%s", path, want, body)
		}
	}
	reload := func(token string, status int, want string) {
		t.Helper()
		if got, body := ask(t, http.MethodPost, server.url+"/v1/reload", token); got != status || !strings.Contains(body, want) {
			t.Errorf("%d %s, want %d %s", got, body, status, want)
		}
	}
	reload(client, 403, `"forbidden"`)
	reload(admin, 200, `"generation":1,`)

	put(t, dir, map[string]string{"tools.yaml": strings.Replace(reloadConfig, "expr:", "exprr:", 1)})
	reload(admin, 422, `"file":"`+filepath.Join(dir, "tools.yaml")+`","line":6,"column":28,"key":"tools.one.exprr","text":"unknown key","hint":"did you mean expr?"`)
	see("/readyz", "", `{"name":"configuration","status":"note","problem":"the configuration on disk has errors (2), so the one before is served: see the log"}`)
	see("/readyz", "", `"status":"ready"`)
	see("/metrics", admin, "toolgate_config_last_reload_successful 0\n")

	text := strings.NewReplacer("  one:", "  two:", "127.0.0.1:0", "127.0.0.1:1").Replace(reloadConfig)
	put(t, dir, map[string]string{"tools.yaml": text, "client": "another-token-of-that-client"})
	reload(admin, 200, `"restart":["server.listen"],"list_changed":`) // the change may have been seen before it is asked for
	see("/metrics", admin, "toolgate_config_last_reload_successful 1\n")
	see("/readyz", "", "take effect at the next start: server.listen")
	see("/v1/tools", "another-token-of-that-client", `"name":"two"`)
	if status, _ := ask(t, http.MethodGet, server.url+"/v1/tools", client); status != 401 {
		t.Errorf("the old token: %d", status)
	}

	put(t, dir, map[string]string{"tools.yaml": text + "chats: {most_per_caller: 1}\n"})
	reload(admin, 200, `"list_changed":`)
	for i, want := range []int{200, 403} {
		if status, body := setChat(t, fmt.Sprint(server.url, "/v1/chats/c", i), admin); status != want {
			t.Errorf("chat %d: %d %s, want %d", i, status, body, want)
		}
	}
}

// setChat gives a chat a field.
func setChat(t *testing.T, url, token string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, strings.NewReader(`{"context": {"a": 1}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	return exchange(t, req, token)
}

// TestHangupOverStdio: SIGHUP reloads what is served over stdio, and ends
// nothing.
func TestHangupOverStdio(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, map[string]string{"tools.yaml": strings.SplitAfter(reloadConfig, "version: 1\n")[0] + reloadConfig[strings.Index(reloadConfig, "tools:"):]})
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, build(t, "github.com/toolgate/toolgate/cmd/gateway"), "serve", "--stdio", "--config", filepath.Join(dir, "tools.yaml"))
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	changed := make(chan struct{}, 1)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			select {
			case changed <- struct{}{}:
			default:
			}
		},
	})
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	put(t, dir, map[string]string{"tools.yaml": "version: 2\n"})
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if strings.Contains(lines.Text(), "not reloaded") {
			break
		}
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }()
	put(t, dir, map[string]string{"tools.yaml": "version: 1\ntools: {two: {description: Two., expr: '2'}}\npolicy: {default: allow}\n"})
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	<-changed
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "two"})
	if err != nil || res.IsError {
		t.Error(res, err)
	}
}

// TestHangupAtStart: SIGHUP while the server starts ends nothing.
func TestHangupAtStart(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	dir := t.TempDir()
	put(t, dir, map[string]string{"tools.yaml": "version: 1\nserver: {listen: \"127.0.0.1:0\"}\nnetworks: {allow: [127.0.0.0/8]}\npolicy: {default: allow}\n" +
		"tools: {one: {description: One., expr: '1', requires: {url: [\"http://" + silent.Addr().String() + "\"]}}}\n"})
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, build(t, "github.com/toolgate/toolgate/cmd/gateway"), "serve", "--config", filepath.Join(dir, "tools.yaml"))
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if conn, err := silent.Accept(); err != nil { // it looks for what the tool requires
		t.Fatal(err)
	} else {
		defer func() { _ = conn.Close() }()
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "msg=serving") {
			break
		}
	}
	if !strings.Contains(said.String(), "msg=serving") {
		t.Fatalf("it does not serve: %s", said.String())
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, stderr)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
