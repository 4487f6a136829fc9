package mcpserver

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
)

// teller answers calls with their chat.
type teller struct{ mirror }

func (teller) Call(_ context.Context, call tool.Call) tool.Result {
	return tool.Result{Tool: call.Tool, Status: tool.StatusOK, Output: tool.TextOutput("(" + call.Chat.ID + ")")}
}

// TestChats holds which chat a call belongs to, in both eras and both ways.
func TestChats(t *testing.T) {
	s := New(teller{}, Options{})
	t.Cleanup(func() { _ = s.Close() })
	h := s.Handler()
	at := func(target, body string, headers ...string) *httptest.ResponseRecorder {
		return send(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL, _ = url.Parse(target)
			h.ServeHTTP(w, r)
		}), http.MethodPost, body, headers...)
	}
	id := open(h).Header().Get(headerSession)
	send(h, http.MethodPost, initialized, headerSession, id)
	long := strings.Repeat("c", tool.MaxChatID+1)
	for _, tt := range []struct {
		target, header string
		legacy, modern string // the chat; "" for a refusal
	}{
		{"/mcp", "", id, "()"},
		{"/mcp", "a", "a", "a"},
		{"/mcp?chat=b", "", "b", "b"},
		{"/chats/c/mcp", "", "c", "c"},
		{"/chats/c/mcp?chat=c", "c", "c", "c"},
		{"/chats/%7Ec%25/mcp", "", "~c%", "~c%"},
		{"/p/some/mcp?chat=b", "", "", "b"}, // the session is of another path
		{"/mcp?other=1", "", id, "()"},
		{"/chats/c/mcp", "d", "", ""},
		{"/mcp?chat=b", "a", "", ""},
		{"/mcp?chat=a&chat=b", "", "", ""},
		{"/mcp?chat=", "", "", ""},
		{"/mcp?chat=%zz", "", "", ""},
		{"/mcp?chat=a%20b", "", "", ""},
		{"/mcp", "a b", "", ""},
		{"/mcp", long, "", ""},
		{"/chats/a%0Ab/mcp", "", "", ""},
	} {
		var header []string
		if tt.header != "" {
			header = []string{headerChat, tt.header}
		}
		for _, name := range []string{"x", `\u0078`} { // the second goes through the SDK
			legacy := at(tt.target, strings.Replace(callX, `"x"`, `"`+name+`"`, 1), append(header, headerSession, id)...)
			body := strings.Replace(strings.Replace(callX, `"x"`, `"`+name+`"`, 1), `{}}`, `{},`+described+`}`, 1)
			modern := at(tt.target, body, append(header, modern("tools/call", "x")...)...)
			for era, got := range map[string]struct {
				res  *httptest.ResponseRecorder
				want string
			}{"legacy": {legacy, tt.legacy}, "modern": {modern, tt.modern}} {
				fine := got.res.Code == http.StatusOK && strings.Contains(got.res.Body.String(), `"text":"`+inBrackets(got.want)+`"`)
				refused := got.res.Code == http.StatusBadRequest && strings.Contains(got.res.Body.String(), `"error_type":"bad_request"`) || got.res.Code == http.StatusNotFound
				if got.want != "" && !fine || got.want == "" && !refused {
					t.Errorf("%s, %s %.20q, %s: %d %s, want %q", era, tt.target, tt.header, name, got.res.Code, got.res.Body, got.want)
				}
			}
		}
	}
	for path, want := range map[string]bool{"/chats/a/mcp": true, "/chats//mcp": false, "/chats/mcp": false, "/chats/a/b/mcp": false, "/chats/a": false, "/v1/chats/a": false} {
		if got := ServesPath(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// inBrackets is a chat as teller writes it.
func inBrackets(chat string) string { return "(" + strings.Trim(chat, "()") + ")" }

// TestHeadersThatDisagree holds that the headers of a request of 2026-07-28 must
// say what its body says, and that nothing is decided by them before that is
// known.
func TestHeadersThatDisagree(t *testing.T) {
	s := New(teller{}, Options{})
	t.Cleanup(func() { _ = s.Close() })
	body := strings.Replace(callX, `{}}`, `{},`+described+`}`, 1)
	for name, headers := range map[string][]string{
		"another tool":     modern("tools/call", "y"),
		"no tool":          modern("tools/call", ""),
		"another method":   modern("tools/list", "x"),
		"another revision": {headerVersion, "2099-01-01", headerMethod, "tools/call", headerName, "x"},
	} {
		res := send(s.Handler(), http.MethodPost, body, headers...)
		if res.Code != http.StatusBadRequest || !strings.Contains(res.Body.String(), `"error"`) {
			t.Errorf("%s: %d %s", name, res.Code, res.Body)
		}
	}
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""} {
		if res := send(s.Handler(), http.MethodPost, body, modern("tools/call", "x", "Content-Type", kind)...); res.Code != http.StatusUnsupportedMediaType {
			t.Errorf("content type %q: %d %s", kind, res.Code, res.Body)
		}
		if res := send(s.Handler(), http.MethodPost, ping, "Content-Type", kind); res.Code != http.StatusUnsupportedMediaType {
			t.Errorf("content type %q, of old: %d %s", kind, res.Code, res.Body)
		}
	}
}
