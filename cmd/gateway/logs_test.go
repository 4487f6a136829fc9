package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/gateway/runlog"
)

// TestLogs changes how lines are written while two loggers are in use, one of
// which was made before.
func TestLogs(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	lines := newLogs(&out)
	plain := slog.New(lines)
	derived := plain.With("part", "x").WithGroup("g")
	say := func() {
		for _, l := range []*slog.Logger{plain, derived} {
			l.Debug("fine", "n", 1)
			l.Warn("odd", "n", 2)
		}
	}
	say()
	lines.use(config.Log{Level: "error", Format: "text"})
	say()
	lines.use(config.Log{Level: "debug", Format: "json"})
	say()
	var got []string
	for line := range strings.Lines(out.String()) {
		if rest, ok := strings.CutPrefix(line, "time="); ok {
			_, rest, _ = strings.Cut(rest, " ")
			got = append(got, strings.TrimSpace(rest))
			continue
		}
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		delete(fields, "time")
		data, _ := json.Marshal(fields)
		got = append(got, string(data))
	}
	want := []string{
		"level=WARN msg=odd n=2", "level=WARN msg=odd part=x g.n=2",
		`{"level":"DEBUG","msg":"fine","n":1}`, `{"level":"WARN","msg":"odd","n":2}`,
		`{"g":{"n":1},"level":"DEBUG","msg":"fine","part":"x"}`, `{"g":{"n":2},"level":"WARN","msg":"odd","part":"x"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestRequestLines follows one identifier from a request at each door to the
// answer, the lines and the record of the call.
func TestRequestLines(t *testing.T) {
	t.Parallel()
	const file = `
version: 1
tools: {one: {description: One., tags: [read_only], expr: "1"}}
policy: {default: allow}
log: {level: debug, format: json}
`
	var out bytes.Buffer
	lines := newLogs(&out)
	h := openText(t, file, slog.New(lines))
	lines.use(h.Config.Log)
	s := host.NewServer(h, host.ServerOptions{})
	t.Cleanup(func() { _ = s.Close() })
	handler := s.Handler()
	requests := []struct{ id, path, body string }{
		{"req-http", "/v1/tools/one/call", "{}"},
		{"req-mcp", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"x","version":"0"}}}}`},
		{"not an id", "/v1/tools/one/call", "{}"},
	}
	for _, rq := range requests {
		req := httptest.NewRequest(http.MethodPost, "http://localhost"+rq.path, strings.NewReader(rq.body))
		for key, value := range map[string]string{
			"X-Request-Id": rq.id, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "one",
		} {
			req.Header.Set(key, value)
		}
		res := httptest.NewRecorder()
		handler.ServeHTTP(res, req)
		if res.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", rq.id, res.Code, res.Body)
		}
		id := res.Header().Get("X-Request-Id")
		if rq.id == "not an id" {
			if !strings.HasPrefix(id, "req_") {
				t.Errorf("an odd identifier became %q", id)
			}
		} else if id != rq.id {
			t.Errorf("%s was answered with %q", rq.id, id)
		}
		for _, want := range []string{
			`"msg":"call","tool":"one"`, `"msg":"request","request":"` + id + `","method":"POST","path":"` + rq.path + `","status":200`,
		} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %s in %s", want, out.String())
			}
		}
		if n := strings.Count(out.String(), `"request":"`+id+`"`); n != 2 {
			t.Errorf("%s is in %d lines:\n%s", id, n, out.String())
		}
		if entries, _, err := runlog.Read(h.Config.Store.Journal(), runlog.Query{}); err != nil || entries[len(entries)-1].Request != id {
			t.Errorf("the record of %s: %+v, %v", id, entries, err)
		}
	}
}

// openText opens a gateway of a configuration in a folder of its own.
func openText(t *testing.T, text string, logger *slog.Logger) *host.House {
	t.Helper()
	h, err := open(config.Options{Files: []string{writeConfig(t, text)}}, logger)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// writeConfig writes a configuration into a folder of its own.
func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tools.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
