package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/tool"
)

// mirror is a gateway whose answers say what it was asked, in every form that an
// answer may have.
type mirror struct{}

func (mirror) Call(_ context.Context, call tool.Call) tool.Result {
	said, _ := tool.EncodeJSON([]string{call.Tool, string(call.Arguments), call.Profile, call.Caller.ID, string(call.Caller.Kind), string(call.Via)})
	res := tool.Result{Tool: call.Tool, Status: tool.StatusOK, Output: tool.TextOutput(string(said))}
	switch call.Tool {
	case "object":
		res.Output.Structured = json.RawMessage("{\"a\": 9007199254740993,\n \"b\":\"<\u2028\"}")
	case "list":
		res.Output.Structured = json.RawMessage(`[1]`)
	case "empty":
		res.Output = tool.Output{}
	case "noop":
		res.Status, res.Output.Noop = tool.StatusNoop, true
	case "odd":
		res.Output = tool.TextOutput("\x00\x1f\"\\\n\t<&>\u2028\u2029\u007f\xff\xed\xa0\x80é😀")
	case "mixed":
		res.Output.Content = append(res.Output.Content,
			tool.Content{Type: tool.ContentImage, Data: []byte{1, 2}, MIMEType: "image/png"},
			tool.Content{Type: tool.ContentAudio, Data: []byte{3}, MIMEType: "audio/wav"},
			tool.Content{Type: tool.ContentResource, URI: "x://1", MIMEType: "text/plain", Text: "t"},
			tool.Content{Type: tool.ContentResource, URI: "x://2", Data: []byte{4}},
			tool.Content{Type: tool.ContentResourceLink, URI: "x://3", Name: "n", Title: "T", Description: "d", MIMEType: "a/b"},
		)
		res.Output.Structured = json.RawMessage(`{}`)
	case "discover_tools":
		res.Output.Search = &tool.Search{Spared: 12_345}
	case "call_tool", "call_read_tool":
		res.Tool = "inner"
		res.Error = tool.Errorf(tool.NotFound, "no tool is named %q", res.Tool)
		res.Error.Tool, res.Status, res.Output = res.Tool, tool.StatusError, tool.TextOutput(res.Error.Text())
	case "none", "denied", "bad":
		res.Error = map[string]*tool.Error{
			"none":   tool.Errorf(tool.NotFound, "no tool is named %q", call.Tool).WithHint("<Look>."),
			"denied": tool.Errorf(tool.Denied, "no"),
			"bad":    {Code: tool.InvalidArgs, Message: "x", InputSchema: json.RawMessage(`{"type": "object"}`), Retryable: true},
		}[call.Tool]
		res.Error.Tool, res.Status, res.Output = call.Tool, tool.StatusError, tool.TextOutput(res.Error.Text())
	case "panic":
		panic("a fault")
	}
	return res
}

func (mirror) Tools(_ context.Context, view tool.View) []*tool.Spec {
	return []*tool.Spec{
		{Name: "z", Title: "<Z>", Description: "d\n", Tags: []string{tool.TagReadOnly}, Parameters: json.RawMessage("{\"type\":\"object\",\n\"properties\":{\"z\":{},\"a\":{}}}")},
		{Name: "a" + view.Profile, Description: view.Caller.ID},
	}
}

func (mirror) AsksClient(_ context.Context, name string) bool { return name == "asks" }

func (mirror) HasProfile(name string) bool { return name == "some" }

// ways are the short way with the SDK behind it, and the SDK alone, over the same
// sessions.
type ways struct {
	short, long *door
	session     string
}

func newWays(t testing.TB) *ways {
	s := New(mirror{}, Options{Version: "1.2.3"})
	t.Cleanup(func() { _ = s.Close() })
	short := s.door(true)
	long := *short
	long.short = false
	id := open(short).Header().Get(headerSession)
	send(short, http.MethodPost, initialized, headerSession, id)
	return &ways{short: short, long: &long, session: id}
}

// headers of a request in a session, and of one of the new era.
func (w *ways) legacy(more ...string) []string {
	return append([]string{headerSession, w.session}, more...)
}

func modern(method, name string, more ...string) []string {
	h := []string{headerVersion, statelessVersion, headerMethod, method}
	if name != "" {
		h = append(h, headerName, name)
	}
	return append(h, more...)
}

// wasShort reports whether the answer came the short way: the SDK never says how
// long one is.
func wasShort(res *httptest.ResponseRecorder) bool { return res.Header().Get("Content-Length") != "" }

