package httpapi_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/tool"
)

// hintBook notes what it was asked.
type hintBook struct {
	group *string
	taken httpapi.HintImport
	err   error
}

func (b *hintBook) List(group *string) []httpapi.Hint {
	b.group = group
	return b.taken.Hints
}

func (b *hintBook) Import(_ context.Context, group *string, all httpapi.HintImport) error {
	b.group, b.taken = group, all
	return b.err
}

func TestHints(t *testing.T) {
	t.Parallel()
	admin, may := tool.Caller{ID: "root", May: []tool.Right{tool.MayAdmin}}, tool.Caller{ID: "bot", Name: "bot", May: []tool.Right{tool.MayCall, tool.MayApprove, tool.MayActivate}}
	everybody := ""
	hint := httpapi.Hint{Tool: "pay", Query: "wire <money>", Weight: .5}
	const sent = `{"hints": [{"tool": "pay", "query": "wire <money>", "weight": 0.5}], "replace": true}`
	for _, c := range []struct {
		name, method, path, body string
		caller                   tool.Caller
		err                      error
		status                   int
		want                     string
		group                    *string
		taken                    httpapi.HintImport
	}{
		{name: "none", method: "GET", path: "/v1/hints", caller: admin, status: 200, want: `{"hints":[]}`},
		{name: "of everybody", method: "GET", path: "/v1/hints?group=", caller: admin, status: 200, want: `{"hints":[]}`, group: &everybody},
		{name: "list without the right", method: "GET", path: "/v1/hints", caller: may, status: 403, want: `{"error":{"error_type":"forbidden","message":"this needs the right admin, and the caller bot has call, approve, activate","hint":"Use the token of a caller that may admin (server.admin_token, or server.callers with may)."}}`},
		{name: "import without the right", method: "PUT", path: "/v1/hints", body: sent, caller: may, status: 403, want: `{"error":{"error_type":"forbidden","message":"this needs the right admin, and the caller bot has call, approve, activate","hint":"Use the token of a caller that may admin (server.admin_token, or server.callers with may)."}}`},
		{name: "import", method: "PUT", path: "/v1/hints", body: sent, caller: admin, status: 200, want: `{"imported":1}`, taken: httpapi.HintImport{Hints: []httpapi.Hint{hint}, Replace: true}},
		{name: "nothing", method: "PUT", path: "/v1/hints?group=", body: `{"hints": []}`, caller: admin, status: 200, want: `{"imported":0}`, group: &everybody, taken: httpapi.HintImport{Hints: []httpapi.Hint{}}},
		{name: "refused", method: "PUT", path: "/v1/hints", body: `{"hints": [{}]}`, caller: admin, err: tool.Errorf(tool.InvalidArgs, "hint 1: it names no tool").WithHint("Name one."), status: 422, want: `{"error":{"error_type":"invalid_args","message":"hint 1: it names no tool","hint":"Name one."}}`, taken: httpapi.HintImport{Hints: []httpapi.Hint{{}}}},
		{name: "no list", method: "PUT", path: "/v1/hints", body: `{"hint": []}`, caller: admin, status: 400, want: `{"error":{"error_type":"bad_request","message":"the body is no list of hints","hint":"Send {\"hints\": [{\"tool\": \"its name\", \"query\": \"what somebody would search for\"}]}; replace and force may stand beside hints."}}`},
		{name: "odd parameter", method: "GET", path: "/v1/hints?grup=a", caller: admin, status: 400, want: `{"error":{"error_type":"bad_request","message":"unknown query parameter \"grup\"","hint":"did you mean group?"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &hintBook{err: c.err}
			api := httpapi.New(&fake{}, httpapi.Options{Hints: b})
			res := send(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				api.ServeHTTP(w, r.WithContext(tool.WithCaller(r.Context(), c.caller)))
			}), c.method, c.path, "", c.body)
			if diff := cmp.Diff(c.want+"\n", res.Body.String()); diff != "" || res.Code != c.status {
				t.Error(res.Code, diff)
			}
			if diff := cmp.Diff(c.group, b.group); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.taken, b.taken); diff != "" {
				t.Error(diff)
			}
		})
	}
}
