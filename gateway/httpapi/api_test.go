package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake fails calls of tools named like a code with that code, and answers all
// others with their arguments.
type fake struct {
	specs []*tool.Spec
	call  tool.Call // the last one
}

func (*fake) HasProfile(name string) bool { return name == "some" }

func (f *fake) Tools(_ context.Context, view tool.View) []*tool.Spec {
	if view.Profile != "" {
		return f.specs[:1]
	}
	if f.specs == nil {
		panic("no list")
	}
	if !cmp.Equal(view.Caller, fakeCaller()) {
		panic("another caller")
	}
	return f.specs
}

func (f *fake) AllTools(ctx context.Context, view tool.View) []*tool.Spec { return f.Tools(ctx, view) }

func (f *fake) Call(_ context.Context, call tool.Call) tool.Result {
	f.call = call
	code, fails := strings.CutPrefix(call.Tool, "fail-")
	if !fails {
		return tool.Result{
			CallID: "c1", Tool: call.Tool, Status: tool.StatusOK, Duration: 1500 * time.Microsecond,
			Output: tool.TextOutput("<got> " + string(call.Arguments)),
		}
	}
	if code == "panic" {
		panic("a secret")
	}
	err := tool.Errorf(tool.Code(code), "it failed").Because(errors.New("hidden"))
	err.Tool, err.RetryAfter = call.Tool, 1500*time.Millisecond
	return tool.Result{CallID: "c1", Tool: call.Tool, Status: tool.StatusError, Error: err, Output: tool.TextOutput(err.Text())}
}

func fakeCaller() tool.Caller {
	return tool.Caller{ID: "anonymous", Name: "anonymous", Kind: tool.KindHTTP, May: []tool.Right{tool.MayCall}}
}

func specs() []*tool.Spec {
	return []*tool.Spec{
		{Name: "z", Description: "a < b", Parameters: json.RawMessage(`{"type":"object","properties":{"z":{"maximum":9007199254740993},"a":{}}}`)},
		{Name: "a", Tags: []string{tool.TagReadOnly}},
	}
}

const (
	chatList      = `{"tools":[{"type":"function","function":{"name":"z","description":"a < b","parameters":{"type":"object","properties":{"z":{"maximum":9007199254740993},"a":{}}}}},{"type":"function","function":{"name":"a","parameters":{"type":"object","properties":{}}}}]}`
	anthropicList = `{"tools":[{"name":"z","description":"a < b","input_schema":{"type":"object","properties":{"z":{"maximum":9007199254740993},"a":{}}}},{"name":"a","input_schema":{"type":"object","properties":{}}}]}`
	geminiList    = `{"tools":[{"functionDeclarations":[{"name":"z","description":"a < b","parametersJsonSchema":{"type":"object","properties":{"z":{"maximum":9007199254740993},"a":{}}}},{"name":"a","parametersJsonSchema":{"type":"object","properties":{}}}]}]}`
	responsesList = `{"tools":[{"type":"function","name":"z","description":"a < b","parameters":{"type":"object","properties":{"z":{"maximum":9007199254740993},"a":{}}},"strict":false},{"type":"function","name":"a","parameters":{"type":"object","properties":{}},"strict":false}]}`
	mcpList       = `{"tools":[{"name":"z","description":"a < b","inputSchema":{"type":"object","properties":{"z":{"maximum":9007199254740993},"a":{}}}},{"name":"a","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true}}]}`
)

func failed(code string) string {
	return `{"call_id":"c1","tool":"fail-` + code + `","status":"error","content":[{"type":"text","text":"Error: it failed"}],"error":{"error_type":"` + code +
		`","tool":"fail-` + code + `","message":"it failed","retryable":false,"fatal":false,"retry_after":1.5},"duration_ms":0}`
}

func refused(kind, message, hint string) string {
	return `{"call_id":"","tool":"echo","status":"error","content":[{"type":"text","text":"Error: ` + message + `\n` + hint + `"}],"error":{"error_type":"` + kind + `","tool":"echo","message":"` +
		message + `","hint":"` + hint + `","retryable":false,"fatal":false},"duration_ms":0}`
}

func problem(kind, message, hint string) string {
	if hint != "" {
		hint = `,"hint":"` + hint + `"`
	}
	return `{"error":{"error_type":"` + kind + `","message":"` + message + `"` + hint + `}}`
}

