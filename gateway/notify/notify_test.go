package notify_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/notify"
	"github.com/toolgate/toolgate/gateway/secret"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	plainKey   = "0123456789abcdef0123456789abcdef"
	base64Key  = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	allowLocal = "127.0.0.0/8"
)

// target is a webhook at an address with a key, asked by a client that may reach the
// networks.
func target(t *testing.T, address, key string, client notify.Client) *notify.Target {
	t.Helper()
	var report diag.Report
	p := notify.Compile(diag.NewCursor(&report, nil), "${secret.url}", "${secret.key}", []string{"url", "key"}, client)
	if p == nil {
		t.Fatal(report.Problems())
	}
	target := p.Resolve(map[string]secret.Value{"url": secret.NewValue(address), "key": secret.NewValue(key)})
	if target == nil {
		t.Fatal(report.Problems())
	}
	return target
}

func client(t *testing.T, networks ...string) *httptool.Client {
	t.Helper()
	var allowed []netip.Prefix
	for _, n := range networks {
		allowed = append(allowed, netip.MustParsePrefix(n))
	}
	c := httptool.NewClient(allowed)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// TestPost holds what a service is sent, as it would check it.
func TestPost(t *testing.T) {
	for _, key := range []string{plainKey, base64Key} {
		var got *http.Request
		var body []byte
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r
			body, _ = io.ReadAll(r.Body)
			w.WriteHeader(http.StatusAccepted)
		}))
		err := target(t, web.URL+"/hook?a=b", key, client(t, allowLocal)).Post(t.Context(), "apr_1", time.Unix(1700000000, 0), []byte(`{"type":"x"}`))
		web.Close()
		if err != nil {
			t.Fatal(err)
		}
		mac := hmac.New(sha256.New, []byte(plainKey))
		_, _ = mac.Write([]byte(`apr_1.1700000000.{"type":"x"}`))
		want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		h := got.Header
		if got.Method != http.MethodPost || got.URL.String() != "/hook?a=b" || string(body) != `{"type":"x"}` || h.Get("Content-Type") != "application/json" ||
			h.Get("Webhook-Id") != "apr_1" || h.Get("Webhook-Timestamp") != "1700000000" || h.Get("Webhook-Signature") != want {
			t.Errorf("%s %s %v %s, want the signature %s", got.Method, got.URL, h, body, want)
		}
	}
}

// TestFailures holds how failures read; none names the address, which may be a
// secret.
func TestFailures(t *testing.T) {
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	answering := func(status int) *httptest.Server {
		return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", other.URL)
			w.WriteHeader(status)
		}))
	}
	closed := answering(200)
	closed.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = nil
	for _, c := range []struct {
		name     string
		web      *httptest.Server
		networks []string
		want     string
	}{
		{"fault", answering(500), []string{allowLocal}, "the webhook answered 500 Internal Server Error"},
		{"refusal", answering(401), []string{allowLocal}, "the webhook answered 401 Unauthorized"},
		{"moved", answering(307), []string{allowLocal}, "the webhook answered 307 Temporary Redirect, and redirects are not followed"},
		{"gone", answering(410), []string{allowLocal}, "the webhook answered 410 Gone"},
		{"away", closed, []string{allowLocal}, "the webhook could not be reached: "},
		{"certificate", secure, []string{allowLocal}, "the webhook could not be reached: tls: failed to verify certificate"},
		{"network", answering(200), nil, "the webhook could not be reached: "},
	} {
		err := target(t, c.web.URL+"/hunter22?hunter22", plainKey, client(t, c.networks...)).Post(t.Context(), "apr_1", time.Now(), []byte(`{}`))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "hunter22") {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if errors.Is(err, notify.ErrGone) != (c.name == "gone") {
			t.Errorf("%s: is it gone? %v", c.name, err)
		}
		c.web.Close()
	}
	if elsewhere > 0 {
		t.Errorf("a redirect was followed %d times", elsewhere)
	}
}

// never answers no request.
type never struct{}

func (never) Send(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, context.Cause(r.Context())
}

func (never) Advise(diag.Cursor, string) {}

// TestSlow: a service that does not answer is given up in time.
func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err := target(t, "https://hooks.example.com", plainKey, never{}).Post(t.Context(), "apr_1", began, []byte(`{}`))
		if err == nil || err.Error() != "the webhook did not answer within 10s" || time.Since(began) != notify.TryTimeout {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// TestResolve holds what values cannot be used; none of them is told.
func TestResolve(t *testing.T) {
	for _, c := range []struct{ url, key, want string }{
		{"ftp://hunter22.example.com", plainKey, "the address does not start with http:// or https://"},
		{"https://u:hunter22@example.com", plainKey, "the address holds a user name or a password"},
		{"hunter22", plainKey, "the address does not start with http:// or https://"},
		{"https://%zzhunter22", plainKey, "this is no address"},
		{"https://example.com/#hunter22", plainKey, "the address has a part behind #, which is never sent"},
		{"https://example.com", "hunter22", "the key has fewer than 16 bytes and could be guessed"},
		{"https://example.com", "whsec_hunter22*", "what follows whsec_ is no base64"},
		{"https://example.com", "whsec_aHVudGVyMjI=", "the key has fewer than 16 bytes and could be guessed"},
	} {
		var report diag.Report
		p := notify.Compile(diag.NewCursor(&report, nil), "${secret.url}", "${secret.key}", []string{"url", "key"}, never{})
		got := p.Resolve(map[string]secret.Value{"url": secret.NewValue(c.url), "key": secret.NewValue(c.key)})
		if text := report.Problems().Error(); got != nil || !strings.Contains(text, c.want) || strings.Contains(text, "hunter22") {
			t.Errorf("%s, %s: %v, %s", c.url, c.key, got, text)
		}
	}
}

// TestBook holds who is told of what a rule asks.
func TestBook(t *testing.T) {
	all, own := target(t, "https://a.example.com", plainKey, never{}), target(t, "https://b.example.com", plainKey, never{})
	book := &notify.Book{Other: all, Rules: map[string]*notify.Target{"own": own}}
	if book.For("own") != own || book.For("") != all || book.For("other") != all || (*notify.Book)(nil).For("own") != nil {
		t.Error("somebody else is told")
	}
}
