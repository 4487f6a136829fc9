package httptool

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// hidden are the secrets of the tests of upstreams.
var hidden = map[string]secret.Value{
	"key": secret.NewValue("s3cr=t/key"), "other": secret.NewValue("0ther-s3cret"),
}

func upstreamDeps() UpstreamDeps {
	masker := secret.NewMasker(hidden["key"], hidden["other"])
	return UpstreamDeps{SecretNames: []string{"key", "other"}, Secrets: hidden, Masker: masker}
}

func newUpstream(t *testing.T, c *Client, cfg UpstreamConfig) *Upstream {
	t.Helper()
	var report diag.Report
	u := c.NewUpstream(diag.NewCursor(&report, listed).Key("upstreams").Key("crm"), "crm", cfg, upstreamDeps())
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	return u
}

// message is what a test sends.
type message struct {
	method, url, body string
	header            http.Header
	once              bool // the tool may change something
}

func (m message) request(t *testing.T) *http.Request {
	t.Helper()
	var body io.Reader
	if m.body != "" {
		body = strings.NewReader(m.body)
	}
	req, err := http.NewRequestWithContext(t.Context(), m.method, m.url, body)
	if err != nil {
		t.Fatal(err)
	}
	if m.header != nil {
		req.Header = m.header.Clone()
	}
	return req
}

// answered is what came back.
type answered struct {
	status int
	body   string
	last   *http.Request
	err    *tool.Error
}

// ask sends a message and reads the answer. It fails the test for an error
// that shows a secret.
func ask(ctx context.Context, t *testing.T, u *Upstream, m message) answered {
	t.Helper()
	resp, err := u.send(ctx, m.request(t), nil, m.once)
	if err == nil {
		defer func() { _ = resp.Body.Close() }()
		data, readErr := io.ReadAll(resp.Body)
		if readErr == nil {
			return answered{status: resp.StatusCode, body: string(data), last: resp.Request}
		}
		err = unreached(ctx, readErr)
	}
	e, ok := errors.AsType[*tool.Error](err)
	if !ok {
		t.Fatalf("not an error of a tool: %v", err)
	}
	shows(t, "an error", e.Error()+e.Text())
	return answered{err: e}
}

// shows fails the test where a text holds a secret or a part of one.
func shows(t *testing.T, what, text string) {
	t.Helper()
	for _, part := range []string{"s3cr", "s3cret", "czNjc"} {
		if strings.Contains(text, part) {
			t.Errorf("%s shows a secret: %s", what, text)
		}
	}
}

// recorder keeps the requests that a server got.
type recorder struct {
	mu   sync.Mutex
	seen []string
}

func (r *recorder) note(req *http.Request) string {
	body, _ := io.ReadAll(req.Body)
	var b strings.Builder
	b.WriteString(req.Method + " " + req.RequestURI + "\n")
	_ = req.Header.Write(&b)
	b.WriteString("\n" + string(body))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, b.String())
	return string(body)
}

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.seen...)
}

func (r *recorder) last() string {
	all := r.all()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// inMemory runs a server whose connections are pipes, for tests whose clock is
// a synctest bubble's, and leads the transport there.
func inMemory(t *testing.T, transport *http.Transport, h http.Handler) {
	t.Helper()
	l := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Hour}
	go func() { _ = server.Serve(l) }()
	transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		near, far := net.Pipe()
		select {
		case l.conns <- far:
			return near, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = server.Close()
	})
}

