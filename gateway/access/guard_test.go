package access_test

import (
	"context"
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/access"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// The tokens of these tests.
const (
	clientToken = "client-0123456789abcdef"
	adminToken  = "admin-0123456789abcdef"
	annToken    = "ann-0123456789abcdef"
	deskToken   = "desk-0123456789abcdef"
)

// book compiles a section with tokens; without any where there are none.
func book(t testing.TB, cfg access.Config, tokens bool) *access.Book {
	t.Helper()
	values := map[string]secret.Value{
		"client": secret.NewValue(clientToken), "admin": secret.NewValue(adminToken),
		"ann": secret.NewValue(annToken), "desk": secret.NewValue(deskToken),
	}
	if tokens {
		cfg.Token, cfg.AdminToken = "${secret.client}", "${secret.admin}"
		cfg.Callers = map[string]access.CallerConfig{
			"ann":  {Token: "${secret.ann}", Groups: []string{"people"}, Claims: map[string]json.RawMessage{"tenant": json.RawMessage(`{"id":7}`)}},
			"desk": {Token: "${secret.desk}", May: []tool.Right{tool.MayApprove, tool.MayActivate}},
		}
	}
	var report diag.Report
	b := access.Compile(diag.NewCursor(&report, nil), cfg, slices.Sorted(maps.Keys(values))).Resolve(values)
	if problems := report.Problems(); len(problems) > 0 || b == nil {
		t.Fatalf("%v", problems)
	}
	return b
}

// request is one that came in on a local address, on loopback when that is empty.
func request(method, path, local, host string, header ...string) *http.Request {
	req := httptest.NewRequest(method, path, http.NoBody)
	req.Host = host
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	if local == "" {
		return req
	}
	addr := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(local))
	return req.WithContext(context.WithValue(req.Context(), http.LocalAddrContextKey, net.Addr(addr)))
}

// guarded sends a request through the guard. What comes through is answered with
// 418 and with who the door takes the sender for.
func guarded(b *access.Book, req *http.Request) *httptest.ResponseRecorder {
	var current access.Current
	current.Swap(b)
	return recorded(access.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := tool.CallerOf(r.Context(), tool.KindHTTP)
		w.Header().Set("X-Who", who.ID)
		w.WriteHeader(http.StatusTeapot)
	}), &current), req)
}

func recorded(h http.Handler, req *http.Request) *httptest.ResponseRecorder {
	res := httptest.NewRecorder()
	h.ServeHTTP(res, req)
	return res
}

// refused reports a refusal of the form that all have.
func refused(res *httptest.ResponseRecorder, status int, kind string) bool {
	return res.Code == status && res.Header().Get("Content-Type") == "application/json" &&
		strings.HasPrefix(res.Body.String(), `{"error":{"error_type":"`+kind+`","message":"`)
}

func origins(texts []string) (header []string) {
	for _, o := range texts {
		header = append(header, "Origin", o)
	}
	return header
}