// TestAnswers compares whole answers. A header is "Name: value".
func TestAnswers(t *testing.T) {
	tests := []struct {
		name, method, target, header, body string
		status                             int
		want                               string
		wantHeader                         string
	}{
		{"list", "GET", "/v1/tools", "", "", 200, chatList, "Cache-Control: private, no-cache"},
		{"list for OpenAI", "GET", "/v1/tools?format=openai-chat", "", "", 200, chatList, ""},
		{"list for MCP", "GET", "/v1/tools?format=mcp", "", "", 200, mcpList, ""},
		{"list for Anthropic", "GET", "/v1/tools?format=anthropic", "", "", 200, anthropicList, ""},
		{"list for Gemini", "GET", "/v1/tools?format=gemini", "", "", 200, geminiList, ""},
		{"list for responses", "GET", "/v1/tools?format=openai-responses", "", "", 200, responsesList, ""},
		{"one for Gemini", "GET", "/v1/tools/a?format=gemini", "", "", 200, `{"name":"a","parametersJsonSchema":{"type":"object","properties":{}}}`, ""},
		{"misspelt format", "GET", "/v1/tools?format=openai-chta", "", "", 400, problem("bad_request", `unknown format \"openai-chta\"`, "did you mean openai-chat?"), ""},
		{"empty format", "GET", "/v1/tools?format=", "", "", 400, problem("bad_request", `unknown format \"\"`, "known: anthropic, gemini, mcp, openai-chat, openai-responses"), ""},
		{"misspelt parameter", "GET", "/v1/tools?fromat=mcp", "", "", 400, problem("bad_request", `unknown query parameter \"fromat\"`, "did you mean format?"), ""},
		{"unknown parameter", "GET", "/v1/tools?x=1", "", "", 400, problem("bad_request", `unknown query parameter \"x\"`, "known: format, tags, exclude_tags, namespace, deferred, chat, profile"), ""},
		{"parameter twice", "GET", "/v1/tools?format=mcp&format=mcp", "", "", 400, problem("bad_request", `query parameter \"format\" is given more than once`, ""), ""},
		{"broken query", "GET", "/v1/tools?%zz", "", "", 400, problem("bad_request", "the query string is malformed", ""), ""},

		{"call", "POST", "/v1/tools/echo/call", "Content-Type: application/json; charset=utf-8", `{"n":9007199254740993}`, 200, `{"call_id":"c1","tool":"echo","status":"ok","content":[{"type":"text","text":"<got> {\"n\":9007199254740993}"}],"duration_ms":1.5}`, ""},
		{"call without a body", "POST", "/v1/tools/echo/call", "", "", 200, `{"call_id":"c1","tool":"echo","status":"ok","content":[{"type":"text","text":"<got> "}],"duration_ms":1.5}`, ""},
		{"call of an odd name", "POST", "/v1/tools/a%2Fb/call", "", "{", 200, `{"call_id":"c1","tool":"a/b","status":"ok","content":[{"type":"text","text":"<got> {"}],"duration_ms":1.5}`, ""},
		{"other type", "POST", "/v1/tools/echo/call", "Content-Type: text/plain", "{}", 415, refused("unsupported_media_type", `the content type \"text/plain\" is not supported`, "Send the arguments as application/json."), ""},
		{"broken type", "POST", "/v1/tools/echo/call", "Content-Type: ;", "{}", 415, refused("unsupported_media_type", `the content type \";\" is not supported`, "Send the arguments as application/json."), ""},
		{"too long", "POST", "/v1/tools/echo/call", "", strings.Repeat(" ", 4<<20+1), 413, refused("bad_request", "the request body is longer than 4194304 bytes", "Send smaller arguments."), ""},
		{"as long as may be", "POST", "/v1/tools/fail-denied/call", "", strings.Repeat(" ", 4<<20), 403, failed("denied"), ""},
		{"call with a parameter", "POST", "/v1/tools/echo/call?wait=0", "", "{}", 400, refused("bad_request", `unknown query parameter \"wait\"`, "known: chat, profile"), ""},

		{"call through no profile", "POST", "/v1/tools/echo/call?profile=x", "", "{}", 404, refused("no_such_profile", `there is no profile \"x\"`, "Name an entry of profiles, or leave the parameter out to have all tools."), ""},
		{"call in an odd chat", "POST", "/v1/tools/echo/call?chat=a%20b", "", "{}", 400, refused("bad_request", `\"a b\" cannot name a chat`, "A chat is named by 1 to 128 printable ASCII characters without spaces."), ""},

		{"not_found", "POST", "/v1/tools/fail-not_found/call", "", "", 404, failed("not_found"), ""},
		{"invalid_args", "POST", "/v1/tools/fail-invalid_args/call", "", "", 422, failed("invalid_args"), ""},
		{"denied", "POST", "/v1/tools/fail-denied/call", "", "", 403, failed("denied"), ""},
		{"needs_approval", "POST", "/v1/tools/fail-needs_approval/call", "", "", 403, failed("needs_approval"), ""},
		{"overloaded", "POST", "/v1/tools/fail-overloaded/call", "", "", 503, failed("overloaded"), "Retry-After: 2"},
		{"boundary", "POST", "/v1/tools/fail-boundary/call", "", "", 403, failed("boundary"), ""},
		{"timeout", "POST", "/v1/tools/fail-timeout/call", "", "", 504, failed("timeout"), ""},
		{"upstream_error", "POST", "/v1/tools/fail-upstream_error/call", "", "", 502, failed("upstream_error"), ""},
		{"upstream_unavailable", "POST", "/v1/tools/fail-upstream_unavailable/call", "", "", 503, failed("upstream_unavailable"), "Retry-After: 2"},
		{"blocked_target", "POST", "/v1/tools/fail-blocked_target/call", "", "", 403, failed("blocked_target"), ""},
		{"too_large", "POST", "/v1/tools/fail-too_large/call", "", "", 502, failed("too_large"), ""},
		{"cancelled", "POST", "/v1/tools/fail-cancelled/call", "", "", 499, failed("cancelled"), ""},
		{"interrupted", "POST", "/v1/tools/fail-interrupted/call", "", "", 503, failed("interrupted"), ""},
		{"internal", "POST", "/v1/tools/fail-internal/call", "", "", 500, failed("internal"), ""},
		{"a code to come", "POST", "/v1/tools/fail-new/call", "", "", 500, failed("new"), ""},

		{"health", "GET", "/healthz", "", "", 200, `{"status":"ok"}`, ""},
		{"health, asked by a prober", "GET", "/healthz?t=1", "", "", 200, `{"status":"ok"}`, ""},
		{"readiness", "GET", "/readyz", "", "", 200, `{"status":"ready","checks":[]}`, ""},

		{"no route", "GET", "/", "", "", 404, problem("no_such_route", "nothing is served at this path", ""), ""},
		{"no such version", "GET", "/v2/tools", "", "", 404, problem("no_such_route", "nothing is served at this path", ""), ""},
		{"unclean path", "GET", "/v1//tools", "", "", 404, problem("no_such_route", "nothing is served at this path", ""), ""},
		{"path upwards", "GET", "/v1/x/../tools", "", "", 404, problem("no_such_route", "nothing is served at this path", ""), ""},
		{"call by GET", "GET", "/v1/tools/echo/call", "", "", 405, problem("method_not_allowed", "this path takes POST only", ""), "Allow: POST"},
		{"no steps", "POST", "/v1/calls", "", "[]", 404, problem("no_such_route", "nothing is served at this path", ""), ""},
		{"no handles", "GET", "/v1/calls/c1", "", "", 404, problem("no_such_route", "nothing is served at this path", ""), ""},
		{"list by POST", "POST", "/v1/tools", "", "", 405, problem("method_not_allowed", "this path takes GET, HEAD only", ""), "Allow: GET, HEAD"},
	}
	handler := httpapi.New(&fake{specs: specs()}, httpapi.Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := send(handler, tt.method, tt.target, tt.header, tt.body)
			if res.Code != tt.status {
				t.Errorf("status %d, want %d", res.Code, tt.status)
			}
			if diff := cmp.Diff(tt.want+"\n", res.Body.String()); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
			if kind := res.Header().Get("Content-Type"); kind != "application/json" {
				t.Errorf("content type %q", kind)
			}
			if name, value, _ := strings.Cut(tt.wantHeader, ": "); name != "" && res.Header().Get(name) != value {
				t.Errorf("%s is %q, want %q", name, res.Header().Get(name), value)
			}
		})
	}
}

