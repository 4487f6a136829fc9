package httptool

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
)

// otherWorld answers for every host, and counts what it is asked to wait.
type otherWorld struct {
	asked  []string
	waited time.Duration
}

func (e *otherWorld) RoundTrip(req *http.Request) (*http.Response, error) {
	e.asked = append(e.asked, req.URL.String())
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("ok")), Request: req}, nil
}

func (e *otherWorld) Wait(_ context.Context, d time.Duration) error {
	e.waited += d
	return nil
}

// TestClientOver: whatever a client is asked for goes to what stands in the place of
// the network: requests of its own, of any scheme and address, those of upstreams with
// connections of their own, and redirects to elsewhere.
func TestClientOver(t *testing.T) {
	t.Parallel()
	e := &otherWorld{}
	c := NewClientOver(nil, e)
	var report diag.Report
	own := c.NewUpstream(diag.NewCursor(&report, nil), "own", UpstreamConfig{URL: "https://own.example", Networks: &Networks{}}, UpstreamDeps{})
	if own == nil {
		t.Fatal(report.Problems())
	}
	for _, send := range []func(*http.Request) (*http.Response, error){c.Do, c.Send, own.transport.RoundTrip, own.tokens.RoundTrip, c.outside.RoundTrip} {
		for _, address := range []string{"http://127.0.0.1:1/a", "https://10.0.0.1/b"} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := send(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
		}
	}
	if err := c.Probe(t.Context(), "https://10.0.0.1/c"); err != nil {
		t.Error(err)
	}
	if len(e.asked) != 11 {
		t.Errorf("asked %v", e.asked)
	}
	if err := c.wait(t.Context(), time.Hour); err != nil || e.waited != time.Hour {
		t.Errorf("%v, waited %v", err, e.waited)
	}
}
