package mcpserver

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// holding is a gateway whose calls end when they are cancelled or released.
type holding struct {
	mirror
	started chan struct{}
	release chan struct{}
}

func newHolding() holding {
	return holding{started: make(chan struct{}, 100), release: make(chan struct{})}
}

func (h holding) Call(ctx context.Context, call tool.Call) tool.Result {
	h.started <- struct{}{}
	select {
	case <-h.release:
		return tool.Result{Status: tool.StatusOK, Output: tool.TextOutput("released")}
	case <-ctx.Done():
		return tool.Result{Status: tool.StatusOK, Output: tool.TextOutput(context.Cause(ctx).Error())}
	}
}

func (t *sessions) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byID)
}

// opened gives a session.
func opened(h http.Handler) string {
	id := open(h).Header().Get(headerSession)
	send(h, http.MethodPost, initialized, headerSession, id)
	return id
}

// TestIdleSessionEnds holds that a session ends when nothing was heard of it for
// long enough, and not before, though the SDK hears nothing of it.
func TestIdleSessionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(mirror{}, Options{})
		h := s.Handler()
		busy, idle := opened(h), opened(h)
		for range 12 {
			time.Sleep(sessionTimeout / 2)
			if res := send(h, http.MethodPost, ping, headerSession, busy); res.Code != http.StatusOK || !wasShort(res) {
				t.Fatalf("the busy one: %d %s", res.Code, res.Body)
			}
		}
		if res := send(h, http.MethodPost, ping, headerSession, idle); res.Code != http.StatusNotFound {
			t.Errorf("the idle one: %d %s", res.Code, res.Body)
		}
		time.Sleep(sessionTimeout - time.Second)
		if n := s.sessions.count(); n != 1 {
			t.Errorf("%d sessions shortly before, want 1", n)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := s.sessions.count(); n != 0 {
			t.Errorf("%d sessions in the end, want none", n)
		}
		_ = s.Close()
	})
}

// TestLongCallKeepsItsSession holds that a session does not end under a call.
func TestLongCallKeepsItsSession(t *testing.T) {
	for name, body := range map[string]string{"short": slowCall, "SDK": strings.Replace(slowCall, "slow", `slo\u0077`, 1)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gw := newHolding()
				s := New(gw, Options{})
				h := s.Handler()
				id := opened(h)
				answered := make(chan *httptest.ResponseRecorder)
				go func() { answered <- send(h, http.MethodPost, body, headerSession, id) }()
				<-gw.started
				time.Sleep(3 * sessionTimeout)
				close(gw.release)
				if res := <-answered; !strings.Contains(res.Body.String(), "released") {
					t.Errorf("%d %s", res.Code, res.Body)
				}
				if res := send(h, http.MethodPost, ping, headerSession, id); res.Code != http.StatusOK {
					t.Errorf("afterwards: %d %s", res.Code, res.Body)
				}
				_ = s.Close()
			})
		})
	}
}

