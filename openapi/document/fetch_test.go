package document_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/openapi/document"
)

// fetcher answers requests without a server.
type fetcher func(*http.Request) (*http.Response, error)

func (f fetcher) Do(req *http.Request) (*http.Response, error) { return f(req) }

const secretAddress = "http://user:PASSWORD@example.com/v1/api.json?token=TOKEN#FRAGMENT"

func answers(status int, body io.Reader, header ...string) fetcher {
	return func(req *http.Request) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i+1 < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(body), Request: req}, nil
	}
}

// TestFetchErrors holds what is said of addresses that bring no document. None
// shows a secret of the address.
func TestFetchErrors(t *testing.T) {
	cases := []struct {
		name, address string
		fetch         document.Fetcher
		want          string
	}{
		{"no way to ask", secretAddress, nil, "http://example.com/v1/api.json: addresses cannot be read here"},
		{"no host", "http:///x?token=TOKEN", answers(200, strings.NewReader("{}")), "the address of the document is not a valid URL"},
		{"not a URL", "http://%zz/x?token=TOKEN", answers(200, strings.NewReader("{}")), "the address of the document is not a valid URL"},
		{"not found", secretAddress, answers(404, strings.NewReader("x")), "http://example.com/v1/api.json: the server answered with status 404, where a document was expected"},
		{"no content", secretAddress, answers(204, strings.NewReader("")), "http://example.com/v1/api.json: the server answered with status 204, where a document was expected"},
		{"not allowed", secretAddress, answers(401, strings.NewReader("x")), "http://example.com/v1/api.json: the server answered with status 401, where a document was expected (documents are asked for without credentials: save it to a file)"},
		{"broken server", secretAddress, answers(503, strings.NewReader("x")), "http://example.com/v1/api.json: the server answered with status 503, where a document was expected"},
		{"not modified since never", secretAddress, answers(304, strings.NewReader("")), "http://example.com/v1/api.json: the server answered with status 304, where a document was expected"},
		{"large", secretAddress, answers(200, endless{}), "http://example.com/v1/api.json: the document is larger than 128 MiB"},
		{"breaks off", secretAddress, answers(200, io.MultiReader(strings.NewReader("{"), broken{})), "http://example.com/v1/api.json: unexpected EOF"},
		{"refused", secretAddress, &http.Client{Transport: noNetwork{}}, "http://example.com/v1/api.json: no network here"},
		{"empty", secretAddress, answers(200, strings.NewReader("")), "api.json: the file is empty"},
		{"page", "https://example.com", answers(200, strings.NewReader("<html>")), "example.com:1:1: not JSON or YAML: it starts with <, as HTML and XML do"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := document.Open(t.Context(), document.Options{Path: c.address, Fetch: c.fetch, CacheDir: t.TempDir()})
			if err == nil {
				t.Fatal("it opens")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// endless is a text without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

type noNetwork struct{}

func (noNetwork) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no network here")
}

// TestFetchKeepsAnswers follows one address over several starts.
func TestFetchKeepsAnswers(t *testing.T) {
	body, etag, status := `{"a":1}`, `"v1"`, http.StatusOK
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("If-None-Match"))
		switch {
		case status != http.StatusOK:
			w.WriteHeader(status)
		case r.URL.Path == "/latest/api.json":
			http.Redirect(w, r, "/v1/api.json?moved", http.StatusFound)
		case etag != "" && r.Header.Get("If-None-Match") == etag:
			w.WriteHeader(http.StatusNotModified)
		default:
			w.Header().Set("ETag", etag)
			_, _ = io.WriteString(w, body)
		}
	}))
	defer server.Close()
	cache := filepath.Join(t.TempDir(), "a", "cache")
	start := func(want, stale string) *document.Set {
		t.Helper()
		set, err := document.Open(t.Context(), document.Options{Path: server.URL + "/latest/api.json?token=TOKEN", Fetch: server.Client(), CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		got := []string{string(set.Main().Root.JSON()), set.Base(), set.Main().Name, set.Stale()}
		if diff := cmp.Diff([]string{want, server.URL + "/v1/api.json", "api.json", stale}, got); diff != "" {
			t.Error(diff)
		}
		return set
	}
	first := start(body, "")
	checkCache(t, cache)
	again := start(body, "")
	if first.Digest() != again.Digest() {
		t.Error("the digest of one text differs")
	}
	status = http.StatusBadGateway
	start(body, server.URL+"/latest/api.json: the server answered with status 502, where a document was expected")
	status, body, etag = http.StatusOK, `{"a":2}`, `"v2"`
	if next := start(body, ""); next.Digest() == first.Digest() {
		t.Error("the digest of two texts is the same")
	}
	damage(t, cache)
	start(body, "")
	want := []string{"", "", `"v1"`, `"v1"`, `"v1"`, `"v1"`, `"v1"`, "", ""}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
	address := server.URL + "/latest/api.json?token=TOKEN"
	server.Close()
	set, err := document.Open(t.Context(), document.Options{Path: address, Fetch: server.Client(), CacheDir: cache})
	if err != nil || set.Stale() == "" || strings.Contains(set.Stale(), "TOKEN") {
		t.Errorf("%v, stale %q", err, set.Stale())
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := document.Read(ctx, document.Options{Path: address, Fetch: server.Client(), CacheDir: cache}); !errors.Is(err, context.Canceled) {
		t.Errorf("a start that was stopped gives %v", err)
	}
}

// checkCache holds that the cache is one file, which only this user can read and
// whose name tells nothing.
func checkCache(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatal(err, entries)
	}
	info, err := entries[0].Info()
	if err != nil || info.Mode().Perm() != 0o600 || len(info.Name()) != 64+len(".document") {
		t.Error(err, info.Mode(), info.Name())
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Error(err, info.Mode())
	}
}

// damage changes a byte of what is kept.
func damage(t *testing.T, dir string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.document"))
	if err != nil || len(names) != 1 {
		t.Fatal(err, names)
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-2]++
	if err := os.WriteFile(names[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestFetchCacheCannotBeWritten reads a document although no answer can be kept.
func TestFetchCacheCannotBeWritten(t *testing.T) {
	file := filepath.Join(write(t, map[string]string{"file": ""}), "file")
	_, err := document.Open(t.Context(), document.Options{
		Path: secretAddress, Fetch: answers(200, strings.NewReader("{}"), "ETag", `"x"`), CacheDir: filepath.Join(file, "cache"),
	})
	if err != nil {
		t.Error(err)
	}
}

// TestFetchSlow gives up on an answer that does not come, and on one whose body
// does not end.
func TestFetchSlow(t *testing.T) {
	hangs := fetcher(func(req *http.Request) (*http.Response, error) {
		<-req.Context().Done()
		return nil, req.Context().Err()
	})
	drips := fetcher(func(req *http.Request) (*http.Response, error) {
		return answers(200, waiting{req.Context()})(req)
	})
	for name, f := range map[string]fetcher{"answer": hangs, "body": drips} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				_, err := document.Read(t.Context(), document.Options{Path: secretAddress, Fetch: f})
				want := fmt.Sprintf("http://example.com/v1/api.json: the answer takes longer than %s", document.FetchTimeout)
				if err == nil || err.Error() != want || time.Since(began) != document.FetchTimeout {
					t.Errorf("after %s: %v", time.Since(began), err)
				}
			})
		})
	}
}