type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// TestUpstreamTimeout: the limit of one request covers its body, and is the
// upstream's failure, not the tool's.
func TestUpstreamTimeout(t *testing.T) {
	tests := []struct {
		name           string
		head, body     time.Duration // how long each takes
		limit, patient time.Duration // of the upstream and of the call
		want           tool.Code     // empty for an answer
		says           string
	}{
		{"in time", time.Second, time.Second, 10 * time.Second, time.Minute, "", ""},
		{"no limit", time.Hour, time.Hour, 0, 24 * time.Hour, "", ""},
		{"a late head", 11 * time.Second, 0, 10 * time.Second, time.Minute, tool.UpstreamUnavailable, "did not answer within 10s"},
		{"a late body", time.Second, 11 * time.Second, 10 * time.Second, time.Minute, tool.UpstreamUnavailable, "did not answer within 10s"},
		{"head and body together", 6 * time.Second, 6 * time.Second, 10 * time.Second, time.Minute, tool.UpstreamUnavailable, "did not answer within 10s"},
		{"the call ends first", 11 * time.Second, 0, 10 * time.Second, 5 * time.Second, tool.Timeout, ""},
		{"the call ends first in the body", 1 * time.Second, 11 * time.Second, 10 * time.Second, 5 * time.Second, tool.Timeout, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newClient(t, loopback)
				u := newUpstream(t, c, UpstreamConfig{URL: "http://crm.test", Timeout: test.limit})
				inMemory(t, u.transport, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					time.Sleep(test.head)
					_, _ = io.WriteString(w, "so far, ")
					w.(http.Flusher).Flush()
					time.Sleep(test.body)
					_, _ = io.WriteString(w, "done")
				}))
				ctx, stop := context.WithTimeout(t.Context(), test.patient)
				defer stop()
				got := ask(ctx, t, u, message{method: "GET", url: "http://crm.test/x"})
				switch {
				case test.want == "" && (got.err != nil || got.body != "so far, done"):
					t.Errorf("got %q, %v", got.body, got.err)
				case test.want != "" && (got.err == nil || got.err.Code != test.want || !strings.Contains(got.err.Message, test.says)):
					t.Errorf("got %q, %v", got.body, got.err)
				case test.want == tool.UpstreamUnavailable && !got.err.Retryable:
					t.Error("it cannot be tried again")
				}
				time.Sleep(24 * time.Hour) // the server ends
			})
		})
	}
}

// TestRoomForManyCalls: 32 calls at a time open 32 connections once.
func TestRoomForManyCalls(t *testing.T) {
	const calls, rounds = 32, 4
	var opened sync.Map
	var inside sync.WaitGroup
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		inside.Done()
		inside.Wait() // all calls of a round are under way at once
	}))
	server.Config.ConnState = func(conn net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Store(conn.RemoteAddr().String(), true)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	u := newUpstream(t, newClient(t, loopback), UpstreamConfig{URL: server.URL})
	for range rounds {
		inside.Add(calls)
		var all sync.WaitGroup
		for range calls {
			all.Go(func() {
				if got := ask(t.Context(), t, u, message{method: "GET", url: server.URL}); got.err != nil {
					t.Error(got.err)
				}
			})
		}
		all.Wait()
	}
	n := 0
	opened.Range(func(any, any) bool { n++; return true })
	if n > 2*calls { // a connection may come back a moment after its call ended
		t.Errorf("%d connections were opened for %d calls at a time", n, calls)
	}
}

// TestStaleConnection: a connection that the upstream closed meanwhile costs
// no reader a call, with a body or without. What may change something is not
// sent twice.
func TestStaleConnection(t *testing.T) {
	var record recorder
	server := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, record.note(r)) })
	u := newUpstream(t, newClient(t, loopback), UpstreamConfig{URL: server.URL})
	for range 3 {
		for _, method := range []string{"GET", "OPTIONS"} {
			got := ask(t.Context(), t, u, message{method: method, url: server.URL, body: "again"})
			if got.err != nil || got.body != "again" {
				t.Errorf("%s: got %q, %v", method, got.body, got.err)
			}
			server.CloseClientConnections()
		}
	}
}

// TestPools: connections are shared where nothing about them differs.
func TestPools(t *testing.T) {
	c := newClient(t, loopback)
	plain := UpstreamConfig{URL: "https://crm.test"}
	networks, proxied, secured := plain, plain, plain
	networks.Networks = &Networks{Allow: loopback}
	proxied.Proxy = "http://proxy.test:3128"
	secured.TLS = &TLS{ServerName: "other.test"}
	if u := newUpstream(t, c, plain); u.transport != c.transport || c.Plain().transport != c.transport {
		t.Error("what asks for nothing special has connections of its own")
	}
	for _, cfg := range []UpstreamConfig{networks, proxied, secured} {
		if u := newUpstream(t, c, cfg); u.transport == c.transport {
			t.Errorf("%+v shares its connections", cfg)
		}
	}
	if len(c.pools) != 3 {
		t.Errorf("%d pools", len(c.pools))
	}
}
