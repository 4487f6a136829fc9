package httptool

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/gateway/tool/tooltest"
)

// counted counts what a client reads from its connections.
type counted struct {
	net.Conn
	read *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

func TestConformance(t *testing.T) {
	var read atomic.Int64
	backend := func(cfg Config, h http.HandlerFunc) tooltest.Backend {
		return func(t *testing.T) tool.Runner {
			client := newClient(t, loopback)
			dial := client.transport.DialContext
			read.Store(0)
			client.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := dial(ctx, network, address)
				return counted{conn, &read}, err
			}
			cfg := cfg
			cfg.URL = serve(t, h).URL
			return compile(t, cfg, Deps{Client: client, Args: []string{"text"}})
		}
	}
	tooltest.Run(t, tooltest.Subject{
		Echo: backend(Config{Query: texts{"text": {"${args.text}"}}}, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, r.FormValue("text"))
		}),
		Stuck: backend(Config{}, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
		Flood: backend(Config{}, func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(bytes.Repeat([]byte("y"), 4<<10)); err != nil {
					return
				}
			}
		}),
		Broken:     backend(Config{}, answers(500, "text/plain", "broken")),
		BrokenCode: tool.UpstreamError,
		Sent:       read.Load,
		Slack:      8 << 10, // the header and one buffer
	})
}

// TestStuckInTheBody is Stuck of the conformance suite once the answer began.
func TestStuckInTheBody(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "so far")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	for _, path := range []string{"/200", "/500"} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := compile(t, Config{URL: server.URL, Path: path}, testDeps(newClient(t, loopback))).Run(ctx, input(t, `{}`))
		if err == nil || tool.AsError(err).Code != tool.Timeout {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

func TestBlockedAddresses(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a blocked address was reached") })
	place, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, host string
		networks   []netip.Prefix
	}{
		{"loopback", "127.0.0.1", nil},
		{"another network is allowed", "127.0.0.1", []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}},
		{"a name", "localhost", nil},
		{"mapped to IPv6", "[::ffff:127.0.0.1]", nil},
		{"mapped in hexadecimal", "[::ffff:7f00:1]", nil},
		{"unspecified", "0.0.0.0", nil},
		{"a number that some resolvers take for an address", "2130706433", nil},
		{"metadata though allowed", "169.254.169.254", []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")}},
		{"metadata mapped though allowed", "[::ffff:169.254.169.254]", []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := compile(t, Config{URL: "http://" + test.host + ":" + place.Port()}, testDeps(newClient(t, test.networks)))
			_, err := r.Run(t.Context(), input(t, `{}`))
			e, ok := errors.AsType[*tool.Error](err)
			if ok && test.host == "2130706433" && e.Code == tool.UpstreamUnavailable {
				return // this resolver does not
			}
			if !ok || e.Code != tool.BlockedTarget || !e.Fatal {
				t.Fatalf("got %v", err)
			}
			if text := e.Text(); !strings.Contains(text, "security boundary") || !strings.Contains(text, "do not try again") ||
				strings.Contains(text, "networks.allow") || strings.Contains(text, place.Port()) {
				t.Errorf("the model reads %q", text)
			}
		})
	}
}

// redirecting is a server whose every path but /end redirects; followed counts
// the redirects it gave.
func redirecting(t *testing.T, far string, followed *atomic.Int64) *httptest.Server {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	to := func(path string, status int, place string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			followed.Add(1)
			w.Header().Set("Location", place)
			w.WriteHeader(status)
		})
	}
	to("/near", 302, "/end?from=near")
	to("/same", 308, server.URL+"/end")
	to("/far", 302, far+"/x?key=s3cret")
	to("/scheme", 302, strings.Replace(server.URL, "http:", "https:", 1))
	to("/metadata", 302, "http://169.254.169.254/latest/meta-data")
	to("/file", 302, "file:///etc/passwd")
	to("/loop", 302, "/loop")
	to("/odd", 302, "http://[::1")
	to("/hop0", 302, "/end")
	for n := range maxRedirects {
		to("/hop"+strconv.Itoa(n+1), 302, "/hop"+strconv.Itoa(n))
	}
	mux.HandleFunc("/end", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, r.Method+" "+r.RequestURI+" "+string(body))
	})
	return server
}