// said is what an answer says, whatever its frame and its escapes.
func said(t testing.TB, res *httptest.ResponseRecorder) any {
	t.Helper()
	body := res.Body.Bytes()
	if _, data, ok := bytes.Cut(body, []byte("data: ")); ok {
		body, _, _ = bytes.Cut(data, []byte("\n"))
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v: %d %q", err, res.Code, res.Body)
	}
	return v
}

const described = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"x","version":"0"}}`

// TestWaysAgree sends the same requests both ways. What the short way takes must
// be answered with the SDK's status and words.
func TestWaysAgree(t *testing.T) {
	w := newWays(t)
	callOf := func(id, params string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{` + params + `}}`
	}
	listOf := func(params string) string { return `{"jsonrpc":"2.0","id":7,"method":"tools/list"` + params + `}` }
	meta := func(members string) string {
		return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` + members + `}`
	}
	caps := func(caps string) string { return meta(`"io.modelcontextprotocol/clientCapabilities":` + caps) }
	type request struct {
		name, body string
		headers    []string
		short      bool
	}
	var tests []request
	for _, name := range []string{"text", "object", "list", "empty", "noop", "odd", "mixed", "none", "denied", "bad", "panic", "ü", "discover_tools"} {
		tests = append(tests,
			request{"legacy " + name, callOf("3", `"name":"`+name+`","arguments":{"a":1.10,"a":2}`), w.legacy(), true},
			request{"modern " + name, callOf(`"x"`, `"name":"`+name+`","arguments":{},`+described), modern("tools/call", name), true},
		)
	}
	tests = append(tests, []request{
		{"legacy list", listOf(""), w.legacy(headerVersion, "2025-11-25"), true},
		{"legacy list, empty params", listOf(`,"params":{}`), w.legacy(headerVersion, "2024-11-05"), true},
		{"legacy list, bad cursor", listOf(`,"params":{"cursor":"?"}`), w.legacy(), true},
		{"legacy list, a cursor", listOf(`,"params":{"cursor":"eg"}`), w.legacy(), true},
		{"legacy list, null params", listOf(`,"params":null`), w.legacy(), false},
		{"legacy list, params of a call", listOf(`,"params":{"name":"x"}`), w.legacy(), false},
		{"legacy ping", ping, w.legacy(), true},
		{"legacy, no arguments", callOf("-5", `"name":"text"`), w.legacy(), true},
		{"legacy, null arguments", callOf("5", `"name":"text","arguments":null`), w.legacy(), false},
		{"legacy, arguments in a list", callOf("5", `"name":"text","arguments":[]`), w.legacy(), false},
		{"legacy, no name", callOf("5", `"arguments":{}`), w.legacy(), false},
		{"legacy, empty name", callOf("5", `"name":""`), w.legacy(), true},
		{"legacy, escaped name", callOf("5", `"name":"te\u0078t"`), w.legacy(), false},
		{"legacy, number as name", callOf("5", `"name":5`), w.legacy(), false},
		{"legacy, name twice", callOf("5", `"name":"text","name":"list"`), w.legacy(), false},
		{"legacy, task", callOf("5", `"name":"text","task":{}`), w.legacy(), false},
		{"legacy, blanks", " \r\n" + strings.ReplaceAll(callOf("5", `"name" : "text" , "arguments" : { "a" : [ ] }`), ":{", " : { ") + "\n ", w.legacy(), true},
		{"legacy, long identifier", callOf("9007199254740993", `"name":"text"`), w.legacy(), false},
		{"legacy, broken identifier", callOf("1.5", `"name":"text"`), w.legacy(), false},
		{"legacy, minus zero", callOf("-0", `"name":"text"`), w.legacy(), false},
		{"legacy, escaped identifier", callOf(`"\u0041"`, `"name":"text"`), w.legacy(), false},
		{"legacy, empty identifier", callOf(`""`, `"name":"text"`), w.legacy(), true},
		{"legacy, not UTF-8", callOf("5", "\"name\":\"text\",\"arguments\":{\"a\":\"\xff\"}"), w.legacy(), false},
		{"legacy, deep", callOf("5", `"name":"text","arguments":{"a":`+strings.Repeat("[", 999)+strings.Repeat("]", 999)+`}`), w.legacy(), false},
		{"legacy, own _meta", callOf("5", `"name":"text","_meta":{"progressToken":"t","claudecode/toolUseId":"x"}`), w.legacy(), true},
		{"legacy, object in _meta", callOf("5", `"name":"text","_meta":{"x":{}}`), w.legacy(), false},
		{"legacy, huge number in _meta", callOf("5", `"name":"text","_meta":{"x":1e999}`), w.legacy(), false},
		{"legacy, of the new era", callOf("5", `"name":"text",`+described), w.legacy(), false},
		{"legacy, kind with charset", callOf("5", `"name":"text"`), w.legacy("Content-Type", "application/json; charset=utf-8"), false},
		{"legacy, accepts anything", callOf("5", `"name":"text"`), w.legacy("Accept", "*/*"), false},
		{"legacy, accepts with weights", callOf("5", `"name":"text"`), w.legacy("Accept", "text/event-stream,application/json"), true},
		{"legacy, unknown method", `{"jsonrpc":"2.0","id":5,"method":"tools/x"}`, w.legacy(), false},
		{"legacy, old JSON-RPC", `{"jsonrpc":"1.0","id":5,"method":"ping"}`, w.legacy(), false},
		{"legacy, more members", `{"jsonrpc":"2.0","id":5,"method":"ping","x":1}`, w.legacy(), false},
		{"legacy, method twice", `{"jsonrpc":"2.0","id":5,"method":"ping","method":"ping"}`, w.legacy(), false},
		{"modern list", listOf(`,"params":{` + described + `}`), modern("tools/list", ""), true},
		{"modern list, bad cursor", listOf(`,"params":{"cursor":"?",` + described + `}`), modern("tools/list", ""), true},
		{"modern list, no params", listOf(""), modern("tools/list", ""), false},
		{"modern ping", `{"jsonrpc":"2.0","id":5,"method":"ping","params":{` + described + `}}`, modern("ping", ""), false},
		{"modern, another name", callOf("5", `"name":"text",`+described), modern("tools/call", "list"), false},
		{"modern, another method", callOf("5", `"name":"text",`+described), modern("tools/list", "text"), false},
		{"modern, name missing", callOf("5", `"name":"text",`+described), modern("tools/call", ""), false},
		{"modern, of another version", callOf("5", `"name":"text",`+strings.Replace(described, "2026-07-28", "2099-01-01", 1)), modern("tools/call", "text"), false},
		{"modern, not described", callOf("5", `"name":"text",`+meta(`"x":1`)), modern("tools/call", "text"), false},
		{"modern, all capabilities", callOf("5", `"name":"text",`+caps(`{"roots":{"listChanged":true},"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}},"extensions":{"io.x/y":{}},"experimental":{"a":{}}}`)), modern("tools/call", "text"), true},
		{"modern, roots as a list", callOf("5", `"name":"text",`+caps(`{"roots":[]}`)), modern("tools/call", "text"), false},
		{"modern, capabilities as a text", callOf("5", `"name":"text",`+caps(`"x"`)), modern("tools/call", "text"), false},
		{"modern, icons", callOf("5", `"name":"text",`+meta(`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"x","version":"0","icons":[]}`)), modern("tools/call", "text"), false},
		{"modern, a number as name of the client", callOf("5", `"name":"text",`+meta(`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":1}`)), modern("tools/call", "text"), false},
		{"modern, level and trace", callOf("5", `"name":"text",`+caps(`{},"io.modelcontextprotocol/logLevel":"debug","traceparent":"00-1"`)), modern("tools/call", "text"), true},
		{"modern, input for a request", callOf("5", `"name":"text","requestState":"x",`+described), modern("tools/call", "text"), false},
		{"legacy, the user may be asked", callOf("5", `"name":"asks"`), w.legacy(), false},
		{"modern, the user may be asked", callOf("5", `"name":"asks",`+described), modern("tools/call", "asks"), false},
		{"legacy, of another tool", callOf("5", `"name":"call_tool","arguments":{"arguments":{},"name":"x"}`), w.legacy(), true},
		{"modern, of another tool", callOf("5", `"name":"call_read_tool","arguments":{"name":"x"},`+described), modern("tools/call", "call_read_tool"), true},
		{"legacy, of another tool that the user may be asked about", callOf("5", `"name":"call_tool","arguments":{"name":"asks"}`), w.legacy(), false},
		{"modern, of another tool that the user may be asked about", callOf("5", `"name":"call_read_tool","arguments":{"name":"a\u0073ks"},`+described), modern("tools/call", "call_read_tool"), false},
		{"legacy, of another tool that asks the user", callOf("5", `"name":"call_tool","arguments":{"name":"request_tool_activation"}`), w.legacy(), false},
		{"legacy, of another tool, oddly", callOf("5", `"name":"call_tool","arguments":{"arguments":{"name":"asks"}}`), w.legacy(), false},
		{"legacy, of another tool, no name", callOf("5", `"name":"call_tool"`), w.legacy(), false},
		{"modern, arguments missing", callOf("5", `"name":"text",`+described), modern("tools/call", "text"), true},
	}...)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := send(w.short, http.MethodPost, tt.body, tt.headers...)
			if wasShort(got) != tt.short {
				t.Errorf("answered the short way: %v, want %v: %d %s", wasShort(got), tt.short, got.Code, got.Body)
			}
			w.agree(t, got, tt.body, tt.headers)
		})
	}
}