func send(handler http.Handler, method, target, header, body string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, target, strings.NewReader(body))
	if name, value, ok := strings.Cut(header, ": "); ok {
		req.Header.Set(name, value)
	}
	res := httptest.NewRecorder()
	handler.ServeHTTP(res, req)
	return res
}

// TestCallReachesGateway holds what the gateway is given of a request.
func TestCallReachesGateway(t *testing.T) {
	gw := &fake{}
	send(httpapi.New(gw, httpapi.Options{}), http.MethodPost, "/v1/tools/echo/call", "", `{"a": 1.10}`)
	want := tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"a": 1.10}`), Caller: fakeCaller(), Via: tool.ViaDirect}
	if diff := cmp.Diff(want, gw.call); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestETag(t *testing.T) {
	gw := &fake{specs: specs()}
	handler := httpapi.New(gw, httpapi.Options{})
	tag := send(handler, http.MethodGet, "/v1/tools", "", "").Header().Get("ETag")
	tests := []struct {
		header string
		status int
	}{
		{tag, 304},
		{"W/" + tag, 304},
		{`"other", ` + tag, 304},
		{"*", 304},
		{`"other"`, 200},
		{"", 200},
		{strings.Trim(tag, `"`), 200},
	}
	for _, tt := range tests {
		res := send(handler, http.MethodGet, "/v1/tools", "If-None-Match: "+tt.header, "")
		if res.Code != tt.status || res.Header().Get("ETag") != tag || (res.Code == 304) != (res.Body.Len() == 0) {
			t.Errorf("If-None-Match %s: %d with %d bytes and ETag %s, want %d", tt.header, res.Code, res.Body.Len(), res.Header().Get("ETag"), tt.status)
		}
	}
	if other := send(handler, http.MethodGet, "/v1/tools?format=mcp", "", "").Header().Get("ETag"); other == tag {
		t.Error("two formats have one ETag")
	}
	gw.specs = gw.specs[:1]
	if res := send(handler, http.MethodGet, "/v1/tools", "If-None-Match: "+tag, ""); res.Code != 200 {
		t.Errorf("%d after the list changed, want 200", res.Code)
	}
}

