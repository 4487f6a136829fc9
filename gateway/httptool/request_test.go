package httptool

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/gateway/tool/tooltest"
)

// loopback lets the tests reach their own servers.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

func newClient(t *testing.T, networks []netip.Prefix) *Client {
	t.Helper()
	c := NewClient(networks)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func compile(t *testing.T, cfg Config, deps Deps) tool.Runner {
	t.Helper()
	var report diag.Report
	r := New(diag.NewCursor(&report, nil).Key("http"), cfg, deps)
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	return r
}

// input is the input of a run; args is a JSON object.
func input(t *testing.T, args string) tool.Input {
	t.Helper()
	in := tooltest.Input("")
	in.Args = nil
	d := json.NewDecoder(strings.NewReader(args))
	d.UseNumber()
	if err := d.Decode(&in.Args); err != nil {
		t.Fatal(err)
	}
	return in
}

// reads makes the input one of a tool that changes nothing.
func reads(in tool.Input) tool.Input {
	spec := *in.Spec
	spec.Tags = []string{tool.TagReadOnly}
	in.Spec = &spec
	return in
}

func testDeps(client *Client) Deps {
	return Deps{
		Client: client, Args: []string{"a", "b", "id"},
		SecretNames: []string{"key"}, Secrets: map[string]secret.Value{"key": secret.NewValue("s3cr=t")},
	}
}

type texts = map[string]expression.Texts

// requests are the calls of TestRequests and what a server gets of each. In
// wanted headers an empty value means that the header must not be there.
var requests = []struct {
	name   string
	cfg    Config // URL stands behind the address of the server
	args   string
	want   string // method, target as sent, body
	header map[string]string
}{
	{name: "nothing but an address", args: `{}`, want: "GET / ", header: map[string]string{"User-Agent": "toolgate", "Content-Type": "", "Accept-Encoding": "gzip"}},
	{name: "a base path", cfg: Config{URL: "/api/", Path: "/x"}, args: `{}`, want: "GET /api/x "},
	{name: "a base path alone", cfg: Config{URL: "/api/"}, args: `{}`, want: "GET /api/ "},
	{name: "a query of the base first", cfg: Config{URL: "?v=2", Path: "/x?k=1", Query: texts{"a": {"${args.a}"}}}, args: `{"a": 3}`, want: "GET /x?v=2&k=1&a=3 "},
	{name: "a template in the base path", cfg: Config{URL: "/t/${args.a}/", Path: "/x"}, args: `{"a": "a/b"}`, want: "GET /t/a%2Fb/x "},
	{name: "a template in the query of the path", cfg: Config{Path: "/x?q=${args.a}"}, args: `{"a": "1&r=2#?+ "}`, want: "GET /x?q=1%26r%3D2%23%3F%2B%20 "},
	{name: "an empty value in the query of the path", cfg: Config{Path: "/x?q=${args.a}&r=1"}, args: `{"a": ""}`, want: "GET /x?q=&r=1 "},
	{name: "literal parts as written", cfg: Config{Path: "/a%20b/c;d=1,e/$${x}//"}, args: `{}`, want: "GET /a%20b/c;d=1,e/$%7Bx%7D// "},
	{name: "a slash in a value", cfg: Config{Path: "/c/${args.id}/x"}, args: `{"id": "a/b"}`, want: "GET /c/a%2Fb/x "},
	{name: "dots and slashes", cfg: Config{Path: "/c/${args.id}"}, args: `{"id": "../../etc"}`, want: "GET /c/..%2F..%2Fetc "},
	{name: "an encoded slash is encoded again", cfg: Config{Path: "/c/${args.id}"}, args: `{"id": "%2e%2e%2f"}`, want: "GET /c/%252e%252e%252f "},
	{name: "a question mark and a hash", cfg: Config{Path: "/c/${args.id}"}, args: `{"id": "a?b#c"}`, want: "GET /c/a%3Fb%23c "},
	{name: "every reserved character", cfg: Config{Path: "/c/${args.id}"}, args: `{"id": ":/?#[]@!$&'()*+,;= %\\|\"<>"}`, want: "GET /c/%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%20%25%5C%7C%22%3C%3E "},
	{name: "unreserved characters stay", cfg: Config{Path: "/c/${args.id}"}, args: `{"id": "aZ09-._~"}`, want: "GET /c/aZ09-._~ "},
	{name: "letters beyond ASCII", cfg: Config{Path: "/c/${args.id}"}, args: `{"id": "ü✓"}`, want: "GET /c/%C3%BC%E2%9C%93 "},
	{name: "line breaks", cfg: Config{Path: "/c/${args.id}"}, args: `{"id": "a\r\nHost: x"}`, want: "GET /c/a%0D%0AHost%3A%20x "},
	{name: "two values in a segment", cfg: Config{Path: "/c/${args.a}-${args.b}.json"}, args: `{"a": 1, "b": "x y"}`, want: "GET /c/1-x%20y.json "},
	{name: "three dots are a name", cfg: Config{Path: "/c/${args.id}"}, args: `{"id": "..."}`, want: "GET /c/... "},
	{name: "a large number in a path", cfg: Config{Path: "/c/${args.id}"}, args: `{"id": 12345678901234567890}`, want: "GET /c/12345678901234567890 "},
	{name: "a truth in a path", cfg: Config{Path: "/c/${args.id}"}, args: `{"id": false}`, want: "GET /c/false "},
	{name: "braces in an expression", cfg: Config{Path: "/c/${ {'x': args.id}.x }/y"}, args: `{"id": "1"}`, want: "GET /c/1/y "},
	{name: "a query sorted by name", cfg: Config{Query: texts{"b": {"2"}, "a": {"1"}, "c": {"3"}}}, args: `{}`, want: "GET /?a=1&b=2&c=3 "},
	{name: "a query's absent member", cfg: Config{Query: texts{"a": {"${args.a}"}, "b": {"${args.b}"}}}, args: `{"a": null}`, want: "GET / "},
	{name: "a query's empty member", cfg: Config{Query: texts{"a": {"${args.a}"}}}, args: `{"a": ""}`, want: "GET /?a= "},
	{name: "a query's list", cfg: Config{Query: texts{"a[]": {"${args.a}"}}}, args: `{"a": ["x", 2, true]}`, want: "GET /?a%5B%5D=x&a%5B%5D=2&a%5B%5D=true "},
	{name: "a query's several texts", cfg: Config{Query: texts{"a": {"x", "${args.a}", "${args.b}", "y${args.a}"}}}, args: `{"a": 1}`, want: "GET /?a=x&a=1&a=y1 "},
	{name: "a query's value", cfg: Config{Query: texts{"q": {"${args.a}"}}}, args: `{"a": "a&b=c+d%20 ü"}`, want: "GET /?q=a%26b%3Dc%2Bd%2520%20%C3%BC "},
	{name: "a secret in the query", cfg: Config{Query: texts{"key": {"${secret.key}"}}}, args: `{}`, want: "GET /?key=s3cr%3Dt "},
	{name: "headers", cfg: Config{Headers: texts{"authorization": {"Bearer ${secret.key}"}, "X-A": {"${args.a}"}, "X-B": {"${args.b}"}, "User-Agent": {"mine"}}}, args: `{"a": ["1", "ü"]}`, want: "GET / ", header: map[string]string{"Authorization": "Bearer s3cr=t", "X-A": "1|ü", "X-B": "", "User-Agent": "mine"}},
	{name: "a JSON body", cfg: Config{Method: "POST", Body: &Body{JSON: json.RawMessage(`{"amount":"${args.a}","note":"for ${args.b}","fixed":1.50,"none":"${args.id}"}`)}}, args: `{"a": 9007199254740993, "b": "x\"y"}`, want: `POST / {"amount":9007199254740993,"note":"for x\"y","fixed":1.50}`, header: map[string]string{"Content-Type": "application/json"}},
	{name: "all arguments as the body", cfg: Config{Method: "PUT", Body: &Body{JSON: json.RawMessage(`"${args}"`)}}, args: `{"a": [1, {"b": 12345678901234567890.123}]}`, want: `PUT / {"a":[1,{"b":12345678901234567890.123}]}`},
	{name: "another JSON type", cfg: Config{Method: "PATCH", Headers: texts{"Content-Type": {"application/merge-patch+json"}}, Body: &Body{JSON: json.RawMessage(`{}`)}}, args: `{}`, want: "PATCH / {}", header: map[string]string{"Content-Type": "application/merge-patch+json"}},
	{name: "a form", cfg: Config{Method: "POST", Body: &Body{Form: texts{"b": {"${args.b}"}, "a": {"x y&z=ü+"}, "id": {"${args.id}"}}}}, args: `{"b": [1, "two", null]}`, want: "POST / a=x%20y%26z%3D%C3%BC%2B&b=1&b=two", header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}},
	{name: "an empty form", cfg: Config{Method: "POST", Body: &Body{Form: texts{"a": {"${args.a}"}}}}, args: `{}`, want: "POST / ", header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}},
	{name: "a form of several texts", cfg: Config{Method: "POST", Body: &Body{Form: texts{"a[]": {"1", "${args.a}"}}}}, args: `{"a": 2.50}`, want: "POST / a%5B%5D=1&a%5B%5D=2.50"},
	{name: "text", cfg: Config{Method: "POST", Body: &Body{Text: new("Hi ${args.a}\n")}}, args: `{"a": "ü"}`, want: "POST / Hi ü\n", header: map[string]string{"Content-Type": "text/plain; charset=utf-8"}},
	{name: "text of another type", cfg: Config{Method: "POST", Headers: texts{"content-type": {"text/csv"}}, Body: &Body{Text: new("${args.a}")}}, args: `{"a": "1,2"}`, want: "POST / 1,2", header: map[string]string{"Content-Type": "text/csv"}},
	{name: "an object as text", cfg: Config{Method: "POST", Body: &Body{Text: new("${args.a}")}}, args: `{"a": {"b": 1.50}}`, want: `POST / {"b":1.50}`},
	{name: "absent text", cfg: Config{Method: "POST", Headers: texts{"Content-Type": {"text/csv"}}, Body: &Body{Text: new("${args.a}")}}, args: `{}`, want: "POST / ", header: map[string]string{"Content-Type": ""}},
	{name: "empty text", cfg: Config{Method: "POST", Body: &Body{Text: new("${args.a}")}}, args: `{"a": ""}`, want: "POST / ", header: map[string]string{"Content-Type": "text/plain; charset=utf-8"}},
	{name: "base64", cfg: Config{Method: "POST", Body: &Body{Base64: new("${args.a}")}}, args: `{"a": "+/+/AA=="}`, want: "POST / \xfb\xff\xbf\x00", header: map[string]string{"Content-Type": "application/octet-stream"}},
	{name: "base64 for addresses", cfg: Config{Method: "POST", Body: &Body{Base64: new("${args.a}")}}, args: `{"a": "-_-_AA"}`, want: "POST / \xfb\xff\xbf\x00"},
	{name: "base64 on lines", cfg: Config{Method: "PUT", Headers: texts{"Content-Type": {"image/png"}}, Body: &Body{Base64: new("${args.a}")}}, args: `{"a": "aGVs\r\n bG8=\n"}`, want: "PUT / hello", header: map[string]string{"Content-Type": "image/png"}},
	{name: "absent base64", cfg: Config{Method: "POST", Body: &Body{Base64: new("${args.a}")}}, args: `{}`, want: "POST / ", header: map[string]string{"Content-Type": ""}},
	{name: "literal base64", cfg: Config{Method: "POST", Body: &Body{Base64: new("aGk")}}, args: `{}`, want: "POST / hi"},
	{name: "null as the body", cfg: Config{Method: "POST", Body: &Body{JSON: json.RawMessage(`"${args.a}"`)}}, args: `{}`, want: "POST / null"},
	{name: "absent items of a JSON list", cfg: Config{Method: "POST", Body: &Body{JSON: json.RawMessage(`["${args.a}", "${args.b}", 1]`)}}, args: `{"b": false}`, want: "POST / [false,1]"},
	{name: "a method without a body", cfg: Config{Method: "DELETE", Path: "/c/${args.id}"}, args: `{"id": 7}`, want: "DELETE /c/7 "},
}