// waiting is a body that never comes.
type waiting struct{ ctx context.Context }

func (w waiting) Read([]byte) (int, error) {
	<-w.ctx.Done()
	return 0, w.ctx.Err()
}

// TestAddressHasNoFiles refuses references to files from an address, and follows
// those into the document itself.
func TestAddressHasNoFiles(t *testing.T) {
	text := `{"a":1}`
	set, err := document.Open(t.Context(), document.Options{Path: secretAddress, Fetch: answers(200, strings.NewReader(text))})
	if err != nil {
		t.Fatal(err)
	}
	const no = "a document that came from an address has no other files"
	for ref, want := range map[string]string{
		"#/a": "api.json 1", "api.json#/a": "api.json 1",
		"other.json#/a":  "remote-reference: other.json#/a: " + no,
		"../x.json":      "remote-reference: ../x.json: " + no,
		"/etc/passwd":    "outside-reference: /etc/passwd: only files below the folder of the document are read",
		"http://x/y#/a":  "remote-reference: http://x/y#/a: references to other addresses are not followed",
		"HTTPS://x/y#/a": "remote-reference: HTTPS://x/y#/a: references to other addresses are not followed",
	} {
		if diff := cmp.Diff(want, findText(t, set, nil, ref)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestFetchKeepsAnswersWithoutTag uses the last answer of an address that is dead,
// also where it came without an ETag; it is never asked whether that still holds.
func TestFetchKeepsAnswersWithoutTag(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "cache")
	start := func(f fetcher) (*document.Set, error) {
		return document.Open(t.Context(), document.Options{Path: secretAddress, CacheDir: cache, Fetch: fetcher(func(req *http.Request) (*http.Response, error) {
			if req.Header.Get("If-None-Match") != "" {
				t.Error("it is asked whether it still holds")
			}
			return f(req)
		})})
	}
	for _, text := range []string{`{"a":1}`, `{"a":2}`} {
		if set, err := start(answers(200, strings.NewReader(text))); err != nil || set.Stale() != "" {
			t.Fatal(err)
		}
		checkCache(t, cache)
		set, err := start(answers(503, strings.NewReader("")))
		if err != nil || set.Stale() == "" || string(set.Main().Root.JSON()) != text {
			t.Errorf("%v, stale %q", err, set.Stale())
		}
	}
	if _, err := start(answers(304, strings.NewReader(""))); err == nil {
		t.Error("an answer to what was not asked is taken")
	}
	old := time.Now().Add(-48 * time.Hour)
	names, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(names) != 1 || os.Chtimes(names[0], old, old) != nil {
		t.Fatal(err, names)
	}
	if _, err := start(answers(503, strings.NewReader(""))); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(names[0]); err != nil || time.Since(info.ModTime()) > time.Hour {
		t.Errorf("its use is not noted: %v", err)
	}
}

// TestFetchSlowKept: a new answer is waited for less where there is an earlier one.
func TestFetchSlowKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := document.Options{Path: secretAddress, CacheDir: t.TempDir(), Fetch: answers(200, strings.NewReader(`{"a": 1}`), "ETag", `"1"`)}
		if _, err := document.Read(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		o.Fetch = fetcher(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		})
		began := time.Now()
		source, err := document.Read(t.Context(), o)
		if took := time.Since(began); err != nil || took != document.KeptTimeout || !strings.Contains(source.Stale(), "takes longer than 5s") {
			t.Errorf("%v after %v", err, took)
		}
	})
}
