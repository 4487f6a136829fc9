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

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// drafts makes a runner that always sends the same request; an address without
// a host is one of the server at home.
func drafts(t *testing.T, home string, d Draft, address string, r Requests, cfg Answers, deps Deps) tool.Runner {
	t.Helper()
	if strings.HasPrefix(address, "/") {
		address = home + address
	}
	r.Draft = func(map[string]any) (*Draft, error) {
		u, err := url.Parse(address)
		if err != nil {
			return nil, tool.Errorf(tool.InvalidArgs, "no address")
		}
		own := d
		own.URL = u
		return &own, nil
	}
	var report diag.Report
	made := NewRequests(diag.NewCursor(&report, nil), r, cfg, deps)
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	return made
}

// credentials compiles blocks of credentials over the hidden secrets.
func credentials(t *testing.T, c *Client, blocks ...Auth) []*Credential {
	t.Helper()
	all := []*Credential{}
	for _, block := range blocks {
		var report diag.Report
		all = append(all, c.NewCredential(diag.NewCursor(&report, nil), block, upstreamDeps()))
		if err := report.Problems().Err(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestDrafts are requests as they are sent; those that are not have a code.
func TestDrafts(t *testing.T) {
	upstream := func(headers texts, auth *Auth) *UpstreamConfig { return &UpstreamConfig{Headers: headers, Auth: auth} }
	key := Auth{Header: &Named{"X-Key", "${secret.key}"}}
	tests := []struct {
		name     string
		draft    Draft
		address  string
		upstream *UpstreamConfig // without its address
		auth     []Auth
		want     string // the request, without Accept-Encoding and User-Agent
		code     tool.Code
	}{
		{"plain", Draft{Method: "GET"}, "/a%2Fb/c?x=1&x=%2B", nil, nil, "GET /a%2Fb/c?x=1&x=%2B\n\n", ""},
		{"a body", Draft{Method: "QUERY", Header: http.Header{"Content-Type": {"text/csv"}}, Body: []byte("a,b")}, "/x", nil, nil, "QUERY /x\nContent-Length: 3\nContent-Type: text/csv\n\na,b", ""},
		{"an empty body", Draft{Method: "POST", Body: []byte{}}, "/x", nil, nil, "POST /x\nContent-Length: 0\n\n", ""},
		{"headers of the upstream", Draft{Method: "GET", Header: http.Header{"X-A": {"mine", "too"}}}, "/x", upstream(texts{"X-A": {"1"}, "X-B": {"${secret.other}"}, "Content-Type": {"a/b"}}, nil), nil, "GET /x\nX-A: 1\nX-B: 0ther-s3cret\n\n", ""},
		{"what a body is", Draft{Method: "POST", Header: http.Header{"Content-Type": {"text/csv"}, "Accept": {"a/b"}}, Body: []byte("a")}, "/x", upstream(texts{"Content-Type": {"a/b"}, "Accept": {"c/d"}}, nil), nil, "POST /x\nAccept: c/d\nContent-Length: 1\nContent-Type: text/csv\n\na", ""},
		{"cookies of the upstream", Draft{Method: "GET", Header: http.Header{"Cookie": {"a=mine; b=2; c=3"}}}, "/x", upstream(texts{"Cookie": {"c=1; a=1"}}, nil), nil, "GET /x\nCookie: c=1; a=1; b=2\n\n", ""},
		{"a content type of the upstream", Draft{Method: "POST", Body: []byte("x")}, "/x", upstream(texts{"Content-Type": {"a/b"}}, nil), nil, "POST /x\nContent-Length: 1\nContent-Type: a/b\n\nx", ""},
		{"headers of the gateway", Draft{Method: "GET", Header: http.Header{"Connection": {"X-A"}, "Host": {"evil.example"}, "Transfer-Encoding": {"chunked"}, "X-A": {"1"}}}, "/x", nil, nil, "GET /x\nX-A: 1\n\n", ""},
		{"credentials of the upstream", Draft{Method: "GET"}, "/x", upstream(nil, &key), nil, "GET /x\nX-Key: s3cr=t/key\n\n", ""},
		{"none in place of them", Draft{Method: "GET"}, "/x", upstream(nil, &key), []Auth{}, "GET /x\n\n", ""},
		{"others in place of them", Draft{Method: "GET"}, "/x", upstream(nil, &key), []Auth{{Bearer: "${secret.other}"}}, "GET /x\nAuthorization: Bearer 0ther-s3cret\n\n", ""},
		{
			"several",
			Draft{Method: "GET", Header: http.Header{"Cookie": {"x=1"}}},
			"/x?a=1&k=theirs", nil,
			[]Auth{key, {Query: &Named{"k", "${secret.other}"}}, {Query: &Named{"l", "2"}}, {Cookie: &Named{"sid", "${secret.key}"}}, {Cookie: &Named{"t", "3"}}, {Bearer: "${secret.other}"}},
			"GET /x?a=1&k=0ther-s3cret&l=2\nAuthorization: Bearer 0ther-s3cret\nCookie: x=1; sid=s3cr=t/key; t=3\nX-Key: s3cr=t/key\n\n", "",
		},
		{"two of one header", Draft{Method: "GET"}, "/x", nil, []Auth{{Basic: &Basic{"a", "b"}}, {Bearer: "${secret.other}"}}, "GET /x\nAuthorization: Bearer 0ther-s3cret\n\n", ""},
		{"another origin than the upstream's", Draft{Method: "GET"}, "http://localhost:1/x", upstream(nil, &key), nil, "", tool.Internal},
		{"a user", Draft{Method: "GET"}, "http://me:pw@a.test/x", nil, nil, "", tool.Internal},
		{"another scheme", Draft{Method: "GET"}, "ftp://a.test/x", nil, nil, "", tool.Internal},
		{"no host", Draft{Method: "GET"}, "http:///x", nil, nil, "", tool.Internal},
		{"no slashes", Draft{Method: "GET"}, "http:x", nil, nil, "", tool.Internal},
		{"a fragment", Draft{Method: "GET"}, "http://a.test/x#y", nil, nil, "", tool.Internal},
		{"a draft that cannot be made", Draft{Method: "GET"}, "http://[", nil, nil, "", tool.InvalidArgs},
		{"a header of two lines", Draft{Method: "GET", Header: http.Header{"X-A": {"a\nb"}}}, "/x", nil, nil, "", tool.InvalidArgs},
		{"a method that is none", Draft{Method: "G T"}, "/x", nil, nil, "", tool.Internal},
		{"too large", Draft{Method: "POST", Body: make([]byte, maxRequestBody+1)}, "/x", nil, nil, "", tool.InvalidArgs},
		{"an address that is refused", Draft{Method: "GET"}, "http://169.254.169.254/x", nil, nil, "", tool.BlockedTarget},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var record recorder
			server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
				if r.Header.Get("User-Agent") != userAgent {
					t.Errorf("User-Agent: %q", r.Header.Get("User-Agent"))
				}
				r.Header.Del("User-Agent")
				r.Header.Del("Accept-Encoding")
				record.note(r)
			})
			client := newClient(t, loopback)
			r := Requests{}
			if test.auth != nil {
				r.Credentials = credentials(t, client, test.auth...)
			}
			if test.upstream != nil {
				test.upstream.URL = server.URL
				r.Upstream = newUpstream(t, client, *test.upstream)
			}
			deps := testDeps(client)
			deps.Secrets, deps.SecretNames = hidden, upstreamDeps().SecretNames
			_, err := drafts(t, server.URL, test.draft, test.address, r, Answers{}, deps).Run(t.Context(), reads(input(t, `{}`)))
			got := strings.ReplaceAll(record.last(), "\r\n", "\n")
			if test.code == "" && (err != nil || got != test.want) {
				t.Errorf("got %q, want %q, %v", got, test.want, err)
			}
			if test.code != "" && (err == nil || tool.AsError(err).Code != test.code || got != "") {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

// TestDraftAnswers are answers to drafts: text, structured form and notes, or
// what a failure says.
func TestDraftAnswers(t *testing.T) {
	big := func(body []byte) string {
		if len(body) > 5 {
			return "$: is too long"
		}
		return ""
	}
	tests := []struct {
		name   string
		answer http.HandlerFunc
		cfg    Answers
		want   []string // text, structured form, notes; or what a failure holds
		code   tool.Code
	}{
		{"JSON", answers(200, jsonType, `{"a":1.50}`), Answers{}, []string{`{"a":1.50}`, `{"a":1.50}`, "$: is too long"}, ""},
		{"JSON that fits", answers(200, jsonType, `[1]`), Answers{}, []string{`[1]`, `[1]`}, ""},
		{"a result of what does not fit", answers(201, jsonType, `{"a":1.50}`), Answers{Result: "body.a"}, []string{`1.50`, `1.50`, "$: is too long"}, ""},
		{"a failure that counts as a success", answers(404, jsonType, `{"a":1.50}`), Answers{OK: "true"}, []string{`{"a":1.50}`, `{"a":1.50}`}, ""},
		{"nothing", answers(204, "", ""), Answers{}, []string{"", ""}, ""},
		{"nothing of JSON", answers(200, jsonType, ""), Answers{}, []string{"", ""}, ""},
		{"not the JSON it claims to be", answers(200, jsonType, "not json"), Answers{}, []string{"not json", ""}, ""},
		{"not JSON, with a result", answers(200, jsonType, "not json"), Answers{Result: "body + 1"}, []string{"does not have the form"}, tool.UpstreamError},
		{"JSON that is not UTF-8", answers(200, jsonType, "\"\xff\""), Answers{}, []string{"not valid JSON"}, tool.UpstreamError},
		{"an error of HTML", answers(502, "text/html", "<h1>Bad gateway</h1>"), Answers{}, []string{"502", "<h1>Bad gateway</h1>"}, tool.UpstreamError},
		{"a problem", answers(422, "application/problem+json", `{"title":"bad name"}`), Answers{}, []string{"422", ": bad name"}, tool.UpstreamError},
		{"a worded error", answers(422, jsonType, `{"m":"bad name"}`), Answers{Error: "body.m"}, []string{"bad name"}, tool.UpstreamError},
		{"an image", answers(200, "image/png", "\x89PNG\r\n\x1a\n"), Answers{}, []string{"[image: image/png]", ""}, ""},
		{"a sound", answers(200, "audio/mpeg", "ID3\xff\x00"), Answers{}, []string{"[audio: audio/mpeg]", ""}, ""},
		{"a sound of another form", answers(200, "audio/aac", "\xff\xf1\x00"), Answers{}, []string{"[resource: audio/aac]", ""}, ""},
		{"bytes", answers(200, "application/octet-stream", "\xff\x00"), Answers{}, []string{"[resource: application/octet-stream]", ""}, ""},
		{"bytes that are text", answers(200, "application/octet-stream", "hello"), Answers{}, []string{"hello", ""}, ""},
		{"a document", answers(200, "application/pdf", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), Answers{}, []string{"[resource: application/pdf]", ""}, ""},
	}
	client := newClient(t, loopback)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := Requests{Lenient: true, Check: big}
			out, err := drafts(t, serve(t, test.answer).URL, Draft{Method: "GET"}, "/x", r, test.cfg, testDeps(client)).Run(t.Context(), input(t, `{}`))
			if test.code != "" {
				for _, part := range test.want {
					if err == nil || tool.AsError(err).Code != test.code || !strings.Contains(tool.AsError(err).Message, part) {
						t.Errorf("got %v, want %q", err, part)
					}
				}
				return
			}
			got := append([]string{out.Text(), string(out.Structured)}, out.Notes...)
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got)\n%s", err, diff)
			}
		})
	}
}

