package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stopAt takes log lines and stops who writes them at one that holds a word.
type stopAt struct {
	bytes.Buffer
	word string
	stop context.CancelFunc
}

func (s *stopAt) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(s.word)) {
		s.stop()
	}
	return s.Buffer.Write(line)
}

// TestServeCountsRegisteredTools: the line of the start counts what is served,
// not what is declared.
func TestServeCountsRegisteredTools(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tools.yaml")
	const text = `
version: 1
server: {listen: "127.0.0.1:0"}
admit: {deny: ["risky_*"]}
tools:
  one: {description: One., expr: "1"}
  off: {description: Off., enabled: false, expr: "1"}
  risky_one: {description: Risky., expr: "1"}
  lacking: {description: Lacking., requires: {env: [TOOLGATE_TEST_IS_NOT_SET]}, expr: "1"}
policy: {default: allow}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	log := &stopAt{word: "msg=serving", stop: stop}
	var out bytes.Buffer
	_ = run(ctx, []string{"gateway", "serve", "--config", path}, streams{http.NoBody, &out, log})
	if !strings.Contains(log.String(), "tools=1\n") {
		t.Error(log.String())
	}
}
