package access_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/access"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestAuthorization sends every form of credentials, at the paths of both doors
// and with every method: who is known by a bearer token in the one header comes
// in, nobody else, and no answer shows a token.
func TestAuthorization(t *testing.T) {
	b := book(t, access.Config{}, true)
	tests := []struct {
		name      string
		header    []string // values of Authorization
		path      string   // its query; nothing of it counts
		who       string   // empty for nobody
		challenge string
	}{
		{"nothing", nil, "", "", "Bearer"},
		{"a token", []string{"Bearer " + clientToken}, "", "client", ""},
		{"lower case", []string{"bearer " + clientToken}, "", "client", ""},
		{"two spaces", []string{"BEARER   " + clientToken}, "", "client", ""},
		{"of the administrator", []string{"Bearer " + adminToken}, "", "admin", ""},
		{"of a caller", []string{"Bearer " + annToken}, "", "ann", ""},
		{"nobody's", []string{"Bearer " + clientToken + "x"}, "", "", `Bearer error="invalid_token"`},
		{"the start of one", []string{"Bearer " + clientToken[:16]}, "", "", `Bearer error="invalid_token"`},
		{"in upper case", []string{"Bearer " + strings.ToUpper(clientToken)}, "", "", `Bearer error="invalid_token"`},
		{"two tokens in one header", []string{"Bearer " + clientToken + ", Bearer " + annToken}, "", "", `Bearer error="invalid_token"`},
		{"two headers", []string{"Bearer " + clientToken, "Bearer " + clientToken}, "", "", `Bearer error="invalid_request"`},
		{"a second, empty header", []string{"Bearer " + clientToken, ""}, "", "", `Bearer error="invalid_request"`},
		{"an empty token", []string{"Bearer "}, "", "", `Bearer error="invalid_request"`},
		{"the scheme alone", []string{"Bearer"}, "", "", `Bearer error="invalid_request"`},
		{"an empty header", []string{""}, "", "", `Bearer error="invalid_request"`},
		{"another scheme", []string{"Basic " + clientToken}, "", "", `Bearer error="invalid_request"`},
		{"no scheme", []string{clientToken}, "", "", `Bearer error="invalid_request"`},
		{"in the query", nil, "?access_token=" + clientToken + "&token=" + clientToken, "", "Bearer"},
		{"in header and query", []string{"Bearer " + clientToken}, "?access_token=" + annToken, "client", ""},
	}
	for _, tt := range tests {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
			for _, path := range []string{"/v1/tools", "/mcp", "/p/x/mcp", "/nothing"} {
				req := request(method, path+tt.path, "", "localhost")
				req.Header["Authorization"] = tt.header
				res := guarded(b, req)
				if tt.who != "" && (res.Code != http.StatusTeapot || res.Header().Get("X-Who") != tt.who) {
					t.Errorf("%s, %s %s: %d %q, want %s", tt.name, method, path, res.Code, res.Header().Get("X-Who"), tt.who)
				}
				if tt.who == "" && (!refused(res, http.StatusUnauthorized, "unauthorized") || res.Header().Get("WWW-Authenticate") != tt.challenge) {
					t.Errorf("%s, %s %s: %d %v %s", tt.name, method, path, res.Code, res.Header(), res.Body)
				}
				if strings.Contains(res.Body.String(), "0123456789") {
					t.Errorf("%s, %s %s: a token is shown: %s", tt.name, method, path, res.Body)
				}
			}
		}
	}
}