func TestNotReady(t *testing.T) {
	missing := errors.New("secret crm has no value")
	handler := httpapi.New(&fake{}, httpapi.Options{Checks: []httpapi.Check{
		{Name: "running", Test: func() error { return nil }},
		{Name: "secrets", Test: func() error { return missing }},
		{Name: "config_file", Test: func() error { return errors.New("the file has a mistake") }, Note: true},
	}})
	res := send(handler, http.MethodGet, "/readyz", "", "")
	if want := `{"status":"not ready","checks":[{"name":"running","status":"ok"},{"name":"secrets","status":"missing","problem":"secret crm has no value"},{"name":"config_file","status":"note","problem":"the file has a mistake"}]}` + "\n"; res.Code != 503 || res.Body.String() != want {
		t.Errorf("%d %s, want 503 %s", res.Code, res.Body, want)
	}
	if res := send(handler, http.MethodGet, "/healthz", "", ""); res.Code != 200 {
		t.Errorf("healthz: %d while not ready, want 200", res.Code)
	}
	missing = nil
	if res := send(handler, http.MethodGet, "/readyz", "", ""); res.Code != 200 {
		t.Errorf("readyz: %d when ready, want 200", res.Code)
	}
}

// TestPanics holds that a fault of the gateway is an answer that tells nothing
// of it.
func TestPanics(t *testing.T) {
	handler := httpapi.New(&fake{}, httpapi.Options{})
	for _, target := range []string{"GET /v1/tools", "POST /v1/tools/fail-panic/call"} {
		method, path, _ := strings.Cut(target, " ")
		res := send(handler, method, path, "", "")
		if body := res.Body.String(); res.Code != 500 || !strings.Contains(body, `"error_type":"internal"`) || strings.Contains(body, "secret") {
			t.Errorf("%s: %d %s", target, res.Code, body)
		}
	}
}

// TestHangUp holds that a client that hangs up ends its call.
func TestHangUp(t *testing.T) {
	started, ended := make(chan struct{}), make(chan struct{})
	web := httptest.NewServer(httpapi.New(&hanging{started: started, ended: ended}, httpapi.Options{}))
	defer web.Close()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, web.URL+"/v1/tools/x/call", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-started
		cancel()
	}()
	if res, err := web.Client().Do(req); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v, want that the client cancelled", res, err)
	}
	<-ended
}

type hanging struct{ started, ended chan struct{} }

func (h *hanging) HasProfile(string) bool { return false }

func (h *hanging) Tools(context.Context, tool.View) []*tool.Spec { return nil }

func (h *hanging) AllTools(context.Context, tool.View) []*tool.Spec { return nil }

func (h *hanging) Call(ctx context.Context, _ tool.Call) tool.Result {
	close(h.started)
	<-ctx.Done()
	close(h.ended)
	return tool.Result{}
}
