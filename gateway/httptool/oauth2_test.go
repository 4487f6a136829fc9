package httptool

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// identity is an upstream with its token endpoint, at /token.
type identity struct {
	asked, served atomic.Int64
	record        recorder
	life          string        // expires_in, as JSON; empty for none
	slow          time.Duration // to give a token
	refuse        atomic.Int64  // this many requests with a token get 401
	answer        func(w http.ResponseWriter, n int64) bool
}

func (s *identity) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/token" {
		s.served.Add(1)
		body := s.record.note(r)
		if s.refuse.Add(-1) >= 0 {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = io.WriteString(w, r.Header.Get("Authorization")+" "+body)
		return
	}
	n := s.asked.Add(1)
	time.Sleep(s.slow)
	if s.answer != nil && s.answer(w, n) {
		return
	}
	user, password, _ := r.BasicAuth()
	if r.Method != "POST" || r.FormValue("grant_type") != "client_credentials" || r.FormValue("scope") != "read write" || user != "me" || password != "s3cr%3Dt%2Fkey" {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	life := ""
	if s.life != "" {
		life = `,"expires_in":` + s.life
	}
	w.Header().Set("Content-Type", jsonType)
	_, _ = fmt.Fprintf(w, `{"access_token":"token-%d","token_type":"bearer"%s}`, n, life)
}

// signedIn is an upstream at http://crm.test that shows access tokens.
func signedIn(t *testing.T, s *identity) (*Upstream, *secret.Masker) {
	t.Helper()
	deps := upstreamDeps()
	var report diag.Report
	u := newClient(t, nil).NewUpstream(diag.NewCursor(&report, nil), "crm", UpstreamConfig{URL: "http://crm.test", Auth: &Auth{
		OAuth2: &OAuth2{TokenURL: "http://crm.test/token", ClientID: "me", ClientSecret: "${secret.key}", Scopes: []string{"read", "write"}},
	}}, deps)
	if u == nil {
		t.Fatal(report.Problems())
	}
	inMemory(t, u.transport, s)
	return u, deps.Masker
}

var hello = message{method: "POST", url: "http://crm.test/x", body: "hello"}

func TestOAuth2Expiry(t *testing.T) {
	tests := []struct {
		life  string
		waits []time.Duration // between calls
		want  string          // the number of the token of each call
	}{
		{"3600", []time.Duration{0, time.Hour - 31*time.Second, 2 * time.Second, 0}, "1 1 2 2"},
		{"10", []time.Duration{0, 7 * time.Second, 2 * time.Second}, "1 1 2"},
		{`"600"`, []time.Duration{0, 9 * time.Minute, time.Minute}, "1 1 2"},
		{"", []time.Duration{0, 10000 * time.Hour}, "1 1"},
		{"-5", []time.Duration{0, 0}, "1 2"},
	}
	for _, test := range tests {
		t.Run(test.life, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				u, masker := signedIn(t, &identity{life: test.life})
				var got []string
				for _, wait := range test.waits {
					time.Sleep(wait)
					answer := ask(t.Context(), t, u, hello)
					number, _ := strings.CutPrefix(answer.body, "Bearer token-")
					got = append(got, strings.TrimSuffix(number, " hello"))
				}
				if strings.Join(got, " ") != test.want {
					t.Errorf("got %q, want %q", got, test.want)
				}
				if masker.Text("token-1") == "token-1" {
					t.Error("the token is not masked")
				}
			})
		})
	}
}

func TestOAuth2Refused(t *testing.T) {
	tests := []struct {
		refuse        int64
		status        int
		body          string
		asked, served int64
	}{
		{0, 200, "Bearer token-1 hello", 1, 1},
		{1, 200, "Bearer token-2 hello", 2, 2},
		{2, 401, "Bearer token-2 hello", 2, 2},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			s := &identity{}
			s.refuse.Store(test.refuse)
			u, _ := signedIn(t, s)
			got := ask(t.Context(), t, u, hello)
			if got.err != nil || got.status != test.status || got.body != test.body || s.asked.Load() != test.asked || s.served.Load() != test.served {
				t.Errorf("got %+v after %d tokens and %d requests", got, s.asked.Load(), s.served.Load())
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s := &identity{}
		s.refuse.Store(1)
		u, _ := signedIn(t, s)
		req := hello.request(t)
		req.GetBody = nil
		resp, err := u.send(t.Context(), req, nil, false)
		if err != nil || resp.StatusCode != http.StatusUnauthorized || s.served.Load() != 1 {
			t.Fatalf("a body that cannot be sent twice: %v", err)
		}
		_ = resp.Body.Close()
	})
}

