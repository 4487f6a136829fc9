package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/tool"
)

const describedConfig = `
version: 1
server: {origins: ["https://app.example.com"]}
tools:
  add: {description: Add., tags: [read_only], parameters: {type: object, properties: {a: {type: integer}, b: {type: integer}}, required: [a]}, expr: "{sum: args.a + (args.b ?? 0)}"}
  long: {description: A lot of lines., tags: [read_only], command: {argv: [seq, "1", "9000"]}}
  image: {description: An image., tags: [read_only], output: content, expr: '[{type: "image", data: "iVBORw0KGgo=", mimeType: "image/png"}]'}
  slow: {description: Waits., tags: [read_only], command: {argv: [sleep, "30"]}}
  change: {description: Changes., command: {argv: [date, "+%N"]}}
  broken: {description: Fails., tags: [read_only], command: {argv: ["false"]}}
  forbidden: {description: Denied for some., tags: [read_only], parameters: {type: object, properties: {x: {type: integer}}}, expr: "1"}
  hidden: {description: Denied., expr: "1"}
  far: {description: Far away., defer: true, tags: [read_only], parameters: {type: object, properties: {x: {type: integer}}}, expr: "1"}
policy:
  default: allow
  rules:
    - {name: never, tools: [hidden], action: deny}
    - {name: odd, tools: [forbidden], when: args.x > 1, action: deny, reason: Not more than one.}
    - {name: person, tools: [change], when: call.via == "batch", action: ask, wait: 0s, remember: [chat]}
`

// description reads what the API says of itself.
type description struct {
	t       *testing.T
	schemas json.RawMessage
	paths   map[string]map[string]struct {
		Responses map[string]struct {
			Content map[string]struct{ Schema json.RawMessage }
		}
	}
	seen map[string]bool // operations that were asked

	headers map[string]string // names in answers, each with a request that had it
}

func describedBy(t *testing.T, handler http.Handler) *description {
	t.Helper()
	res := httptest.NewRecorder()
	handler.ServeHTTP(res, httptest.NewRequest(http.MethodGet, "http://localhost/v1/openapi.json", http.NoBody))
	return newDescription(t, res.Body.Bytes())
}

func newDescription(t *testing.T, text []byte) *description {
	t.Helper()
	var doc struct {
		Paths      json.RawMessage
		Components struct{ Schemas json.RawMessage }
	}
	d := &description{t: t, seen: map[string]bool{}, headers: map[string]string{}}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	d.schemas = doc.Components.Schemas
	if err := json.Unmarshal(doc.Paths, &d.paths); err != nil {
		t.Fatal(err)
	}
	return d
}

// check holds a JSON object against one of the description's schemas.
func (d *description) check(what string, against json.RawMessage, body []byte) {
	d.t.Helper()
	whole, err := json.Marshal(map[string]any{"$defs": d.schemas, "type": "object", "allOf": []any{against}})
	if err != nil {
		d.t.Fatal(err)
	}
	compiled, err := schema.Compile(bytes.ReplaceAll(whole, []byte("#/components/schemas/"), []byte("#/$defs/")))
	if err != nil {
		d.t.Fatalf("%s: the schema: %v", what, err)
	}
	args, err := compiled.Normalise(body)
	if err == nil {
		err = compiled.Validate(args)
	}
	if err != nil {
		d.t.Errorf("%s: %v\n%s", what, err, body)
	}
}

// operation is the path and method of a request, as the description has them.
func (d *description) operation(method, path string) (string, string) {
	best := ""
	for known := range d.paths {
		pattern := "^" + regexp.MustCompile(`\\\{[^}]*\\\}`).ReplaceAllString(strings.Replace(regexp.QuoteMeta(known), `\{path\}`, ".+", 1), "[^/]+") + "$"
		if regexp.MustCompile(pattern).MatchString(path) && (best == "" || !strings.Contains(known, "{")) {
			best = known
		}
	}
	return best, strings.ToLower(method)
}

