package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/httpapi"
)

// TestProfile holds that lists and calls of every form go through the profile
// that is named, and that one that there is not is none.
func TestProfile(t *testing.T) {
	batch := &fakeBatch{}
	batch.specs = specs()
	h := httpapi.New(batch, httpapi.Options{Batch: batch})
	const step = `{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"echo","arguments":"{}"}}]}`
	requests := []struct {
		method, path, body string
		through            func(body string) string
	}{
		{http.MethodGet, "/v1/tools", "", func(body string) string {
			if strings.Contains(body, `"name":"a"`) {
				return ""
			}
			return "some" // of which the first tool is
		}},
		{http.MethodPost, "/v1/tools/echo/call", "{}", func(string) string { return batch.call.Profile }},
		{http.MethodPost, "/v1/calls", step, func(string) string { return batch.calls[0].Call.Profile }},
	}
	for _, r := range requests {
		for query, want := range map[string]struct {
			status int
			says   string // in the answer; of one that went through, the profile
		}{
			"": {200, ""}, "?profile=some": {200, "some"},
			"?profile=none": {404, `there is no profile \"none\"`}, "?profile=": {404, "there is no profile"},
			"?profile=some&profile=some": {400, "more than once"},
		} {
			res := send(h, r.method, r.path+query, "", r.body)
			switch {
			case res.Code != want.status:
				t.Errorf("%s%s: %d %s, want %d", r.path, query, res.Code, res.Body, want.status)
			case res.Code != http.StatusOK:
				if !strings.Contains(res.Body.String(), want.says) {
					t.Errorf("%s%s: %s", r.path, query, res.Body)
				}
			case r.through(res.Body.String()) != want.says:
				t.Errorf("%s%s went through %q", r.path, query, r.through(res.Body.String()))
			}
		}
	}
}
