package httptool_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestDo: requests of the gateway's own keep to the networks of tools, and
// their errors tell no query.
func TestDo(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }))
	defer server.Close()
	for _, tt := range []struct {
		networks []netip.Prefix
		refused  bool
	}{{nil, true}, {[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, false}} {
		c := httptool.NewClient(tt.networks)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/x?key=hunter2", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Do(req)
		if resp != nil {
			_ = resp.Body.Close()
		}
		blocked, _ := errors.AsType[*tool.Error](err)
		if tt.refused && (blocked == nil || blocked.Code != tool.BlockedTarget || strings.Contains(err.Error(), "hunter2")) || !tt.refused && err != nil {
			t.Errorf("%v: %v", tt.networks, err)
		}
		var report diag.Report
		c.Advise(diag.NewCursor(&report, nil), server.URL)
		if warned := len(report.Problems()) == 1; warned != tt.refused {
			t.Errorf("%v: %v", tt.networks, report.Problems())
		}
		_ = c.Close()
	}
}

// TestDoStays: a webhook is led to no other origin, whatever opened.
func TestDoStays(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the other origin was reached") }))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, map[string]string{"/far": other.URL + "/x?key=hunter2", "/loop": "/loop"}[r.URL.Path], http.StatusFound)
	}))
	t.Cleanup(server.Close)
	c := httptool.NewClient([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")})
	t.Cleanup(func() { _ = c.Close() })
	for path, want := range map[string]string{"/far": "redirected to " + other.URL + ", and", "/loop": "more than 5 times"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Do(req)
		if resp != nil {
			_ = resp.Body.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v", path, err)
		}
	}
}