func TestGuardHostAndOrigin(t *testing.T) {
	const here, lan = "127.0.0.1:8080", "10.0.0.5:8080"
	none := book(t, access.Config{}, false)
	tokens := book(t, access.Config{}, true)
	named := book(t, access.Config{
		Hosts:   []string{"Tools.example.com", "*.svc.local:8443", "10.0.0.5", "[fd00::1]:443"},
		Origins: []string{"https://app.example.com", "http://localhost:6274", "https://*.pages.example", "vscode-webview://abc", "https://odd.example:8443"},
	}, true)
	tests := []struct {
		book        *access.Book
		local, host string
		origins     []string
		passes      bool
	}{
		{none, here, "localhost", nil, true},
		{none, here, "localhost:8080", nil, true},
		{none, here, "LocalHost:1", nil, true},
		{none, here, "127.0.0.1", nil, true},
		{none, here, "127.9.9.9:8080", nil, true},
		{none, here, "[::1]", nil, true},
		{none, here, "[::1]:8080", nil, true},
		{none, here, "[::ffff:127.0.0.1]:8080", nil, true},
		{none, "[::1]:8080", "localhost", nil, true},
		{none, "", "localhost", nil, true},

		{none, here, "", nil, false},
		{none, here, "evil.example", nil, false},
		{none, here, "evil.example:8080", nil, false},
		{none, here, "localhost.evil.example", nil, false},
		{none, here, "127.0.0.1.evil.example", nil, false},
		{none, here, "localhost:8080:8080", nil, false},
		{none, here, "127.0.0.1@evil.example", nil, false},
		{none, here, "0.0.0.0:8080", nil, false},
		{none, here, "10.0.0.5", nil, false},
		{none, here, "2130706433", nil, false},
		{none, here, "[::]", nil, false},
		{none, here, "::1", nil, false},
		{none, here, "localhost/", nil, false},
		{none, here, "x@localhost", nil, false},
		{none, "[::1]:8080", "evil.example", nil, false},
		{none, "", "evil.example", nil, false},

		{none, here, "localhost:8080", []string{"http://localhost:3000"}, true},
		{none, here, "localhost:8080", []string{"https://127.0.0.1"}, true},
		{none, here, "127.0.0.1:8080", []string{"http://[::1]:8080"}, true},
		{none, here, "localhost:8080", []string{"http://evil.example"}, false},
		{none, here, "localhost:8080", []string{"http://localhost.evil.example"}, false},
		{none, here, "localhost:8080", []string{"null"}, false},
		{none, here, "localhost:8080", []string{""}, false},
		{none, here, "localhost:8080", []string{"localhost"}, false},
		{none, here, "localhost:8080", []string{"http://%zz"}, false},
		{none, here, "localhost:8080", []string{"http://localhost", "http://evil.example"}, false},
		{none, here, "evil.example", []string{"http://localhost"}, false},
		{none, here, "evil.example", []string{"http://evil.example"}, false},

		{tokens, lan, "tools.example:8080", nil, true},
		{tokens, lan, "tools.example:8080", []string{"https://Tools.example:8080"}, true},
		{tokens, lan, "tools.example:8080", []string{"https://evil.example"}, false},
		{tokens, lan, "tools.example:8080", []string{"null"}, false},
		{tokens, lan, "anything.example", nil, true},
		{tokens, lan, "tools.example", []string{"http://localhost:3000"}, false},
		{tokens, here, "localhost", nil, true},
		{tokens, here, "evil.example", nil, false},

		{none, lan, "10.0.0.5:8080", nil, false},
		{none, lan, "localhost:8080", nil, false},

		{named, lan, "tools.example.com", nil, true},
		{named, lan, "TOOLS.example.com:1234", nil, true},
		{named, lan, "tools.example.com.", nil, true},
		{named, lan, "a.svc.local:8443", nil, true},
		{named, lan, "a.b.svc.local:8443", nil, true},
		{named, lan, "10.0.0.5:8080", nil, true},
		{named, lan, "[::ffff:10.0.0.5]", nil, true},
		{named, lan, "[fd00::1]", nil, true},
		{named, lan, "[fd00:0::1]:443", nil, true},
		{named, here, "localhost:8080", nil, true},
		{named, here, "tools.example.com", nil, true},
		{named, lan, "", nil, false},
		{named, lan, "evil.example", nil, false},
		{named, lan, "localhost:8080", nil, false},
		{named, lan, "svc.local:8443", nil, false},
		{named, lan, "xsvc.local:8443", nil, false},
		{named, lan, "a.svc.local", nil, false},
		{named, lan, "a.svc.local:9", nil, false},
		{named, lan, "[fd00::1]:8443", nil, false},
		{named, lan, "tools.example.com.evil.example", nil, false},
		{named, lan, "tools.example.com:80:80", nil, false},
		{named, lan, "x@tools.example.com", nil, false},
		{named, lan, "tools.example.com:", nil, false},
		{named, lan, "10.0.0.6", nil, false},
		{named, here, "evil.example", nil, false},

		{named, lan, "tools.example.com", []string{"https://app.example.com"}, true},
		{named, lan, "tools.example.com", []string{"https://APP.example.com:443"}, true},
		{named, lan, "tools.example.com", []string{"https://tools.example.com"}, true},
		{named, lan, "tools.example.com", []string{"https://a.b.pages.example"}, true},
		{named, lan, "tools.example.com", []string{"vscode-webview://abc"}, true},
		{named, lan, "tools.example.com", []string{"https://odd.example:8443"}, true},
		{named, here, "localhost:8080", []string{"https://app.example.com"}, true},
		{named, here, "localhost:8080", []string{"http://localhost:3000"}, true},
		{named, lan, "tools.example.com", []string{"http://localhost:6274"}, true},
		{named, lan, "tools.example.com", []string{"http://localhost:3000"}, false},
		{named, here, "tools.example.com", []string{"http://localhost:3000"}, false},
		{named, lan, "tools.example.com", []string{"http://app.example.com"}, false},
		{named, lan, "tools.example.com", []string{"https://app.example.com:444"}, false},
		{named, lan, "tools.example.com", []string{"https://odd.example"}, false},
		{named, lan, "tools.example.com", []string{"https://pages.example"}, false},
		{named, lan, "tools.example.com", []string{"https://app.example.com.evil.example"}, false},
		{named, lan, "tools.example.com", []string{"https://app.example.com", "https://evil.example"}, false},
		{named, lan, "tools.example.com", []string{"null"}, false},
		{named, lan, "evil.example", []string{"https://app.example.com"}, false},
	}
	for _, tt := range tests {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions, http.MethodDelete} {
			header := append(origins(tt.origins), "Authorization", "Bearer "+clientToken)
			res := guarded(tt.book, request(method, "/v1/tools", tt.local, tt.host, header...))
			if got := res.Code == http.StatusTeapot; got != tt.passes {
				t.Errorf("%s on %s, Host %q, Origin %q: %d, want that it passes: %v", method, tt.local, tt.host, tt.origins, res.Code, tt.passes)
			}
			if !tt.passes && !refused(res, http.StatusForbidden, "forbidden") {
				t.Errorf("%s, Host %q, Origin %q: %d %s", method, tt.host, tt.origins, res.Code, res.Body)
			}
		}
	}
}

