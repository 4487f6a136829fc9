package openapi_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi"
	"github.com/toolgate/toolgate/openapi/spec"
)

// listener writes down what requests show to be let in.
type listener struct {
	name string
	into *notes
}

// notes are lines that several servers write.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (n *notes) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, line)
}

func (n *notes) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	lines := n.lines
	n.lines = nil
	return lines
}

// ServeHTTP writes "server METHOD address Header: value…". Where the path ends in
// token it gives one.
func (l listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	line := l.name + " " + r.Method + " " + r.RequestURI
	for _, name := range []string{"Authorization", "Cookie", "X-Key", "X-Other"} {
		if v := r.Header.Get(name); v != "" {
			line += " " + name + ": " + v
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/token") {
		body, _ := io.ReadAll(r.Body)
		form, _ := url.ParseQuery(string(body))
		line += " scope=" + form.Get("scope")
		_, _ = io.WriteString(w, `{"access_token":"granted","token_type":"Bearer","expires_in":3600}`)
	} else {
		_, _ = io.WriteString(w, `{}`)
	}
	l.into.add(line)
}

// TestCredentials holds what requests show, and to whom.
func TestCredentials(t *testing.T) {
	t.Parallel()
	const schemes = `
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    other: {type: apiKey, in: header, name: X-Other}
    inQuery: {type: apiKey, in: query, name: key}
    session: {type: apiKey, in: cookie, name: session}
    basic: {type: http, scheme: basic}
    bearer: {type: http, scheme: bearer}
    connect: {type: openIdConnect, openIdConnectUrl: https://x}
    digest: {type: http, scheme: digest}
    certificate: {type: mutualTLS}
    client: {type: oauth2, flows: {clientCredentials: {tokenUrl: token, scopes: {read: r, write: w, more: m}}}}
    person: {type: oauth2, flows: {implicit: {authorizationUrl: https://x, scopes: {}}}}
`
	key := map[string]openapi.Auth{"key": {Value: "${secret.k}"}}
	both := map[string]openapi.Auth{"key": {Value: "${secret.k}"}, "basic": {Username: "me", Password: "${secret.p}"}}
	client := map[string]openapi.Auth{"client": {ClientID: "id", ClientSecret: "${secret.p}"}}
	auth := func(name string) map[string]openapi.Auth {
		return map[string]openapi.Auth{name: {Value: "${secret.k}"}}
	}
	// two is a document with one operation at its own server and one elsewhere.
	const two = "servers: [{url: A/v1}]\nsecurity: [{key: []}]\npaths:\n  /here: {get: {}}\n  /there: {get: {servers: [{url: B/v2}]}}\n  /same: {get: {servers: [{url: A/v3}]}}" + schemes
	one := func(security string) string {
		return "servers: [{url: A/v1}]\npaths: {/a: {get: {security: " + security + "}}}" + schemes
	}
	for _, c := range []struct {
		name, text, from string
		cfg              openapi.Config
		want             []string // requests, or "lacks" with what is missing
	}{
		{"header", one("[{key: []}]"), "", openapi.Config{Auth: key}, []string{"A GET /v1/a X-Key: KEY"}},
		{"query", one("[{inQuery: []}]"), "", openapi.Config{Auth: auth("inQuery")}, []string{"A GET /v1/a?key=KEY"}},
		{"cookie", one("[{session: []}]"), "", openapi.Config{Auth: auth("session")}, []string{"A GET /v1/a Cookie: session=KEY"}},
		{"basic", one("[{basic: []}]"), "", openapi.Config{Auth: both}, []string{"A GET /v1/a Authorization: Basic bWU6UEFTUw=="}},
		{"bearer", one("[{bearer: []}]"), "", openapi.Config{Auth: auth("bearer")}, []string{"A GET /v1/a Authorization: Bearer KEY"}},
		{"connect", one("[{connect: []}]"), "", openapi.Config{Auth: auth("connect")}, []string{"A GET /v1/a Authorization: Bearer KEY"}},
		{"other of http", one("[{digest: []}]"), "", openapi.Config{Auth: auth("digest")}, []string{"A GET /v1/a Authorization: KEY"}},
		{"token of a person", one("[{person: []}]"), "", openapi.Config{Auth: auth("person")}, []string{"A GET /v1/a Authorization: Bearer KEY"}},
		{"token of a client", one("[{client: [read]}]"), "", openapi.Config{Auth: auth("client")}, []string{"A GET /v1/a Authorization: Bearer KEY"}},
		{"or, the first", one("[{key: []}, {basic: []}]"), "", openapi.Config{Auth: both}, []string{"A GET /v1/a X-Key: KEY"}},
		{"or, the one there is", one("[{bearer: []}, {key: []}]"), "", openapi.Config{Auth: key}, []string{"A GET /v1/a X-Key: KEY"}},
		{"and", one("[{basic: [], key: []}]"), "", openapi.Config{Auth: both}, []string{"A GET /v1/a Authorization: Basic bWU6UEFTUw== X-Key: KEY"}},
		{"and, not whole", one("[{basic: [], key: []}]"), "", openapi.Config{Auth: key}, []string{"lacks basic", "A GET /v1/a"}},
		{"and, then the whole one", one("[{basic: [], key: []}, {key: []}]"), "", openapi.Config{Auth: key}, []string{"A GET /v1/a X-Key: KEY"}},
		{"none of two", one("[{bearer: [], basic: []}, {digest: []}]"), "", openapi.Config{Auth: key}, []string{"lacks bearer and basic or digest", "A GET /v1/a"}},
		{"none configured", one("[{key: []}]"), "", openapi.Config{}, []string{"lacks key", "A GET /v1/a"}},
		{"undeclared", one("[{gone: []}]"), "", openapi.Config{Auth: key}, []string{"lacks gone", "A GET /v1/a"}},
		{"optional, configured", one("[{}, {key: []}]"), "", openapi.Config{Auth: key}, []string{"A GET /v1/a X-Key: KEY"}},
		{"optional, not configured", one("[{key: []}, {}]"), "", openapi.Config{}, []string{"A GET /v1/a"}},
		{"certificate", one("[{certificate: [], key: []}]"), "", openapi.Config{Auth: key}, []string{"A GET /v1/a X-Key: KEY"}},
		{"nothing, beside one that asks", "servers: [{url: A}]\nsecurity: [{key: []}]\npaths: {/a: {get: {security: []}}, /b: {get: {}}}" + schemes, "", openapi.Config{Auth: key}, []string{"A GET /a", "A GET /b X-Key: KEY"}},
		{"nobody asks", "servers: [{url: A}]\npaths: {/a: {get: {}}, /b: {get: {security: []}}}" + schemes, "", openapi.Config{Auth: both}, []string{"A GET /a Authorization: Basic bWU6UEFTUw== X-Key: KEY", "A GET /b Authorization: Basic bWU6UEFTUw== X-Key: KEY"}},
		{"nobody asks, nothing is configured", "servers: [{url: A}]\npaths: {/a: {get: {}}}" + schemes, "", openapi.Config{}, []string{"A GET /a"}},

		{"elsewhere, by a file", two, "", openapi.Config{Auth: key}, []string{"A GET /v1/here X-Key: KEY", "B GET /v2/there X-Key: KEY", "A GET /v3/same X-Key: KEY"}},
		{"elsewhere, by an address", two, "http://docs.example.com/api", openapi.Config{Auth: key}, []string{"A GET /v1/here X-Key: KEY", "B GET /v2/there", "A GET /v3/same X-Key: KEY"}},
		{"elsewhere, with base_url", two, "", openapi.Config{Auth: key, BaseURL: "A/base"}, []string{"A GET /base/here X-Key: KEY", "A GET /base/there X-Key: KEY", "A GET /base/same X-Key: KEY"}},
		{"elsewhere, with an upstream", two, "", openapi.Config{Auth: key, Upstream: "up"}, []string{"A GET /up/here X-Key: KEY", "A GET /up/there X-Key: KEY", "A GET /up/same X-Key: KEY"}},
		{"of the upstream", two, "", openapi.Config{Upstream: "up"}, []string{"A GET /up/here Authorization: Bearer UP", "A GET /up/there Authorization: Bearer UP", "A GET /up/same Authorization: Bearer UP"}},

		{
			"client", "servers: [{url: A/v1/}]\npaths: {/a: {get: {security: [{client: [read, write]}]}}, /b: {get: {security: [{client: [more, read]}]}}}" + schemes, "",
			openapi.Config{Auth: client},
			[]string{"A POST /v1/token Authorization: Basic aWQ6UEFTUw== scope=read write more", "A GET /v1/a Authorization: Bearer granted", "A GET /v1/b Authorization: Bearer granted"},
		},
		{
			"client with scopes and an endpoint of its own", one("[{client: [read]}]"), "",
			openapi.Config{Auth: map[string]openapi.Auth{"client": {ClientID: "id", ClientSecret: "${secret.p}", TokenURL: "B/own/token", Scopes: []string{"few"}}}},
			[]string{"B POST /own/token Authorization: Basic aWQ6UEFTUw== scope=few", "A GET /v1/a Authorization: Bearer granted"},
		},
		{
			"client with no scopes", one("[{client: [read]}]"), "",
			openapi.Config{Auth: map[string]openapi.Auth{"client": {ClientID: "id", ClientSecret: "${secret.p}", Scopes: []string{}}}},
			[]string{"A POST /token Authorization: Basic aWQ6UEFTUw== scope=", "A GET /v1/a Authorization: Bearer granted"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			testCredentials(t, c.text, c.from, c.cfg, c.want)
		})
	}
}

// testCredentials calls all operations of a document, in which A and B are the
// addresses of servers.
func testCredentials(t *testing.T, text, from string, cfg openapi.Config, want []string) {
	t.Helper()
	var got notes
	a, b := httptest.NewServer(listener{"A", &got}), httptest.NewServer(listener{"B", &got})
	defer a.Close()
	defer b.Close()
	placed := func(text string) string {
		return strings.NewReplacer("A/", a.URL+"/", "B/", b.URL+"/", "A}", a.URL+"}").Replace(text)
	}
	d := written(t, head30+placed(text), from)
	client := nearby(t)
	secrets := map[string]secret.Value{"k": secret.NewValue("KEY"), "p": secret.NewValue("PASS")}
	deps := openapi.Deps{
		Client: client, SecretNames: []string{"k", "p"}, Secrets: secrets,
		Upstreams: upstreams(t, client, a.URL+"/up", &httptool.Auth{Bearer: "UP"}),
	}
	cfg.BaseURL = placed(cfg.BaseURL)
	if c, ok := cfg.Auth["client"]; ok {
		c.TokenURL = placed(c.TokenURL)
		cfg.Auth = map[string]openapi.Auth{"client": c}
	}
	var problems diag.Report
	s := openapi.New(cursor(&problems), cfg, d, deps)
	if s == nil {
		t.Fatal(problems.Problems())
	}
	for _, op := range d.Operations {
		if lacks := s.Lacks(op); len(lacks) > 0 {
			var ways []string
			for _, way := range lacks {
				ways = append(ways, strings.Join(way, " and "))
			}
			got.add("lacks " + strings.Join(ways, " or "))
		}
		run(t, s, op, deps)
	}
	if diff := cmp.Diff(want, got.take()); diff != "" {
		t.Error(diff)
	}
}

// run calls an operation without arguments.
func run(t *testing.T, s *openapi.Service, op *spec.Operation, deps openapi.Deps) tool.Output {
	t.Helper()
	var problems diag.Report
	r, err := s.Runner(cursor(&problems), op, httptool.Answers{}, httptool.Deps{Client: deps.Client, Output: tool.OutputAuto, Secrets: deps.Secrets, SecretNames: deps.SecretNames})
	if err != nil || r == nil {
		t.Fatal(err, problems.Problems())
	}
	out, err := r.Run(t.Context(), tool.Input{Call: &tool.Call{}, Spec: &tool.Spec{Name: "x", MaxOutput: 1 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRelativeTokenAddress holds that a token endpoint is under the server of the
// document, and what is said where nobody knows that.
func TestRelativeTokenAddress(t *testing.T) {
	t.Parallel()
	text := head30 + "paths: {/a: {get: {security: [{client: []}]}}}\ncomponents: {securitySchemes: {client: {type: oauth2, flows: {clientCredentials: {tokenUrl: /token, scopes: {}}}}}}\n"
	client := httptool.NewClient(nil)
	defer func() { _ = client.Close() }()
	for _, c := range []struct {
		cfg  openapi.Config
		want string
	}{
		{openapi.Config{BaseURL: "https://api.example.com/v1"}, ""},
		{openapi.Config{Upstream: "up"}, `auth.client: the token endpoint of the document, "/token", is relative, and its server is not used: add token_url: https://…`},
	} {
		c.cfg.Auth = map[string]openapi.Auth{"client": {ClientID: "id", ClientSecret: "s"}}
		var problems diag.Report
		s := openapi.New(cursor(&problems), c.cfg, written(t, text, ""), openapi.Deps{Client: client, Upstreams: upstreams(t, client, "https://up.example.com", nil)})
		if diff := cmp.Diff(c.want, problems.Problems().Errors().Error()); diff != "" || (s != nil) != (c.want == "") {
			t.Error(diff)
		}
	}
}

// TestTokenAddressOfDocument holds that a document at an address cannot have the
// secret of a client sent to another host, whatever else is configured.
func TestTokenAddressOfDocument(t *testing.T) {
	t.Parallel()
	const from = "https://docs.example.com/api.yaml"
	refused := func(address string) string {
		return "auth.client: the document names the token endpoint " + address + ", which is another host: write token_url: " + address + " if that is right"
	}
	for _, c := range []struct {
		name, from, token string
		cfg               openapi.Config
		want              string // what is wrong
	}{
		{"elsewhere, by a file", "", "https://login.example.com/token", openapi.Config{}, ""},
		{"elsewhere, by a file, with base_url", "", "https://login.example.com/token", openapi.Config{BaseURL: "https://base.example.com"}, ""},
		{"elsewhere", from, "https://login.example.com/token", openapi.Config{}, refused("https://login.example.com/token")},
		{"elsewhere, with base_url", from, "https://login.example.com/token", openapi.Config{BaseURL: "https://base.example.com"}, refused("https://login.example.com/token")},
		{"elsewhere, with an upstream", from, "https://login.example.com/token", openapi.Config{Upstream: "up"}, refused("https://login.example.com/token")},
		{"where the document came from", from, "https://docs.example.com/token", openapi.Config{}, refused("https://docs.example.com/token")},
		{"at the server, which base_url replaces", from, "https://api.example.com/token", openapi.Config{BaseURL: "https://base.example.com"}, refused("https://api.example.com/token")},
		{"another scheme", from, "http://api.example.com/token", openapi.Config{}, refused("http://api.example.com/token")},
		{"another port", from, "https://api.example.com:8443/token", openapi.Config{}, refused("https://api.example.com:8443/token")},
		{"without a scheme", from, "//login.example.com/token", openapi.Config{}, refused("https://login.example.com/token")},
		{"at the server", from, "https://API.example.com:443/token", openapi.Config{}, ""},
		{"relative", from, "token", openapi.Config{}, ""},
		{"at base_url", from, "https://base.example.com/token", openapi.Config{BaseURL: "https://base.example.com/v1"}, ""},
		{"at the upstream", from, "https://up.example.com/token", openapi.Config{Upstream: "up"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := head30 + "servers: [{url: 'https://api.example.com/v1'}]\npaths: {/a: {get: {security: [{client: []}]}}}\n" +
				"components: {securitySchemes: {client: {type: oauth2, flows: {clientCredentials: {tokenUrl: '" + c.token + "', scopes: {}}}}}}\n"
			client := httptool.NewClient(nil)
			defer func() { _ = client.Close() }()
			for _, configured := range []string{"", "https://login.example.com/token"} {
				cfg, want := c.cfg, c.want
				cfg.Auth = map[string]openapi.Auth{"client": {ClientID: "id", ClientSecret: "s", TokenURL: configured}}
				if configured != "" {
					want = ""
				}
				var problems diag.Report
				s := openapi.New(cursor(&problems), cfg, written(t, text, c.from), openapi.Deps{Client: client, Upstreams: upstreams(t, client, "https://up.example.com", nil)})
				if diff := cmp.Diff(want, problems.Problems().Errors().Error()); diff != "" || (s != nil) != (want == "") {
					t.Error(diff)
				}
			}
		})
	}
}

// TestAnswerNotes holds that an answer that is not what the document says is a note
// beside it, and that a call is answered all the same.
func TestAnswerNotes(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"SECRET"}`)
	}))
	defer server.Close()
	d := written(t, head30+fmt.Sprintf("servers: [{url: '%s'}]\npaths: {/a: {get: {responses: {200: {content: {application/json: {schema: {type: object, properties: {id: {type: integer}}}}}}}}}}\n", server.URL), "")
	client := nearby(t)
	deps := openapi.Deps{Client: client}
	var problems diag.Report
	s := openapi.New(cursor(&problems), openapi.Config{}, d, deps)
	if s == nil {
		t.Fatal(problems.Problems())
	}
	out := run(t, s, d.Operations[0], deps)
	want := "the answer does not match the schema of the document at answer.id"
	if !slices.Contains(out.Notes, want) || strings.Contains(strings.Join(out.Notes, ""), "SECRET") {
		t.Errorf("%q", out.Notes)
	}
}
