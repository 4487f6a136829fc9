package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/host"
)

// TestKeyReused holds what is said of a key that stood for other arguments.
func TestKeyReused(t *testing.T) {
	t.Parallel()
	h, err := open(config.Options{Files: []string{writeConfig(t, describedConfig)}}, discardLogger())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	s := host.NewServer(h, host.ServerOptions{})
	t.Cleanup(func() { _ = s.Close() })
	handler := s.Handler()
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

// TestKeyOfInnerCall holds that a key is that of the tool that runs, whichever way it is
// called: once for it, and apart from other tools. What call_read_tool refuses is not
// given for the call that its hint asks for.
func TestKeyOfInnerCall(t *testing.T) {
	t.Parallel()
	h, err := open(config.Options{Files: []string{writeConfig(t, `
version: 1
discovery: {call_tools: by_risk}
tools:
  pay: {description: Pay., tags: [destructive], parameters: {type: object, properties: {x: {type: integer}}}, expr: args.x}
  refund: {description: Refund., tags: [destructive], expr: '"refunded"'}
  look: {description: Look., tags: [read_only], expr: '"looked"'}
policy: {default: allow}
`)}}, discardLogger())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	s := host.NewServer(h, host.ServerOptions{})
	t.Cleanup(func() { _ = s.Close() })
	handler := s.Handler()
	const pay = `{"name":"pay","arguments":{"x":1}}`
	for i, c := range []struct {
		tool, body string
		status     int
		replayed   string
	}{
		{"call_read_tool", pay, 422, ""},
		{"call_tool", pay, 200, ""},
		{"pay", `{"x":1}`, 200, "true"},
		{"call_tool", `{"arguments":{"x":1},"name":"pay"}`, 200, "true"},
		{"call_tool", `{"name":"pay","arguments":{"x":2}}`, 422, ""},
		{"call_tool", `{"name":"refund","arguments":{}}`, 200, ""},
		{"refund", `{}`, 200, "true"},
		{"look", `{}`, 200, ""},
		{"call_tool", `{"name":"look"}`, 200, "true"},
		{"call_read_tool", `{"name":"look"}`, 200, ""},
		{"call_read_tool", `{"name":"look","arguments":{}}`, 200, "true"},
	} {
		req := httptest.NewRequest(http.MethodPost, "http://localhost/v1/tools/"+c.tool+"/call", strings.NewReader(c.body))
		req.Header.Set("Idempotency-Key", "k1")
		res := httptest.NewRecorder()
		handler.ServeHTTP(res, req)
		if res.Code != c.status || res.Header().Get("Idempotent-Replayed") != c.replayed {
			t.Errorf("%d %s %s: %d %s, replayed %q", i, c.tool, c.body, res.Code, res.Body, res.Header().Get("Idempotent-Replayed"))
		}
	}
}
