package httptool

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
)

// middle is an HTTP proxy that leads every request to one server.
type middle struct {
	recorder
	to     string // host:port
	status int    // an answer of its own; 0 for none
}

func (m *middle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.note(r)
	switch {
	case m.status != 0:
		w.WriteHeader(m.status)
	case r.Method == http.MethodConnect:
		m.tunnel(w)
	default:
		out := r.Clone(r.Context())
		out.Header.Del("Proxy-Authorization") // is for the proxy itself
		out.RequestURI, out.URL.Scheme, out.URL.Host = "", "http", m.to
		resp, err := http.DefaultTransport.RoundTrip(out)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer func() { _ = resp.Body.Close() }()
		for name, values := range resp.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	}
}

func (m *middle) tunnel(w http.ResponseWriter) {
	far, err := net.Dial("tcp", m.to)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	near, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(far, near); _ = far.Close() })
	both.Go(func() { _, _ = io.Copy(near, far); _ = near.Close() })
	both.Wait()
}

func TestProxy(t *testing.T) {
	cert, key := identityFiles(t, "crm.test")
	secure := secured(t, cert, key, nil)
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://elsewhere.test/", http.StatusFound)
			return
		}
		if r.Header.Get("Proxy-Authorization") != "" {
			t.Error("the upstream got what was for the proxy")
		}
		_, _ = io.WriteString(w, "plain "+r.Host)
	})
	const user = "me:${secret.key}@"
	tests := []struct {
		name, user, url, path string
		server                *httptest.Server
		tls                   *TLS
		status                int    // the proxy's own
		want                  string // the answer, or part of the error
		proxied               string // start of what the proxy got, empty for nothing
		code                  tool.Code
	}{
		{"http", "", "http://crm.test", "/x", plain, nil, 0, "plain crm.test", "GET http://crm.test/x", ""},
		{"http with a password", user, "http://crm.test", "/x", plain, nil, 0, "plain crm.test", "GET http://crm.test/x", ""},
		{"https", "", "https://crm.test", "/x", secure, &TLS{CA: cert}, 0, "HTTP/2.0 nobody", "CONNECT crm.test:443", ""},
		{"https with a password", user, "https://crm.test", "/x", secure, &TLS{CA: cert}, 0, "HTTP/2.0 nobody", "CONNECT crm.test:443", ""},
		{"https with another certificate", "", "https://crm.test", "/x", secure, nil, 0, "certificate could not be verified", "CONNECT crm.test:443", tool.UpstreamUnavailable},
		{"a refusal", user, "https://crm.test", "/x", secure, &TLS{CA: cert}, 407, "could not be reached", "CONNECT crm.test:443", tool.UpstreamUnavailable},
		{"loopback", "", "http://127.0.0.1:80", "/x", plain, nil, 0, "may not reach", "", tool.BlockedTarget},
		{"localhost", "", "https://localhost.", "/x", plain, nil, 0, "may not reach", "", tool.BlockedTarget},
		{"below localhost", "", "http://a.LocalHost", "/x", plain, nil, 0, "may not reach", "", tool.BlockedTarget},
		{"metadata", "", "http://169.254.169.254", "/x", plain, nil, 0, "may not reach", "", tool.BlockedTarget},
		{"an old notation", "", "http://0x7f.1", "/x", plain, nil, 0, "may not reach", "", tool.BlockedTarget},
		{"a number", "", "http://2130706433", "/x", plain, nil, 0, "may not reach", "", tool.BlockedTarget},
		{"a redirect elsewhere", "", "http://crm.test", "/away", plain, nil, 0, "behind a proxy no redirect", "GET http://crm.test/away", tool.UpstreamError},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := &middle{to: test.server.Listener.Addr().String(), status: test.status}
			proxy := httptest.NewServer(m)
			t.Cleanup(proxy.Close)
			address := strings.Replace(proxy.URL, "http://", "http://"+test.user, 1)
			u := newUpstream(t, newClient(t, nil), UpstreamConfig{URL: test.url, Proxy: address, TLS: test.tls})
			got := ask(t.Context(), t, u, message{method: "GET", url: test.url + test.path})
			if test.code == "" && (got.err != nil || got.body != test.want) {
				t.Errorf("got %q, %v", got.body, got.err)
			}
			if test.code != "" && (got.err == nil || got.err.Code != test.code || !strings.Contains(got.err.Message, test.want)) {
				t.Errorf("got %q, %v", got.body, got.err)
			}
			if seen := m.last(); !strings.HasPrefix(seen, test.proxied) || (seen == "") != (test.proxied == "") {
				t.Errorf("the proxy got %q", seen)
			} else if test.user != "" && !strings.Contains(seen, "Proxy-Authorization: Basic bWU6czNjcj10L2tleQ==") {
				t.Errorf("the proxy was not shown the password: %q", seen)
			}
		})
	}
}

// TestProxyOverTLS: the block about the upstream is not about its proxy.
func TestProxyOverTLS(t *testing.T) {
	cert, key := identityFiles(t, "crm.test")
	mine, myKey := identityFiles(t, "gateway")
	secure := secured(t, cert, key, nil)
	m := &middle{to: secure.Listener.Addr().String()}
	proxy := httptest.NewUnstartedServer(m)
	proxy.Config.ErrorLog = log.New(io.Discard, "", 0)
	proxy.StartTLS()
	t.Cleanup(proxy.Close)
	cfg := UpstreamConfig{URL: "https://crm.test", Proxy: proxy.URL, TLS: &TLS{CA: cert, Cert: mine, Key: myKey}}
	u := newUpstream(t, newClient(t, nil), cfg)
	got := ask(t.Context(), t, u, message{method: "GET", url: cfg.URL})
	if got.err == nil || !strings.Contains(got.err.Message, "certificate could not be verified") || len(m.all()) > 0 {
		t.Errorf("got %q, %v", got.body, got.err)
	}
}

// TestWholeProxyIsASecret: its address is first known when it is used.
func TestWholeProxyIsASecret(t *testing.T) {
	u := newUpstream(t, newClient(t, []netip.Prefix{}), UpstreamConfig{URL: "http://crm.test", Proxy: "${secret.key}"})
	got := ask(t.Context(), t, u, message{method: "GET", url: "http://crm.test"})
	if got.err == nil || got.err.Code != tool.Internal {
		t.Errorf("got %v", got.err)
	}
}
