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
	admin, may := tool.Caller{ID: "root", May: []tool.Right{tool.MayAdmin}}, tool.Caller{ID: "bot", May: []tool.Right{tool.MayCall, tool.MayApprove, tool.MayActivate}}
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
		{"no administrator", &may, fakeConfiguration{}, 403, `{"error":{"error_type":"forbidden","message":"reloading takes the right admin","hint":"Send the token of an administrator, or send the process SIGHUP."}}`},
		{"nobody", nil, fakeConfiguration{}, 403, `{"error":{"error_type":"forbidden","message":"reloading takes the right admin","hint":"Send the token of an administrator, or send the process SIGHUP."}}`},
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