// TestProbesByAddress holds that probes, which ask by address, are answered off
// loopback whatever hosts are allowed, and on loopback are not.
func TestProbesByAddress(t *testing.T) {
	named := book(t, access.Config{Hosts: []string{"tools.example.com"}}, true)
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		res := guarded(named, request(http.MethodGet, path, "10.0.0.5:8080", "10.0.0.5:8080", "Authorization", "Bearer "+deskToken))
		if res.Code != http.StatusTeapot {
			t.Errorf("%s: %d %s", path, res.Code, res.Body)
		}
		if res := guarded(named, request(http.MethodGet, path, "127.0.0.1:80", "evil.example", "Authorization", "Bearer "+deskToken)); !refused(res, http.StatusForbidden, "forbidden") {
			t.Errorf("%s on loopback: %d %s", path, res.Code, res.Body)
		}
	}
}

// FuzzGuard holds that no spelling of an origin passes that a browser would
// take for another machine.
func FuzzGuard(f *testing.F) {
	for _, seed := range []string{"http://localhost:1", "http://[::1]", "null", "http://localhost@evil.example", "http://127.1", "//localhost", "http://[::1%25lo]", "http://[localhost]", "//::1"} {
		f.Add(seed)
	}
	none := book(f, access.Config{}, false)
	f.Fuzz(func(t *testing.T, origin string) {
		if guarded(none, request(http.MethodGet, "/v1/tools", "127.0.0.1:80", "localhost", "Origin", origin)).Code != http.StatusTeapot {
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
