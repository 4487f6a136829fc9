package httptool

import (
	"net/http"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

func TestAuth(t *testing.T) {
	tests := []struct {
		name string
		auth Auth
		want string // part of the request, written as it came
		code tool.Code
	}{
		{"bearer", Auth{Bearer: "${secret.key}"}, "Authorization: Bearer s3cr=t/key\r\n", ""},
		{"basic", Auth{Basic: &Basic{"me", "${secret.key}"}}, "Authorization: Basic bWU6czNjcj10L2tleQ==\r\n", ""},
		{"basic without a password", Auth{Basic: &Basic{Username: "${secret.key}"}}, "Authorization: Basic czNjcj10L2tleTo=\r\n", ""},
		{"basic with a colon", Auth{Basic: &Basic{"${secret.colon}", "x"}}, "", tool.Internal},
		{"header", Auth{Header: &Named{"x-api-key", "k ${secret.key}"}}, "X-Api-Key: k s3cr=t/key\r\n", ""},
		{"query", Auth{Query: &Named{"api key", "${secret.key}"}}, "GET /x?a=1&api%20key=s3cr%3Dt%2Fkey\n", ""},
		{"cookie", Auth{Cookie: &Named{"sid", "${secret.key}"}}, "Cookie: x=1; y=2; sid=s3cr=t/key\r\n", ""},
		{"cookie of two lines", Auth{Cookie: &Named{"sid", "${secret.lines}"}}, "", tool.Internal},
		{"two cookies", Auth{Cookie: &Named{"sid", "${secret.cookies}"}}, "", tool.Internal},
		{"bearer of two lines", Auth{Bearer: "${secret.lines}"}, "", tool.Internal},
		{"header of two lines", Auth{Header: &Named{"X-Key", "${secret.lines}"}}, "", tool.Internal},
		{"query of two lines", Auth{Query: &Named{"k", "${secret.lines}"}}, "GET /x?a=1&k=two%0As3cr\n", ""},
		{"literal", Auth{Bearer: "public"}, "Authorization: Bearer public\r\n", ""},
	}
	deps := UpstreamDeps{SecretNames: []string{"key", "lines", "colon", "cookies"}, Secrets: map[string]secret.Value{}, Masker: &secret.Masker{}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var record recorder
			server := serve(t, func(_ http.ResponseWriter, r *http.Request) { record.note(r) })
			var report diag.Report
			u := newClient(t, loopback).NewUpstream(diag.NewCursor(&report, nil), "crm", UpstreamConfig{URL: server.URL, Auth: &test.auth}, deps)
			if u == nil {
				t.Fatal(report.Problems())
			}
			// The values come after all is compiled.
			deps.Secrets["cookies"] = secret.NewValue("s3cr; x=2")
			deps.Secrets["key"], deps.Secrets["lines"], deps.Secrets["colon"] = hidden["key"], secret.NewValue("two\ns3cr"), secret.NewValue("s3cr:et")
			header := http.Header{"Cookie": {"x=1; sid=theirs", "y=2"}}
			got := ask(t.Context(), t, u, message{method: "GET", url: server.URL + "/x?a=1", header: header})
			if test.code == "" && (got.err != nil || !strings.Contains(record.last(), test.want)) {
				t.Errorf("got %v, %q", got.err, record.last())
			}
			if test.code != "" && (got.err == nil || got.err.Code != test.code || record.last() != "") {
				t.Errorf("got %v, %q", got.err, record.last())
			}
			if got.last != nil {
				shows(t, "the request of the answer", got.last.URL.String()+got.last.Header.Get("Authorization")+got.last.Header.Get("X-Api-Key")+got.last.Header.Get("Cookie"))
			}
			for _, text := range []string{"bWU6czNjcj10L2tleQ=="} { // what basic made is known too
				if test.name == "basic" && deps.Masker.Text(text) == text {
					t.Errorf("%q is not masked", text)
				}
			}
		})
	}
}

