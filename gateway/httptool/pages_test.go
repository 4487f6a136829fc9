package httptool

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/gateway/tool/tooltest"
)

// book is a server whose pages are given by what is asked for; HOST in one is
// the server's own address. It remembers what was asked.
type book struct {
	*httptest.Server
	asks
}

// asks are what a server was asked. A connection that breaks may end a call
// while its server is still at work.
type asks struct {
	mutex sync.Mutex // of list
	list  []string
}

// add adds what is asked and gives how many there are.
func (a *asks) add(what string) int {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.list = append(a.list, strings.TrimSpace(what))
	return len(a.list)
}

// asked gives the first of them, and the others joined.
func (a *asks) asked() (first, others string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.list[0], strings.Join(a.list[1:], "|")
}

func newBook(t *testing.T, pages map[string]string) *book {
	b := &book{}
	b.Server = serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		b.add(r.Method + " " + r.RequestURI + " " + string(body))
		page, ok := pages[r.RequestURI]
		switch {
		case !ok:
			w.WriteHeader(http.StatusNotFound)
		case page == "reset":
			panic(http.ErrAbortHandler)
		case strings.HasPrefix(page, "to "):
			http.Redirect(w, r, page[3:], http.StatusFound)
		default:
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("X-Key", r.Header.Get("X-Key"))
			_, _ = io.WriteString(w, strings.ReplaceAll(page, "HOST", b.URL))
		}
	})
	return b
}

var plainPages = &Pages{Next: "body.next", Items: "body.items"}

