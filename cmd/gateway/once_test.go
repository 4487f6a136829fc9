package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/config"
)

// TestKeyReused holds what is said of a key that stood for other arguments.
func TestKeyReused(t *testing.T) {
	t.Parallel()
	h, err := open(config.Options{Files: []string{writeConfig(t, describedConfig)}}, discardLogger())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	s := newServer(h, discardLogger())
	t.Cleanup(func() { _ = s.mcp.Close() })
	handler := s.handler()
	for _, c := range []struct {
		target, body string
		status       int
		want         string
	}{
		{"/v1/tools/add/call", `{"a":1}`, 200, `"status":"ok"`},
		{"/v1/tools/add/call", `{"a":1}`, 200, `"status":"ok"`},
		{"/v1/tools/add/call", `{"a":2}`, 422, `"error":{"error_type":"invalid_args","tool":"add","message":"the Idempotency-Key \"k1\" was sent with other arguments before, for this tool in this chat",` +
			`"hint":"The call was not run. Send a new call with a key of its own, and one that is sent again with the arguments it had."`},
		{"/v1/tools/add/call?chat=c", `{"a":2}`, 200, `"status":"ok"`},
		{"/v1/tools/forbidden/call", `{"x":1}`, 200, `"status":"ok"`},
	} {
		req := httptest.NewRequest(http.MethodPost, "http://localhost"+c.target, strings.NewReader(c.body))
		req.Header.Set("Idempotency-Key", "k1")
		res := httptest.NewRecorder()
		handler.ServeHTTP(res, req)
		if res.Code != c.status || !strings.Contains(res.Body.String(), c.want) {
			t.Errorf("%s %s: %d %s\nwant %d %s", c.target, c.body, res.Code, res.Body, c.status, c.want)
		}
	}
}