// TestAuthOfTheTool: credentials of one call go before those of the upstream.
func TestAuthOfTheTool(t *testing.T) {
	var record recorder
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) { record.note(r) })
	u := newUpstream(t, newClient(t, loopback), UpstreamConfig{URL: server.URL, Auth: &Auth{Bearer: "${secret.key}"}})
	c := compiler{env: expression.NewEnv(expression.Secrets(nil))}
	own := c.credential(diag.NewCursor(&diag.Report{}, nil), &Auth{Bearer: "${secret.other}"}, upstreamDeps())
	resp, err := u.send(t.Context(), message{method: "GET", url: server.URL}.request(t), []*Credential{own}, false)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if got := record.last(); !strings.Contains(got, "Bearer 0ther-s3cret") || strings.Contains(got, "s3cr=t") {
		t.Errorf("got %q", got)
	}
}

// TestUpstreamProblems are blocks and what is wrong with each.
func TestUpstreamProblems(t *testing.T) {
	minus, zero := -1, 0
	oauth := func(change func(*OAuth2)) *Auth {
		o := OAuth2{TokenURL: "https://id.test/token", ClientID: "me", ClientSecret: "${secret.key}"}
		change(&o)
		return &Auth{OAuth2: &o}
	}
	tests := []struct {
		name string
		cfg  UpstreamConfig
		want string // start of the problem, empty for none
	}{
		{"nothing wrong", UpstreamConfig{URL: "https://a.test/v1/${secret.key}/x", Headers: texts{"X-A": {"${secret.other}"}}, Breaker: &Breaker{Failures: &zero}}, ""},
		{"no url", UpstreamConfig{}, "upstreams.crm.url: the request has no address"},
		{"a query", UpstreamConfig{URL: "https://a.test/x?y=1"}, "upstreams.crm.url: the address of an upstream has no query"},
		{"an argument in the url", UpstreamConfig{URL: "https://a.test/${args.x}"}, "upstreams.crm.url: this is the same for every call and cannot hold arguments of one"},
		{"a secret nobody declared", UpstreamConfig{URL: "https://a.test/${secret.nope}"}, "upstreams.crm.url: "},
		{"an argument in a header", UpstreamConfig{URL: "https://a.test", Headers: texts{"X-A": {"${args.x}"}}}, "upstreams.crm.headers.X-A"},
		{"a header of the gateway", UpstreamConfig{URL: "https://a.test", Headers: texts{"Host": {"x"}}}, "upstreams.crm.headers.Host: the header Host is set"},
		{"a negative timeout", UpstreamConfig{URL: "https://a.test", Timeout: -1}, "upstreams.crm.timeout: a timeout cannot be negative"},
		{"negative failures", UpstreamConfig{URL: "https://a.test", Breaker: &Breaker{Failures: &minus}}, "upstreams.crm.breaker.failures: -1 is not"},
		{"a negative pause", UpstreamConfig{URL: "https://a.test", Breaker: &Breaker{Pause: -1}}, "upstreams.crm.breaker.pause: a pause cannot"},
		{"no credentials", UpstreamConfig{URL: "https://a.test", Auth: &Auth{}}, "upstreams.crm.auth: exactly one kind of credentials can be shown, and there are 0 (write one of"},
		{"two credentials", UpstreamConfig{URL: "https://a.test", Auth: &Auth{Bearer: "xxxx", Basic: &Basic{"a", "b"}}}, "upstreams.crm.auth: exactly one kind of credentials can be shown, and there are 2"},
		{"an argument in a credential", UpstreamConfig{URL: "https://a.test", Auth: &Auth{Bearer: "${args.x}"}}, "upstreams.crm.auth.bearer: this is the same for every call"},
		{"Bearer twice", UpstreamConfig{URL: "https://a.test", Auth: &Auth{Bearer: "Bearer ${secret.key}"}}, "upstreams.crm.auth.bearer: the word Bearer is sent before this already (write ${secret.key})"},
		{"Bearer before a literal token", UpstreamConfig{URL: "https://a.test", Auth: &Auth{Bearer: "bearer hunter2"}}, "upstreams.crm.auth.bearer: the word Bearer is sent before this already (write ${secret.name})"},
		{"a header that is none", UpstreamConfig{URL: "https://a.test", Auth: &Auth{Header: &Named{"X A", "x"}}}, `upstreams.crm.auth.header.name: "X A" cannot be`},
		{"the header Host", UpstreamConfig{URL: "https://a.test", Auth: &Auth{Header: &Named{"host", "x"}}}, "upstreams.crm.auth.header.name: the header Host is set"},
		{"a header without a value", UpstreamConfig{URL: "https://a.test", Auth: &Auth{Header: &Named{"X-A", ""}}}, "upstreams.crm.auth.header.value: it has no value"},
		{"a literal of two lines", UpstreamConfig{URL: "https://a.test", Auth: &Auth{Header: &Named{"X-A", "a\nb"}}}, "upstreams.crm.auth.header.value: the value of a header cannot hold"},
		{"a parameter without a name", UpstreamConfig{URL: "https://a.test", Auth: &Auth{Query: &Named{"", "x"}}}, "upstreams.crm.auth.query.name: a name must be literal"},
		{"a parameter from a secret", UpstreamConfig{URL: "https://a.test", Auth: &Auth{Query: &Named{"${secret.key}", "x"}}}, "upstreams.crm.auth.query.name: a name must be literal"},
		{"a user name with a colon", UpstreamConfig{URL: "https://a.test", Auth: &Auth{Basic: &Basic{"a:b", "c"}}}, "upstreams.crm.auth.basic.username: a user name cannot hold"},
		{"a cookie that is none", UpstreamConfig{URL: "https://a.test", Auth: &Auth{Cookie: &Named{"a;b", "x"}}}, `upstreams.crm.auth.cookie.name: "a;b" cannot be the name of a cookie`},
		{"a cookie without a value", UpstreamConfig{URL: "https://a.test", Auth: &Auth{Cookie: &Named{"a", ""}}}, "upstreams.crm.auth.cookie.value: it has no value"},
		{"a literal of two cookies", UpstreamConfig{URL: "https://a.test", Auth: &Auth{Cookie: &Named{"a", "b; c=d"}}}, "upstreams.crm.auth.cookie.value: the value of a cookie cannot hold"},
		{"no token endpoint", UpstreamConfig{URL: "https://a.test", Auth: oauth(func(o *OAuth2) { o.TokenURL = "" })}, "upstreams.crm.auth.oauth2.token_url: the request has no address"},
		{"a token endpoint from a secret", UpstreamConfig{URL: "https://a.test", Auth: oauth(func(o *OAuth2) { o.TokenURL = "https://id.test/${secret.key}" })}, "upstreams.crm.auth.oauth2.token_url: the address of a token endpoint is literal"},
		{"no client", UpstreamConfig{URL: "https://a.test", Auth: oauth(func(o *OAuth2) { o.ClientID = "" })}, "upstreams.crm.auth.oauth2.client_id: it has no value"},
		{"a scope with a space", UpstreamConfig{URL: "https://a.test", Auth: oauth(func(o *OAuth2) { o.Scopes = []string{"a", "b c"} })}, `upstreams.crm.auth.oauth2.scopes.1: "b c" cannot be a scope`},
		{"tls without https", UpstreamConfig{URL: "http://1.1.1.1", TLS: &TLS{ServerName: "a.test"}}, "upstreams.crm.tls: the upstream is reached without TLS"},
		{"a key alone", UpstreamConfig{URL: "https://a.test", TLS: &TLS{Key: "/x"}}, "upstreams.crm.tls.key: a key goes with"},
		{"a certificate alone", UpstreamConfig{URL: "https://a.test", TLS: &TLS{Cert: "/x"}}, "upstreams.crm.tls.cert: a certificate goes with"},
		{"a server name that is none", UpstreamConfig{URL: "https://a.test", TLS: &TLS{ServerName: "a b"}}, `upstreams.crm.tls.server_name: "a b" is not`},
		{"a file that is not there", UpstreamConfig{URL: "https://a.test", TLS: &TLS{CA: "/nowhere/ca.pem"}}, "upstreams.crm.tls.ca: /nowhere/ca.pem cannot be read"},
		{"a proxy of another kind", UpstreamConfig{URL: "https://a.test", Proxy: "socks5://p.test:1080"}, "upstreams.crm.proxy: the address of the proxy does not start with"},
		{"a proxy without a host", UpstreamConfig{URL: "https://a.test", Proxy: "http://:3128"}, "upstreams.crm.proxy: the address of the proxy has no valid host"},
		{"a proxy's host from a secret", UpstreamConfig{URL: "https://a.test", Proxy: "http://${secret.key}.test:3128"}, "upstreams.crm.proxy: scheme, host and port of a proxy are literal text"},
		{"a proxy with a path", UpstreamConfig{URL: "https://a.test", Proxy: "http://p.test:3128/x"}, "upstreams.crm.proxy: the address of a proxy has no path"},
		{"a proxy with a password", UpstreamConfig{URL: "https://a.test", Proxy: "http://me:${secret.key}@p.test:3128"}, ""},
		{"a proxy that is a secret", UpstreamConfig{URL: "https://a.test", Proxy: "${secret.key}"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var report diag.Report
			u := newClient(t, nil).NewUpstream(diag.NewCursor(&report, listed).Key("upstreams").Key("crm"), "crm", test.cfg, upstreamDeps())
			problems := report.Problems().Errors()
			if test.want == "" && (u == nil || len(problems) > 0) {
				t.Errorf("got %v", problems)
			}
			if test.want != "" && (u != nil || len(problems) == 0 || !strings.HasPrefix(problems[0].String(), test.want)) {
				t.Errorf("got %v, want %s", problems, test.want)
			}
		})
	}
}