func TestOAuth2Endpoint(t *testing.T) {
	says := func(status int, kind, body string) func(http.ResponseWriter, int64) bool {
		return func(w http.ResponseWriter, _ int64) bool {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
			return true
		}
	}
	tests := []struct {
		name   string
		answer func(http.ResponseWriter, int64) bool
		code   tool.Code
		says   string
	}{
		{"refused", says(401, jsonType, `{"error":"invalid_client","error_description":"no s3cr=t/key"}`), tool.UpstreamError, "refused the gateway's credentials (401, invalid_client)"},
		{"refused with an echo", says(400, jsonType, `{"error":"s3cr=t/key"}`), tool.UpstreamError, "refused the gateway's credentials (400)"},
		{"refused as text", says(403, "text/html", `s3cr=t/key`), tool.UpstreamError, "refused the gateway's credentials (403)"},
		{"refused with 200", says(200, jsonType, `{"error":"invalid_scope"}`), tool.UpstreamError, "(200, invalid_scope)"},
		{"down", says(503, "text/plain", `s3cr=t/key`), tool.UpstreamUnavailable, "failed (503)"},
		{"broken", says(500, "text/plain", `s3cr=t/key`), tool.UpstreamUnavailable, "failed (500)"},
		{"elsewhere", func(w http.ResponseWriter, _ int64) bool {
			w.Header().Set("Location", "http://crm.test/x")
			w.WriteHeader(http.StatusTemporaryRedirect)
			return true
		}, tool.UpstreamError, "refused the gateway's credentials (307)"},
		{"no token", says(200, jsonType, `{"s3cr":"s3cr=t/key"}`), tool.UpstreamError, "did not answer with a token"},
		{"no JSON", says(200, jsonType, `s3cr=t/key`), tool.UpstreamError, "did not answer with a token"},
		{"another kind", says(200, jsonType, `{"access_token":"s3cr","token_type":"mac"}`), tool.UpstreamError, "of a kind that cannot be used"},
		{"a token of two lines", says(200, jsonType, `{"access_token":"s3\ncr"}`), tool.UpstreamError, "of a kind that cannot be used"},
		{"a token without end", says(200, jsonType, `{"access_token":"`+strings.Repeat("s", 16<<10+1)+`"}`), tool.UpstreamError, "of a kind that cannot be used"},
		{"a reset", func(http.ResponseWriter, int64) bool { panic(http.ErrAbortHandler) }, tool.UpstreamUnavailable, "could not be reached"},
		{"too slow", func(http.ResponseWriter, int64) bool { time.Sleep(time.Hour); return true }, tool.UpstreamUnavailable, "did not answer within 20s"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &identity{answer: test.answer}
				u, _ := signedIn(t, s)
				got := ask(t.Context(), t, u, hello)
				if got.err == nil || got.err.Code != test.code || !strings.Contains(got.err.Message, "the token endpoint of the upstream") || !strings.Contains(got.err.Message, test.says) {
					t.Errorf("got %v", got.err)
				}
				if got.err != nil && got.err.Retryable != (test.code == tool.UpstreamUnavailable) {
					t.Errorf("retryable: %v", got.err.Retryable)
				}
				if s.served.Load() > 0 || u.breaker.failed.Load() > 0 {
					t.Error("the upstream was asked, or is blamed")
				}
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// TestOAuth2AtOnce: of many callers one asks, those that give up go alone, and
// a failure is told to all that waited.
func TestOAuth2AtOnce(t *testing.T) {
	for _, test := range []struct {
		name   string
		fails  bool
		leader time.Duration // patience of the one that asks
		asked  int64
	}{{"all wait", false, time.Hour, 1}, {"a failure", true, time.Hour, 2}, {"the first gives up", false, 3 * time.Second, 2}} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &identity{slow: 10 * time.Second}
				if test.fails { // asked twice, for the second way to show a client's secret
					s.answer = func(w http.ResponseWriter, _ int64) bool { w.WriteHeader(http.StatusForbidden); return true }
					s.slow = 4 * time.Second
				}
				u, _ := signedIn(t, s)
				var all sync.WaitGroup
				var well, gaveUp, failed atomic.Int64
				call := func(patience time.Duration) {
					ctx, stop := context.WithTimeout(t.Context(), patience)
					defer stop()
					switch got := ask(ctx, t, u, hello); {
					case got.err == nil:
						well.Add(1)
					case got.err.Code == tool.Timeout:
						gaveUp.Add(1)
					default:
						failed.Add(1)
					}
				}
				all.Go(func() { call(test.leader) })
				synctest.Wait()
				for range 20 {
					all.Go(func() { call(time.Hour) })
				}
				all.Go(func() { call(2 * time.Second) })
				all.Wait()
				if got := s.asked.Load(); got != test.asked {
					t.Errorf("the endpoint was asked %d times, want %d", got, test.asked)
				}
				if n := well.Load() + failed.Load(); n < 20 || (failed.Load() > 0) != test.fails || gaveUp.Load() < 1 {
					t.Errorf("%d went well, %d failed, %d gave up", well.Load(), failed.Load(), gaveUp.Load())
				}
			})
		})
	}
}
