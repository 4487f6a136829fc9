package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/tool"
)

// finder is a gateway with deferred tools, of which the chat "c" has found one. It
// answers searches with what it is told to.
type finder struct {
	fake
	answer  string       // to a search that is not one of the fake's failures
	search  *tool.Search // what it did
	profile string       // of the last list
}

func deferredSpecs() (listed, deferred []*tool.Spec) {
	return []*tool.Spec{{Name: "discover_tools"}, {Name: "add", Tags: []string{tool.TagReadOnly}}},
		[]*tool.Spec{{Name: "crm_find", Namespace: "crm", Deferred: true}, {Name: "pay", Deferred: true, Tags: []string{tool.TagDestructive}}}
}

func (f *finder) Tools(_ context.Context, view tool.View) []*tool.Spec {
	listed, deferred := deferredSpecs()
	if view.Chat.ID == "c" {
		return append(listed, deferred[1])
	}
	return listed
}

func (f *finder) AllTools(_ context.Context, view tool.View) []*tool.Spec {
	f.profile = view.Profile
	listed, deferred := deferredSpecs()
	return append(listed, deferred...)
}

func (f *finder) Call(ctx context.Context, call tool.Call) tool.Result {
	if f.answer == "" {
		call.Tool = "fail-invalid_args"
		return f.fake.Call(ctx, call)
	}
	f.call = call
	out := tool.TextOutput(f.answer)
	if json.Valid([]byte(f.answer)) {
		out.Structured = json.RawMessage(f.answer)
	}
	out.Search = f.search
	return tool.Result{CallID: "c1", Tool: call.Tool, Status: tool.StatusOK, Output: out}
}

// TestDeferred holds which tools a list has, in which order, and which are marked.
func TestDeferred(t *testing.T) {
	h := httpapi.New(&finder{}, httpapi.Options{})
	const (
		search, add = `{"name":"discover_tools","input_schema":{"type":"object","properties":{}}}`, `{"name":"add","input_schema":{"type":"object","properties":{}}}`
		crm         = `{"name":"crm_find","input_schema":{"type":"object","properties":{}}`
		pay         = `{"name":"pay","input_schema":{"type":"object","properties":{}}`
		marked      = `,"defer_loading":true}`
	)
	list := func(tools ...string) string { return `{"tools":[` + strings.Join(tools, ",") + `]}` }
	for _, tt := range []struct {
		target string
		status int
		want   string
	}{
		{"/v1/tools?format=anthropic", 200, list(search, add)},
		{"/v1/tools?format=anthropic&deferred=false", 200, list(search, add)},
		{"/v1/tools?format=anthropic&deferred=false&chat=c", 200, list(search, add, pay+"}")},
		{"/v1/tools?format=anthropic&deferred=true", 200, list(search, add, crm+marked, pay+marked)},
		{"/v1/tools?format=anthropic&deferred=true&chat=c", 200, list(search, add, crm+marked, pay+marked)},
		{"/v1/tools?format=anthropic&deferred=only", 200, list(crm+marked, pay+marked)},
		{"/v1/tools?format=anthropic&deferred=true&namespace=crm", 200, list(crm + marked)},
		{"/v1/tools?format=anthropic&namespace=crm", 200, list()},
		{"/v1/tools?format=anthropic&deferred=only&tags=destructive", 200, list(pay + marked)},
		{"/v1/tools?format=mcp&deferred=only&namespace=crm", 200, list(`{"name":"crm_find","inputSchema":{"type":"object","properties":{}},"_meta":{"toolgate/deferred":true}}`)},
		{"/v1/tools?format=openai-responses&deferred=only&namespace=crm", 200, list(`{"type":"function","name":"crm_find","parameters":{"type":"object","properties":{}},"strict":false,"defer_loading":true}`)},
		{"/v1/tools?deferred=only&namespace=crm", 200, list(`{"type":"function","function":{"name":"crm_find","parameters":{"type":"object","properties":{}}}}`)},
		{"/v1/tools?format=gemini&deferred=only&namespace=crm", 200, list(`{"functionDeclarations":[{"name":"crm_find","parametersJsonSchema":{"type":"object","properties":{}}}]}`)},
		{"/v1/tools?deferred=yes", 400, problem("bad_request", `unknown deferred \"yes\"`, "known: false, true, only")},
		{"/v1/tools?deferred=", 400, problem("bad_request", `unknown deferred \"\"`, "known: false, true, only")},
		{"/v1/tools?namespace=", 400, problem("bad_request", "namespace is empty", "Name an entry of sources, or leave the parameter out to have all tools.")},
		{"/v1/tools/crm_find?format=anthropic", 200, crm + "}"},
		{"/v1/tools/none", 404, problem("not_found", `no tool is named \"none\"`, "GET /v1/tools lists those that there are.")},
	} {
		res := send(h, http.MethodGet, tt.target, "", "")
		if diff := cmp.Diff(tt.want+"\n", res.Body.String()); res.Code != tt.status || diff != "" {
			t.Errorf("%s: %d, want %d (-want +got):\n%s", tt.target, res.Code, tt.status, diff)
		}
	}
}

