package httptool

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

// listed says that every key stands in the configuration.
func listed([]string) (diag.Spot, bool) { return diag.Spot{}, true }

const base = "https://api.example.com"

// blocks are blocks and the problem that each has.
var blocks = []struct {
	name string
	cfg  Config
	want string // start of the problem, empty for none
}{
	{"nothing wrong", Config{URL: base + ":8443/v1?k=${secret.key}", Path: "/c/${args.id}", Method: "POST", OK: "status == 200 && body.ok", Result: "body.items"}, ""},
	{"no address", Config{}, "http.url: the request has no address"},
	{"another scheme", Config{URL: "ftp://example.com"}, "http.url: the address does not start with http"},
	{"no scheme", Config{URL: "example.com/x"}, "http.url: the address does not start with http"},
	{"no host", Config{URL: "https:///x"}, "http.url: the address has no host"},
	{"a bad port", Config{URL: "https://example.com:99999"}, `http.url: the port behind "example.com" is none`},
	{"a password in place of a port", Config{URL: "https://joe:hunter2"}, `http.url: the port behind "joe" is none`},
	{"an empty port", Config{URL: "https://example.com:/"}, `http.url: the port behind "example.com" is none`},
	{"an encoded host", Config{URL: "https://ex%61mple.com/"}, `http.url: "ex%61mple.com" is not a host`},
	{"a host with a backslash", Config{URL: `https://example.com\@evil.example`}, "http.url: the address holds a user name"},
	{"a host with a space", Config{URL: `https://exa mple.com`}, `http.url: "exa mple.com" is not a host`},
	{"a host from outside", Config{URL: "https://${args.a}/x"}, "http.url: scheme and host must be literal"},
	{"a host partly from outside", Config{URL: "https://example.com${args.a}"}, "http.url: scheme and host must be literal"},
	{"a host from a secret", Config{URL: "https://${secret.key}.example.com/x"}, "http.url: scheme and host must be literal"},
	{"an address from outside", Config{URL: "${args.a}"}, "http.url: scheme and host must be literal"},
	{"a port from outside", Config{URL: "https://example.com:${args.a}/"}, "http.url: scheme and host must be literal"},
	{"user info", Config{URL: "https://me:pw@example.com"}, "http.url: the address holds a user name"},
	{"a fragment", Config{URL: base + "/x#y"}, "http.url: the address of a request has no fragment"},
	{"a fragment between values", Config{URL: base, Path: "/${args.a}#${args.b}"}, "http.path: the address of a request has no fragment"},
	{"a hash inside an expression", Config{URL: base, Path: `/${join(map(args.a, # + "x"))}`}, ""},
	{"a lone percent sign", Config{URL: base, Path: "/100%/${args.a}"}, `http.path: "/100%/" is not valid in an address`},
	{"a percent sign before a value", Config{URL: base, Path: "/x%${args.a}"}, `http.path: "/x%" is not valid`},
	{"a dot segment", Config{URL: base, Path: "/a/../b"}, `http.path: ".." is a segment of the path`},
	{"a dot segment beside a value", Config{URL: base, Path: "/${args.a}/./b"}, `http.path: "." is a segment of the path`},
	{"an encoded dot segment", Config{URL: base + "/%2E%2e/"}, `http.url: ".." is a segment of the path`},
	{"dots in a query", Config{URL: base, Path: "/x?f=../y"}, ""},
	{"a relative path", Config{URL: base, Path: "c/${args.id}"}, "http.path: the path must start with / (write /c/…)"},
	{"a path that is a variable", Config{URL: base, Path: "args.id"}, "http.path: the path must start with / (write /${args.id})"},
	{"a path that is a variable in a list", Config{URL: base, Path: `args["a b"].c `}, `http.path: the path must start with / (write /${args["a b"].c})`},
	{"a path that is an address", Config{URL: base, Path: "https://example.com/x"}, "http.path: the path must start with / (write what follows the host;"},
	{"a path from outside", Config{URL: base, Path: "${args.id}"}, "http.path: the path must start with /"},
	{"an unknown argument", Config{URL: base, Path: "/${args.idd}"}, "http.path: "},
	{"an unknown secret", Config{URL: base, Query: texts{"q": {"a", "${secret.kee}"}}}, "http.query.q.1: "},
	{"a name from outside", Config{URL: base, Query: texts{"${args.a}": {"x"}}}, "http.query.${args.a}: a name must be literal"},
	{"an unknown method", Config{URL: base, Method: "PATHC"}, `http.method: unknown method "PATHC" (did you mean PATCH?)`},
	{"a method in lower case", Config{URL: base, Method: "post"}, `http.method: unknown method "post" (did you mean POST?)`},
	{"a method nothing is like", Config{URL: base, Method: "CONNECT"}, `http.method: unknown method "CONNECT" (known: DELETE, GET`},
	{"the header Host", Config{URL: base, Headers: texts{"host": {"x"}}}, "http.headers.host: the header Host is set by the gateway"},
	{"the header Transfer-Encoding", Config{URL: base, Headers: texts{"Transfer-Encoding": {"x"}}}, "http.headers.Transfer-Encoding: the header Transfer-Encoding is set"},
	{"the header Content-Length", Config{URL: base, Headers: texts{"Content-length": {"1"}}}, "http.headers.Content-length: the header Content-Length is set"},
	{"a header that is no name", Config{URL: base, Headers: texts{"X A": {"x"}}}, `http.headers.X A: "X A" cannot be the name`},
	{"a header with a line break", Config{URL: base, Headers: texts{"X-A": {"x\ny"}}}, "http.headers.X-A.0: the value of a header cannot hold"},
	{"a body without content", Config{URL: base, Body: &Body{}}, "http.body: the body has no content (write one of json"},
	{"two bodies", Config{URL: base, Method: "POST", Body: &Body{JSON: json.RawMessage(`1`), Text: new("x")}}, "http.body.text: the body is written as json already (write one of"},
	{"a body of GET", Config{URL: base, Body: &Body{Text: new("x")}}, "http.body: warning: many servers do not look at the body of a GET"},
	{"a form member from outside", Config{URL: base, Method: "POST", Body: &Body{Form: texts{"${args.a}": {"x"}}}}, "http.body.form.${args.a}: a name must be literal"},
	{"no parts", Config{URL: base, Method: "POST", Body: &Body{Multipart: []Part{}}}, "http.body.multipart: the body has no parts"},
	{"a part without a name", Config{URL: base, Method: "POST", Body: &Body{Multipart: []Part{{Text: []string{"x"}}}}}, "http.body.multipart.0.name: a name must be literal"},
	{"a part without content", Config{URL: base, Method: "POST", Body: &Body{Multipart: []Part{{Name: "a"}}}}, "http.body.multipart.0: the part has no content (write one of text and base64)"},
	{"a part of two kinds", Config{URL: base, Method: "POST", Body: &Body{Multipart: []Part{{Name: "a", Text: []string{"x"}, Base64: new("eA==")}}}}, "http.body.multipart.0.base64: the part is written as text already"},
	{"a part of no media type", Config{URL: base, Method: "POST", Body: &Body{Multipart: []Part{{Name: "a", Text: []string{"x"}, Type: "png"}}}}, `http.body.multipart.0.type: "png" is not a media type`},
	{"a part of a type from outside", Config{URL: base, Method: "POST", Body: &Body{Multipart: []Part{{Name: "a", Text: []string{"x"}, Type: "image/${args.a}"}}}}, "http.body.multipart.0.type: "},
	{"a Content-Type of parts", Config{URL: base, Method: "POST", Headers: texts{"content-type": {"multipart/form-data"}}, Body: &Body{Multipart: []Part{{Name: "a", Text: []string{"x"}}}}}, "http.headers.content-type: the gateway sets the Content-Type of a multipart body"},
	{"a literal that is no base64", Config{URL: base, Method: "POST", Body: &Body{Base64: new("§")}}, "http.body.base64: this is not base64"},
	{"an unknown argument as base64", Config{URL: base, Method: "POST", Body: &Body{Base64: new("${args.idd}")}}, "http.body.base64: "},
	{"an upstream and an address", Config{URL: base, Upstream: "crm"}, "http.url: the request has an upstream already"},
	{"an unknown upstream", Config{Upstream: "crmm"}, `http.upstream: unknown upstream "crmm" (did you mean crm?)`},
	{"a secret in error", Config{URL: base, Error: "secret.key"}, "http.error: "},
	{"an error that is a sentence", Config{URL: base, Error: "Not found."}, `http.error: this key is an expression, and in one a sentence stands in quotes (write '"Not found."')`},
	{"an error that is a word", Config{URL: base, Error: "body.message"}, ""},
	{"an error that does not parse", Config{URL: base, Error: "body."}, "http.error: "},
	{"pages without next", Config{URL: base, Pages: &Pages{Items: "body"}}, "http.pages.next: this is needed (write an expression such as body.next"},
	{"pages without items", Config{URL: base, Pages: &Pages{Next: "body.next"}}, "http.pages.items: this is needed"},
	{"too many pages", Config{URL: base, Pages: &Pages{Next: "body.next", Items: "body", Most: 1001}}, "http.pages.most: the number of pages must be between 1 and 1000"},
	{"fewer than no pages", Config{URL: base, Pages: &Pages{Next: "body.next", Items: "body", Most: -1}}, "http.pages.most: the number of pages"},
	{"pages of HEAD", Config{URL: base, Method: "HEAD", Pages: &Pages{Next: "body.next", Items: "body"}}, "http.pages: the answer to HEAD has no body"},
	{"a secret in next", Config{URL: base, Pages: &Pages{Next: "secret.key", Items: "body"}}, "http.pages.next: "},
	{"pages and poll", Config{URL: base, Pages: &Pages{Next: "body.next", Items: "body"}, Poll: &Poll{Until: "true"}}, "http.poll: pages and poll cannot both be set"},
	{"poll without until", Config{URL: base, Poll: &Poll{}}, "http.poll.until: this is needed"},
	{"an until that is no truth", Config{URL: base, Poll: &Poll{Until: `"x"`}}, "http.poll.until: "},
	{"a secret in the address that is asked", Config{URL: base, Poll: &Poll{Until: "body.done", URL: "/x/${secret.key}"}}, "http.poll.url: the address of a poll is made of the answer and cannot hold a secret (put it under auth"},
	{"a member called secret in the address that is asked", Config{URL: base, Poll: &Poll{Until: "body.done", URL: `/x/${body.secret}${body["secret"]}`}}, ""},
	{"another host to ask", Config{URL: base, Poll: &Poll{Until: "body.done", URL: "https://evil.example/x"}}, "http.poll.url: only the host that the request goes to is asked"},
	{"the same host to ask", Config{URL: base, Poll: &Poll{Until: "body.done", URL: base + "/jobs/${body.id}"}}, ""},
	{"an address behind the base", Config{URL: base + "/v1", Poll: &Poll{Until: "body.done", URL: "/jobs/${body.id}"}}, "http.poll.url: warning: this starts at the host"},
	{"asked too often", Config{URL: base, Poll: &Poll{Until: "body.done", Every: time.Millisecond}}, "http.poll.every: there must be at least 100ms"},
	{"asked when the tool is over", Config{URL: base, Poll: &Poll{Until: "body.done", Every: time.Minute}}, "http.poll.every: warning: the tool is stopped after 30s, before it asks again"},
	{"a negative time", Config{URL: base, Poll: &Poll{Until: "body.done", For: -1}}, "http.poll.for: a time cannot be negative"},
	{"no time to ask", Config{URL: base, Poll: &Poll{Until: "body.done", Every: time.Minute, For: time.Second}}, "http.poll.for: nothing would be asked"},
	{"longer than the tool", Config{URL: base, Poll: &Poll{Until: "body.done", For: time.Hour}}, "http.poll.for: warning: the tool is stopped after 30s"},
	{"an unknown argument in the body", Config{URL: base, Body: &Body{JSON: json.RawMessage(`{"a":["${args.idd}"]}`)}}, "http.body.json.a.0: "},
	{"a body that is a variable", Config{URL: base, Method: "POST", Body: &Body{JSON: json.RawMessage(`"args"`)}}, "http.body.json: args would be sent as it stands, because this key is a template (write ${args})"},
	{"a secret in an expression", Config{URL: base, Result: "secret.key"}, "http.result: "},
	{"a result that is a template", Config{URL: base, Result: "${body.x}"}, "http.result: "},
	{"an ok that is not a truth", Config{URL: base, OK: `"yes"`}, "http.ok: "},
	{"an address nobody may reach", Config{URL: "http://10.0.0.1/"}, "http.url: warning: every call will be refused: 10.0.0.1 is a private address"},
}

