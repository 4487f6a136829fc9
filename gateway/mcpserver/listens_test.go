package mcpserver

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/toolgate/toolgate/gateway/tool"
)

// listenAs asks for a stream of notifications.
func listenAs(ctx context.Context, h http.Handler, who string, more ...string) *httptest.ResponseRecorder {
	body := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + described + `}}`
	req := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
	for i, h := 0, append(modern(methodListen, ""), more...); i < len(h); i += 2 {
		req.Header.Set(h[i], h[i+1])
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res := httptest.NewRecorder()
	h.ServeHTTP(res, req.WithContext(tool.WithCaller(ctx, tool.Caller{ID: who, Name: who})))
	return res
}

// TestListens holds that one caller cannot keep others from subscribing, that
// there is room again when a stream has ended, and that none opens under another
// method's name.
func TestListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(mirror{}, Options{})
		h := s.Handler()
		ctx, hangUp := context.WithCancel(t.Context())
		go listenAs(ctx, h, "ann")
		synctest.Wait()
		var leave []func()
		fill := func(who string, streams int) {
			for range streams {
				l, ok := s.listens.enter(who)
				if !ok {
					t.Fatalf("%s has %d and gets no more", who, s.listens.of[who])
				}
				leave = append(leave, l)
			}
		}
		fill("ann", maxOwnListens-1)
		if res := listenAs(t.Context(), h, "ann"); res.Code != http.StatusServiceUnavailable || !strings.Contains(res.Body.String(), "too many subscriptions") {
			t.Errorf("one more of the same caller: %d %s", res.Code, res.Body)
		}
		if res := listenAs(t.Context(), h, "bob", headerMethod, "tools/list"); res.Code != http.StatusBadRequest {
			t.Errorf("as a list: %d %s", res.Code, res.Body)
		}
		for _, other := range []string{"bob", "cid", "dan"} {
			fill(other, maxOwnListens)
		}
		if res := listenAs(t.Context(), h, "eve"); res.Code != http.StatusServiceUnavailable {
			t.Errorf("one more of all: %d %s", res.Code, res.Body)
		}
		hangUp()
		synctest.Wait()
		if s.listens.open != maxListens-1 {
			t.Errorf("%d are open when one has hung up", s.listens.open)
		}
		for _, l := range leave {
			l()
		}
		if s.listens.open != 0 || len(s.listens.of) != 0 {
			t.Errorf("%d are open in the end, %v", s.listens.open, s.listens.of)
		}
		_ = s.Close()
	})
}