// TestCancelledCall holds that a notification ends the call it names in its own
// session, and no other.
func TestCancelledCall(t *testing.T) {
	gw := newHolding()
	s := New(gw, Options{})
	t.Cleanup(func() { _ = s.Close() })
	h := s.Handler()
	mine, other := opened(h), opened(h)
	answers := map[string]chan *httptest.ResponseRecorder{}
	for _, id := range []string{mine, other} {
		answers[id] = make(chan *httptest.ResponseRecorder, 1)
		go func() { answers[id] <- send(h, http.MethodPost, slowCall, headerSession, id) }()
		<-gw.started
	}
	const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`
	for _, id := range []string{`"3"`, "4", "null"} {
		send(h, http.MethodPost, fmt.Sprintf(cancel, id), headerSession, mine)
	}
	send(h, http.MethodPost, fmt.Sprintf(cancel, "3"), headerSession, mine, "Content-Type", "text/plain")
	if res := send(h, http.MethodPost, fmt.Sprintf(cancel, "3"), headerSession, mine, "Content-Type", "application/json; charset=utf-8"); res.Code != http.StatusAccepted {
		t.Errorf("the notification: %d %s", res.Code, res.Body)
	}
	if res := <-answers[mine]; !strings.Contains(res.Body.String(), errCancelled.Error()) {
		t.Errorf("the call: %d %s", res.Code, res.Body)
	}
	select {
	case res := <-answers[other]:
		t.Errorf("the other session's call ended too: %s", res.Body)
	default:
	}
	close(gw.release)
	<-answers[other]
}

// TestSameIdentifierTwice holds that an identifier names one call at a time in a
// session, and any number of them without sessions.
func TestSameIdentifierTwice(t *testing.T) {
	gw := newHolding()
	s := New(gw, Options{})
	t.Cleanup(func() { _ = s.Close() })
	h := s.Handler()
	id := opened(h)
	answers := make(chan *httptest.ResponseRecorder, 3)
	go func() { answers <- send(h, http.MethodPost, slowCall, headerSession, id) }()
	<-gw.started
	if res := send(h, http.MethodPost, slowCall, headerSession, id); res.Code != http.StatusBadRequest || !strings.Contains(res.Body.String(), "duplicate in-flight request ID 3") {
		t.Errorf("the second: %d %s", res.Code, res.Body)
	}
	for range 2 {
		go func() {
			answers <- send(h, http.MethodPost, strings.Replace(slowCall, `{}}`, `{},`+described+`}`, 1), modern("tools/call", "slow")...)
		}()
		<-gw.started
	}
	close(gw.release)
	for range 3 {
		if res := <-answers; !strings.Contains(res.Body.String(), "released") {
			t.Errorf("%d %s", res.Code, res.Body)
		}
	}
	if res := send(h, http.MethodPost, slowCall, headerSession, id); !strings.Contains(res.Body.String(), "released") {
		t.Errorf("the identifier again, later: %d %s", res.Code, res.Body)
	}
}

// TestProfiles holds that a path leads to its profile, in both eras and both
// ways, and that a session belongs to the path it was opened at.
func TestProfiles(t *testing.T) {
	s := New(mirror{}, Options{})
	t.Cleanup(func() { _ = s.Close() })
	h := s.Handler()
	at := func(path, body string, headers ...string) *httptest.ResponseRecorder {
		return send(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.Path = path
			h.ServeHTTP(w, r)
		}), http.MethodPost, body, headers...)
	}
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"0"}}}`
	id := at("/p/some/mcp", hello).Header().Get(headerSession)
	for _, body := range []string{list, callX, strings.Replace(callX, `"x"`, `"\u0078"`, 1)} {
		if res := at("/p/some/mcp", body, headerSession, id); !strings.Contains(res.Body.String(), "some") {
			t.Errorf("through the profile: %d %s", res.Code, res.Body)
		}
		if res := at("/mcp", body, headerSession, id); res.Code != http.StatusNotFound {
			t.Errorf("outside it: %d %s", res.Code, res.Body)
		}
	}
	for _, name := range []string{"x", `\u0078`} {
		body := strings.Replace(strings.Replace(callX, `"x"`, `"`+name+`"`, 1), `{}}`, `{},`+described+`}`, 1)
		if res := at("/p/some/mcp", body, modern("tools/call", "x")...); !strings.Contains(res.Body.String(), "some") {
			t.Errorf("without a session: %d %s", res.Code, res.Body)
		}
	}
	if res := at("/p/none/mcp", hello); res.Code != http.StatusNotFound || !strings.Contains(res.Body.String(), `there is no profile \"none\"`) {
		t.Errorf("no such profile: %d %s", res.Code, res.Body)
	}
	asked := func(path, query string) *httptest.ResponseRecorder {
		return send(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.Path, r.URL.RawQuery = path, query
			h.ServeHTTP(w, r)
		}), http.MethodPost, strings.Replace(callX, `{}}`, `{},`+described+`}`, 1), modern("tools/call", "x")...)
	}
	for query, want := range map[string]int{
		"profile=some": 200, "profile=some&profile=some": 200, "pro%66ile=some": 200, "other=1": 200,
		"profile=none": 404, "profile=": 404, "profile": 404, "profile=some&profile=other": 404,
	} {
		res := asked("/mcp", query)
		if res.Code != want || (want == 200 && query != "other=1" && !strings.Contains(res.Body.String(), "some")) {
			t.Errorf("?%s: %d %s", query, res.Code, res.Body)
		}
	}
	if res := asked("/p/some/mcp", "profile=other"); res.Code != http.StatusNotFound {
		t.Errorf("two profiles: %d %s", res.Code, res.Body)
	}
	for path, want := range map[string]bool{
		"/mcp": true, "/p/a/mcp": true, "/p//mcp": false, "/p/mcp": false, "/p/a/b/mcp": false, "/mcp/": false, "/p/a/mcp/": false, "/": false, "/v1/tools": false,
	} {
		if got := ServesPath(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// TestNobodyReads holds that a client that does not read what it is sent is
// given up, however it is answered.
func TestNobodyReads(t *testing.T) {
	call := func(name string) string {
		return `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"` + name + `","arguments":{}}}`
	}
	for name, body := range map[string]string{"short": call("text"), "SDK": call(`te\u0078t`)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := New(mirror{}, Options{})
				h := s.Handler()
				id := opened(h)
				left := make(chan struct{})
				ours, theirs := net.Pipe()
				web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					h.ServeHTTP(w, r)
					close(left)
				})}
				listener := &pipes{conns: make(chan net.Conn, 1), closed: make(chan struct{})}
				listener.conns <- theirs
				go func() { _ = web.Serve(listener) }()
				began := time.Now()
				_, err := fmt.Fprintf(ours, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
					"Mcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s", id, len(body), body)
				if err != nil {
					t.Fatal(err)
				}
				<-left
				if took := time.Since(began); took < sendTimeout || took > 2*sendTimeout {
					t.Errorf("given up after %v, want %v", took, sendTimeout)
				}
				if line, err := bufio.NewReader(ours).ReadString('\n'); err == nil {
					t.Errorf("the connection goes on with %q", line)
				}
				_ = web.Close()
				_ = s.Close()
			})
		})
	}
}

// pipes is a listener for connections in memory.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (*pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
