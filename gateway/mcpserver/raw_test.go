package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/mcpserver"
	"github.com/toolgate/toolgate/gateway/tool"
)

var update = flag.Bool("update", false, "write the golden files anew")

func post(t *testing.T, url, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	return req
}

// answer sends the request and gives the status and the JSON-RPC message, out of
// its event where it came as a stream.
func answer(t *testing.T, client *http.Client, req *http.Request) (int, []byte) {
	t.Helper()
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if _, data, ok := bytes.Cut(body, []byte("data: ")); ok {
		body, _, _ = bytes.Cut(data, []byte("\n"))
	}
	return res.StatusCode, body
}

// rawFake has what is easily lost on the wire: the order of keys, long numbers,
// all kinds of content.
func rawFake() *fake {
	give := func(out tool.Output) func(context.Context, tool.Call) tool.Output {
		return func(context.Context, tool.Call) tool.Output { return out }
	}
	object := tool.Output{
		Content:    []tool.Content{{Type: tool.ContentText, Text: `{"z":9007199254740993,"a":1.10}`}},
		Structured: json.RawMessage(`{"z":9007199254740993,"a":1.10}`),
	}
	mixed := tool.Output{
		Content: []tool.Content{
			{Type: tool.ContentText, Text: "a < b"},
			{Type: tool.ContentImage, Data: []byte{1, 2}, MIMEType: "image/png"},
			{Type: tool.ContentAudio, Data: []byte{3}, MIMEType: "audio/wav"},
			{Type: tool.ContentResource, URI: "x://1", MIMEType: "text/plain", Text: "t"},
			{Type: tool.ContentResource, URI: "x://2", Data: []byte{4}},
			{Type: tool.ContentResourceLink, URI: "x://3", Name: "n", Title: "T", Description: "d", MIMEType: "a/b"},
		},
		Structured: json.RawMessage(`{"lost":"by hosts that prefer it"}`),
	}
	list := tool.Output{Content: object.Content, Structured: json.RawMessage(`[1]`)}
	return &fake{
		specs: []*tool.Spec{
			{
				Name: "zeta", Title: "Zeta", Description: "Does z.", Tags: []string{tool.TagReadOnly, tool.TagNetwork},
				Parameters: json.RawMessage(`{"type":"object","properties":{"z":{"type":"integer","maximum":9007199254740993},"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"not":{}}},"anyOf":[{"required":["z"]}]}`),
			},
			{Name: "alpha", Tags: []string{tool.TagDestructive}},
		},
		tools: map[string]func(context.Context, tool.Call) tool.Output{
			"object": give(object), "mixed": give(mixed), "list": give(list), "nothing": give(tool.Output{}),
			"panic": func(context.Context, tool.Call) tool.Output { panic("a fault with a secret") },
		},
	}
}

// TestWire compares whole messages of the new era with golden files, byte by
// byte, but for the indentation.
func TestWire(t *testing.T) {
	tests := []struct {
		golden, method, name, params string
		status                       int
	}{
		{"discover", "server/discover", "", "", 200},
		{"list", "tools/list", "", "", 200},
		{"list-bad-cursor", "tools/list", "", `"cursor":"!"`, 400},
		{"list-unknown-cursor", "tools/list", "", `"cursor":"aGlkZGVu"`, 400},
		{"prompts", "prompts/list", "", "", 200},
		{"resources", "resources/list", "", "", 200},
		{"call-object", "tools/call", "object", `"name":"object","arguments":{}`, 200},
		{"call-mixed", "tools/call", "mixed", `"name":"mixed"`, 200},
		{"call-list", "tools/call", "list", `"name":"list"`, 200},
		{"call-nothing", "tools/call", "nothing", `"name":"nothing"`, 200},
		{"call-panic", "tools/call", "panic", `"name":"panic"`, 200},
		{"call-unknown", "tools/call", "a<b", `"name":"a<b"`, 400},
		{"call-inner-name", "tools/call", "toolgate", `"name":"toolgate"`, 400},
		{"unknown-method", "tools/delete", "", "", 404},
	}
	s := mcpserver.New(rawFake(), mcpserver.Options{Version: "1.2.3", Instructions: "Be kind."})
	web := serve(t, s)
	for _, tt := range tests {
		t.Run(tt.golden, func(t *testing.T) {
			status, got := answer(t, web.Client(), request(t, web.URL, tt.method, tt.name, tt.params))
			if status != tt.status {
				t.Errorf("status %d, want %d", status, tt.status)
			}
			golden(t, filepath.Join("testdata", tt.golden+".json"), got)
		})
	}
}

func golden(t *testing.T, path string, message []byte) {
	t.Helper()
	var got bytes.Buffer
	if err := json.Indent(&got, message, "", "  "); err != nil {
		t.Fatalf("%v: %s", err, message)
	}
	got.WriteByte('\n')
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// TestRefusals are requests that never become a message.
func TestRefusals(t *testing.T) {
	legacy := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	tests := []struct {
		name   string
		change func(*http.Request)
		body   string
		status int
		want   string
	}{
		{"too long", func(*http.Request) {}, strings.Repeat(" ", 4<<20+1), 413, "exceeds 4194304 bytes"},
		{"too long, new era", func(r *http.Request) { r.Header.Set("Mcp-Protocol-Version", "2026-07-28") }, strings.Repeat(" ", 4<<20+1), 413, "exceeds"},
		{"not JSON", func(*http.Request) {}, "{", 400, "malformed"},
		{"a version of old that never was", func(r *http.Request) { r.Header.Set("Mcp-Protocol-Version", "2020-01-01") }, legacy, 400, "Unsupported protocol version"},
		{"a version to come", func(r *http.Request) { r.Header.Set("Mcp-Protocol-Version", "2099-01-01") }, legacy, 400, ""},
		{"no such session", func(r *http.Request) { r.Header.Set("Mcp-Session-Id", "made-up") }, legacy, 404, "session not found"},
		{"new era without the version", func(r *http.Request) { r.Header.Set("Mcp-Method", "tools/list") }, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, 400, "-32020"},
	}
	s := mcpserver.New(rawFake(), mcpserver.Options{})
	web := serve(t, s)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := post(t, web.URL, tt.body)
			tt.change(req)
			status, got := answer(t, web.Client(), req)
			if status != tt.status || !strings.Contains(string(got), tt.want) {
				t.Errorf("%d %s, want %d with %q", status, got, tt.status, tt.want)
			}
		})
	}
}

func TestClosed(t *testing.T) {
	s := mcpserver.New(rawFake(), mcpserver.Options{})
	web := serve(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	status, got := answer(t, web.Client(), request(t, web.URL, "tools/list", "", ""))
	if status != http.StatusServiceUnavailable {
		t.Errorf("%d %s after Close, want 503", status, got)
	}
}
