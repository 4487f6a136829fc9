package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/toolgate/toolgate"
)

// TestOneScreen: a Go program with three tools, a file and a policy is at most 60 lines.
func TestOneScreen(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 60 {
		t.Errorf("main.go has %d lines", n)
	}
	if n := strings.Count(string(text), "tool.Func("); n != 3 {
		t.Errorf("it makes %d tools", n)
	}
}

// TestTools is what a test of such a program says of its configuration.
func TestTools(t *testing.T) {
	if err := toolgate.Check(options(nil)); err != nil {
		t.Error(err)
	}
}

// TestProgram builds the program, starts it, and calls its tools at both doors.
func TestProgram(t *testing.T) {
	t.Parallel()
	url := start(t)
	for _, c := range []struct{ tool, args, want string }{
		{"find_order", `{"number": 7}`, `{"number":7,"euros":12.5}`},
		{"find_order", `{"number": 9}`, "no order has the number 9"},
		{"find_order", `{}`, "invalid_args"},
		{"count_orders", `{}`, "2"},
		{"vat", `{"euros": 119}`, "19"},
		{"refund", `{"number": 7, "euros": 12.5}`, "paid back"},
		{"refund", `{"number": 8, "euros": 80}`, "denied"},
		{"refund", `{"number": 8, "euros": 80}`, "More than 20 euros are for a person to pay back"},
	} {
		if got := post(t, url+"/v1/tools/"+c.tool+"/call", c.tool, c.args); !strings.Contains(plain(got), c.want) {
			t.Errorf("HTTP, %s %s: %s", c.tool, c.args, got)
		}
		message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + c.tool + `","arguments":` + c.args + `,"_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
			`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"0"}}}}`
		if got := post(t, url+"/mcp", c.tool, message); !strings.Contains(plain(got), c.want) {
			t.Errorf("MCP, %s %s: %s", c.tool, c.args, got)
		}
	}
}

// plain is JSON without the escapes of a text in it.
func plain(body string) string { return strings.ReplaceAll(body, `\"`, `"`) }

// start runs the program until the test ends, and gives the address it tells.
func start(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	bin := filepath.Join(dir, "library")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	program := exec.CommandContext(context.WithoutCancel(t.Context()), bin, "server.listen=127.0.0.1:0", "store.url=sqlite:"+filepath.Join(dir, "gateway.db"))
	talk, err := program.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := program.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		_, _ = io.Copy(io.Discard, talk)
		if err := program.Wait(); err != nil {
			t.Error("it ended with", err)
		}
	})
	var said []string
	for lines := bufio.NewScanner(talk); lines.Scan(); {
		said = append(said, lines.Text())
		if url := regexp.MustCompile(`http://[0-9.]+:[0-9]+`).FindString(lines.Text()); url != "" {
			return url
		}
	}
	t.Fatal("it told no address:", strings.Join(said, "\n"))
	return ""
}

func post(t *testing.T, url, tool, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		req.Header.Set(key, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