// paged are books and what a call makes of each.
var paged = []struct {
	name       string
	cfg        Config // plainPages where it has no Pages
	pages      map[string]string
	text       string // of the answer, or part of the message of an error
	structured string
	code       tool.Code
	asked      string // what was asked behind the first page; * where it does not matter
}{
	{name: "one page", pages: map[string]string{"/": `{"items":[1],"next":null}`}, text: "[1]", structured: "[1]"},
	{name: "three pages", pages: map[string]string{"/": `{"items":[1],"next":"/?p=2"}`, "/?p=2": `{"items":[2,3],"next":"HOST/?p=3"}`, "/?p=3": `{"items":[4]}`}, text: "[1,2,3,4]", structured: "[1,2,3,4]", asked: "GET /?p=2|GET /?p=3"},
	{name: "digits and the order of keys", pages: map[string]string{"/": `{"items":[{"z":9007199254740993,"a":1.50}],"next":"/2"}`, "/2": `{"items":[{"z":1e2,"<":"ü"}],"next":""}`}, text: `[{"z":9007199254740993,"a":1.50},{"z":1e2,"<":"ü"}]`, structured: `[{"z":9007199254740993,"a":1.50},{"z":1e2,"<":"ü"}]`, asked: "GET /2"},
	{name: "items that are computed", cfg: Config{Pages: &Pages{Next: "body.next", Items: "map(body.items, #.n)"}}, pages: map[string]string{"/": `{"items":[{"n":9007199254740993}],"next":"2"}`, "/2": `{"items":[{"n":2.50}],"next":false}`}, text: "[9007199254740993,2.50]", structured: "[9007199254740993,2.50]", asked: "GET /2"},
	{name: "the body is the list", cfg: Config{Pages: &Pages{Next: `headers["x-none"]`, Items: "body"}}, pages: map[string]string{"/": `[1,2]`}, text: "[1,2]", structured: "[1,2]"},
	{name: "an odd name", cfg: Config{Pages: &Pages{Next: `body["@next"]`, Items: `body.data["@items"]`}}, pages: map[string]string{"/": `{"data":{"@items":[1]},"@next":"/2"}`, "/2": `{"data":{"@items":[2]}}`}, text: "[1,2]", structured: "[1,2]", asked: "GET /2"},
	{name: "no items", pages: map[string]string{"/": `{"items":null,"next":"/2"}`, "/2": `{"next":"/3"}`, "/3": `{"items":[]}`}, text: "[]", structured: "[]", asked: "GET /2|GET /3"},
	{name: "relative to the page", cfg: Config{Path: "/a/b?x=1"}, pages: map[string]string{"/a/b?x=1": `{"items":[1],"next":"c/d"}`, "/a/c/d": `{"items":[2],"next":"?p=3"}`, "/a/c/d?p=3": `{"items":[3],"next":"../e"}`, "/a/e": `{"items":[4]}`}, text: "[1,2,3,4]", structured: "[1,2,3,4]", asked: "GET /a/c/d|GET /a/c/d?p=3|GET /a/e"},
	{name: "relative to where a redirect led", pages: map[string]string{"/": "to /v2/list", "/v2/list": `{"items":[1],"next":"more"}`, "/v2/more": `{"items":[2]}`}, text: "[1,2]", structured: "[1,2]", asked: "GET /v2/list|GET /v2/more"},
	{name: "a result", cfg: Config{Result: `{"n": len(body), "first": body[0], "status": status, "key": headers["x-key"]}`}, pages: map[string]string{"/": `{"items":[10],"next":"/2"}`, "/2": `{"items":[20]}`}, text: `{"first":10,"key":"s3cr=t","n":2,"status":200}`, structured: `{"first":10,"key":"s3cr=t","n":2,"status":200}`, asked: "GET /2"},
	{name: "the same body", cfg: Config{Method: "POST", Body: &Body{JSON: []byte(`{"q":1}`)}}, pages: map[string]string{"/": `{"items":[1],"next":"/2"}`, "/2": `{"items":[2]}`}, text: "[1,2]", structured: "[1,2]", asked: `POST /2 {"q":1}`},
	{name: "more than may be read", cfg: Config{Pages: &Pages{Next: "body.next", Items: "body.items", Most: 2}}, pages: map[string]string{"/": `{"items":[1],"next":"/2"}`, "/2": `{"items":[2],"next":"/3"}`}, text: "[1,2]\n[2 pages with 2 items read; there are more]", structured: "[1,2]", asked: "GET /2"},
	{name: "one page of many", cfg: Config{Pages: &Pages{Next: "body.next", Items: "body.items", Most: 1}}, pages: map[string]string{"/": `{"items":[1],"next":"/2"}`}, text: "[1]\n[1 page with 1 item read; there are more]", structured: "[1]"},
	{name: "exactly as many as may be read", cfg: Config{Pages: &Pages{Next: "body.next", Items: "body.items", Most: 2}}, pages: map[string]string{"/": `{"items":[1],"next":"/2"}`, "/2": `{"items":[2]}`}, text: "[1,2]", structured: "[1,2]", asked: "GET /2"},
	{name: "another host", pages: map[string]string{"/": `{"items":[1],"next":"http://evil.example/2?k=1"}`}, code: tool.UpstreamError, text: "the upstream named http://evil.example for what to ask next"},
	{name: "another host without a scheme", pages: map[string]string{"/": `{"items":[1],"next":"//evil.example/2"}`}, code: tool.UpstreamError, text: "the upstream named http://evil.example for"},
	{name: "another scheme", pages: map[string]string{"/": `{"items":[1],"next":"file:///etc/passwd"}`}, code: tool.UpstreamError, text: "the upstream named file:// for"},
	{name: "a user name", pages: map[string]string{"/": `{"items":[1],"next":"http://a:b@127.0.0.1/"}`}, code: tool.UpstreamError, text: "not an address"},
	{name: "no address", pages: map[string]string{"/": `{"items":[1],"next":"http://[::1"}`}, code: tool.UpstreamError, text: "not an address"},
	{name: "a circle of one", pages: map[string]string{"/": `{"items":[1],"next":"/"}`}, code: tool.UpstreamError, text: "go in a circle"},
	{name: "a circle of two", pages: map[string]string{"/": `{"items":[1],"next":"/2"}`, "/2": `{"items":[1],"next":"HOST/#x"}`}, code: tool.UpstreamError, text: "go in a circle", asked: "GET /2"},
	{name: "a number for an address", pages: map[string]string{"/": `{"items":[1],"next":2}`}, code: tool.UpstreamError, text: "its pages.next expression"},
	{name: "true for an address", pages: map[string]string{"/": `{"items":[1],"next":true}`}, code: tool.UpstreamError, text: "its pages.next expression"},
	{name: "items that are no list", pages: map[string]string{"/": `{"items":{"a":1}}`}, code: tool.UpstreamError, text: "its pages.items expression"},
	{name: "a page that fails", cfg: Config{Error: `"page " + string(status)`}, pages: map[string]string{"/": `{"items":[1],"next":"/2"}`}, code: tool.UpstreamError, text: "page 404", asked: "GET /2"},
	{name: "a page that is not ok", cfg: Config{OK: "body.items != nil"}, pages: map[string]string{"/": `{"items":[1],"next":"/2"}`, "/2": `{"next":"/3"}`}, code: tool.UpstreamError, text: "counts as a failure", asked: "GET /2"},
	{name: "a page that breaks off", pages: map[string]string{"/": `{"items":[1],"next":"/2"}`, "/2": "reset"}, code: tool.UpstreamUnavailable, text: "could not be reached", asked: "*"},
	{name: "broken JSON", pages: map[string]string{"/": `{"items":[1],"next":"/2"}`, "/2": `{"items":`}, code: tool.UpstreamError, text: "not valid JSON", asked: "GET /2"},
	{name: "too much together", pages: map[string]string{"/": `{"items":["` + strings.Repeat("x", tooltest.MaxOutput/2) + `"],"next":"/2"}`, "/2": `{"items":["` + strings.Repeat("x", tooltest.MaxOutput/2) + `"]}`}, code: tool.TooLarge, text: "larger than the 65536 bytes", asked: "GET /2"},
}