// answer holds an answer against what the description says of it.
func (d *description) answer(req *http.Request, res *httptest.ResponseRecorder) {
	d.t.Helper()
	path, method := d.operation(req.Method, req.URL.Path)
	what := req.Method + " " + req.URL.String()
	d.seen[method+" "+path] = true
	for name := range res.Header() {
		d.headers[name] = what
	}
	responses := d.paths[path][method].Responses
	response, ok := responses[statusKey(res.Code)]
	if !ok {
		response, ok = responses["default"]
	}
	if !ok {
		d.t.Errorf("%s: nothing is said of %d", what, res.Code)
		return
	}
	kind, _, _ := strings.Cut(res.Header().Get("Content-Type"), ";")
	body, ok := response.Content[kind]
	if !ok {
		body, ok = response.Content["*/*"]
	}
	switch {
	case res.Code == http.StatusNotModified:
	case !ok:
		d.t.Errorf("%s: %d is answered in %q, which is not described", what, res.Code, kind)
	case kind == "application/json" && len(body.Schema) > 0:
		d.check(what, body.Schema, res.Body.Bytes())
	}
}

func statusKey(code int) string {
	text, _ := json.Marshal(code)
	return string(text)
}

// TestDescription holds real answers of every path, good ones and failures,
// against what the API says of itself.
func TestDescription(t *testing.T) {
	t.Parallel()
	file := writeConfig(t, describedConfig)
	h, err := open(config.Options{Files: []string{file}}, discardLogger())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	s := host.NewServer(h, host.ServerOptions{})
	t.Cleanup(func() { _ = s.Close() })
	t.Cleanup(s.Begin(t.Context()))
	log := newTalk(io.Discard)
	t.Cleanup(func() { _ = log.Close() })
	t.Cleanup(s.KeepLoaded(t.Context(), host.Reloads{Hide: log.hide}))
	handler := s.Handler()
	d := describedBy(t, handler)
	as := func(who string, may tool.Right, method, target, header, body string) *httptest.ResponseRecorder {
		t.Helper()
		req := httptest.NewRequest(method, "http://localhost"+target, strings.NewReader(body))
		if name, value, ok := strings.Cut(header, ": "); ok {
			req.Header.Set(name, value)
		}
		req = req.WithContext(tool.WithCaller(req.Context(), tool.Caller{ID: who, Name: who, May: []tool.Right{may}}))
		res := httptest.NewRecorder()
		handler.ServeHTTP(res, req)
		d.answer(req, res)
		return res
	}
	ask := func(may tool.Right, method, target, header, body string) *httptest.ResponseRecorder {
		t.Helper()
		return as("ann", may, method, target, header, body)
	}
	get := func(target string) *httptest.ResponseRecorder {
		t.Helper()
		return ask(tool.MayCall, "GET", target, "", "")
	}
	post := func(target, body string) *httptest.ResponseRecorder {
		t.Helper()
		return ask(tool.MayCall, "POST", target, "", body)
	}
	for _, target := range []string{
		"/v1/tools", "/v1/tools?format=mcp&tags=read_only", "/v1/tools?format=odd", "/v1/tools?format=anthropic", "/v1/tools?format=gemini", "/v1/tools?format=openai-responses", "/v1/tools/add?format=gemini", "/v1/tools/add?format=openai-responses", "/v1/tools/add", "/v1/tools/add?format=mcp", "/v1/tools/hidden",
		"/v1/tools?deferred=true&format=anthropic", "/v1/tools?deferred=true&format=openai-responses", "/v1/tools?deferred=true&format=mcp", "/v1/tools?deferred=only&namespace=crm", "/v1/tools?deferred=odd", "/v1/tools/far?format=mcp",
		"/v1/tools?profile=none", "/v1/tools?profile=", "/v1/openapi.json", "/v1/openapi.json?x=1", "/healthz", "/readyz", "/metrics", "/v1/results/r_2", "/v1/results/r_2?limit=0", "/v1/calls/none", "/v1/calls/none?wait=x",
	} {
		get(target)
	}
	ask(tool.MayCall, "GET", "/v1/tools", "If-None-Match: *", "")
	for _, c := range []string{
		`add {"a":1,"b":2}`, `add {}`, `add nonsense`, `image {}`, `change {}`, `broken {}`, `forbidden {"x":2}`, `hidden {}`, `none {}`,
	} {
		name, body, _ := strings.Cut(c, " ")
		post("/v1/tools/"+name+"/call", body)
	}
	post("/v1/tools/add/call?chat=a%20b", "{}")
	post("/v1/tools/add/call?profile=none", "{}")
	ask(tool.MayCall, "POST", "/v1/tools/add/call", "Content-Type: text/plain", "{}")
	for range 2 {
		ask(tool.MayCall, "POST", "/v1/tools/change/call", "Idempotency-Key: k", "{}")
	}
	for _, body := range []string{
		`{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"add","arguments":"{\"a\":1}"}},{"id":"2","type":"function","function":{"name":"change","arguments":"{}"}}]}`,
		`[]`, `nonsense`,
	} {
		post("/v1/calls?chat=c", body)
		post("/v1/calls?chat=c&stop_on=error", body)
	}
	for _, body := range []string{
		`{"query":"far away"}`, `{"query":"far","format":"anthropic","explain":true}`, `{"query":"far away","format":"openai-responses","call_id":"c","limit":2,"chat":"found"}`,
		`{"query":"far","detail":"names","format":"gemini"}`, `{"query":"xyzzy","format":"openai-chat","profile":"none"}`, `{"query":"xyzzy","format":"mcp"}`, `{"query":7}`, `nonsense`,
	} {
		post("/v1/discover", body)
	}
	for _, may := range []tool.Right{tool.MayAdmin, tool.MayCall} {
		for _, body := range []string{
			`{"hints":[{"tool":"add","query":"put together"}]}`, `{"hints":[{"tool":"none","query":"x"}]}`, `{"hints":[{"tool":"none","query":"x"}],"force":true}`,
			`{"hints":[{"tool":"add","query":"sum","weight":7}]}`, `{"hints":1}`, `nonsense`,
		} {
			ask(may, "PUT", "/v1/hints", "", body)
		}
		ask(may, "PUT", "/v1/hints?group=caller:ann", "", `{"hints":[{"tool":"add","query":"sum"}],"replace":true}`)
		for _, target := range []string{"/v1/hints", "/v1/hints?group=caller:ann", "/v1/hints?odd=1"} {
			ask(may, "GET", target, "", "")
		}
	}
	approvalOf := regexp.MustCompile(`apr_[a-z0-9]{26}`).FindString(ask(tool.MayApprove, "GET", "/v1/approvals", "", "").Body.String())
	if approvalOf == "" {
		t.Error("no call waits for a person")
	}
	for _, path := range []string{"", "?state=all", "?state=odd", "/none", "/" + approvalOf} {
		ask(tool.MayApprove, "GET", "/v1/approvals"+path, "", "")
		ask(tool.MayCall, "GET", "/v1/approvals"+path, "", "")
	}
	for _, id := range []string{"none", approvalOf, approvalOf} {
		for _, body := range []string{`{"note":1}`, `{"remember":"same_args"}`, `{"remember":"chat","note":"x"}`} {
			ask(tool.MayCall, "POST", "/v1/approvals/"+id+"/approve", "", body)
			as("bob", tool.MayApprove, "POST", "/v1/approvals/"+id+"/approve", "", body)
		}
		as("bob", tool.MayApprove, "POST", "/v1/approvals/"+id+"/deny", "", "")
	}
	handleOf := regexp.MustCompile(`r_[a-z2-7]{26}`).FindString(post("/v1/tools/long/call", "{}").Body.String())
	get("/v1/results/" + handleOf)
	get("/v1/results/" + handleOf + "?offset=5&limit=5")
	ask(tool.MayCall, "GET", "/v1/results/"+handleOf, "Range: bytes=5-9", "")
	get("/v1/results/" + handleOf + "?offset=9999999")
	started := post("/v1/tools/slow/call?wait=0", "{}")
	location := started.Header().Get("Location")
	get(location)
	ask(tool.MayCall, "DELETE", location, "", "")
	get(location + "?wait=20")
	ask(tool.MayCall, "DELETE", location, "", "")
	for _, body := range []string{`{"tool":"forbidden","arguments":{"x":2},"caller":{"name":"bob","groups":["g"]}}`, `{"tool":"add"}`, `{"tool":"change","via":"batch"}`, `{"tool":"none"}`, `{}`} {
		ask(tool.MayAdmin, "POST", "/v1/policy/explain", "", body)
		ask(tool.MayCall, "POST", "/v1/policy/explain", "", body)
	}
	for _, body := range []string{`{"context": {"a": 1}}`, `{"context": []}`, `{}`} {
		ask(tool.MayCall, "PUT", "/v1/chats/c", "", body)
	}
	for _, step := range []string{
		"PUT a.csv If-None-Match: *", "PUT a.csv If-None-Match: *", "PUT a.csv Content-Type: text/html", "PUT a.csv Content-Type: x", "PUT a.csv Content-Range: x", "PUT a.csv%2Fb -", "PUT . -",
		"GET a.csv -", "GET a.csv If-None-Match: *", "GET a.csv If-Match: x", "GET a.csv Range: bytes=1-1", "GET a.csv Range: bytes=9-", "GET none -", "DELETE a.csv If-Match: x", "DELETE b%5C -",
	} {
		method, rest, _ := strings.Cut(step, " ")
		name, header, _ := strings.Cut(rest, " ")
		ask(tool.MayCall, method, "/v1/chats/c/files/"+name, header, "1,2")
	}
	get("/v1/chats/c/files")
	get("/v1/chats/c/files?caller=bob")
	get("/v1/chats/c")
	ask(tool.MayCall, "DELETE", "/v1/chats/c/files/a.csv", "", "")
	for _, target := range []string{"/v1/chats/c", "/v1/chats/none", "/v1/chats/c?caller=bob", "/v1/chats/a%20b"} {
		get(target)
		ask(tool.MayCall, "DELETE", target, "", "")
	}
	grouped := strings.Replace(describedConfig, "  long: {", "  long: {core: false, ", 1) + "groups: {calm: {description: Calm., tools: [add, long]}}\n"
	for _, text := range []string{describedConfig, grouped, "version: 1\ntoolz: {}\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		ask(tool.MayAdmin, "POST", "/v1/reload", "", "")
		if text == grouped {
			askForGroups(ask)
		}
	}
	ask(tool.MayCall, "POST", "/v1/reload", "", "")
	for _, may := range []tool.Right{tool.MayAdmin, tool.MayCall, tool.MayApprove} {
		for _, target := range []string{"/v1/log", "/v1/log?limit=1", "/v1/log?limit=0", "/v1/log/none", "/v1/log/stats", "/v1/log/stats?code=odd"} {
			res := ask(may, "GET", target, "", "")
			if id := regexp.MustCompile(`call_[a-z0-9]{20,}`).FindString(res.Body.String()); id != "" {
				ask(may, "GET", "/v1/log/"+id, "", "")
			}
		}
	}
	d.events(handler)
	d.exposed(handler)
	for path, item := range d.paths {
		for method := range item {
			if !d.seen[method+" "+path] {
				t.Errorf("%s %s was not asked", method, path)
			}
		}
	}
}

