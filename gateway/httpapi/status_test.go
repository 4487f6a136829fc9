package httpapi_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestStatuses holds that every code has a status that somebody chose.
func TestStatuses(t *testing.T) {
	want := map[tool.Code]int{
		tool.NotFound: 404, tool.Inactive: 403, tool.InvalidArgs: 422, tool.Denied: 403, tool.NeedsApproval: 403, tool.ApprovalDenied: 403, tool.Overloaded: 503, tool.RateLimited: 429,
		tool.Timeout: 504, tool.UpstreamError: 502, tool.UpstreamUnavailable: 503, tool.BlockedTarget: 403,
		tool.Boundary: 403, tool.TooLarge: 502, tool.Cancelled: 499, tool.Interrupted: 503, tool.Internal: 500,
	}
	handler := httpapi.New(&fake{}, httpapi.Options{})
	for _, code := range tool.Codes() {
		status, ok := want[code]
		if !ok {
			t.Errorf("%s has no status here", code)
		}
		res := send(handler, http.MethodPost, "/v1/tools/fail-"+string(code)+"/call", "", "")
		if res.Code != status || res.Header().Get("Retry-After") != "2" {
			t.Errorf("%s: %d, Retry-After %q, want %d, 2", code, res.Code, res.Header().Get("Retry-After"), status)
		}
	}
	if len(want) != len(tool.Codes()) {
		t.Errorf("%d codes here, %d in all", len(want), len(tool.Codes()))
	}
}

// busy is overloaded and does not know for how long.
type busy struct{ fake }

func (*busy) Call(context.Context, tool.Call) tool.Result {
	return tool.Result{Status: tool.StatusError, Error: tool.Errorf(tool.Overloaded, "too many calls")}
}

func TestRetryAfter(t *testing.T) {
	res := send(httpapi.New(&busy{}, httpapi.Options{}), http.MethodPost, "/v1/tools/x/call", "", "")
	if res.Code != 503 || res.Header().Get("Retry-After") != "1" {
		t.Errorf("%d, Retry-After %q, want 503, 1", res.Code, res.Header().Get("Retry-After"))
	}
}
