package openapi_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/openapi"
	"github.com/toolgate/toolgate/openapi/spec"
)

const head30 = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\n"

// written is a document with a text, in a file, or at an address where one is
// given.
func written(t *testing.T, text, address string) *openapi.Document {
	t.Helper()
	o := openapi.LoadOptions{Path: address, Fetch: served(text)}
	if address == "" {
		o.Path = filepath.Join(t.TempDir(), "api.yaml")
		if err := os.WriteFile(o.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d, err := openapi.Load(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// only is a place in a configuration that has the keys with the names, and what is
// in them.
func only(problems *diag.Report, names ...string) diag.Cursor {
	return diag.NewCursor(problems, func(path []string) (diag.Spot, bool) {
		for _, name := range names {
			if len(path) == 0 || path[0] == name {
				return diag.Spot{}, true
			}
		}
		return diag.Spot{}, len(path) == 0
	})
}

// upstreams are one at an address, and one that is broken.
func upstreams(t *testing.T, client *httptool.Client, address string, auth *httptool.Auth) map[string]*httptool.Upstream {
	t.Helper()
	var problems diag.Report
	up := client.NewUpstream(cursor(&problems), "up", httptool.UpstreamConfig{URL: address, Auth: auth}, httptool.UpstreamDeps{})
	if up == nil {
		t.Fatal(problems.Problems())
	}
	return map[string]*httptool.Upstream{"up": up, "broken": nil}
}

// TestAddresses holds where the requests of operations go.
func TestAddresses(t *testing.T) {
	t.Parallel()
	const a = "paths: {/a: {get: {}}}\n"
	regions := "servers: [{url: 'https://{region}.example.com/{v}', variables: {region: {default: eu, enum: [eu, us]}, v: {default: v1}}}]\n" + a
	for _, c := range []struct {
		name, text, from string
		cfg              openapi.Config
		want             string // the address of GET /a, or what is wrong
	}{
		{"document", "servers: [{url: https://api.example.com/v1/}]\n" + a, "", openapi.Config{}, "https://api.example.com/v1/a"},
		{"query and fragment of a server", "servers: [{url: 'https://api.example.com/v1?x=1#y'}]\n" + a, "", openapi.Config{}, "https://api.example.com/v1/a"},
		{"escaped path of a server", "servers: [{url: 'https://api.example.com/a%2Fb'}]\n" + a, "", openapi.Config{}, "https://api.example.com/a%2Fb/a"},
		{"no scheme", "servers: [{url: //api.example.com/v1}]\n" + a, "", openapi.Config{}, "https://api.example.com/v1/a"},
		{"no scheme, of an address", "servers: [{url: //api.example.com/v1}]\n" + a, "http://docs.example.com/x", openapi.Config{}, "http://api.example.com/v1/a"},
		{"path", "servers: [{url: https://api.example.com}]\npaths: {/a: {servers: [{url: https://path.example.com}], get: {}}}", "", openapi.Config{}, "https://path.example.com/a"},
		{"operation", "servers: [{url: https://api.example.com}]\npaths: {/a: {servers: [{url: https://path.example.com}], get: {servers: [{url: https://own.example.com}]}}}", "", openapi.Config{}, "https://own.example.com/a"},
		{"relative operation", "servers: [{url: https://api.example.com/v1}]\npaths: {/a: {get: {servers: [{url: /v2}]}}}", "", openapi.Config{}, "https://api.example.com/v2/a"},
		{"relative operation of an address", "servers: [{url: https://api.example.com/v1}]\npaths: {/a: {get: {servers: [{url: /v2}]}}}", "https://docs.example.com/x/api.yaml", openapi.Config{}, "https://docs.example.com/v2/a"},
		{"relative operation under base_url", "servers: [{url: https://api.example.com/v1}]\npaths: {/a: {get: {servers: [{url: /v2}]}}}", "", openapi.Config{BaseURL: "http://here.example.com/v1"}, "http://here.example.com/v1/a"},
		{"operation with a server of its own under base_url", "paths: {/a: {get: {servers: [{url: https://own.example.com}]}}}", "", openapi.Config{BaseURL: "http://here.example.com/v1"}, "http://here.example.com/v1/a"},
		{"relative", "servers: [{url: ../v2}]\n" + a, "https://docs.example.com/x/y/api.yaml", openapi.Config{}, "https://docs.example.com/x/v2/a"},
		{"none, of an address", a, "https://docs.example.com/x/api.yaml", openapi.Config{}, "https://docs.example.com/a"},
		{"empty, of an address", "servers: [{url: ''}]\n" + a, "https://docs.example.com/x/api.yaml", openapi.Config{}, "https://docs.example.com/a"},
		{"none, of a file", a, "", openapi.Config{}, "spec: the document does not say at which host its operations are (add base_url: https://…)"},
		{"relative, of a file", "servers: [{url: /v1}]\n" + a, "", openapi.Config{}, "spec: the document does not say at which host its operations are (add base_url: https://…)"},
		{"base_url", "servers: [{url: https://api.example.com/v1}]\n" + a, "https://docs.example.com/x", openapi.Config{BaseURL: "http://here.example.com:8080/b/"}, "http://here.example.com:8080/b/a"},
		{"base_url that is none", a, "", openapi.Config{BaseURL: "http://[::1"}, `base_url: "http://[::1" is no address`},
		{"upstream", "servers: [{url: https://api.example.com/v1}]\n" + a, "", openapi.Config{Upstream: "up"}, "https://up.example.com/base/a"},
		{"upstream with a relative operation", "paths: {/a: {get: {servers: [{url: /v2}]}}}", "", openapi.Config{Upstream: "up"}, "https://up.example.com/base/a"},
		{"operation with a server of its own under the upstream", "paths: {/a: {get: {servers: [{url: https://own.example.com}]}}}", "", openapi.Config{Upstream: "up"}, "https://up.example.com/base/a"},
		{"unknown upstream", a, "", openapi.Config{Upstream: "upp"}, `upstream: unknown upstream "upp" (did you mean up?)`},
		{"upstream like none", a, "", openapi.Config{Upstream: "elsewhere"}, `upstream: unknown upstream "elsewhere" (declare it: upstreams: {elsewhere: {url: https://host}})`},
		{"broken upstream", a, "", openapi.Config{Upstream: "broken"}, ""},
		{"first that can be used", "servers: [{url: 'https://{tenant}.example.com'}, {url: /relative}, {url: ftp://x}, {url: https://second.example.com}]\n" + a, "", openapi.Config{}, "https://second.example.com/a"},
		{"first of those that cannot", "servers: [{url: 'wss://api.example.com'}, {url: /relative}]\n" + a, "", openapi.Config{}, `spec: the server is at "wss://api.example.com", and only http and https are spoken (add base_url: https://…)`},
		{"user", "servers: [{url: 'https://me:pw@api.example.com'}]\n" + a, "", openapi.Config{}, `spec: the address of the server holds a user name or a password (add base_url: https://…)`},
		{"not an address", "servers: [{url: 'https://api.example.com:port'}]\n" + a, "", openapi.Config{}, `spec: the address of the server, "https://api.example.com:port", cannot be read (add base_url: https://…)`},
		{"defaults of variables", regions, "", openapi.Config{}, "https://eu.example.com/v1/a"},
		{"variables", regions, "", openapi.Config{ServerVariables: map[string]string{"region": "us", "v": "v2"}}, "https://us.example.com/v2/a"},
		{"variable outside its values", regions, "", openapi.Config{ServerVariables: map[string]string{"region": "mars"}}, `server_variables.region: the server variable "region" cannot be "mars": the document allows eu, us`},
		{
			"variable outside its values, of the first of two", "servers: [{url: 'https://{region}.example.com', variables: {region: {default: eu, enum: [eu, us]}}}, {url: https://sandbox.example.com}]\n" + a, "",
			openapi.Config{ServerVariables: map[string]string{"region": "mars"}},
			`server_variables.region: the server variable "region" cannot be "mars": the document allows eu, us`,
		},
		{
			"value of the second", "servers: [{url: 'https://{region}.example.com', variables: {region: {enum: [eu]}}}, {url: 'https://{region}.example.org', variables: {region: {enum: [us]}}}]\n" + a, "",
			openapi.Config{ServerVariables: map[string]string{"region": "us"}},
			"https://us.example.org/a",
		},
		{"unknown variable", regions, "", openapi.Config{ServerVariables: map[string]string{"regoin": "eu"}}, `server_variables.regoin: no server of the document has a variable "regoin" (did you mean region?)`},
		{"variable like none", regions, "", openapi.Config{ServerVariables: map[string]string{"colour": "red"}}, `server_variables.colour: no server of the document has a variable "colour" (the document has: region, v)`},
		{"variable where there are none", "servers: [{url: https://x.example.com}]\n" + a, "", openapi.Config{ServerVariables: map[string]string{"colour": "red"}}, `server_variables.colour: no server of the document has a variable "colour" (remove it)`},
		{"variable of an operation", "servers: [{url: https://x.example.com}]\npaths: {/a: {get: {servers: [{url: 'https://{own}.example.com', variables: {own: {default: o}}}]}}}", "", openapi.Config{ServerVariables: map[string]string{"own": "mine"}}, "https://mine.example.com/a"},
		{"first value without a default", "servers: [{url: 'https://{r}.example.com', variables: {r: {enum: [eu, us]}}}]\n" + a, "", openapi.Config{}, "https://eu.example.com/a"},
		{"empty default that is a value", "servers: [{url: 'https://api{r}.example.com', variables: {r: {default: '', enum: [-eu, '']}}}]\n" + a, "", openapi.Config{}, "https://api.example.com/a"},
		{"default with a path", "servers: [{url: 'https://{r}', variables: {r: {default: api.example.com/v1}}}]\n" + a, "", openapi.Config{}, "https://api.example.com/v1/a"},
		{"no value", "servers: [{url: 'https://{tenant}.example.com', variables: {tenant: {default: ''}}}]\n" + a, "", openapi.Config{}, `spec: the server variable "tenant" has no value: set server_variables: {tenant: …} (add base_url: https://…)`},
		{"undeclared variable", "servers: [{url: 'https://{tenant}.example.com'}]\n" + a, "", openapi.Config{ServerVariables: map[string]string{"tenant": "acme"}}, "https://acme.example.com/a"},
		{"injected host", "servers: [{url: 'https://{tenant}.example.com'}]\n" + a, "", openapi.Config{ServerVariables: map[string]string{"tenant": "evil.example/"}}, `server_variables.tenant: the server variable "tenant" cannot be "evil.example/": it may not hold /, ?, #, @, \ or spaces`},
		{"injected user", "servers: [{url: 'https://{tenant}.example.com'}]\n" + a, "", openapi.Config{ServerVariables: map[string]string{"tenant": "me@evil"}}, `server_variables.tenant: the server variable "tenant" cannot be "me@evil": it may not hold /, ?, #, @, \ or spaces`},
		{"value with braces", "servers: [{url: 'https://{tenant}.example.com/{v}', variables: {tenant: {default: a}, v: {default: 'v{tenant}'}}}]\n" + a, "", openapi.Config{}, "https://a.example.com/v%7Btenant%7D/a"},
		{"brace that is not closed", "servers: [{url: 'https://{tenant'}]\n" + a, "", openapi.Config{}, "spec: the document does not say at which host its operations are (add base_url: https://…)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := written(t, head30+c.text, c.from)
			client := httptool.NewClient(nil)
			defer func() { _ = client.Close() }()
			var problems diag.Report
			s := openapi.New(only(&problems, keysOf(c.cfg)...), c.cfg, d, openapi.Deps{Client: client, Upstreams: upstreams(t, client, "https://up.example.com/base/", nil)})
			got := problems.Problems().Error()
			if s != nil {
				got = addressOf(t, s, d.Operations[0])
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func addressOf(t *testing.T, s *openapi.Service, op *spec.Operation) string {
	t.Helper()
	draft, err := s.Draft(op, nil)
	if err != nil {
		return err.Error()
	}
	if origin := s.Origin(op); origin != "" && origin != draft.URL.Scheme+"://"+draft.URL.Host {
		t.Errorf("the origin is %q", origin)
	}
	return draft.URL.String()
}

// keysOf are the keys that a configuration has.
func keysOf(cfg openapi.Config) (keys []string) {
	for key, there := range map[string]bool{
		"base_url": cfg.BaseURL != "", "upstream": cfg.Upstream != "", "server_variables": cfg.ServerVariables != nil, "auth": cfg.Auth != nil,
	} {
		if there {
			keys = append(keys, key)
		}
	}
	return keys
}

// TestNoAddress holds what becomes of an operation whose own server cannot be used,
// and of a document all of whose operations have servers of their own.
func TestNoAddress(t *testing.T) {
	t.Parallel()
	d := written(t, head30+"paths: {/a: {get: {servers: [{url: 'https://{x}.example.com'}]}}, /b: {get: {servers: [{url: https://b.example.com}]}}}\n", "")
	client := httptool.NewClient(nil)
	defer func() { _ = client.Close() }()
	var problems diag.Report
	s := openapi.New(cursor(&problems), openapi.Config{}, d, openapi.Deps{Client: client})
	if s == nil {
		t.Fatal(problems.Problems())
	}
	want := []string{`the server variable "x" has no value: set server_variables: {x: …}`, "https://b.example.com/b"}
	got := []string{addressOf(t, s, d.Operations[0]), addressOf(t, s, d.Operations[1])}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if o := s.Origin(d.Operations[0]); o != "" {
		t.Errorf("the origin is %q", o)
	}
	r, err := s.Runner(cursor(&problems), d.Operations[0], httptool.Answers{}, httptool.Deps{Client: client})
	if r != nil || err == nil || err.Error() != want[0] {
		t.Errorf("runner %v, error %v", r, err)
	}
}

// TestDocumentAddress holds what a document says of its own address.
func TestDocumentAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, from string
		variables  map[string]string
		want       string
		needs      bool
	}{
		{"servers: [{url: 'https://{r}.example.com', variables: {r: {default: eu}}}]\npaths: {/a: {get: {}}}", "", map[string]string{"r": "us"}, "https://us.example.com", true},
		{"paths: {/a: {get: {servers: [{url: https://a.example.com}]}}}", "", nil, "the document does not say at which host its operations are", false},
		{"servers: [{url: /v1}]\npaths: {/a: {get: {}}}", "https://docs.example.com/x", nil, "https://docs.example.com/v1", true},
	} {
		d := written(t, head30+c.text, c.from)
		got, err := d.Address(c.variables)
		if err != nil {
			got = err.Error()
		}
		if got != c.want || d.NeedsAddress() != c.needs {
			t.Errorf("%s: %q, %t", c.text, got, d.NeedsAddress())
		}
	}
}

// TestCredentialMistakes holds what is said of credentials that fit no scheme.
func TestCredentialMistakes(t *testing.T) {
	t.Parallel()
	text := head30 + strings.TrimLeft(`
servers: [{url: https://api.example.com}]
paths: {/a: {get: {}}}
components:
  securitySchemes:
    apiKey: {type: apiKey, in: query, name: key}
    basicAuth: {type: http, scheme: basic}
    bearerAuth: {type: http, scheme: bearer}
    digest: {type: http, scheme: digest}
    client: {type: oauth2, flows: {authorizationCode: {authorizationUrl: https://x/a, tokenUrl: https://x/t, scopes: {}}}}
    certificate: {type: mutualTLS}
`, "\n")
	for _, c := range []struct {
		scheme string
		auth   openapi.Auth
		want   string
	}{
		{"apikey", openapi.Auth{Value: "k"}, `auth.apikey: the document declares no security scheme "apikey" (did you mean apiKey?)`},
		{"nothing like it", openapi.Auth{Value: "k"}, `auth.nothing like it: the document declares no security scheme "nothing like it" (the document declares: apiKey, basicAuth, bearerAuth, certificate, client, digest)`},
		{"apiKey", openapi.Auth{Username: "u", Password: "p"}, `auth.apiKey: a username is for http basic, and this scheme is an API key in the query: write "${secret.name}"`},
		{"apiKey", openapi.Auth{ClientID: "c", ClientSecret: "s"}, `auth.apiKey: a client_id is for oauth2, and this scheme is an API key in the query`},
		{"basicAuth", openapi.Auth{Value: "k"}, `auth.basicAuth: this scheme takes a user: write {username: …, password: "${secret.name}"}`},
		{"basicAuth", openapi.Auth{ClientID: "c", ClientSecret: "s"}, `auth.basicAuth: a client_id is for oauth2, and this scheme is http basic`},
		{"bearerAuth", openapi.Auth{Username: "u"}, `auth.bearerAuth: a username is for http basic, and this scheme is a bearer token: write "${secret.name}"`},
		{"bearerAuth", openapi.Auth{Value: "${secret.gone}"}, `auth.bearerAuth: secret has no field gone (declare it under secrets, as gone: {env: VARIABLE} or gone: {file: PATH})`},
		{"digest", openapi.Auth{Username: "u"}, `auth.digest: a username is for http basic, and this scheme is other: write "${secret.name}"`},
		{"client", openapi.Auth{Username: "u"}, `auth.client: a username is for http basic, and this scheme is oauth2: write "${secret.name}"`},
		{"client", openapi.Auth{ClientID: "c", ClientSecret: "s"}, `auth.client: the document names no token endpoint for client credentials: add token_url: https://…`},
		{"certificate", openapi.Auth{Value: "k"}, `auth.certificate: this scheme is a certificate: name an upstream with tls: {cert, key}`},
		{"certificate", openapi.Auth{ClientID: "c"}, `auth.certificate: a client_id is for oauth2, and this scheme is a certificate`},
	} {
		d := written(t, text, "")
		client := httptool.NewClient(nil)
		var problems diag.Report
		cfg := openapi.Config{Auth: map[string]openapi.Auth{c.scheme: c.auth}}
		at := diag.NewCursor(&problems, func(path []string) (diag.Spot, bool) { return diag.Spot{}, len(path) < 3 })
		if s := openapi.New(at, cfg, d, openapi.Deps{Client: client}); s != nil {
			t.Errorf("%s is taken", c.scheme)
		}
		if diff := cmp.Diff(c.want, problems.Problems().Error()); diff != "" {
			t.Error(diff)
		}
		_ = client.Close()
	}
}
