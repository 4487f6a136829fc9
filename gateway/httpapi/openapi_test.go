package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/tool"
)

// everything is an API that serves all its paths.
func everything() httpapi.Options {
	return httpapi.Options{
		Batch: noBatch{}, Handles: noHandles{}, Chats: noChats{}, Files: noFiles{}, Groups: noGroups{}, Results: keptOf(""), Explainer: explaining{}, Once: &counting{}, Reload: &fakeConfiguration{},
		Approvals: &approvalDesk{}, Feed: httpapi.NewFeed(), Metrics: http.NotFoundHandler(), Log: unreadLog{}, Hints: noHints{},
	}
}

// noBatch, noHandles and noChats are served and never asked.
type noBatch struct{}

func (noBatch) Batch(context.Context, []httpapi.BatchCall, string, func(int, httpapi.BatchAnswer)) ([]httpapi.BatchAnswer, error) {
	panic("asked")
}

type noHandles struct{ httpapi.Handles }

type noChats struct{ httpapi.Chats }

type noFiles struct{ httpapi.ChatFiles }

type noGroups struct{ httpapi.ChatGroups }

type noHints struct{ httpapi.Hints }

// operations are the methods of every path of a description.
func operations(t *testing.T, doc []byte) map[string][]string {
	t.Helper()
	var d struct {
		OpenAPI string                                `json:"openapi"`
		Paths   map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(doc, &d); err != nil {
		t.Fatal(err)
	}
	if d.OpenAPI != "3.1.0" {
		t.Errorf("openapi is %q", d.OpenAPI)
	}
	out := map[string][]string{}
	for path, item := range d.Paths {
		for method := range item {
			out[path] = append(out[path], strings.ToUpper(method))
		}
	}
	return out
}

func sorted(m map[string][]string) map[string][]string {
	for _, list := range m {
		slices.Sort(list)
	}
	return m
}

// TestDescribed holds that the description has every path and method that is
// served, and no other, with everything on and with nothing.
func TestDescribed(t *testing.T) {
	for name, opts := range map[string]httpapi.Options{"everything": everything(), "nothing": {}} {
		res := send(httpapi.New(&fake{}, opts), http.MethodGet, "/v1/openapi.json", "", "")
		if res.Code != http.StatusOK || res.Header().Get("ETag") == "" {
			t.Fatalf("%s: %d %v", name, res.Code, res.Header())
		}
		if diff := cmp.Diff(sorted(httpapi.Routes(&fake{}, opts)), sorted(operations(t, res.Body.Bytes()))); diff != "" {
			t.Errorf("%s (-served +described):\n%s", name, diff)
		}
	}
	file, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sorted(httpapi.Routes(&fake{}, everything())), sorted(operations(t, file))); diff != "" {
		t.Errorf("the file (-served +described):\n%s", diff)
	}
}

// TestValid holds the description against OpenAPI itself, as another reader has it,
// and that this reader finds a mistake.
func TestValid(t *testing.T) {
	file, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(data []byte) error {
		doc, err := openapi3.NewLoader().LoadFromData(data)
		if err != nil {
			return err
		}
		return doc.Validate(t.Context())
	}
	if err := valid(file); err != nil {
		t.Error(err)
	}
	for _, mistake := range [][2]string{
		{`"#/components/schemas/Ready"`, `"#/components/schemas/Redy"`}, {`"in": "path"`, `"in": "paht"`}, {`"title": "Toolgate",`, ``},
	} {
		broken := strings.Replace(string(file), mistake[0], mistake[1], 1)
		if broken == string(file) || valid([]byte(broken)) == nil {
			t.Errorf("with %s for %s it is valid", mistake[1], mistake[0])
		}
	}
}

// TestDescribedCodes holds the codes of the description against those that there
// are.
func TestDescribedCodes(t *testing.T) {
	file, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Components struct {
			Schemas struct {
				CallError struct {
					Properties struct {
						Type struct{ Enum []tool.Code } `json:"error_type"`
					}
				}
			}
		}
	}
	if err := json.Unmarshal(file, &d); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tool.Codes(), d.Components.Schemas.CallError.Properties.Type.Enum); diff != "" {
		t.Error(diff)
	}
}