const foundTools = `{"tools":[{"name":"pay","permission":"ask"},{"name":"crm_find"},{"name":"add","listed":true},{"name":"gone"}],"more":2}`

// TestDiscover holds what a search is asked for and what it answers, as a whole.
func TestDiscover(t *testing.T) {
	const (
		head   = `{"tools":[{"name":"pay","permission":"ask"},{"name":"crm_find"},{"name":"add","listed":true},{"name":"gone"}],"more":2,"spared_schema_tokens":7`
		query  = `{"query":"refund"}`
		crmOf  = `{"type":"function","name":"crm_find","parameters":{"type":"object","properties":{}},"strict":false`
		payOf  = `{"type":"function","name":"pay","parameters":{"type":"object","properties":{}},"strict":false`
		marked = `,"defer_loading":true}`
		form   = `Send {\"query\": \"…\", \"limit\": 5, \"detail\": \"schema\", \"namespace\": \"…\", \"tags\": [\"…\"], \"explain\": true, \"chat\": \"…\", \"profile\": \"…\", \"format\": \"…\", \"call_id\": \"…\"}; only the query is needed.`
	)
	for _, tt := range []struct {
		name, target, header, body string
		answer                     string // to the search
		status                     int
		want                       string
		sent                       string // arguments, chat and profile
	}{
		{"plain", "", "", query, foundTools, 200, head + "}", `{"query":"refund"} "" ""`},
		{
			"all arguments", "", "", `{"explain":true,"tags":["a"],"namespace":"crm","detail":"names","limit":1.0,"query":"<a>","chat":"c","profile":"some"}`, foundTools, 200,
			head + "}", `{"query":"<a>","limit":1.0,"detail":"names","namespace":"crm","tags":["a"],"explain":true} "c" "some"`,
		},
		{"chat of the header", "", "X-Chat-Id: c", query, foundTools, 200, head + "}", `{"query":"refund"} "c" ""`},
		{"chat, twice the same", "?chat=c", "X-Chat-Id: c", `{"query":"refund","chat":"c"}`, foundTools, 200, head + "}", `{"query":"refund"} "c" ""`},
		{
			"openai-chat", "?format=openai-chat", "", query, foundTools, 200,
			head + `,"definitions":[{"type":"function","function":{"name":"pay","parameters":{"type":"object","properties":{}}}},{"type":"function","function":{"name":"crm_find","parameters":{"type":"object","properties":{}}}}]}`, `{"query":"refund"} "" ""`,
		},
		{
			"openai-responses", "", "", `{"query":"refund","format":"openai-responses","call_id":"call_7"}`, foundTools, 200,
			head + `,"definitions":[` + payOf + `},` + crmOf + `}],"tool_search_output":{"type":"tool_search_output","call_id":"call_7","execution":"client","status":"completed","tools":[` + payOf + marked + `,` + crmOf + marked + `]}}`,
			`{"query":"refund"} "" ""`,
		},
		{
			"anthropic", "", "", `{"query":"refund","format":"anthropic","profile":"some"}`, foundTools, 200,
			head + `,"definitions":[{"name":"pay","input_schema":{"type":"object","properties":{}}},{"name":"crm_find","input_schema":{"type":"object","properties":{}}}],"tool_references":[{"type":"tool_reference","tool_name":"pay"},{"type":"tool_reference","tool_name":"crm_find"}]}`,
			`{"query":"refund"} "" "some"`,
		},
		{
			"gemini", "", "", `{"query":"refund","format":"gemini"}`, foundTools, 200,
			head + `,"definitions":[{"functionDeclarations":[{"name":"pay","parametersJsonSchema":{"type":"object","properties":{}}},{"name":"crm_find","parametersJsonSchema":{"type":"object","properties":{}}}]}]}`, `{"query":"refund"} "" ""`,
		},
		{
			"mcp", "", "", `{"query":"refund","format":"mcp"}`, foundTools, 200,
			head + `,"definitions":[{"name":"pay","inputSchema":{"type":"object","properties":{}},"annotations":{"destructiveHint":true}},{"name":"crm_find","inputSchema":{"type":"object","properties":{}}}]}`, `{"query":"refund"} "" ""`,
		},
		{
			"nothing found", "?format=anthropic", "", query, `{"tools":[]}`, 200,
			`{"tools":[],"spared_schema_tokens":7,"definitions":[],"tool_references":[]}`, `{"query":"refund"} "" ""`,
		},
		{"an object of nothing", "", "", query, `{ }`, 200, `{"spared_schema_tokens":7}`, `{"query":"refund"} "" ""`},
		{"no query", "", "", `{}`, foundTools, 200, head + "}", `{} "" ""`}, // the tool says what is wrong
		{"refused", "", "", `{"query":7}`, "", 422, failed("invalid_args"), ""},
		{
			"no object", "", "", query, "nothing for you", 502,
			problem("upstream_error", "the answer to the search is not the JSON object that it should be", "Nothing is wrong with the query; tell the user that the gateway fails."), "",
		},
		{"no body", "", "", ``, foundTools, 400, problem("bad_request", "the query cannot be read: EOF", form), ""},
		{"two objects", "", "", query + query, foundTools, 400, problem("bad_request", "the query cannot be read: something follows the object", form), ""},
		{"misspelt member", "", "", `{"qery":"a"}`, foundTools, 400, problem("bad_request", `the query cannot be read: json: unknown field \"qery\"`, form), ""},
		{"a member twice", "", "", `{"query":"zebra","query":"big output"}`, foundTools, 400, problem("bad_request", `the query cannot be read: \"query\" stands in it twice`, form), ""},
		{"a member twice, spelt otherwise", "", "", `{"limit":1,"l\u0069mit":2,"query":"a"}`, foundTools, 400, problem("bad_request", `the query cannot be read: \"limit\" stands in it twice`, form), ""},
		{"large letters", "", "", `{"QUERY":"a"}`, foundTools, 400, problem("bad_request", `the query cannot be read: json: unknown field \"QUERY\"`, form), ""},
		{"large letters of the place", "", "", `{"query":"a","Chat":"c"}`, foundTools, 400, problem("bad_request", `the query cannot be read: json: unknown field \"Chat\"`, form), ""},
		{"null", "", "", `null`, foundTools, 200, head + "}", `{} "" ""`}, // the tool says what is wrong
		{"other type", "", "Content-Type: text/plain", query, foundTools, 415, problem("unsupported_media_type", `the content type \"text/plain\" is not supported`, "Send the queries as application/json."), ""},
		{"unknown format", "", "", `{"query":"a","format":"x"}`, foundTools, 400, problem("bad_request", `unknown format \"x\"`, "known: anthropic, gemini, mcp, openai-chat, openai-responses"), ""},
		{"two formats", "?format=mcp", "", `{"query":"a","format":"gemini"}`, foundTools, 400, problem("bad_request", `the request names two values for format, \"mcp\" and \"gemini\"`, "Name it once."), ""},
		{"two chats", "", "X-Chat-Id: d", `{"query":"a","chat":"c"}`, foundTools, 400, problem("bad_request", `the request names two chats, \"c\" and \"d\"`, "Name one chat, once."), ""},
		{"odd chat", "", "", `{"query":"a","chat":""}`, foundTools, 400, problem("bad_request", "the name of the chat is empty", "A chat is named by 1 to 128 printable ASCII characters without spaces."), ""},
		{"no profile", "", "", `{"query":"a","profile":"x"}`, foundTools, 404, problem("no_such_profile", `there is no profile \"x\"`, "Name an entry of profiles, or leave the parameter out to have all tools."), ""},
		{"unknown parameter", "?query=a", "", query, foundTools, 400, problem("bad_request", `unknown query parameter \"query\"`, "known: format, chat, profile"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			gw := &finder{answer: tt.answer, search: &tool.Search{Spared: 7}}
			res := send(httpapi.New(gw, httpapi.Options{}), http.MethodPost, "/v1/discover"+tt.target, tt.header, tt.body)
			if diff := cmp.Diff(tt.want+"\n", res.Body.String()); res.Code != tt.status || diff != "" {
				t.Errorf("%d, want %d (-want +got):\n%s", res.Code, tt.status, diff)
			}
			if tt.sent == "" {
				return
			}
			c := gw.call
			sent := strings.TrimSpace(string(c.Arguments)) + ` "` + c.Chat.ID + `" "` + c.Profile + `"`
			if diff := cmp.Diff(tt.sent, sent); diff != "" || c.Tool != "discover_tools" || c.Via != tool.ViaDirect || !cmp.Equal(c.Caller, fakeCaller()) {
				t.Errorf("%s via %s by %v (-want +got):\n%s", c.Tool, c.Via, c.Caller, diff)
			}
			if strings.Contains(res.Body.String(), "definitions") && gw.profile != c.Profile {
				t.Errorf("the definitions are those of %q", gw.profile)
			}
		})
	}
}

// TestDiscoverWithoutFigures holds that an answer says that nothing was spared where
// nobody counted.
func TestDiscoverWithoutFigures(t *testing.T) {
	res := send(httpapi.New(&finder{answer: `{"tools":[]}`}, httpapi.Options{}), http.MethodPost, "/v1/discover", "", `{"query":"a"}`)
	if want := `{"tools":[],"spared_schema_tokens":0}` + "\n"; res.Body.String() != want || res.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%s %v", res.Body, res.Header())
	}
}
