package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// TestRestart asks a server for what the one before it was asked to do.
func TestRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "tools.yaml")
	text := "version: 1\nserver: {listen: \"127.0.0.1:0\"}\ntools:\n  mark: {description: M., command: {argv: [sh, -c, 'echo x >> marks; wc -l < marks']}}\npolicy: {default: allow}\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	bin := build(t, "github.com/toolgate/toolgate/cmd/gateway")
	step := `[{"id": "call_0", "type": "function", "function": {"name": "mark", "arguments": "{}"}}]`
	first := start(t, bin, "serve", "--config", config)
	_, accepted := sendTo(t, first.url+"/v1/tools/mark/call?wait=0", `{}`)
	id := regexp.MustCompile(`call_[a-z0-9]{20,}`).FindString(accepted)
	_, result := ask(t, http.MethodGet, first.url+"/v1/calls/"+id+"?wait=10", "")
	_, batch := sendTo(t, first.url+"/v1/calls?chat=c", step)
	if !strings.Contains(result, `"state":"completed"`) || !strings.Contains(batch, `"status":"ok"`) {
		t.Fatalf("%s\n%s", result, batch)
	}
	_ = first.cmd.Process.Signal(syscall.SIGTERM)
	_ = first.cmd.Wait()
	second := start(t, bin, "serve", "--config", config)
	if _, again := ask(t, http.MethodGet, second.url+"/v1/calls/"+id, ""); again != result {
		t.Errorf("asked again: %s, before: %s", again, result)
	}
	if _, again := sendTo(t, second.url+"/v1/calls?chat=c", step); !strings.Contains(again, `"replayed":true`) {
		t.Errorf("sent again: %s", again)
	}
	if marks, err := os.ReadFile(filepath.Join(dir, "marks")); err != nil || len(marks) != 4 {
		t.Errorf("the tool ran %d times, %v", len(marks)/2, err)
	}
	if _, log := ask(t, http.MethodGet, second.url+"/v1/log?tool=mark", ""); strings.Count(log, `"status":"ok"`) != 2 {
		t.Errorf("the log is %s", log)
	}
}

func sendTo(t *testing.T, url, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}