func TestNewReports(t *testing.T) {
	client := newClient(t, nil)
	for _, test := range blocks {
		t.Run(test.name, func(t *testing.T) {
			var report diag.Report
			deps := testDeps(client)
			deps.Upstreams, deps.Timeout = map[string]*Upstream{"crm": client.Plain()}, 30*time.Second
			r := New(diag.NewCursor(&report, listed).Key("http"), test.cfg, deps)
			problems := report.Problems()
			if (r == nil) != (problems.Err() != nil) {
				t.Errorf("got runner %v with %v", r, problems)
			}
			lines := strings.Split(problems.Error(), "\n")
			if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, test.want) && (l == "") == (test.want == "") }) {
				t.Errorf("got %q, want %q", problems.Error(), test.want)
			}
		})
	}
}

// TestBrokenUpstream: what is wrong with an upstream is not told again, and the
// rest of the tool is looked at all the same.
func TestBrokenUpstream(t *testing.T) {
	deps := testDeps(newClient(t, nil))
	deps.Upstreams = map[string]*Upstream{"crm": nil}
	for _, test := range []struct {
		path string
		want int
	}{{"/x", 0}, {"x", 1}} {
		var report diag.Report
		r := New(diag.NewCursor(&report, listed), Config{Upstream: "crm", Path: test.path}, deps)
		if r != nil || len(report.Problems()) != test.want {
			t.Errorf("%s: got %v, %v", test.path, r, report.Problems())
		}
	}
}

