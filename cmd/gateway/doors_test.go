package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/gateway/runlog"
)

var update = flag.Bool("update", false, "write the golden files anew")

// doorCase is one call that is made at every door.
type doorCase struct {
	Name string          `json:"name"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
	Code string          `json:"code"` // "" for a call that goes well
}

// answer is what a door gave: the text for the model, and the error object for
// programs where there is one.
type answer struct {
	text  string
	error json.RawMessage
}

// door makes a call at one door.
type door func(t *testing.T, c doorCase) answer

// TestDoors makes the same calls at every door: what the model reads is in
// golden files, the same everywhere, and every call is in the log.
func TestDoors(t *testing.T) {
	t.Parallel()
	config, cases := doorFiles(t)
	doors := map[string]func(*testing.T, string) door{
		"mcp-2025-11-25": legacyDoor, "mcp-2026-07-28": modernDoor,
		"stdio": stdioDoor, "http": httpDoor, "cli": cliDoor,
	}
	for name, open := range doors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "tools.yaml")
			if err := os.WriteFile(path, config, 0o600); err != nil {
				t.Fatal(err)
			}
			call := open(t, path)
			for _, c := range cases {
				checkGolden(t, name, c, call(t, c))
			}
			checkLog(t, path, cases)
		})
	}
}

func doorFiles(t *testing.T) ([]byte, []doorCase) {
	t.Helper()
	config, err := os.ReadFile("testdata/doors/tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("testdata/doors/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []doorCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	return config, cases
}

// approvalID is what differs from run to run.
var approvalID = regexp.MustCompile(`apr_[0-9a-v]{26}`)

// checkGolden compares with the golden file, which the HTTP door writes.
func checkGolden(t *testing.T, door string, c doorCase, got answer) {
	t.Helper()
	path := filepath.Join("testdata/doors", c.Name+".golden")
	text := got.text + "\n"
	if got.error != nil {
		var b bytes.Buffer
		if err := json.Indent(&b, got.error, "", "  "); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		text += "--\n" + b.String() + "\n"
	}
	text = approvalID.ReplaceAllString(text, "apr_ID")
	if *update && door == "http" {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), text); d != "" {
		t.Errorf("%s at %s:\n%s", c.Name, door, d)
	}
}

// checkLog finds each call in the journal with the code it ended with.
func checkLog(t *testing.T, path string, cases []doorCase) {
	t.Helper()
	entries, stats, err := runlog.Read(filepath.Join(filepath.Dir(path), "gateway.db.journal"), runlog.Query{})
	if err != nil || stats.Broken > 0 {
		t.Fatalf("%+v, %v", stats, err)
	}
	if len(entries) != len(cases) {
		t.Fatalf("%d calls in the log, want %d", len(entries), len(cases))
	}
	for i, c := range cases {
		if e := entries[i]; e.Tool != c.Tool || string(e.Code) != c.Code {
			t.Errorf("record %d is of %s with code %q, want %s with %q", i, e.Tool, e.Code, c.Tool, c.Code)
		}
	}
}

// serveFile serves both HTTP doors as gateway serve does.
func serveFile(t *testing.T, path string) string {
	t.Helper()
	h, err := open(config.Options{Files: []string{path}}, discardLogger())
	if err != nil {
		t.Fatal(err)
	}
	s := host.NewServer(h, host.ServerOptions{})
	web := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		web.Close()
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return web.URL
}

func httpDoor(t *testing.T, path string) door {
	t.Helper()
	url := serveFile(t, path)
	return func(t *testing.T, c doorCase) answer {
		t.Helper()
		body := post(t, url+"/v1/tools/"+c.Tool+"/call", nil, c.Args)
		var r struct {
			Content []struct{ Text string }
			Error   json.RawMessage
		}
		if err := json.Unmarshal(body, &r); err != nil || len(r.Content) != 1 {
			t.Fatalf("%s: %s, %v", c.Name, body, err)
		}
		return answer{r.Content[0].Text, r.Error}
	}
}

func cliDoor(t *testing.T, path string) door {
	t.Helper()
	return func(t *testing.T, c doorCase) answer {
		t.Helper()
		var out, talk, object bytes.Buffer
		args := []string{"gateway", "tools", "call", "--config", path, "--args", string(c.Args), c.Tool}
		err := run(t.Context(), args, streams{http.NoBody, &out, &talk})
		if failed := c.Code != ""; failed != (err != nil) {
			t.Errorf("%s: error %v", c.Name, err)
		}
		// The error object is what --json shows; that call goes to another log.
		other := filepath.Join(t.TempDir(), "tools.yaml")
		copyFile(t, path, other)
		args = []string{"gateway", "tools", "call", "--config", other, "--json", "--args", string(c.Args), c.Tool}
		_ = run(t.Context(), args, streams{http.NoBody, &object, io.Discard})
		var r struct{ Error json.RawMessage }
		if err := json.Unmarshal(object.Bytes(), &r); err != nil {
			t.Fatalf("%s: %s, %v", c.Name, object.Bytes(), err)
		}
		said := talk.String()
		if _, after, ok := strings.Cut(said, "\n"); ok && strings.HasPrefix(said, "waiting for a person to approve ") {
			said = after // that is for the person, before the answer
		}
		text, _, _ := strings.Cut(out.String()+said, "\n"+causeLabel)
		return answer{strings.TrimSuffix(text, "\n"), r.Error}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// post sends JSON and returns the body, whatever the status; of an event
// stream the data of its last message.
func post(t *testing.T, url string, header http.Header, body []byte) []byte {
	t.Helper()
	data, _ := postHeader(t, url, header, body)
	return data
}

func postHeader(t *testing.T, url string, header http.Header, body []byte) ([]byte, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		data = lastEvent(data)
	}
	return data, resp.Header
}

func lastEvent(stream []byte) []byte {
	var last []byte
	for line := range bytes.Lines(stream) {
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok && len(bytes.TrimSpace(data)) > 0 {
			last = bytes.TrimSpace(data)
		}
	}
	return last
}

// legacyDoor speaks the session-based revisions of the protocol.
func legacyDoor(t *testing.T, path string) door {
	t.Helper()
	url := serveFile(t, path) + "/mcp"
	_, header := postHeader(t, url, nil, []byte(initialize))
	session := http.Header{
		"Mcp-Session-Id":       {header.Get("Mcp-Session-Id")},
		"Mcp-Protocol-Version": {"2025-11-25"},
	}
	post(t, url, session, []byte(initialized))
	return func(t *testing.T, c doorCase) answer {
		t.Helper()
		return rpcAnswer(t, c, post(t, url, session, rpcCall(t, c, nil)))
	}
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// modernDoor speaks the stateless revision of the protocol.
func modernDoor(t *testing.T, path string) door {
	t.Helper()
	url := serveFile(t, path) + "/mcp"
	return func(t *testing.T, c doorCase) answer {
		t.Helper()
		header := http.Header{
			"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {c.Tool},
		}
		meta := map[string]any{
			"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "test", "version": "1"},
		}
		return rpcAnswer(t, c, post(t, url, header, rpcCall(t, c, meta)))
	}
}

// stdioDoor starts the program's stdio server on pipes.
func stdioDoor(t *testing.T, path string) door {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	inReader, in := io.Pipe()
	out, outWriter := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"gateway", "serve", "--stdio", "--config", path}, streams{inReader, outWriter, io.Discard})
		_ = outWriter.Close()
		done <- err
	}()
	t.Cleanup(func() {
		_ = in.Close()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve --stdio: %v", err)
		}
	})
	messages := json.NewDecoder(out)
	exchange := func(t *testing.T, request []byte) []byte {
		t.Helper()
		if _, err := in.Write(append(request, '\n')); err != nil {
			t.Fatal(err)
		}
		for {
			var m json.RawMessage
			var of struct{ ID json.RawMessage }
			if err := errors.Join(messages.Decode(&m), json.Unmarshal(m, &of)); err != nil {
				t.Fatal(err)
			}
			if of.ID != nil { // else it tells of something
				return m
			}
		}
	}
	exchange(t, []byte(initialize))
	if _, err := in.Write([]byte(initialized + "\n")); err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T, c doorCase) answer {
		t.Helper()
		return rpcAnswer(t, c, exchange(t, rpcCall(t, c, nil)))
	}
}

func rpcCall(t *testing.T, c doorCase, meta map[string]any) []byte {
	t.Helper()
	params := map[string]any{"name": c.Tool, "arguments": c.Args}
	if meta != nil {
		params["_meta"] = meta
	}
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// rpcAnswer takes the text and the error object out of an MCP answer, be it a
// result or a protocol error.
func rpcAnswer(t *testing.T, c doorCase, data []byte) answer {
	t.Helper()
	var m struct {
		Result *struct {
			Content []struct{ Text string }
			IsError bool
			Meta    map[string]json.RawMessage `json:"_meta"`
		}
		Error *struct {
			Code    int
			Message string
			Data    json.RawMessage
		}
	}
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatalf("%s: %s, %v", c.Name, data, err)
	}
	switch {
	case m.Error != nil:
		if m.Error.Code != -32602 || c.Code != "not_found" {
			t.Errorf("%s: protocol error %d", c.Name, m.Error.Code)
		}
		return answer{m.Error.Message, m.Error.Data}
	case m.Result != nil && len(m.Result.Content) == 1:
		if m.Result.IsError != (c.Code != "") {
			t.Errorf("%s: isError is %v", c.Name, m.Result.IsError)
		}
		return answer{m.Result.Content[0].Text, m.Result.Meta["toolgate/error"]}
	}
	t.Fatalf("%s: %s", c.Name, data)
	return answer{}
}
