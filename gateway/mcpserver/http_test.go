package mcpserver

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
)

type none struct{}

func (none) Call(context.Context, tool.Call) tool.Result     { return tool.Result{} }
func (none) Tools(context.Context, tool.Caller) []*tool.Spec { return nil }

// TestSessionLimit holds that sessions are bounded, that one which ends makes
// room, and that the era without sessions is served all the same.
func TestSessionLimit(t *testing.T) {
	s := New(none{}, Options{})
	s.sessions = 2
	handler := s.Handler()
	t.Cleanup(func() { _ = s.Close() })
	first := open(handler)
	if second := open(handler); first.Code != http.StatusOK || second.Code != http.StatusOK {
		t.Fatalf("two sessions: %d and %d %s", first.Code, second.Code, second.Body)
	}
	if res := open(handler); res.Code != http.StatusServiceUnavailable || !strings.Contains(res.Body.String(), "at most 2") {
		t.Errorf("a third: %d %s, want 503", res.Code, res.Body)
	}
	if res := send(handler, http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"x","version":"0"}}}}`,
		headerVersion, statelessVersion, headerMethod, methodListTools); res.Code != http.StatusOK {
		t.Errorf("the new era: %d %s, want 200", res.Code, res.Body)
	}
	send(handler, http.MethodDelete, "", headerSession, first.Header().Get(headerSession))
	if res := open(handler); res.Code != http.StatusOK {
		t.Errorf("after one ended: %d %s, want 200", res.Code, res.Body)
	}
}

func open(h http.Handler) *httptest.ResponseRecorder {
	return send(h, http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"0"}}}`)
}

// send makes a request with the given headers, names and values by turns.
func send(h http.Handler, method, body string, headers ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, "/", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res := httptest.NewRecorder()
	h.ServeHTTP(res, req)
	return res
}