func TestRedirects(t *testing.T) {
	other := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the other host was reached") })
	var followed atomic.Int64
	server := redirecting(t, other.URL, &followed)
	tests := []struct {
		path string
		want string // the answer, or the code and part of the message
		code tool.Code
	}{
		{"/near", "GET /end?from=near ", ""},
		{"/same", `POST /end {"a":1}`, ""},
		{"/hop4", "GET /end ", ""},
		{"/hop5", "redirected more than 5 times", tool.UpstreamError},
		{"/loop", "redirected more than 5 times", tool.UpstreamError},
		{"/far", "may not reach", tool.BlockedTarget},
		{"/scheme", "may not reach", tool.BlockedTarget},
		{"/metadata", "may not reach", tool.BlockedTarget},
		{"/file", "not an http or https address", tool.UpstreamError},
		{"/odd", "not an http or https address", tool.UpstreamError},
	}
	for _, test := range tests {
		t.Run(test.path, func(t *testing.T) {
			followed.Store(0)
			cfg := Config{URL: server.URL, Path: test.path, Method: "POST", Body: &Body{JSON: []byte(`{"a":1}`)}}
			out, err := compile(t, cfg, testDeps(newClient(t, loopback))).Run(t.Context(), input(t, `{}`))
			if test.code == "" && (err != nil || out.Text() != test.want) {
				t.Errorf("got %q, %v, want %q", out.Text(), err, test.want)
			}
			if test.code != "" && (err == nil || tool.AsError(err).Code != test.code || !strings.Contains(tool.AsError(err).Message, test.want)) {
				t.Errorf("got %v, want %s with %q", err, test.code, test.want)
			}
			if n := followed.Load(); n > maxRedirects+1 {
				t.Errorf("%d requests were sent", n)
			}
		})
	}
}

// TestUnavailable checks what becomes of upstreams that give no answer, and
// that no message and no cause holds the query, in which a secret stands.
func TestUnavailable(t *testing.T) {
	hijack := func(write string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, write)
			_ = conn.(*net.TCPConn).SetLinger(0) // closing resets
			_ = conn.Close()
		}
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	tests := []struct {
		name, url string
		retryable bool // where the tool changes nothing
		unsent    bool
	}{
		{"a refused connection", closed.URL, true, true},
		{"an unknown host", "http://nobody.invalid", true, true},
		{"a reset before the answer", serve(t, hijack("")).URL, true, false},
		{"a reset in the header", serve(t, hijack("HTTP/1.1 200 OK\r\nContent-")).URL, true, false},
		{"a reset in the body", serve(t, hijack("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nso far")).URL, true, false},
		{"a truncated chunk", serve(t, hijack("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe")).URL, true, false},
		{"something else than HTTP", serve(t, hijack("SSH-2.0-OpenSSH\r\n")).URL, true, false},
		{"an endless header", serve(t, hijack("HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 2*maxHeaderBytes))).URL, true, false},
		{"broken gzip", serve(t, answers(200, "text/plain", "not gzip", "Content-Encoding", "gzip")).URL, true, false},
		{"an unknown certificate", secure.URL, false, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cfg := Config{URL: test.url, Path: "/x", Query: texts{"key": {"${secret.key}"}}}
			r := compile(t, cfg, testDeps(newClient(t, loopback)))
			_, err := r.Run(t.Context(), input(t, `{}`))
			if e := tool.AsError(err); e.Retryable != test.unsent {
				t.Errorf("what may change something: retryable %v", e.Retryable)
			}
			_, err = r.Run(t.Context(), reads(input(t, `{}`)))
			e, ok := errors.AsType[*tool.Error](err)
			if !ok || e.Code != tool.UpstreamUnavailable || e.Retryable != test.retryable || e.Cause == nil {
				t.Fatalf("got %v, retryable %v", err, ok && e.Retryable)
			}
			if strings.Contains(e.Error(), "s3cr") || strings.Contains(e.Error(), "key=") {
				t.Errorf("the query is in %q", e.Error())
			}
		})
	}
}

func TestNoProxy(t *testing.T) {
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the proxy was asked") })
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	_, err := compile(t, Config{URL: "http://nobody.invalid"}, testDeps(newClient(t, loopback))).Run(t.Context(), input(t, `{}`))
	if err == nil || tool.AsError(err).Code != tool.UpstreamUnavailable {
		t.Errorf("got %v", err)
	}
}

func TestConnectionsAreReused(t *testing.T) {
	var opened atomic.Int64
	server := httptest.NewUnstartedServer(answers(200, jsonType, `{}`))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client := newClient(t, loopback)
	for range 5 {
		if _, err := compile(t, Config{URL: server.URL}, testDeps(client)).Run(t.Context(), input(t, `{}`)); err != nil {
			t.Fatal(err)
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections were opened", n)
	}
}

func TestHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	client := newClient(t, loopback)
	client.transport.TLSClientConfig = &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	out, err := compile(t, Config{URL: server.URL}, testDeps(client)).Run(t.Context(), input(t, `{}`))
	if err != nil || out.Text() != "HTTP/2.0" {
		t.Errorf("got %q, %v", out.Text(), err)
	}
}