// agree holds an answer against the SDK's.
func (w *ways) agree(t *testing.T, got *httptest.ResponseRecorder, body string, headers []string) {
	t.Helper()
	want := send(w.long, http.MethodPost, body, headers...)
	if got.Code != want.Code {
		t.Errorf("status %d, want %d: %s\nthe SDK: %s", got.Code, want.Code, got.Body, want.Body)
	}
	if !wasShort(got) {
		return // it is the SDK's
	}
	if diff := cmp.Diff(said(t, want), said(t, got)); diff != "" {
		t.Errorf("(-SDK +short)\n%s", diff)
	}
}

// TestWaysAgreeOnHTTP are requests that are odd on the level of HTTP, all of them
// left to the SDK.
func TestWaysAgreeOnHTTP(t *testing.T) {
	w := newWays(t)
	tests := map[string]func(*http.Request){
		"chunked":              func(r *http.Request) { r.ContentLength = -1 },
		"length too long":      func(r *http.Request) { r.ContentLength = 5 << 20 },
		"body cut short":       func(r *http.Request) { r.ContentLength = 5000 },
		"no body":              func(r *http.Request) { r.Body, r.ContentLength = http.NoBody, 0 },
		"PUT":                  func(r *http.Request) { r.Method = http.MethodPut },
		"resumption":           func(r *http.Request) { r.Header.Set("Last-Event-ID", "1") },
		"accept twice":         func(r *http.Request) { r.Header["Accept"] = []string{"application/json", "text/event-stream"} },
		"accepts JSON only":    func(r *http.Request) { r.Header.Set("Accept", "application/json") },
		"plain text":           func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") },
		"version that was not": func(r *http.Request) { r.Header.Set(headerVersion, "2020-01-01") },
		"another host":         func(r *http.Request) { r.Host = "evil.example" },
	}
	body := `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"text"}}`
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			var answers [2]*httptest.ResponseRecorder
			for i, d := range []*door{w.short, w.long} {
				req := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Accept", "application/json, text/event-stream")
				req.Header.Set(headerSession, w.session)
				change(req)
				answers[i] = httptest.NewRecorder()
				d.ServeHTTP(answers[i], req)
			}
			if answers[0].Code != answers[1].Code || (!wasShort(answers[0]) && answers[0].Body.String() != answers[1].Body.String()) {
				t.Errorf("%d %s, and the SDK %d %s", answers[0].Code, answers[0].Body, answers[1].Code, answers[1].Body)
			}
		})
	}
}

// FuzzWays holds, for any body, that what the short way takes is answered as the
// SDK would answer it.
func FuzzWays(f *testing.F) {
	w := newWays(f)
	for _, seed := range []string{
		ping, list, callX,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"object","arguments":{"x":[1,{"y":null}]},` + described + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"eg",` + described + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"none","_meta":{"progressToken":1,"a":"b"}}}`,
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, body string, stateless bool) {
		headers := w.legacy()
		if stateless {
			method, name := named(body)
			headers = modern(method, name)
		}
		got := send(w.short, http.MethodPost, body, headers...)
		if !wasShort(got) {
			return
		}
		w.agree(t, got, body, headers)
	})
}

// named are the headers that fit a body.
func named(body string) (method, name string) {
	var m struct {
		Method string
		Params struct{ Name string }
	}
	_ = json.Unmarshal([]byte(body), &m) // of no interest where it is no message
	return m.Method, m.Params.Name
}
