package httptool_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/httptool"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "https://elsewhere.example/", http.StatusFound)
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
		case "/broken":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/slow":
			<-r.Context().Done()
		}
	}))
	t.Cleanup(server.Close)
	client := httptool.NewClient([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")})
	t.Cleanup(func() { _ = client.Close() })
	for path, want := range map[string]string{
		"/": "", "/moved": "", "/missing": "", "/broken?key=hunter2": "status 503", "/slow?key=hunter2": "deadline exceeded",
	} {
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
		if strings.HasPrefix(path, "/slow") {
			stop()
			ctx, stop = context.WithTimeout(t.Context(), 50*time.Millisecond)
		}
		err := client.Probe(ctx, server.URL+path)
		stop()
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
	closed := httptool.NewClient(nil)
	t.Cleanup(func() { _ = closed.Close() })
	if err := closed.Probe(t.Context(), server.URL); err == nil || !strings.Contains(err.Error(), "may not reach") {
		t.Errorf("a network that is not open was reached: %v", err)
	}
}
