package httpapi_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/httpapi"
)

func passed(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }

// ask sends a request that came in on the local address through the guard.
func ask(method, local, host string, origins ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, "/v1/tools", http.NoBody)
	req.Host = host
	for _, o := range origins {
		req.Header.Add("Origin", o)
	}
	if local != "" {
		addr := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(local))
		req = req.WithContext(context.WithValue(req.Context(), http.LocalAddrContextKey, net.Addr(addr)))
	}
	res := httptest.NewRecorder()
	httpapi.Guard(http.HandlerFunc(passed)).ServeHTTP(res, req)
	return res
}

func TestGuard(t *testing.T) {
	const here, lan = "127.0.0.1:8080", "10.0.0.5:8080"
	tests := []struct {
		local, host string
		origins     []string
		passes      bool
	}{
		{here, "localhost", nil, true},
		{here, "localhost:8080", nil, true},
		{here, "LocalHost:1", nil, true},
		{here, "127.0.0.1", nil, true},
		{here, "127.9.9.9:8080", nil, true},
		{here, "[::1]", nil, true},
		{here, "[::1]:8080", nil, true},
		{here, "[::ffff:127.0.0.1]:8080", nil, true},
		{"[::1]:8080", "localhost", nil, true},
		{"", "localhost", nil, true},

		{here, "", nil, false},
		{here, "evil.example", nil, false},
		{here, "evil.example:8080", nil, false},
		{here, "localhost.evil.example", nil, false},
		{here, "127.0.0.1.evil.example", nil, false},
		{here, "localhost:8080:8080", nil, false},
		{here, "127.0.0.1@evil.example", nil, false},
		{here, "0.0.0.0:8080", nil, false},
		{here, "10.0.0.5", nil, false},
		{here, "2130706433", nil, false},
		{here, "[::]", nil, false},
		{here, "::1", nil, false},
		{here, "localhost/", nil, false},
		{here, "x@localhost", nil, false},
		{"[::1]:8080", "evil.example", nil, false},
		{"", "evil.example", nil, false},

		{here, "localhost:8080", []string{"http://localhost:3000"}, true},
		{here, "localhost:8080", []string{"https://127.0.0.1"}, true},
		{here, "127.0.0.1:8080", []string{"http://[::1]:8080"}, true},
		{here, "localhost:8080", []string{"http://evil.example"}, false},
		{here, "localhost:8080", []string{"http://localhost.evil.example"}, false},
		{here, "localhost:8080", []string{"null"}, false},
		{here, "localhost:8080", []string{""}, false},
		{here, "localhost:8080", []string{"localhost"}, false},
		{here, "localhost:8080", []string{"http://%zz"}, false},
		{here, "localhost:8080", []string{"http://localhost", "http://evil.example"}, false},
		{here, "evil.example", []string{"http://localhost"}, false},
		{here, "evil.example", []string{"http://evil.example"}, false},

		{lan, "tools.example:8080", nil, true},
		{lan, "tools.example:8080", []string{"https://Tools.example:8080"}, true},
		{lan, "tools.example:8080", []string{"https://evil.example"}, false},
		{lan, "tools.example:8080", []string{"null"}, false},
	}
	for _, tt := range tests {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions, http.MethodDelete} {
			res := ask(method, tt.local, tt.host, tt.origins...)
			if got := res.Code == http.StatusTeapot; got != tt.passes {
				t.Errorf("%s on %s, Host %q, Origin %q: %d, want that it passes: %v", method, tt.local, tt.host, tt.origins, res.Code, tt.passes)
			}
			if body := res.Body.String(); !tt.passes && (res.Code != http.StatusForbidden || !strings.HasPrefix(body, `{"error":{"error_type":"forbidden","message":"`)) {
				t.Errorf("%s, Host %q, Origin %q: %d %s", method, tt.host, tt.origins, res.Code, body)
			}
		}
	}
}

// FuzzGuard holds that no spelling of an origin passes that a browser would
// take for another machine.
func FuzzGuard(f *testing.F) {
	for _, seed := range []string{"http://localhost:1", "http://[::1]", "null", "http://localhost@evil.example", "http://127.1", "//localhost", "http://[::1%25lo]", "http://[localhost]", "//::1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, origin string) {
		if ask(http.MethodGet, "127.0.0.1:80", "localhost", origin).Code != http.StatusTeapot {
			return
		}
		u, err := url.Parse(origin)
		if err != nil {
			t.Fatalf("%q passes and is no URL", origin)
		}
		ip, err := netip.ParseAddr(u.Hostname())
		if !strings.EqualFold(u.Hostname(), "localhost") && (err != nil || !ip.Unmap().IsLoopback()) {
			t.Errorf("%q passes and names %q", origin, u.Hostname())
		}
	})
}
