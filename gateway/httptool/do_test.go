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
