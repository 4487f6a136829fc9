package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/gateway/tool"
)

// hiddenSecret has a character for every way of spelling one.
const hiddenSecret = "Tr0ub4dor/&3<é>\"q\" \\z'%7+K9w_x:m"

// forms are texts that give the secret away.
func forms() map[string]string {
	plain := hiddenSecret
	loose, _ := json.Marshal(plain)
	strict := strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", `\u003e`, ">").Replace(string(loose))
	percent := strings.ReplaceAll(url.QueryEscape(plain), "+", "%20")
	b64 := base64.StdEncoding.EncodeToString
	return map[string]string{
		"plain": plain, "json": string(loose), "json without HTML escapes": strict,
		"PHP's json": strings.ReplaceAll(strict, "/", `\/`), "escapes": escaped(plain, "%04x"),
		"escapes in capitals": escaped(plain, "%04X"), "json in json": strings.Trim(quoted(quoted(plain)), `"`),
		"query": url.QueryEscape(plain), "path": url.PathEscape(plain), "percent": percent, "percent in lower case": lowerHex(percent),
		"percent twice": url.QueryEscape(percent), "html": html.EscapeString(plain), "html in json": quoted(html.EscapeString(plain)),
		"lines": plain[:7] + "\n" + plain[7:], "crlf": plain[:7] + "\r\n   " + plain[7:], "lines in json": plain[:7] + `\n` + plain[7:],
		"hex": hex.EncodeToString([]byte(plain)), "hex in capitals": strings.ToUpper(hex.EncodeToString([]byte(plain))),
		"base64": b64([]byte(plain)), "base64 raw": base64.RawURLEncoding.EncodeToString([]byte(plain)),
		"basic 0": b64([]byte("use" + plain)), "basic 1": b64([]byte("user" + plain + "x")), "basic 2": b64([]byte("user:" + plain + "\n")),
		"base64 in a query": url.QueryEscape(b64([]byte(plain))),
		"python":            `b"` + bytesOf(plain) + `"`,
	}
}

// escaped writes every character as an escape of JSON.
func escaped(text, digits string) string {
	var b strings.Builder
	for _, r := range text {
		fmt.Fprintf(&b, `\u`+digits, r)
	}
	return b.String()
}

func bytesOf(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, `\x%02x`, text[i])
	}
	return b.String()
}

// lowerHex writes the hex digits of percent escapes in lower case.
func lowerHex(text string) string {
	return regexp.MustCompile("%..").ReplaceAllStringFunc(text, strings.ToLower)
}

func quoted(v string) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

const secretsFile = `version: 1
secrets: {key: {file: secret.txt}}
networks: {allow: [127.0.0.0/8]}
tools:
  body:     {description: d, parameters: {type: object, properties: {text: {type: string}}}, http: {url: "URL", path: /body, method: POST, body: {json: "${args.text}"}}}
  json:     {description: d, parameters: {type: object, properties: {text: {type: string}}}, http: {url: "URL", path: /json, method: POST, body: {json: "${args.text}"}}}
  header:   {description: d, parameters: {type: object, properties: {text: {type: string}}}, http: {url: "URL", path: /header, method: POST, body: {json: "${args.text}"}, result: 'headers["x-echo"]'}}
  status:   {description: d, parameters: {type: object, properties: {text: {type: string}}}, http: {url: "URL", path: /status, method: POST, body: {json: "${args.text}"}}}
  redirect: {description: d, parameters: {type: object, properties: {text: {type: string}}}, http: {url: "URL", path: /redirect, method: POST, body: {json: "${args.text}"}}}
  blocks:   {description: d, output: content, parameters: {type: object, properties: {text: {type: string}}}, http: {url: "URL", path: /blocks, method: POST, body: {json: "${args.text}"}}}
  stdout:   {description: d, parameters: {type: object, properties: {text: {type: string}}}, command: {argv: [cat], stdin: "${args.text}"}}
  stderr:   {description: d, parameters: {type: object, properties: {text: {type: string}}}, command: {argv: [sh, -c, 'cat >&2; head -c 8170 /dev/zero | tr "\0" x >&2; exit 7'], stdin: "${args.text}"}}
  argv:     {description: d, parameters: {type: object, properties: {text: {type: string}}}, command: {argv: [echo, "-n", "${args.text}"]}}
`

// echoUpstream says back what it is sent, in as many places as there are.
func echoUpstream(w http.ResponseWriter, r *http.Request) {
	var text string
	if err := json.NewDecoder(r.Body).Decode(&text); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	half := len(text) / 2
	switch r.URL.Path {
	case "/body":
		_, _ = io.WriteString(w, "it is "+text+", yes")
	case "/json":
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"it is": text, text: []string{"x" + text + "y"}})
	case "/header":
		w.Header().Set("X-Echo", "it is "+text)
	case "/status":
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, strings.Repeat("x", 1980)+text+strings.Repeat("y", 6200-len(text)-half)+text)
	case "/redirect":
		w.Header().Set("Location", "http://"+text+".example/"+text)
		w.WriteHeader(http.StatusFound)
	case "/blocks":
		blob := []byte(text)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode([]any{
			map[string]any{"type": "text", "text": "it is " + text[:half]},
			map[string]any{"type": "text", "text": text[half:] + "!"},
			map[string]any{"type": "image", "data": blob, "mimeType": "image/" + text},
			map[string]any{"type": "resource", "resource": map[string]any{"uri": "x:" + text, "mimeType": "a/" + text, "blob": blob}},
			map[string]any{"type": "resource_link", "uri": text, "name": text, "title": text, "description": text, "mimeType": text},
		})
	}
}