// TestRights holds the table of paths against who may what.
func TestRights(t *testing.T) {
	closed, nobody := book(t, access.Config{}, true), book(t, access.Config{}, false)
	tests := []struct {
		path                                 string
		client, admin, desk, none, anonymous bool
	}{
		{"/healthz", true, true, true, true, true},
		{"/readyz", true, true, true, true, true},
		{"/.well-known/oauth-protected-resource/mcp", true, true, true, true, true},
		{"/metrics", true, true, true, false, true},
		{"/v1/openapi.json", true, true, true, false, true},
		{"/mcp", true, true, false, false, true},
		{"/p/support/mcp", true, true, false, false, true},
		{"/v1/tools", true, true, false, false, true},
		{"/v1/chats", true, true, true, false, true}, // desk may activate
		{"/v1/chats/a", true, true, true, false, true},
		{"/v1/chats/a/groups", true, true, true, false, true},
		{"/v1/events", true, true, true, false, true},
		{"/nothing", true, true, false, false, true},
		{"/healthz/", true, true, false, false, true},
		{"/metrics/x", true, true, false, false, true},
		{"/v1/events", true, true, true, false, true},
		{"/v1/approvals", false, true, true, false, false},
		{"/v1/approvals/7", false, true, true, false, false},
		{"/v1/reload", false, true, false, false, false},
	}
	for _, tt := range tests {
		for _, who := range []struct {
			name, token string
			book        *access.Book
			may         bool
		}{
			{"client", clientToken, closed, tt.client},
			{"admin", adminToken, closed, tt.admin},
			{"desk", deskToken, closed, tt.desk},
			{"none", "", closed, tt.none},
			{"anonymous", "", nobody, tt.anonymous},
		} {
			req := request(http.MethodPost, tt.path, "", "localhost")
			if who.token != "" {
				req.Header.Set("Authorization", "Bearer "+who.token)
			}
			res := guarded(who.book, req)
			if got := res.Code == http.StatusTeapot; got != who.may {
				t.Errorf("%s at %s: %d %s, want that it passes: %v", who.name, tt.path, res.Code, res.Body, who.may)
			}
			if !who.may && who.name != "none" && (!refused(res, http.StatusForbidden, "forbidden") || !strings.Contains(res.Header().Get("WWW-Authenticate"), "insufficient_scope")) {
				t.Errorf("%s at %s: %d %v %s", who.name, tt.path, res.Code, res.Header(), res.Body)
			}
		}
	}
}

func TestMissingRightIsNamed(t *testing.T) {
	res := guarded(book(t, access.Config{}, true), request(http.MethodPost, "/v1/reload", "", "localhost", "Authorization", "Bearer "+deskToken))
	want := `{"error":{"error_type":"forbidden","message":"this needs the right admin, and the caller desk has approve, activate","hint":` +
		`"Use the token of a caller that may admin (server.admin_token, or server.callers with may)."}}`
	if got := strings.TrimSpace(res.Body.String()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestIdentify(t *testing.T) {
	got, ok := book(t, access.Config{}, true).Identify(annToken)
	want := tool.Caller{
		ID: "ann", Name: "ann", Groups: []string{"people"}, May: []tool.Right{tool.MayCall},
		Claims: map[string]any{"tenant": map[string]any{"id": json.Number("7")}},
	}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("%v (-want +got)\n%s", ok, diff)
	}
}

// TestSwap holds that a token stops working with the book that knows it.
func TestSwap(t *testing.T) {
	var current access.Current
	h := access.Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }), &current)
	for _, step := range []struct {
		book   *access.Book
		status int
	}{
		{book(t, access.Config{}, false), http.StatusTeapot},
		{book(t, access.Config{}, true), http.StatusTeapot},
		{other(t), http.StatusUnauthorized},
		{book(t, access.Config{}, true), http.StatusTeapot},
	} {
		current.Swap(step.book)
		res := recorded(h, request(http.MethodGet, "/mcp", "", "localhost", "Authorization", "Bearer "+annToken))
		if res.Code != step.status {
			t.Errorf("got %d, want %d", res.Code, step.status)
		}
	}
}

// other is a book in which ann has another token.
func other(t *testing.T) *access.Book {
	t.Helper()
	var report diag.Report
	cfg := access.Config{Callers: map[string]access.CallerConfig{"ann": {Token: "${secret.x}"}}}
	b := access.Compile(diag.NewCursor(&report, nil), cfg, []string{"x"}).Resolve(map[string]secret.Value{"x": secret.NewValue("another-0123456789")})
	if b == nil {
		t.Fatal(report.Problems())
	}
	return b
}

