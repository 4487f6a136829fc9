package cpython

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func after(milliseconds int) <-chan time.Time {
	return time.After(time.Duration(milliseconds) * time.Millisecond)
}

// slow is a server that sends half of a file and waits until the client is gone.
type slow struct {
	*httptest.Server
	half chan struct{} // receives when half is sent
}

func newSlow(t *testing.T) *slow {
	s := &slow{half: make(chan struct{}, 8)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(strings.Repeat("x", 500)))
		_ = http.NewResponseController(w).Flush()
		s.half <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	return s
}

func TestInstallFromAddress(t *testing.T) {
	module := python("3.13.0")
	mux := http.NewServeMux()
	mux.HandleFunc("/m.wasm", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(module)) })
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(module[:20]))
	})
	mux.HandleFunc("/huge", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(maxDownload+1))
		_, _ = w.Write([]byte(module))
	})
	mux.HandleFunc("/hop/", func(w http.ResponseWriter, r *http.Request) {
		target := "/hop/" + r.URL.Path[5:] + "x"
		if r.URL.Path == "/hop/xxx" {
			target = "/m.wasm"
		}
		http.Redirect(w, r, target, http.StatusFound)
	})
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://python.example.com/m?key=1", http.StatusFound)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	cases := []struct{ path, want string }{
		{"/m.wasm", ""},
		{"/m.wasm?token=hidden", ""},
		{"/hop/", ""},
		{"/none?token=hidden", "/none: the server answers 404 Not Found"},
		{"/cut", "/cut: it was cut off after 20 of 1000 bytes"},
		{"/huge", "/huge: it has 536870913 bytes, and at most 536870912 are fetched"},
		{"/loop", "/loop: it is redirected more than 5 times"},
		{"/away", "/away: http://python.example.com/m is without TLS"},
	}
	for _, c := range cases {
		t.Run(c.path, func(t *testing.T) {
			got := int64(0)
			r, err := Install(t.Context(), Options{
				From: server.URL + c.path, Into: filepath.Join(t.TempDir(), "x"),
				Progress: func(stage string, done, _ int64) {
					if stage == "downloading" {
						got = done
					}
				},
			})
			if c.want == "" {
				must(t, err)
				path, _, _ := strings.Cut(c.path, "?")
				if r.Source != server.URL+path || got != int64(len(module)) {
					t.Errorf("source %s, told of %d bytes", r.Source, got)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hidden") || strings.Contains(err.Error(), "key") {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

func TestDownloadThatStalls(t *testing.T) {
	server := newSlow(t)
	for name, c := range map[string]struct {
		stall time.Duration
		want  string
	}{"stall": {10 * time.Millisecond, "nothing came for 10ms"}, "cancelled": {time.Hour, "enough"}} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			i := &installation{stall: c.stall}
			if name == "cancelled" {
				go func() { <-server.half; cancel(errors.New("enough")) }()
			}
			err := i.download(ctx, server.URL, filepath.Join(t.TempDir(), "x"))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestRedirectFromTLS must not go on without it, not even to this machine.
func TestRedirectFromTLS(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	server := httptest.NewTLSServer(http.RedirectHandler(plain.URL, http.StatusFound))
	defer server.Close()
	_, err := Install(t.Context(), Options{From: server.URL, Into: filepath.Join(t.TempDir(), "x"), HTTP: server.Client()})
	if err == nil || !strings.Contains(err.Error(), "which is not https") {
		t.Errorf("error %v", err)
	}
}