func TestPages(t *testing.T) {
	client := newClient(t, loopback)
	for _, test := range paged {
		t.Run(test.name, func(t *testing.T) {
			b := newBook(t, test.pages)
			test.cfg.URL, test.cfg.Headers = b.URL, texts{"X-Key": {"${secret.key}"}}
			if test.cfg.Pages == nil {
				test.cfg.Pages = plainPages
			}
			out, err := compile(t, test.cfg, testDeps(client)).Run(t.Context(), input(t, `{}`))
			if _, asked := b.asked(); asked != test.asked && test.asked != "*" {
				t.Errorf("asked for %q, want %q", asked, test.asked)
			}
			if test.code != "" {
				if e := tool.AsError(err); e.Code != test.code || !strings.Contains(e.Message, test.text) || e.Hint == "" {
					t.Errorf("got %v, want %s with %q", err, test.code, test.text)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{test.text, test.structured}, []string{out.Text(), string(out.Structured)}); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestPagesKeepWhatTheyShow: header and credentials go with every page, and
// each is told to whoever listens.
func TestPagesKeepWhatTheyShow(t *testing.T) {
	var shown []string
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		shown = append(shown, r.Header.Get("Authorization")+" "+r.Header.Get("X-A"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"items":[%d],"next":%q}`, len(shown), []string{"/2", "/3", ""}[len(shown)-1])
	})
	cfg := Config{URL: server.URL, Auth: &Auth{Bearer: "${secret.key}"}, Headers: texts{"X-A": {"1"}}, Pages: plainPages}
	var steps []tool.Step
	ctx := tool.WithProgress(t.Context(), func(s tool.Step) { steps = append(steps, s) })
	if _, err := compile(t, cfg, testDeps(newClient(t, loopback))).Run(ctx, input(t, `{}`)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"Bearer s3cr=t 1", "Bearer s3cr=t 1", "Bearer s3cr=t 1"}; !cmp.Equal(want, shown) {
		t.Errorf("shown %q", shown)
	}
	want := []tool.Step{{Done: 1, Message: "1 page with 1 item read"}, {Done: 2, Message: "2 pages with 2 items read"}, {Done: 3, Message: "3 pages with 3 items read"}}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// FuzzNextAddress: whatever an upstream says, the next request goes to the
// origin of the configuration, and no error repeats a query.
func FuzzNextAddress(f *testing.F) {
	for _, seed := range []string{"", "/x", "?p=2", "//evil.example", "\\\\evil.example", "http:evil", "http:///x", "https://api.example.com:443/x", "https://API.example.com/", "https://api.example.com@evil.example/", "https://api.example.com.evil.example", "javascript:x", "/\t/evil.example", "https://api.example.com:80/", "%2f%2fevil.example", "http://api.example.com/x"} {
		f.Add(seed)
	}
	at, err := url.Parse("https://api.example.com/v1/list?key=hunter22")
	if err != nil {
		f.Fatal(err)
	}
	masker := secret.NewMasker(secret.NewValue("hunter22"))
	f.Fuzz(func(t *testing.T, text string) {
		u, err := nextAddress(at, at, text)
		if err != nil {
			e := tool.AsError(err)
			if said := e.Error() + e.Text(); e.Code != tool.UpstreamError || masker.Text(said) != said && !strings.Contains(text, "hunter22") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		again, err := url.Parse(u.String())
		if err != nil {
			t.Fatalf("%q became %q, which does not parse: %v", text, u, err)
		}
		for _, u := range []*url.URL{u, again} {
			if u.Scheme != "https" || u.Host != "api.example.com" || u.User != nil || u.Opaque != "" || u.Fragment != "" {
				t.Fatalf("%q became %q", text, u)
			}
		}
	})
}
