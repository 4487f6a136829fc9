package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestTalkNeverWaits: a log that nobody reads holds nobody up, and says later
// what is missing.
func TestTalkNeverWaits(t *testing.T) {
	r, w := io.Pipe()
	log := newTalk(w)
	const lines = maxTalk + maxTalkPart // more than what waits and what is being written
	for i := range lines {              // would hang here
		_, _ = fmt.Fprintf(log, "line %d\n", i)
	}
	read := make(chan string)
	go func() {
		data, _ := io.ReadAll(r)
		read <- string(data)
	}()
	_ = log.Close()
	_ = w.Close()
	got := <-read
	if !strings.Contains(got, "line 0\n") || !strings.Contains(got, "lines of the log were dropped") {
		t.Errorf("got %d bytes: %.200s", len(got), got)
	}
}

// TestTalkIsClosed: a reader that is gone is no failure.
func TestTalkIsClosed(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	log := newTalk(w)
	for range 10 {
		if _, err := log.Write([]byte("x\n")); err != nil {
			t.Error(err)
		}
	}
	_ = log.Close()
	_ = w.Close()
}

// unasked answers each request and then sends the text, for which nobody asked.
func unasked(t *testing.T, text string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
					return
				}
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
				time.Sleep(100 * time.Millisecond) // until the connection is idle
				_, _ = io.WriteString(c, text)
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// TestLinesOfLibraries: what net/http writes to the standard log goes to that of
// the server, and a secret in it stays hidden; a command that calls a tool is
// silent about it.
func TestLinesOfLibraries(t *testing.T) {
	t.Parallel()
	const value = "s3cret-t0ken"
	file := filepath.Join(t.TempDir(), "tools.yaml")
	text := strings.Replace(`version: 1
server: {listen: "127.0.0.1:0"}
secrets: {k: {env: UNASKED_TOKEN}}
networks: {allow: [127.0.0.0/8]}
tools: {get: {description: Get., tags: [read_only], http: {url: URL, headers: {X-Key: "${secret.k}"}}}}
policy: {default: allow}
`, "URL", unasked(t, "your key is "+value+"!"), 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	bin := build(t, "github.com/toolgate/toolgate/cmd/gateway")
	command := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), bin, append(args, "--config", file)...)
		cmd.Env = append(os.Environ(), "UNASKED_TOKEN="+value)
		return cmd
	}
	called, err := command("tools", "call", "get").CombinedOutput()
	if err != nil || string(called) != "ok\n" {
		t.Errorf("got %q, %v", called, err)
	}
	serve := command("serve")
	said, err := serve.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = serve.Process.Kill(), serve.Wait() })
	address := regexp.MustCompile(`http://[0-9.:]+/v1`)
	for lines := bufio.NewScanner(said); ; {
		if !lines.Scan() {
			t.Fatalf("the server says nothing of it: %v", lines.Err())
		}
		line := lines.Text()
		if strings.Contains(line, value) {
			t.Fatalf("the secret is in the log: %s", line)
		}
		if strings.Contains(line, "Unsolicited response") {
			if !strings.Contains(line, "level=WARN") || !strings.Contains(line, "your key is [secret]!") {
				t.Errorf("got %s", line)
			}
			return
		}
		if url := address.FindString(line); url != "" {
			_ = post(t, url+"/tools/get/call", nil, []byte(`{}`))
		}
	}
}