// TestNoSecretLeaves has every tool answer with the secret in every form and
// looks for it at every way out.
func TestNoSecretLeaves(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewServer(http.HandlerFunc(echoUpstream))
	defer upstream.Close()
	dir := t.TempDir()
	path := filepath.Join(dir, "tools.yaml")
	file := strings.ReplaceAll(secretsFile, "URL", upstream.URL)
	for name, text := range map[string]string{path: file, filepath.Join(dir, "secret.txt"): " " + hiddenSecret + "\n\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var lines bytes.Buffer
	h, err := open(config.Options{Files: []string{path}}, slog.New(slog.NewJSONHandler(&lines, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = h.Close() }()
	watched := host.NewServer(h, host.ServerOptions{})
	defer func() { _ = watched.Close() }()
	defer h.Gateway.Watch(watched.Metrics)()
	defer h.Gateway.Watch(watched.Feed)()
	for name, form := range forms() {
		for _, toolName := range []string{"body", "json", "header", "status", "redirect", "blocks", "stdout", "stderr", "argv", "unknown"} {
			if (toolName == "header" || toolName == "redirect") && strings.ContainsAny(form, "\r\n") {
				continue // no header has a line break
			}
			call, sent := tool.Call{Tool: toolName, Caller: cliCaller()}, form
			switch toolName {
			case "unknown":
				call.Tool = strings.Repeat("n", 90) + form
			case "argv":
				sent = "-" + strings.Repeat("v", 190) + form
			}
			call.Arguments = json.RawMessage(`{"text":` + quoted(sent) + `}`)
			call.Caller.Name, call.Chat.ID = form, form
			leaves(t, name+" by "+toolName, form, printed(t, h, call), lastLine(lines.Bytes()))
		}
	}
	told := watchedTexts(t, watched)
	for name, form := range forms() {
		leaves(t, name+" in metrics and events", form, told...)
	}
	var out, shown bytes.Buffer
	_ = run(t.Context(), []string{"gateway", "tools", "call", "--config", path, "--json", "stderr", "text=" + hiddenSecret}, streams{http.NoBody, &shown, io.Discard})
	if err := run(t.Context(), []string{"gateway", "log", "--config", path, "--json", "--limit", "1000"}, streams{http.NoBody, &out, io.Discard}); err != nil {
		t.Fatal(err)
	}
	for name, form := range forms() {
		leaves(t, name+" in the log", form, out.Bytes(), shown.Bytes())
	}
}

// watchedTexts are the metrics, and all events as an administrator is told of
// them, as JSON.
func watchedTexts(t *testing.T, s *host.Server) [][]byte {
	t.Helper()
	s.Feed.Close()
	var texts [][]byte
	for _, path := range []string{"/metrics", "/v1/events"} {
		req := httptest.NewRequest(http.MethodGet, "http://localhost"+path, http.NoBody)
		req.Header.Set("Last-Event-ID", "before")
		req = req.WithContext(tool.WithCaller(req.Context(), tool.Caller{ID: "root", May: []tool.Right{tool.MayAdmin}}))
		res := httptest.NewRecorder()
		s.Handler().ServeHTTP(res, req)
		if res.Code != http.StatusOK || !strings.Contains(res.Body.String(), "body") {
			t.Errorf("%s: %d %s", path, res.Code, res.Body)
		}
		for line := range strings.Lines(res.Body.String()) {
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok {
				data = quoted(line)
			}
			texts = append(texts, []byte(data))
		}
	}
	return texts
}

// printed makes one call and returns the result as --json prints it.
func printed(t *testing.T, h *host.House, call tool.Call) []byte {
	t.Helper()
	result := h.Gateway.Call(t.Context(), call)
	var out bytes.Buffer
	if err := printResult(streams{out: &out}, &result, true); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// lastLine is the line of the call; warnings of the file come before it.
func lastLine(lines []byte) []byte {
	lines = bytes.TrimSpace(lines)
	return lines[bytes.LastIndexByte(lines, '\n')+1:]
}

// leaves looks for a form of the secret, and for pieces of the secret itself,
// in what was printed and in every text of it.
func leaves(t *testing.T, name, form string, outputs ...[]byte) {
	t.Helper()
	for _, data := range outputs {
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatalf("%s: %s is not JSON: %v", name, data, err)
		}
		for _, text := range append(texts(v), string(data)) {
			if strings.Contains(text, form) {
				t.Errorf("%s: %q is in %q", name, form, text)
			}
			for i := range len(hiddenSecret) - 6 {
				if piece := hiddenSecret[i : i+6]; strings.Contains(text, piece) {
					t.Errorf("%s: %q is in %.3000q", name, piece, text)
					return
				}
			}
		}
	}
}

// texts are all texts of a JSON value, and those that its base64 stands for.
func texts(v any) []string {
	var out []string
	switch v := v.(type) {
	case string:
		out = append(out, v)
		if data, err := base64.StdEncoding.DecodeString(v); err == nil {
			out = append(out, string(data))
		}
	case []any:
		for _, e := range v {
			out = append(out, texts(e)...)
		}
	case map[string]any:
		for k, e := range v {
			out = append(append(out, k), texts(e)...)
		}
	}
	return out
}
