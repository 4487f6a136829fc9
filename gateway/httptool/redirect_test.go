package httptool

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// world leads dialled public addresses to servers of a test, once the guard has
// let them through.
func world(transport *http.Transport, g guard, servers map[string]*httptest.Server) {
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		server, ok := servers[address]
		if !ok {
			return dial(ctx, network, address)
		}
		if err := g.control(ctx, network, address, nil); err != nil {
			return nil, err
		}
		return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
	}
}

// redirects are answers to a request that holds everything a configuration can
// put there, and what becomes of it. Locations: {near} is the upstream, {far}
// a public server, {private} one in a network that is open to tools.
var redirects = []struct {
	name, method, body string
	status             int
	location           string
	near, far          string // the request that came to a server in the end; empty for none
	says               string // part of the error, empty for none
	code               tool.Code
}{
	{"302 near", "GET", "", 302, "/end?a=1", "GET /end?a=1&api=s3cr%3Dt%2Fkey", "", "", ""},
	{"a relative path", "GET", "", 301, "end", "GET /end?api=s3cr%3Dt%2Fkey", "", "", ""},
	{"an address in full", "GET", "", 302, "{near}/end#part", "GET /end?api=s3cr%3Dt%2Fkey", "", "", ""},
	{"the credential of the query comes back", "GET", "", 302, "/end?api=s3cr%3Dt%2Fkey&b=2", "GET /end?b=2&api=s3cr%3Dt%2Fkey", "", "", ""},
	{"301 of a POST", "POST", "data", 301, "/end", "GET /end?api=s3cr%3Dt%2Fkey", "", "", ""},
	{"302 of a POST", "POST", "data", 302, "/end", "GET /end?api=s3cr%3Dt%2Fkey", "", "", ""},
	{"303 of a PUT", "PUT", "data", 303, "/end", "GET /end?api=s3cr%3Dt%2Fkey", "", "", ""},
	{"303 of a HEAD", "HEAD", "", 303, "/end", "HEAD /end?api=s3cr%3Dt%2Fkey", "", "", ""},
	{"307 of a POST", "POST", "data", 307, "/end", "POST /end?api=s3cr%3Dt%2Fkey data", "", "", ""},
	{"308 of a PATCH", "PATCH", "data", 308, "/end", "PATCH /end?api=s3cr%3Dt%2Fkey data", "", "", ""},
	{"far", "GET", "", 302, "{far}/end?a=1", "", "GET /end?a=1", "", ""},
	{"far by 307", "HEAD", "", 307, "{far}/end", "", "HEAD /end", "", ""},
	{"far without a scheme", "GET", "", 302, "{//far}/end", "", "GET /end", "", ""},
	{"far by 303 of a POST", "POST", "data", 303, "{far}/end", "", "GET /end", "", ""},
	{"far by 307 of a POST", "POST", "data", 307, "{far}/end", "", "", "a redirect of a POST to another scheme", tool.UpstreamError},
	{"far by 308 of a DELETE", "DELETE", "", 308, "{far}/end", "", "", "a redirect of a DELETE to another scheme", tool.UpstreamError},
	{"far and on", "GET", "", 302, "{far}/on", "", "GET /end", "", ""},
	{"far and back", "GET", "", 302, "{far}/back", "", "", "may not reach", tool.BlockedTarget},
	{"an open network", "GET", "", 302, "{private}/end", "", "", "may not reach", tool.BlockedTarget},
	{"localhost", "GET", "", 302, "http://localhost:1/end", "", "", "may not reach", tool.BlockedTarget},
	{"metadata", "GET", "", 302, "http://169.254.169.254/latest", "", "", "may not reach", tool.BlockedTarget},
	{"another scheme near", "GET", "", 302, "https://127.0.0.1:1/end", "", "", "may not reach", tool.BlockedTarget},
	{"a secret in the query", "GET", "", 302, "{far}/end?api=s3cr%3Dt%2Fkey", "", "", "a credential in the address", tool.UpstreamError},
	{"a secret as it is", "GET", "", 302, "{far}/s3cr=t/key", "", "", "a credential in the address", tool.UpstreamError},
	{"a secret spelled oddly", "GET", "", 302, "{far}/end?%73%33cr%3dt%2fkey", "", "", "a credential in the address", tool.UpstreamError},
	{"a secret in a fragment", "GET", "", 302, "{far}/end#s3cr=t/key", "", "", "a credential in the address", tool.UpstreamError},
	{"a secret of a header in the host", "GET", "", 302, "http://0ther-s3cret.example.com/", "", "", "a credential in the address", tool.UpstreamError},
	{"no location", "GET", "", 302, "", "", "", "without saying where", tool.UpstreamError},
	{"a location that is none", "GET", "", 302, "http://[::1", "", "", "not an http or https address", tool.UpstreamError},
	{"a file", "GET", "", 302, "file:///etc/passwd", "", "", "not an http or https address", tool.UpstreamError},
	{"a user name", "GET", "", 302, "http://me:pw@93.184.215.14/", "", "", "without a user name", tool.UpstreamError},
	{"no host", "GET", "", 302, "http:///end", "", "", "not an http or https address", tool.UpstreamError},
	{"in a circle", "GET", "", 302, "/start", "", "", "more than 5 times", tool.UpstreamError},
	{"304 is no redirect", "GET", "", 304, "{far}/end", "GET /start?api=s3cr%3Dt%2Fkey", "", "", ""},
}

