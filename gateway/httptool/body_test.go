package httptool

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// readParts writes every part of a body on a line: its header as it was sent,
// then its content.
func readParts(media string, body io.Reader) (string, error) {
	kind, params, err := mime.ParseMediaType(media)
	if err != nil || kind != "multipart/form-data" {
		return "", fmt.Errorf("the type is %q: %w", media, err)
	}
	var b strings.Builder
	for r := multipart.NewReader(body, params["boundary"]); ; {
		part, err := r.NextRawPart()
		if err == io.EOF {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s [%s] %s\n", part.Header.Get("Content-Disposition"), part.Header.Get("Content-Type"), data)
	}
}

func TestMultipart(t *testing.T) {
	tests := []struct {
		name  string
		parts []Part
		args  string
		want  string
	}{
		{"text", []Part{{Name: "a", Text: []string{"x ${args.a}"}}}, `{"a": 1.50}`, `form-data; name="a" [] x 1.50` + "\n"},
		{"in this order", []Part{{Name: "b", Text: []string{"1"}}, {Name: "a", Text: []string{"2"}}}, `{}`, `form-data; name="b" [] 1` + "\n" + `form-data; name="a" [] 2` + "\n"},
		{"a list", []Part{{Name: "a", Text: []string{"${args.a}", "z"}}}, `{"a": ["x", null, 2]}`, `form-data; name="a" [] x` + "\n" + `form-data; name="a" [] 2` + "\n" + `form-data; name="a" [] z` + "\n"},
		{"an absent part", []Part{{Name: "a", Text: []string{"${args.a}"}}, {Name: "f", Base64: new("${args.b}"), Filename: "x"}}, `{}`, ""},
		{"a file", []Part{{Name: "f", Base64: new("${args.a}"), Filename: "${args.b}.txt", Type: "text/plain; charset=utf-8"}}, `{"a": "aGk", "b": "my"}`, `form-data; name="f"; filename="my.txt" [text/plain; charset=utf-8] hi` + "\n"},
		{"bytes of no type", []Part{{Name: "f", Base64: new("aGk=")}}, `{}`, `form-data; name="f" [application/octet-stream] hi` + "\n"},
		{"text as a file", []Part{{Name: "f", Text: []string{"a,b"}, Filename: "x.csv", Type: "text/csv"}}, `{}`, `form-data; name="f"; filename="x.csv" [text/csv] a,b` + "\n"},
		{"quotes and lines in a file's name", []Part{{Name: "f", Text: []string{"x"}, Filename: "${args.a}"}}, `{"a": "a\"; name=\"b\r\nX: y"}`, `form-data; name="f"; filename="a%22; name=%22b%0D%0AX: y" [] x` + "\n"},
		{"letters beyond ASCII in names", []Part{{Name: "ü\"", Text: []string{"x"}, Filename: "✓.txt"}}, `{}`, `form-data; name="ü%22"; filename="✓.txt" [] x` + "\n"},
		{"an absent file's name", []Part{{Name: "f", Text: []string{"x"}, Filename: "${args.a}"}}, `{}`, `form-data; name="f" [] x` + "\n"},
		{"an empty text", []Part{{Name: "a", Text: []string{"${args.a}"}}}, `{"a": ""}`, `form-data; name="a" [] ` + "\n"},
	}
	var got string
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		var err error
		if got, err = readParts(r.Header.Get("Content-Type"), r.Body); err != nil {
			t.Error(err)
		}
	})
	client := newClient(t, loopback)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cfg := Config{URL: server.URL, Method: "POST", Body: &Body{Multipart: test.parts}}
			if _, err := compile(t, cfg, testDeps(client)).Run(t.Context(), input(t, test.args)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestMaxRequestBody: nothing is sent of a body that is too large.
func TestMaxRequestBody(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	client := newClient(t, loopback)
	in := input(t, `{}`)
	in.Args = map[string]any{"a": strings.Repeat("x", maxRequestBody/2+1)}
	for name, body := range map[string]*Body{
		"text":  {Text: new("${args.a}${args.a}")},
		"parts": {Multipart: []Part{{Name: "a", Text: []string{"${args.a}", "${args.a}"}}}},
	} {
		_, err := compile(t, Config{URL: server.URL, Method: "POST", Body: body}, testDeps(client)).Run(t.Context(), in)
		if e := tool.AsError(err); e.Code != tool.InvalidArgs || !strings.Contains(e.Message, "more than the 32 MiB") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestUpstream: what a named upstream adds to a request.
func TestUpstream(t *testing.T) {
	var got string
	var header http.Header
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got, header = r.Method+" "+r.RequestURI+" "+string(body), r.Header
	}))
	t.Cleanup(server.Close)
	client := newClient(t, loopback)
	deps := testDeps(client)
	var report diag.Report
	u := client.NewUpstream(diag.NewCursor(&report, nil), "crm", UpstreamConfig{
		URL:     server.URL + "/api",
		Auth:    &Auth{Bearer: "${secret.key}"},
		Headers: texts{"X-A": {"theirs"}, "x-b": {"${secret.key}"}, "Content-Type": {"application/vnd.api+json"}},
	}, UpstreamDeps{SecretNames: deps.SecretNames, Secrets: deps.Secrets})
	if u == nil {
		t.Fatal(report.Problems())
	}
	deps.Upstreams = map[string]*Upstream{"crm": u}
	tests := []struct {
		name   string
		cfg    Config
		want   string
		header map[string]string
	}{
		{"its base, headers and credentials", Config{Path: "/c/${args.id}"}, "GET /api/c/7 ", map[string]string{"X-A": "theirs", "X-B": "s3cr=t", "Authorization": "Bearer s3cr=t", "Content-Type": ""}},
		{"the tool's headers first", Config{Headers: texts{"x-a": {"mine"}, "X-B": {"${args.b}"}}}, "GET /api ", map[string]string{"X-A": "mine", "X-B": "s3cr=t"}},
		{"its name for JSON", Config{Method: "POST", Body: &Body{JSON: []byte(`{}`)}}, "POST /api {}", map[string]string{"Content-Type": "application/vnd.api+json"}},
		{"the tool's name for JSON", Config{Method: "POST", Headers: texts{"Content-Type": {"text/json"}}, Body: &Body{JSON: []byte(`{}`)}}, "POST /api {}", map[string]string{"Content-Type": "text/json"}},
		{"a form is no JSON", Config{Method: "POST", Body: &Body{Form: texts{"a": {"1"}}}}, "POST /api a=1", map[string]string{"Content-Type": "application/x-www-form-urlencoded"}},
		{"the tool's credentials", Config{Auth: &Auth{Header: &Named{Name: "X-Key", Value: "${secret.key}!"}}}, "GET /api ", map[string]string{"X-Key": "s3cr=t!", "Authorization": ""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.cfg.Upstream = "crm"
			if _, err := compile(t, test.cfg, deps).Run(t.Context(), input(t, `{"id": 7}`)); err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			for name, want := range test.header {
				if got := strings.Join(header.Values(name), "|"); got != want {
					t.Errorf("header %s is %q, want %q", name, got, want)
				}
			}
		})
	}
}