// FuzzPath holds the rule of paths: a value stays in its segment, and the
// address stays at its host.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"", "7", ".", "..", "a/b", "../x", "%2e%2e", "@evil.example", "//evil.example", "\\..", "?#", "\x00", "\r\n", "\xff", "ü", "a;b", ":80"} {
		f.Add(seed, seed)
	}
	var report diag.Report
	made := New(diag.NewCursor(&report, nil), Config{URL: "https://api.example.com/v1", Path: "/c/${args.a}/x${args.b}/end", Query: texts{"q": {"${args.b}"}}}, Deps{Args: []string{"a", "b"}})
	r, ok := made.(*runner)
	if !ok {
		f.Fatal(report.Problems())
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		req, err := r.request(t.Context(), map[string]any{"a": a, "b": b})
		if err != nil {
			if tool.AsError(err).Code != tool.InvalidArgs || a != "" && a != "." && a != ".." {
				t.Fatalf("%q: %v", a, err)
			}
			return
		}
		if req.URL.Scheme != "https" || req.URL.Host != "api.example.com" || req.Host != "api.example.com" || req.URL.User != nil {
			t.Fatalf("%q, %q left the host: %s", a, b, req.URL)
		}
		path, query, _ := strings.Cut(req.URL.RequestURI(), "?")
		want := []string{"", "v1", "c", a, "x" + b, "end"}
		got := strings.Split(path, "/")
		for i := range got {
			plain, err := url.PathUnescape(got[i])
			if err != nil {
				t.Fatal(err)
			}
			got[i] = plain
		}
		if !slices.Equal(got, want) {
			t.Fatalf("path %q has segments %q, want %q", path, got, want)
		}
		if values, err := url.ParseQuery(query); err != nil || len(values) != 1 || values.Get("q") != b {
			t.Fatalf("query %q, want q=%q", query, b)
		}
	})
}