// TestReferences holds that every reference of the description leads somewhere.
func TestReferences(t *testing.T) {
	file, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(file, &doc); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				used[ref] = true
			}
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(doc)
	for ref := range used {
		at := doc
		for step := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			m, _ := at.(map[string]any)
			at = m[step]
		}
		if at == nil {
			t.Errorf("%s leads nowhere", ref)
		}
	}
	t.Logf("%d references", len(used))
}

// explaining explains every call but that of a tool named none.
type explaining struct{}

func (explaining) Explain(_ context.Context, call tool.Call) (any, error) {
	if call.Tool == "none" {
		return nil, tool.Errorf(tool.NotFound, `no tool is named "none"`)
	}
	return map[string]any{"tool": call.Tool, "arguments": call.Arguments, "caller": call.Caller.Name + "/" + call.Caller.ID + "/" + string(call.Caller.Kind), "via": call.Via, "chat": call.Chat.ID}, nil
}

// TestExplain holds who may ask, what is read of a question, and what is refused.
func TestExplain(t *testing.T) {
	handler := httpapi.New(&fake{}, everything())
	ask := func(may tool.Right, body string) (int, string) {
		req := request(http.MethodPost, "/v1/policy/explain", "", body)
		res := serve(handler, req.WithContext(tool.WithCaller(req.Context(), tool.Caller{ID: "ann", Name: "ann", May: []tool.Right{may}})))
		return res.Code, strings.TrimSuffix(res.Body.String(), "\n")
	}
	const form = `Send {\"tool\": \"…\", \"arguments\": {…}, \"caller\": {\"name\": \"…\", \"groups\": []}, \"via\": \"direct\", \"chat\": \"…\"}; only the tool is needed.`
	for _, c := range []struct {
		may    tool.Right
		body   string
		status int
		want   string
	}{
		{tool.MayCall, `{"tool":"pay"}`, 403, problem("forbidden", "this needs the right admin, and the caller ann has call", "Use the token of a caller that may admin (server.admin_token, or server.callers with may).")},
		{tool.MayApprove, `nonsense`, 403, problem("forbidden", "this needs the right admin, and the caller ann has approve", "Use the token of a caller that may admin (server.admin_token, or server.callers with may).")},
		{tool.MayAdmin, `{"tool":"pay"}`, 200, `{"arguments":null,"caller":"anonymous/anonymous/mcp","chat":"default","tool":"pay","via":"direct"}`},
		{
			tool.MayAdmin, `{"tool":"pay","arguments":{"n":9007199254740993},"caller":{"name":"bob","kind":"http"},"via":"code","chat":"c"}`, 200,
			`{"arguments":{"n":9007199254740993},"caller":"bob/bob/http","chat":"c","tool":"pay","via":"code"}`,
		},
		{tool.MayAdmin, `{"tool":"none"}`, 404, problem("not_found", `no tool is named \"none\"`, "")},
		{tool.MayAdmin, ``, 400, problem("bad_request", "the question cannot be read: EOF", form)},
		{tool.MayAdmin, `{}`, 400, problem("bad_request", "the question names no tool", form)},
		{tool.MayAdmin, `{"tool":"a"} {}`, 400, problem("bad_request", "the question cannot be read: something follows the object", form)},
		{tool.MayAdmin, `{"tool":"a","args":{}}`, 400, problem("bad_request", `the question cannot be read: json: unknown field \"args\"`, form)},
		{tool.MayAdmin, `{"tool":"a","via":"post"}`, 400, problem("bad_request", "no call is made via post", "Write direct, batch, call_tool or code.")},
		{tool.MayAdmin, `{"tool":"a","caller":{"id":"x"}}`, 400, problem("bad_request", "the caller has no name, or a kind other than mcp, http, cli and go", form)},
		{tool.MayAdmin, `{"tool":"a","chat":"a b"}`, 400, problem("bad_request", `\"a b\" cannot name a chat`, "A chat is named by 1 to 128 printable ASCII characters without spaces.")},
	} {
		status, got := ask(c.may, c.body)
		if status != c.status || got != c.want {
			t.Errorf("%s: %d %s\nwant %d %s", c.body, status, got, c.status, c.want)
		}
	}
}