// FuzzMultipart: what a parser reads is what went in.
func FuzzMultipart(f *testing.F) {
	for _, seed := range []string{"", "x", "a\r\n--b\r\n", "\"; name=\"c", "\x00\xff", "ü\\", "\r\n\r\n", "%22"} {
		f.Add(seed, seed, []byte(seed))
	}
	var report diag.Report
	cfg := Config{URL: base, Method: "POST", Body: &Body{Multipart: []Part{
		{Name: "t", Text: []string{"${args.a}"}}, {Name: "f", Base64: new("${args.id}"), Filename: "${args.b}"},
	}}}
	r, ok := New(diag.NewCursor(&report, nil), cfg, Deps{Args: []string{"a", "b", "id"}}).(*runner)
	if !ok {
		f.Fatal(report.Problems())
	}
	f.Fuzz(func(t *testing.T, text, name string, data []byte) {
		req, err := r.request(t.Context(), map[string]any{"a": text, "b": name, "id": base64.StdEncoding.EncodeToString(data)})
		if err != nil {
			t.Fatal(err)
		}
		_, params, err := mime.ParseMediaType(req.Header.Get("Content-Type"))
		if err != nil {
			t.Fatal(err)
		}
		parts := multipart.NewReader(req.Body, params["boundary"])
		for _, want := range []struct {
			disposition string
			data        []byte
		}{{`form-data; name="t"`, []byte(text)}, {`form-data; name="f"; filename="` + quoted(name) + `"`, data}} {
			part, err := parts.NextRawPart()
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(part)
			if err != nil || !bytes.Equal(got, want.data) {
				t.Fatalf("content %q, %v, want %q", got, err, want.data)
			}
			if d := part.Header.Values("Content-Disposition"); len(d) != 1 || strings.TrimSpace(d[0]) != want.disposition || len(part.Header) > 2 {
				t.Fatalf("header %q, want %q", part.Header, want.disposition)
			}
		}
		if _, err := parts.NextRawPart(); err != io.EOF {
			t.Fatalf("a third part, %v", err)
		}
	})
}

// FuzzBase64: what is taken stands for exactly the bytes that were meant.
func FuzzBase64(f *testing.F) {
	for _, seed := range []string{"", "aGk=", "aGk", "-_-_", "a", "aGl=", "aG\nk=", "====", "aGk=x"} {
		f.Add(seed, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, text string, data []byte) {
		for _, coding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			got, err := decodeBase64(" " + coding.EncodeToString(data) + "\r\n")
			if err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%q became %q, %v", data, got, err)
			}
		}
		got, err := decodeBase64(text)
		if err != nil {
			return
		}
		plain := strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "", "-", "+", "_", "/").Replace(text)
		if again := base64.StdEncoding.EncodeToString(got); strings.TrimRight(again, "=") != strings.TrimRight(plain, "=") {
			t.Fatalf("%q was taken for %q", text, again)
		}
	})
}
