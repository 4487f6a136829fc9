package httptool

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/gateway/tool/tooltest"
)

// raw serves connections by hand: what net/http would never answer.
func raw(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				serve(c)
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// TestAnotherProtocol: an upstream that ends HTTP on the connection and stays
// silent holds nobody.
func TestAnotherProtocol(t *testing.T) {
	closed := make(chan struct{}, 2)
	address := raw(t, func(c net.Conn) {
		r := bufio.NewReader(c)
		if _, err := http.ReadRequest(r); err != nil {
			return
		}
		_, _ = c.Write([]byte("HTTP/1.1 101 x\r\nUpgrade: a\r\nConnection: upgrade\r\n\r\n"))
		_, _ = r.ReadByte() // until the other side has closed it
		closed <- struct{}{}
	})
	c := newClient(t, loopback)
	for _, u := range []*Upstream{c.Plain(), newUpstream(t, c, UpstreamConfig{URL: address, Timeout: time.Minute})} {
		got := ask(t.Context(), t, u, message{method: "GET", url: address})
		if got.err == nil || got.err.Code != tool.UpstreamError || !strings.Contains(got.err.Message, "another protocol") {
			t.Errorf("got %d, %v", got.status, got.err)
		}
		<-closed
	}
}

// TestSentOnce: on a connection that was used before and breaks when a request was
// read, net/http sends some requests again. One that may change something is
// sent once, and nobody is told that it may be tried again.
func TestSentOnce(t *testing.T) {
	for _, tt := range []struct {
		message
		seen int64
	}{
		{message{method: "GET"}, 2},
		{message{method: "GET", once: true}, 1},
		{message{method: "HEAD", once: true}, 1},
		{message{method: "POST", body: "x", once: true}, 1},
		{message{method: "POST", body: "x", header: http.Header{"Idempotency-Key": {"7"}}, once: true}, 1},
		{message{method: "GET", body: "x", once: true}, 1},
	} {
		t.Run(fmt.Sprint(tt.method, tt.body, tt.header, tt.once), func(t *testing.T) {
			var seen atomic.Int64
			address := raw(t, func(c net.Conn) {
				r := bufio.NewReader(c)
				for first := true; ; first = false {
					req, err := http.ReadRequest(r)
					if err != nil {
						return
					}
					if req.URL.Path == "/warm" {
						_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
						continue
					}
					seen.Add(1)
					if !first {
						return // as if it crashed over it
					}
					_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
				}
			})
			u := newClient(t, loopback).Plain()
			if got := ask(t.Context(), t, u, message{method: "GET", url: address + "/warm"}); got.body != "ok" {
				t.Fatalf("got %q, %v", got.body, got.err)
			}
			tt.url = address + "/act"
			got := ask(context.Background(), t, u, tt.message)
			if seen.Load() != tt.seen {
				t.Errorf("sent %d times, want %d", seen.Load(), tt.seen)
			}
			if tt.once && (got.err == nil || got.err.Retryable || got.err.Hint != mayHaveActed) {
				t.Errorf("got %+v", got.err)
			}
		})
	}
}

// TestNeverSent: what did not reach anybody may be tried again, whatever it does.
func TestNeverSent(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String()
	_ = l.Close()
	got := ask(t.Context(), t, newClient(t, loopback).Plain(), message{method: "POST", url: address, body: "x", once: true})
	if got.err == nil || got.err.Code != tool.UpstreamUnavailable || !got.err.Retryable {
		t.Errorf("got %+v", got.err)
	}
}

// TestLostOnTheWay: what was answered with a redirect may have been done, also
// where nobody answers any more then.
func TestLostOnTheWay(t *testing.T) {
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = s.Listener.Close()
		w.Header().Set("Connection", "close")
		http.Redirect(w, r, "/gone", http.StatusSeeOther)
	}))
	t.Cleanup(s.Close)
	got := ask(t.Context(), t, newClient(t, loopback).Plain(), message{method: "POST", url: s.URL, body: "x", once: true})
	if got.err == nil || got.err.Code != tool.UpstreamUnavailable || got.err.Retryable || got.err.Hint != mayHaveActed {
		t.Errorf("got %+v", got.err)
	}
}

// TestMuchAnswered: who asks for less asks again, which is not to be done without
// a look where the request may have had an effect.
func TestMuchAnswered(t *testing.T) {
	s := serve(t, answers(200, "text/plain", strings.Repeat("x", tooltest.MaxOutput+1)))
	r := compile(t, Config{URL: s.URL, Method: "POST"}, testDeps(newClient(t, loopback)))
	for in, warns := range map[*tool.Input]bool{new(input(t, `{}`)): true, new(reads(input(t, `{}`))): false} {
		_, err := r.Run(t.Context(), *in)
		hint := tool.AsError(err).Hint
		if !strings.HasPrefix(hint, "Ask for less") || strings.HasSuffix(hint, mayHaveActed) != warns {
			t.Errorf("the hint is %q, read-only: %v", hint, !warns)
		}
	}
}