const farAway = "93.184.215.14:80"

func TestRedirect(t *testing.T) {
	for _, test := range redirects {
		t.Run(test.name, func(t *testing.T) {
			var near, far, private recorder
			var status int
			var location string
			nearServer := serve(t, func(w http.ResponseWriter, r *http.Request) {
				near.note(r)
				if r.URL.Path == "/start" {
					w.Header().Set("Set-Cookie", "session=1")
					if location != "" {
						w.Header().Set("Location", location)
					}
					w.WriteHeader(status)
				}
			})
			farServer := serve(t, func(w http.ResponseWriter, r *http.Request) {
				far.note(r)
				switch r.URL.Path {
				case "/on":
					http.Redirect(w, r, "/end", http.StatusFound)
				case "/back":
					http.Redirect(w, r, nearServer.URL+"/end", http.StatusFound)
				}
			})
			privateServer := serve(t, func(_ http.ResponseWriter, r *http.Request) { private.note(r) })
			status, location = test.status, strings.NewReplacer("{near}", nearServer.URL, "{private}", privateServer.URL,
				"{far}", "http://"+farAway, "{//far}", "//"+farAway).Replace(test.location)
			c := newClient(t, loopback)
			world(c.outside, guard{}, map[string]*httptest.Server{farAway: farServer})
			u := newUpstream(t, c, UpstreamConfig{URL: nearServer.URL, Auth: &Auth{Query: &Named{"api", "${secret.key}"}}})
			got := ask(t.Context(), t, u, message{method: test.method, url: nearServer.URL + "/start", body: test.body, header: http.Header{
				"Accept": {"text/plain"}, "X-Custom": {"0ther-s3cret"}, "Authorization": {"Bearer 0ther-s3cret"},
				"User-Agent": {"custom"}, "Content-Type": {"text/csv"}, "Cookie": {"a=b"},
			}})
			if test.says != "" && (got.err == nil || got.err.Code != test.code || !strings.Contains(got.err.Message, test.says) || strings.Contains(got.err.Message, "?")) {
				t.Errorf("got %d, %v", got.status, got.err)
			}
			if test.says == "" && got.err != nil {
				t.Error(got.err)
			}
			checkNear(t, near.last(), test.near)
			checkFar(t, far.all(), test.far)
			if seen := private.all(); len(seen) > 0 {
				t.Errorf("an open network was reached: %q", seen)
			}
			if got.last != nil {
				shows(t, "the request of the answer", got.last.URL.String())
			}
			if len(near.all()) > maxRedirects+1 {
				t.Errorf("%d requests", len(near.all()))
			}
		})
	}
}

