package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/host"
)

const stopConfig = `
version: 1
server: {listen: "127.0.0.1:0"}
tools:
  short: {description: Take a second., tags: [read_only], command: {argv: [sleep, "1"]}}
  long: {description: Take a minute., tags: [read_only], command: {argv: [sleep, "60"]}}
policy: {default: allow}
`

// TestStop tells the server to stop while calls are under way, a body is half
// sent and an event stream is open: the short call is answered, the long one
// is answered as interrupted, and nothing else is waited for.
func TestStop(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "tools.yaml")
	if err := os.WriteFile(config, []byte(stopConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	server := start(t, build(t, "github.com/toolgate/toolgate/cmd/gateway"), "serve", "--config", config)
	half, err := net.Dial("tcp", strings.TrimPrefix(server.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = half.Close() }()
	if _, err := io.WriteString(half, "POST /v1/tools/short/call HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	events := make(chan []string, 1)
	go func() { events <- eventsOf(server.url) }()
	calls := map[string]func() string{
		"short":      func() string { return callCode(server.url, "short") },
		"long":       func() string { return callCode(server.url, "long") },
		"modern MCP": func() string { return modernCode(server.url, "long") },
	}
	codes := map[string]chan string{}
	for name, call := range calls {
		code := make(chan string, 1)
		codes[name] = code
		go func() { code <- call() }()
	}
	time.Sleep(500 * time.Millisecond)
	began := time.Now()
	if err := server.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"short": "ok", "long": "interrupted", "modern MCP": "interrupted"} {
		if got := <-codes[name]; got != want {
			t.Errorf("%s ended with %q, want %q", name, got, want)
		}
	}
	if err := server.cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	// Whoever follows the events was told of every end before its stream ended.
	if got := <-events; len(got) != 3 || strings.Count(strings.Join(got, " "), "interrupted") != 2 {
		t.Errorf("events: %q", got)
	}
	// The long calls last a minute, and the machine may be busy with other tests.
	if took := time.Since(began); took > host.StopTimeout+host.EndTimeout+30*time.Second {
		t.Errorf("it took %v", took)
	}
	t.Logf("stopped after %v", time.Since(began).Round(time.Millisecond))
}

// eventsOf are the ends of calls that a server tells of, until it ends.
func eventsOf(url string) (ends []string) {
	resp, err := http.Get(url + "/v1/events")
	if err != nil {
		return []string{err.Error()}
	}
	defer func() { _ = resp.Body.Close() }()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), `data: {"type":"call_ended"`) {
			ends = append(ends, lines.Text())
		}
	}
	return ends
}

// modernCode is callCode over MCP 2026-07-28.
func modernCode(url, name string) string {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":{},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
		`"io.modelcontextprotocol/clientInfo":{"name":"x","version":"0"}}}}`
	req, err := http.NewRequest(http.MethodPost, url+"/mcp", strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	for key, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name,
	} {
		req.Header.Set(key, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	if _, rest, ok := strings.Cut(string(data), `"error_type":"`); ok {
		code, _, _ := strings.Cut(rest, `"`)
		return code
	}
	return string(data)
}

// callCode makes a call and returns the code it ended with, or ok.
func callCode(url, name string) string {
	resp, err := http.Post(url+"/v1/tools/"+name+"/call", "application/json", http.NoBody)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	var r struct {
		Error struct {
			Type string `json:"error_type"`
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&r); err != nil {
		return err.Error()
	}
	if r.Error.Type == "" {
		return "ok"
	}
	return r.Error.Type
}

// TestFirstSignal stops commands that wait for something: one signal is enough,
// and a program that a tool started does not outlive the command.
func TestFirstSignal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config, mark := filepath.Join(dir, "tools.yaml"), filepath.Join(dir, "started")
	text := strings.Replace(stopConfig, `[sleep, "60"]`, `[sh, -c, "echo $$ > `+mark+`; exec sleep 60"]`, 1)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	bin := build(t, "github.com/toolgate/toolgate/cmd/gateway")
	for _, args := range [][]string{
		{"lint", "--config", "/dev/stdin"}, {"tools", "call", "long", "--config", config}, {"serve", "--config", "/dev/stdin"},
	} {
		cmd := exec.CommandContext(t.Context(), bin, args...)
		in, err := cmd.StdinPipe() // never written to
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		began := time.Now()
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil || time.Since(began) > 5*time.Second {
			t.Errorf("%v ended with %v after %v", args, err, time.Since(began))
		}
		_ = in.Close()
	}
	checkGone(t, mark)
}

// checkGone looks for the process whose number a file holds.
func checkGone(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); err == nil {
		t.Errorf("process %d still runs", pid)
	}
}
