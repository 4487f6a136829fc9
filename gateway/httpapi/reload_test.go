package httpapi_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/tool"
)

// fakeConfiguration answers a reload with what it holds.
type fakeConfiguration struct {
	reloads  int
	done     any
	warnings diag.Problems
	err      error
}

func (f *fakeConfiguration) Reload(context.Context) (any, diag.Problems, error) {
	f.reloads++
	return f.done, f.warnings, f.err
}

func TestReload(t *testing.T) {
	t.Parallel()
	admin, may := tool.Caller{ID: "root", May: []tool.Right{tool.MayAdmin}}, tool.Caller{ID: "bot", Name: "bot", May: []tool.Right{tool.MayCall, tool.MayApprove, tool.MayActivate}}
	place := diag.Place{File: "tools.yaml", Line: 3, Column: 5}
	warning := diag.Problem{Place: place, Key: "tools.a", Text: "models are told nothing", Hint: "add a description", Warning: true}
	cases := []struct {
		name   string
		caller *tool.Caller
		config fakeConfiguration
		status int
		body   string
	}{
		{
			"who changed something", &admin,
			fakeConfiguration{done: map[string]int{"generation": 2}, warnings: diag.Problems{warning}},
			200,
			`{"reloaded":{"generation":2},"warnings":[{"file":"tools.yaml","line":3,"column":5,"key":"tools.a","text":"models are told nothing","hint":"add a description"}]}`,
		},
		{"no warnings", &admin, fakeConfiguration{done: map[string]int{"generation": 2}}, 200, `{"reloaded":{"generation":2},"warnings":[]}`},
		{
			"a bad file", &admin,
			fakeConfiguration{err: diag.Problems{{Place: place, Key: "tools.a", Text: "is missing"}, {Place: diag.Place{File: "env X"}, Text: "is no map"}, warning}},
			422,
			`{"error":{"error_type":"bad_configuration","hint":"Correct the files and reload again.","message":"the configuration has errors (2); what was served is served still",` +
				`"problems":[{"file":"tools.yaml","line":3,"column":5,"key":"tools.a","text":"is missing"},{"file":"env X","text":"is no map"}]}}`,
		},
		{"given up", &admin, fakeConfiguration{err: context.Canceled}, 503, `{"error":{"error_type":"internal","message":"the reload was given up before it began: context canceled"}}`},
		{"no administrator", &may, fakeConfiguration{}, 403, `{"error":{"error_type":"forbidden","message":"this needs the right admin, and the caller bot has call, approve, activate","hint":"Use the token of a caller that may admin (server.admin_token, or server.callers with may)."}}`},
		{"nobody", nil, fakeConfiguration{}, 403, `{"error":{"error_type":"forbidden","message":"this needs the right admin, and the caller anonymous has call","hint":"Use the token of a caller that may admin (server.admin_token, or server.callers with may)."}}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			api := httpapi.New(&fake{}, httpapi.Options{Reload: &c.config})
			handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if c.caller != nil {
					r = r.WithContext(tool.WithCaller(r.Context(), *c.caller))
				}
				api.ServeHTTP(w, r)
			})
			res := send(handler, http.MethodPost, "/v1/reload", "", "")
			if diff := cmp.Diff(c.body+"\n", res.Body.String()); diff != "" || res.Code != c.status {
				t.Error(res.Code, diff)
			}
			if asked := c.status != 403; (c.config.reloads == 1) != asked {
				t.Errorf("reloaded %d times", c.config.reloads)
			}
			if res := send(handler, http.MethodGet, "/v1/reload", "", ""); res.Code != 405 {
				t.Error("GET", res.Code)
			}
		})
	}
	if res := send(httpapi.New(&fake{}, httpapi.Options{}), http.MethodPost, "/v1/reload", "", ""); res.Code != 404 {
		t.Error("without a configuration:", res.Code)
	}
}

// TestReloadTakesNothing holds that a request that asks for something else does
// not reload.
func TestReloadTakesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		target, body string
		status       int
		want         string
	}{
		{"/v1/reload?dry=1", "", 400, problem("bad_request", `unknown query parameter \"dry\"`, "this path takes no query parameters")},
		{"/v1/reload?%zz", "", 400, problem("bad_request", "the query string is malformed", "")},
		{"/v1/reload", `{"dry":true}`, 400, problem("bad_request", "a reload takes no body", "Send none; the configuration is read from the files of the gateway.")},
		{"/v1/reload", " ", 400, problem("bad_request", "a reload takes no body", "Send none; the configuration is read from the files of the gateway.")},
		{"/v1/reload?", "", 200, `{"reloaded":null,"warnings":[]}`},
	} {
		config := &fakeConfiguration{}
		req := request(http.MethodPost, c.target, "", c.body)
		res := serve(httpapi.New(&fake{}, httpapi.Options{Reload: config}), req.WithContext(tool.WithCaller(req.Context(), tool.Caller{ID: "root", May: []tool.Right{tool.MayAdmin}})))
		if diff := cmp.Diff(c.want+"\n", res.Body.String()); diff != "" || res.Code != c.status || (config.reloads == 0) != (c.status != 200) {
			t.Errorf("%s %s: %d, %d reloads\n%s", c.target, c.body, res.Code, config.reloads, diff)
		}
	}
}