// TestResolve has tokens that cannot be ones. What is said of them shows nothing
// of them.
func TestResolve(t *testing.T) {
	long := strings.Repeat("x", access.MaxToken+1)
	for _, tt := range []struct{ value, want string }{
		{"0123456789abcde", "callers.a.token: the token has fewer than 16 characters and could be guessed"},
		{long, "callers.a.token: the token has more than 4096 characters, more than a header can carry"},
		{"0123456789abcdef 0", "callers.a.token: the token holds spaces, line breaks or characters that are not ASCII, which no header can carry"},
		{"0123456789abcdef\n", "callers.a.token: the token holds spaces, line breaks or characters that are not ASCII, which no header can carry"},
		{"0123456789abcdéf", "callers.a.token: the token holds spaces, line breaks or characters that are not ASCII, which no header can carry"},
		{"the-token-of-the-other", "callers.b.token: this is the token of callers.a.token too, and one token cannot tell two callers apart (give each caller a token of its own)"},
	} {
		var report diag.Report
		cfg := access.Config{Callers: map[string]access.CallerConfig{"a": {Token: "${secret.x}"}, "b": {Token: "${secret.y}"}}}
		plan := access.Compile(diag.NewCursor(&report, nil), cfg, []string{"x", "y"})
		b := plan.Resolve(map[string]secret.Value{"x": secret.NewValue(tt.value), "y": secret.NewValue("the-token-of-the-other")})
		if got := report.Problems().Error(); b != nil || got != tt.want {
			t.Errorf("%.30q: %v\n got %s\nwant %s", tt.value, b, got, tt.want)
		}
	}
}

// TestTwinAfterABadToken holds that a token that two callers share is said of
// those two, though the token of a third cannot be one.
func TestTwinAfterABadToken(t *testing.T) {
	var report diag.Report
	cfg := access.Config{Callers: map[string]access.CallerConfig{"a": {Token: "${secret.x}"}, "b": {Token: "${secret.y}"}, "c": {Token: "${secret.z}"}}}
	plan := access.Compile(diag.NewCursor(&report, nil), cfg, []string{"x", "y", "z"})
	shared := secret.NewValue("the-token-of-the-two")
	plan.Resolve(map[string]secret.Value{"x": secret.NewValue("short"), "y": shared, "z": shared})
	if got := report.Problems().Error(); !strings.Contains(got, "callers.c.token: this is the token of callers.b.token too") {
		t.Error(got)
	}
}

// TestShares holds which pages are told that they may read answers.
func TestShares(t *testing.T) {
	const page = "https://app.example.com"
	shared := book(t, access.Config{Origins: []string{page}}, true)
	none := book(t, access.Config{}, false)
	for _, tt := range []struct {
		name, origin string
		book         *access.Book
		shared       bool
	}{
		{"an origin of the list", page, shared, true},
		{"a page on this machine", "http://localhost:3000", shared, false},
		{"no page", "", shared, false},
		{"a page on this machine, without a list", "http://localhost:3000", none, false},
	} {
		// The question is asked without a token, which a browser never sends with it.
		ask := request(http.MethodOptions, "/v1/tools/x/call", "", "localhost", "Access-Control-Request-Method", "POST")
		call := request(http.MethodPost, "/v1/tools/x/call", "", "localhost", "Authorization", "Bearer "+annToken)
		if tt.origin != "" {
			ask.Header.Set("Origin", tt.origin)
			call.Header.Set("Origin", tt.origin)
		}
		asked, called := guarded(tt.book, ask), guarded(tt.book, call)
		if got := asked.Code == http.StatusNoContent && strings.Contains(asked.Header().Get("Access-Control-Allow-Headers"), "Authorization"); got != tt.shared {
			t.Errorf("%s asks: %d %v", tt.name, asked.Code, asked.Header())
		}
		for _, res := range []http.Header{asked.Header(), called.Header()} {
			want := ""
			if tt.shared {
				want = page
			}
			if got := res.Get("Access-Control-Allow-Origin"); got != want || res.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s: %v", tt.name, res)
			}
			if tt.book == shared && res.Get("Vary") != "Origin" {
				t.Errorf("%s: an answer that depends on the origin does not say so", tt.name)
			}
		}
		if called.Code != http.StatusTeapot {
			t.Errorf("%s calls: %d %s", tt.name, called.Code, called.Body)
		}
	}
	// A page that may ask learns why its token is refused.
	res := guarded(shared, request(http.MethodGet, "/mcp", "", "localhost", "Origin", page))
	if res.Code != http.StatusUnauthorized || res.Header().Get("Access-Control-Allow-Origin") != page {
		t.Errorf("%d %v", res.Code, res.Header())
	}
}