// checkNear holds what came last to the upstream against what had to come.
func checkNear(t *testing.T, got, want string) {
	t.Helper()
	if want == "" {
		return
	}
	method, rest, _ := strings.Cut(want, " ")
	uri, body, _ := strings.Cut(rest, " ")
	if !strings.HasPrefix(got, method+" "+uri+"\n") || !strings.HasSuffix(got, "\n"+body) {
		t.Errorf("the upstream got %q, want %q", got, want)
	}
	if !strings.Contains(got, "X-Custom: 0ther-s3cret") || strings.Contains(got, "Referer") || strings.Contains(got, "session=1") {
		t.Errorf("the upstream got %q", got)
	}
	if strings.Contains(got, "Content-Type") && body == "" && method == http.MethodGet && strings.Contains(got, "Content-Length") {
		t.Errorf("a request without a body says its type: %q", got)
	}
}

// checkFar makes sure that nothing of the configuration came to another origin.
func checkFar(t *testing.T, got []string, want string) {
	t.Helper()
	if want != "" && (len(got) == 0 || !strings.HasPrefix(got[len(got)-1], want+"\n")) {
		t.Errorf("the other origin got %q, want %q", got, want)
	}
	for _, request := range got {
		shows(t, "a request to another origin", request)
		for _, part := range []string{"X-Custom", "Authorization", "Cookie", "Referer", "custom", "data", "csv"} {
			if strings.Contains(request, part) {
				t.Errorf("%s came to another origin: %q", part, request)
			}
		}
		if !strings.Contains(request, "Accept: text/plain") || !strings.Contains(request, "User-Agent: toolgate") {
			t.Errorf("the other origin got %q", request)
		}
	}
	if want == "" && len(got) > 0 && !strings.Contains(got[0], "/back") {
		t.Errorf("the other origin got %q", got)
	}
}

// TestRedirectFromHTTPS: what was encrypted stays so.
func TestRedirectFromHTTPS(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+farAway+"/end", http.StatusFound)
	}))
	t.Cleanup(server.Close)
	c := newClient(t, loopback)
	c.transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
	got := ask(t.Context(), t, newUpstream(t, c, UpstreamConfig{URL: server.URL}), message{method: "GET", url: server.URL})
	if got.err == nil || got.err.Code != tool.UpstreamError || !strings.Contains(got.err.Message, "from https to http") {
		t.Errorf("got %d, %v", got.status, got.err)
	}
}

// TestRedirectOfPlainTools: what has no upstream knows the secrets too.
func TestRedirectOfPlainTools(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+farAway+"/end?"+r.URL.RawQuery, http.StatusFound)
	})
	far := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "far") })
	c := newClient(t, loopback)
	New(diag.NewCursor(&diag.Report{}, nil), Config{URL: server.URL}, Deps{Client: c, Masker: upstreamDeps().Masker})
	world(c.outside, guard{}, map[string]*httptest.Server{farAway: far})
	if got := ask(t.Context(), t, c.Plain(), message{method: "GET", url: server.URL + "?a=1"}); got.body != "far" {
		t.Errorf("got %q, %v", got.body, got.err)
	}
	got := ask(t.Context(), t, c.Plain(), message{method: "GET", url: server.URL + "?a=" + url.QueryEscape("s3cr=t/key")})
	if got.err == nil || !strings.Contains(got.err.Message, "a credential in the address") {
		t.Errorf("got %d, %v", got.status, got.err)
	}
}

// TestBodyThatCannotBeSentTwice: a redirect that asks for it fails.
func TestBodyThatCannotBeSentTwice(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/x", http.StatusTemporaryRedirect) })
	req := message{method: "POST", url: server.URL}.request(t)
	req.Body = io.NopCloser(strings.NewReader("once"))
	_, err := newClient(t, loopback).Plain().send(t.Context(), req, nil, false)
	if err == nil || !strings.Contains(err.Error(), "cannot be sent twice") {
		t.Errorf("got %v", err)
	}
}