// askForGroups asks all there is to ask about the groups of chats.
func askForGroups(ask func(may tool.Right, method, target, header, body string) *httptest.ResponseRecorder) {
	const inChat = "X-Chat-Id: calm"
	for range 2 {
		ask(tool.MayCall, "POST", "/v1/tools/long/call", inChat, `{}`)
		ask(tool.MayCall, "POST", "/v1/tools/request_tool_activation/call", inChat, `{"group": "calm", "reason": "to count"}`)
		for _, target := range []string{"/v1/chats", "/v1/chats?asking=true&limit=1", "/v1/chats?limit=0", "/v1/chats/calm", "/v1/chats/calm/groups", "/v1/chats/none/groups", "/v1/chats/calm/groups?caller=bob"} {
			ask(tool.MayCall, "GET", target, "", "")
			ask(tool.MayActivate, "GET", target, "", "")
		}
		ask(tool.MayAdmin, "POST", "/v1/policy/explain", "", `{"tool":"long","chat":"calm"}`)
		for _, may := range []tool.Right{tool.MayCall, tool.MayActivate, tool.MayActivate} {
			ask(may, "DELETE", "/v1/chats/calm/requests/calm", "", "")
		}
		for _, body := range []string{`{"groups": ["clam"]}`, `{"groups": []}`, `{}`, `{"groups": ["calm"]}`} {
			ask(tool.MayCall, "PUT", "/v1/chats/calm/groups", "", body)
			ask(tool.MayActivate, "PUT", "/v1/chats/calm/groups", "", body)
		}
	}
}

