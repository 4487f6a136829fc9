package mcpserver

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// busy holds calls until they are cancelled.
type busy struct{ started chan struct{} }

func (b busy) Call(ctx context.Context, _ tool.Call) tool.Result {
	b.started <- struct{}{}
	<-ctx.Done()
	return tool.Result{}
}

func (busy) Tools(context.Context, tool.View) []*tool.Spec { return nil }

func (busy) AsksClient(context.Context, string) bool { return false }

func (busy) HasProfile(string) bool { return false }

const (
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	ping        = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	slowCall    = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"slow","arguments":{}}}`
)

// TestSessionLimit holds that sessions are bounded, that the quietest one makes
// room for a new one, but none with a call under way, and that the era without
// sessions is served all the same.
func TestSessionLimit(t *testing.T) {
	b := busy{started: make(chan struct{})}
	s := New(b, Options{})
	s.most = 2
	handler := s.Handler()
	t.Cleanup(func() { _ = s.Close() })
	ids := make([]string, 3)
	for i := range ids[:2] {
		res := open(handler)
		if ids[i] = res.Header().Get(headerSession); res.Code != http.StatusOK {
			t.Fatalf("session %d: %d %s", i, res.Code, res.Body)
		}
		send(handler, http.MethodPost, initialized, headerSession, ids[i])
	}
	// Notifications are noted some time after they are sent, requests before
	// they are answered.
	send(handler, http.MethodPost, ping, headerSession, ids[1])
	send(handler, http.MethodPost, ping, headerSession, ids[0]) // now the second is the quietest
	res := open(handler)
	ids[2] = res.Header().Get(headerSession)
	if res.Code != http.StatusOK {
		t.Fatalf("a third: %d %s", res.Code, res.Body)
	}
	for i, want := range []int{http.StatusOK, http.StatusNotFound, http.StatusOK} {
		if res := send(handler, http.MethodPost, ping, headerSession, ids[i]); res.Code != want {
			t.Errorf("session %d answers %d %s, want %d", i, res.Code, res.Body, want)
		}
	}
	testAllBusy(t, handler, b, ids[0], ids[2])
	if res := send(handler, http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"x","version":"0"}}}}`,
		headerVersion, statelessVersion, headerMethod, methodListTools); res.Code != http.StatusOK {
		t.Errorf("the new era: %d %s, want 200", res.Code, res.Body)
	}
}

// testAllBusy puts a call under way in every session.
func testAllBusy(t *testing.T, handler http.Handler, b busy, ids ...string) {
	t.Helper()
	var calls sync.WaitGroup
	for _, id := range ids {
		send(handler, http.MethodPost, initialized, headerSession, id)
		calls.Go(func() { send(handler, http.MethodPost, slowCall, headerSession, id) })
		select {
		case <-b.started:
		case <-time.After(10 * time.Second):
			t.Fatal("the call does not start")
		}
	}
	if res := open(handler); res.Code != http.StatusServiceUnavailable || !strings.Contains(res.Body.String(), "at most 2") {
		t.Errorf("with all busy: %d %s, want 503", res.Code, res.Body)
	}
	send(handler, http.MethodDelete, "", headerSession, ids[0])
	if res := open(handler); res.Code != http.StatusOK {
		t.Errorf("after one ended: %d %s, want 200", res.Code, res.Body)
	}
	send(handler, http.MethodDelete, "", headerSession, ids[1])
	calls.Wait()
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

func TestExactID(t *testing.T) {
	for text, want := range map[string]bool{
		`{"id":1}`: true, `{"id":-9007199254740992}`: true, `{"id":9007199254740992}`: true,
		`{"id":9007199254740993}`: false, `{"id":1.5}`: false, `{"id":1e2}`: false,
		`{"id":"1.5"}`: true, `{"id":null}`: true, `{}`: true, `{"id":true}`: true,
	} {
		if got := exactID([]byte(text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