// FuzzURL holds the rule of hosts: whatever stands in url, a call goes to the
// host that is written there, or the block does not load.
func FuzzURL(f *testing.F) {
	for _, seed := range []string{"https://a.example/b/${args.a}?x=${args.b}", "http://a@b", "https://[::1]:80/", "http://a:1${args.a}", "https://a/$${x}", "https://a\\b", "http://a/%2e%2e/${args.a}", "https://a//b/../c", "https://a?b=${args.a}#c"} {
		f.Add(seed, "/x/${args.a}", "..")
	}
	f.Fuzz(func(t *testing.T, address, path, value string) {
		var report diag.Report
		made := New(diag.NewCursor(&report, nil), Config{URL: address, Path: path, Query: texts{"q": expression.Texts{"1"}}}, Deps{Args: []string{"a", "b"}})
		r, ok := made.(*runner)
		if !ok {
			if report.Problems().Err() == nil {
				t.Fatal("no runner and no problem")
			}
			return
		}
		req, err := r.request(t.Context(), map[string]any{"a": value, "b": value})
		if err != nil {
			return
		}
		if got := req.URL.Scheme + "://" + req.URL.Host; got != r.maker.(*written).target.origin || !strings.HasPrefix(address, got) || req.URL.User != nil || req.URL.Fragment != "" {
			t.Fatalf("%q became %s", address, req.URL)
		}
	})
}