// events holds the data of every event that is kept.
func (d *description) events(handler http.Handler) {
	d.t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(tool.WithCaller(r.Context(), tool.Caller{ID: "root", May: []tool.Right{tool.MayAdmin}})))
	}))
	defer web.Close()
	defer web.CloseClientConnections()
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, web.URL+"/v1/events", http.NoBody)
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Last-Event-ID", "before")
	res, err := web.Client().Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	d.seen["get /v1/events"] = true
	kinds := map[string]int{}
	for lines := bufio.NewScanner(res.Body); kinds["reload_failed"] == 0 && lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || strings.Contains(data, `"type":"lost"`) {
			continue
		}
		d.check("event", json.RawMessage(`{"$ref":"#/components/schemas/Event"}`), []byte(data))
		var e struct{ Type string }
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			d.t.Fatal(err)
		}
		kinds[e.Type]++
	}
	for _, kind := range []string{"call_started", "call_ended", "call_denied", "approval_requested", "approval_answered", "activation_requested", "activation_declined", "groups_changed", "found_changed", "reloaded", "reload_failed"} {
		if kinds[kind] == 0 {
			d.t.Errorf("no event %s among %v", kind, kinds)
		}
	}
}

// TestDescriptionOfRefusals holds what is answered to a request without a token
// against the description, at every path.
func TestDescriptionOfRefusals(t *testing.T) {
	t.Parallel()
	path := writeConfig(t, "version: 1\nserver: {token: \"${secret.t}\"}\nsecrets: {t: {file: token}}\ntools: {one: {description: One., expr: \"1\"}}\npolicy: {default: allow}\n")
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "token"), []byte("0123456789abcdef0123456789abcdef"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := openFor(config.Options{Files: []string{path}}, assembly.Options{Access: true}, discardLogger())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	s := host.NewServer(h, host.ServerOptions{})
	t.Cleanup(func() { _ = s.Close() })
	handler := s.Handler()
	data, err := os.ReadFile("../../gateway/httpapi/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	d := newDescription(t, data)
	for path, item := range d.paths {
		for method := range item {
			req := httptest.NewRequest(strings.ToUpper(method), "http://localhost"+regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(path, "x"), http.NoBody)
			res := httptest.NewRecorder()
			handler.ServeHTTP(res, req)
			want := http.StatusUnauthorized
			if path == "/healthz" || path == "/readyz" {
				want = http.StatusOK
			}
			if res.Code != want || res.Header().Get("X-Request-Id") == "" {
				t.Errorf("%s %s: %d %v %s", method, path, res.Code, res.Header(), res.Body)
			}
			d.answer(req, res)
		}
	}
}

// TestExplainAtBothDoors holds that administrators read over HTTP what the command
// prints.
func TestExplainAtBothDoors(t *testing.T) {
	t.Parallel()
	path := writeConfig(t, describedConfig)
	var out bytes.Buffer
	if err := run(t.Context(), []string{"gateway", "policy", "explain", "--config", path, "--json", "--caller", "bob", "forbidden", "x=2"}, streams{http.NoBody, &out, &out}); err != nil {
		t.Fatal(err)
	}
	h, err := open(config.Options{Files: []string{path}}, discardLogger())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	s := host.NewServer(h, host.ServerOptions{})
	t.Cleanup(func() { _ = s.Close() })
	req := httptest.NewRequest(http.MethodPost, "http://localhost/v1/policy/explain", strings.NewReader(`{"tool":"forbidden","arguments":{"x":2},"caller":{"name":"bob"}}`))
	req = req.WithContext(tool.WithCaller(req.Context(), tool.Caller{ID: "root", May: []tool.Right{tool.MayAdmin}}))
	res := httptest.NewRecorder()
	s.Handler().ServeHTTP(res, req)
	var want, got any
	if err := errors.Join(json.Unmarshal(out.Bytes(), &want), json.Unmarshal(res.Body.Bytes(), &got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