// TestDraftPagesAndPoll: what follows a draft goes to its origin alone, with its
// credentials, and only the answer to the draft itself is checked.
func TestDraftPagesAndPoll(t *testing.T) {
	tests := []struct {
		name, path string
		cfg        Answers
		want       string
		says       string // of a failure
	}{
		{"pages", "/pages", Answers{Pages: plainPages}, `[1,2]`, ""},
		{"pages elsewhere", "/away", Answers{Pages: plainPages}, "", "another scheme, host or port"},
		{"a poll", "/start", Answers{Poll: &Poll{Until: "body.done ?? false", URL: "/jobs/${body.id}", Every: MinPollEvery}}, `{"done":true}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer s3cr=t/key" {
					t.Errorf("%s without credentials", r.URL)
				}
				w.Header().Set("Content-Type", jsonType)
				_, _ = io.WriteString(w, map[string]string{
					"/pages": `{"items":[1],"next":"/two"}`, "/two": `{"items":[2]}`, "/away": `{"items":[1],"next":"http://a.test/x"}`,
					"/start": `{"id":"7"}`, "/jobs/7": `{"done":true}`,
				}[r.URL.Path])
			})
			client, checked := newClient(t, loopback), 0
			r := Requests{Credentials: credentials(t, client, Auth{Bearer: "${secret.key}"}), Check: func([]byte) string {
				checked++
				return "odd"
			}}
			out, err := drafts(t, server.URL, Draft{Method: "GET"}, test.path, r, test.cfg, testDeps(client)).Run(t.Context(), reads(input(t, `{}`)))
			if test.says == "" && (err != nil || out.Text() != test.want || len(out.Notes) != 1) {
				t.Errorf("got %q, %q, %v", out.Text(), out.Notes, err)
			}
			if test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
				t.Errorf("got %v", err)
			}
			if checked != 1 {
				t.Errorf("checked %d answers", checked)
			}
		})
	}
}

// TestDraftProblems: expressions are compiled at their place.
func TestDraftProblems(t *testing.T) {
	tests := []struct {
		cfg  Answers
		want string
	}{
		{Answers{OK: "bdy.x"}, "tools.a.ok: "},
		{Answers{Error: "Not found."}, "tools.a.error: this key is an expression"},
		{Answers{Result: "secret.key"}, "tools.a.result: "},
		{Answers{Pages: &Pages{Items: "body"}}, "tools.a.pages.next: this is needed"},
		{Answers{Pages: plainPages, Poll: &Poll{Until: "true"}}, "tools.a.poll: pages and poll cannot both be set"},
		{Answers{Poll: &Poll{Until: "true", URL: "${secret.key}"}}, "tools.a.poll.url: "},
	}
	for _, test := range tests {
		var report diag.Report
		r := NewRequests(diag.NewCursor(&report, listed).Key("tools").Key("a"), Requests{}, test.cfg, Deps{})
		if got := report.Problems(); r != nil || len(got) != 1 || !strings.HasPrefix(got[0].String(), test.want) {
			t.Errorf("got %v, want %s", got, test.want)
		}
	}
}

// TestSharedToken: tools that show one Credential share its token, which is got
// as the document's scheme says, kept, and replaced once when it is refused.
func TestSharedToken(t *testing.T) {
	var tokens, calls recorder
	idServer := serve(t, func(w http.ResponseWriter, r *http.Request) {
		tokens.note(r)
		w.Header().Set("Content-Type", jsonType)
		_, _ = fmt.Fprintf(w, `{"access_token":"T%d","token_type":"bearer","expires_in":600}`, len(tokens.all()))
	})
	var refused sync.Map // tokens that are not taken
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls.note(r)
		if _, is := refused.Load(r.Header.Get("Authorization")); is {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = io.WriteString(w, r.Header.Get("Authorization")+" "+r.Header.Get("X-Key"))
	})
	client := newClient(t, loopback)
	deps := UpstreamDeps{SecretNames: []string{"s"}, Secrets: map[string]secret.Value{"s": secret.NewValue("s&1")}, Masker: &secret.Masker{}}
	var report diag.Report
	at := diag.NewCursor(&report, nil)
	shared := []*Credential{
		client.NewCredential(at, Auth{Header: &Named{"X-Key", "${secret.s}"}}, deps),
		client.NewCredential(at, Auth{OAuth2: &OAuth2{TokenURL: idServer.URL + "/token", ClientID: "id", ClientSecret: "${secret.s}", Scopes: []string{"read", "write"}}}, deps),
	}
	call := func(path, want string) {
		t.Helper()
		r := drafts(t, server.URL, Draft{Method: "POST", Body: []byte("x")}, path, Requests{Credentials: shared}, Answers{}, testDeps(client))
		out, err := r.Run(t.Context(), input(t, `{}`))
		if want != "" && (err != nil || out.Text() != want) {
			t.Errorf("%s: got %q, %v", path, out.Text(), err)
		}
		if want == "" && (err == nil || !strings.Contains(err.Error(), "401")) {
			t.Errorf("%s: got %v", path, err)
		}
	}
	call("/me", "Bearer T1 s&1")
	call("/you", "Bearer T1 s&1")
	refused.Store("Bearer T1", true)
	call("/me", "Bearer T2 s&1")
	call("/you", "Bearer T2 s&1")
	refused.Store("Bearer T2", true)
	refused.Store("Bearer T3", true)
	call("/me", "")
	want := []string{"Basic aWQ6cyUyNjE=", "Content-Type: application/x-www-form-urlencoded", "grant_type=client_credentials&scope=read+write"}
	for _, part := range want {
		if got := tokens.all(); len(got) != 3 || !strings.HasPrefix(got[0], "POST /token\n") || !strings.Contains(got[0], part) {
			t.Errorf("got %q, want %q", got, part)
		}
	}
	if got := calls.all(); len(got) != 7 || !strings.HasSuffix(got[6], "\n\nx") {
		t.Errorf("got %q", got)
	}
}

// TestDraftRedirects: within the origin all credentials are shown again, and
// elsewhere none.
func TestDraftRedirects(t *testing.T) {
	var near, far recorder
	farServer := serve(t, func(_ http.ResponseWriter, r *http.Request) { far.note(r) })
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		near.note(r)
		switch r.URL.Path {
		case "/start":
			http.Redirect(w, r, "/end?k=theirs&b=2", http.StatusTemporaryRedirect)
		case "/out":
			http.Redirect(w, r, "http://"+farAway+"/x", http.StatusFound)
		}
	})
	client := newClient(t, loopback)
	world(client.outside, guard{}, map[string]*httptest.Server{farAway: farServer})
	all := credentials(t, client, Auth{Cookie: &Named{"sid", "${secret.key}"}}, Auth{Query: &Named{"k", "${secret.key}"}}, Auth{Bearer: "${secret.other}"})
	for _, path := range []string{"/start", "/out"} {
		r := drafts(t, server.URL, Draft{Method: "GET", Header: http.Header{"Cookie": {"x=1"}}}, path, Requests{Credentials: all}, Answers{}, testDeps(client))
		if _, err := r.Run(t.Context(), reads(input(t, `{}`))); err != nil {
			t.Error(err)
		}
		if path == "/out" {
			continue
		}
		if got := near.last(); !strings.HasPrefix(got, "GET /end?b=2&k=s3cr%3Dt%2Fkey\n") || !strings.Contains(got, "Cookie: x=1; sid=s3cr=t/key\r\n") || !strings.Contains(got, "Bearer 0ther-s3cret") {
			t.Errorf("got %q", got)
		}
	}
	if got := far.last(); !strings.HasPrefix(got, "GET /x\n") || strings.Contains(got, "Cookie") {
		t.Errorf("got %q", got)
	}
	shows(t, "the other place", far.last())
}

// TestUpstreamURL is the base address of an upstream once secrets are known.
func TestUpstreamURL(t *testing.T) {
	deps := upstreamDeps()
	deps.Secrets = map[string]secret.Value{}
	for _, test := range []struct{ url, key, want string }{
		{"https://a.test", "x", "https://a.test"},
		{"https://a.test:8443/v1/${secret.key}/", "a/b", "https://a.test:8443/v1/a%2Fb/"},
		{"https://a.test/${secret.key}", "..", ""},
		{"https://a.test/${secret.key}", "", ""},
		{"", "x", ""},
	} {
		client := newClient(t, nil)
		u := client.Plain()
		if test.url != "" {
			u = client.NewUpstream(diag.NewCursor(&diag.Report{}, nil), "crm", UpstreamConfig{URL: test.url}, deps)
		}
		if test.key != "" { // it comes after all is compiled
			deps.Secrets["key"] = secret.NewValue(test.key)
		} else {
			delete(deps.Secrets, "key")
		}
		for range 2 {
			got, err := u.URL()
			if test.want == "" {
				if err == nil || tool.AsError(err).Code != tool.Internal {
					t.Errorf("%s: got %v, %v", test.url, got, err)
				}
				continue
			}
			if err != nil || got.String() != test.want {
				t.Fatalf("%s: got %v, %v", test.url, got, err)
			}
			got.Path = "changed"
		}
	}
}

// TestLooseCredentials: what a file says in another form is told at the place
// that is there.
func TestLooseCredentials(t *testing.T) {
	places := func(path []string) (diag.Spot, bool) {
		return diag.Spot{}, len(path) < 2 || strings.Join(path, ".") == "auth.o.client_id"
	}
	for _, test := range []struct {
		scheme string
		auth   Auth
		want   string
	}{
		{"k", Auth{Header: &Named{"X-Key", ""}}, "auth: it has no value"},
		{"b", Auth{Basic: &Basic{"a:b", "${secret.key}"}}, "auth: a user name cannot hold a colon"},
		{"o", Auth{OAuth2: &OAuth2{TokenURL: "https://id.test", ClientSecret: "${secret.key}"}}, "auth.o.client_id: it has no value"},
	} {
		var report diag.Report
		c := newClient(t, nil).NewCredential(diag.NewCursor(&report, places).Key("auth").Key(test.scheme), test.auth, upstreamDeps())
		if got := report.Problems().Errors(); c != nil || len(got) != 1 || !strings.Contains(got[0].String(), strings.TrimPrefix(test.want, "auth")) {
			t.Errorf("got %v, want %s", got, test.want)
		}
	}
}