// TestLiteralCredentials: what stands in the file itself is warned of and not
// repeated.
func TestLiteralCredentials(t *testing.T) {
	for name, cfg := range map[string]UpstreamConfig{
		"auth.bearer":               {Auth: &Auth{Bearer: "hunter2"}},
		"auth.basic.password":       {Auth: &Auth{Basic: &Basic{"joe", "hunter2"}}},
		"auth.header.value":         {Auth: &Auth{Header: &Named{"X-Key", "hunter2"}}},
		"auth.query.value":          {Auth: &Auth{Query: &Named{"key", "hunter2"}}},
		"auth.cookie.value":         {Auth: &Auth{Cookie: &Named{"sid", "hunter2"}}},
		"auth.oauth2.client_secret": {Auth: &Auth{OAuth2: &OAuth2{TokenURL: "https://id.test", ClientID: "joe", ClientSecret: "hunter2"}}},
		"proxy":                     {Proxy: "http://joe:hunter2@p.test:3128"},
	} {
		var report diag.Report
		cfg.URL = "https://a.test"
		u := newClient(t, nil).NewUpstream(diag.NewCursor(&report, listed), "crm", cfg, upstreamDeps())
		want := name + ": warning: the credential stands in the file itself"
		if got := report.Problems().Error(); u == nil || !strings.HasPrefix(got, want) || strings.Contains(got, "hunter2") {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestUpstreamHeadersAreTemplates: what a tool's request is made of.
func TestUpstreamHeadersAreTemplates(t *testing.T) {
	u := newUpstream(t, newClient(t, nil), UpstreamConfig{URL: "https://a.test/v1/${secret.key}", Headers: texts{"X-A": expression.Texts{"${secret.other}", "b"}}})
	vars := expression.NewEnv(expression.Secrets(nil)).Vars(map[string]any{"secret": secret.RevealAll(hidden)})
	base, err := address(u.base, vars)
	if err != nil || strings.ReplaceAll(base, edge, "") != "/v1/s3cr%3Dt%2Fkey" || u.origin != "https://a.test" {
		t.Errorf("got %s %q, %v", u.origin, base, err)
	}
	values, err := u.headers[0].values(vars)
	if err != nil || strings.Join(values, "|") != "0ther-s3cret|b" {
		t.Errorf("got %q, %v", values, err)
	}
}