func TestRequests(t *testing.T) {
	var got string
	var header http.Header
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got, header = r.Method+" "+r.RequestURI+" "+string(body), r.Header
	}))
	t.Cleanup(server.Close)
	client := newClient(t, loopback)
	for _, test := range requests {
		t.Run(test.name, func(t *testing.T) {
			test.cfg.URL = server.URL + test.cfg.URL
			if _, err := compile(t, test.cfg, testDeps(client)).Run(t.Context(), input(t, test.args)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for name, want := range test.header {
				if got := strings.Join(header.Values(name), "|"); got != want {
					t.Errorf("header %s is %q, want %q", name, got, want)
				}
			}
		})
	}
}

// TestRefusedArguments checks that nothing is sent for arguments that do not
// fit a request.
func TestRefusedArguments(t *testing.T) {
	tests := []struct {
		name string
		cfg  Config
		args string
		text string // part of the message
	}{
		{"a dot", Config{Path: "/c/${args.id}"}, `{"id": "."}`, `"." cannot be used in the address`},
		{"two dots", Config{Path: "/c/${args.id}/x"}, `{"id": ".."}`, `".." cannot be used in the address`},
		{"dots of two values", Config{Path: "/c/${args.a}${args.b}"}, `{"a": ".", "b": "."}`, `".." cannot be used`},
		{"dots beside a literal one", Config{Path: "/c/.${args.a}"}, `{"a": "."}`, `".." cannot be used`},
		{"dots beside an encoded one", Config{Path: "/c/%2e${args.a}"}, `{"a": "."}`, `".." cannot be used`},
		{"dots in the base path", Config{URL: "/${args.a}/x", Path: "/y"}, `{"a": ".."}`, `".." cannot be used`},
		{"an empty segment", Config{Path: "/c/${args.id}"}, `{"id": ""}`, "an empty value cannot be used"},
		{"two empty values", Config{Path: "/c/${args.a}${args.b}/x"}, `{"a": "", "b": ""}`, "an empty value cannot be used"},
		{"an absent segment", Config{Path: "/c/${args.id}"}, `{}`, "args.id is absent"},
		{"a null segment", Config{Path: "/c/x${args.id}"}, `{"id": null}`, "args.id is absent"},
		{"a list in a path", Config{Path: "/c/${args.id}"}, `{"id": ["a"]}`, "args.id is a list or an object"},
		{"an object in a path", Config{Path: "/c/x-${args.id}"}, `{"id": {"a": 1}}`, "args.id is a list or an object"},
		{"a line break in a header", Config{Headers: texts{"X-A": {"${args.a}"}}}, `{"a": "x\r\nX-B: y"}`, "the header X-A holds line breaks"},
		{"a zero byte in a header", Config{Headers: texts{"X-A": {"a ${args.a}"}}}, `{"a": "\u0000"}`, "the header X-A holds line breaks"},
		{"no base64", Config{Method: "POST", Body: &Body{Base64: new("${args.a}")}}, `{"a": "§"}`, "is not base64"},
		{"base64 with a prefix", Config{Method: "POST", Body: &Body{Base64: new("${args.a}")}}, `{"a": "data:image/png;base64,aGk="}`, "is not base64"},
		{"base64 of both alphabets", Config{Method: "POST", Body: &Body{Base64: new("${args.a}")}}, `{"a": "+-+-"}`, "is not base64"},
		{"base64 with bits left over", Config{Method: "POST", Body: &Body{Base64: new("${args.a}")}}, `{"a": "aGl="}`, "is not base64"},
		{"a part that is no base64", Config{Method: "POST", Body: &Body{Multipart: []Part{{Name: "f", Base64: new("${args.a}")}}}}, `{"a": "a"}`, "is not base64"},
		{"an absent value inside a form", Config{Method: "POST", Body: &Body{Form: texts{"a": {"x${args.a}"}}}}, `{}`, "args.a is absent"},
		{"an absent value inside a file's name", Config{Method: "POST", Body: &Body{Multipart: []Part{{Name: "f", Text: []string{"x"}, Filename: "x${args.a}"}}}}, `{}`, "args.a is absent"},
		{"an absent value inside a text", Config{Query: texts{"a": {"x${args.a}"}}}, `{}`, "args.a is absent"},
	}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }))
	t.Cleanup(server.Close)
	client := newClient(t, loopback)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.cfg.URL = server.URL + test.cfg.URL
			_, err := compile(t, test.cfg, testDeps(client)).Run(t.Context(), input(t, test.args))
			e, ok := errors.AsType[*tool.Error](err)
			if !ok || e.Code != tool.InvalidArgs || !strings.Contains(e.Message, test.text) {
				t.Errorf("got %v, want %q", err, test.text)
			}
		})
	}
}
