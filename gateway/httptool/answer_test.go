package httptool

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/gateway/tool/tooltest"
)

// answers is a handler that always gives the same answer.
func answers(status int, media, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		if media != "" {
			w.Header().Set("Content-Type", media)
		}
		for i := 0; i < len(headers); i += 2 {
			w.Header().Add(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func zipped(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "application/json")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, body)
		_ = z.Close()
	}
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

const jsonType = "application/json; charset=utf-8"

func TestAnswers(t *testing.T) {
	exact := `{"b": 9007199254740993, "a": 1.50, "b2": 12345678901234567890.10}`
	tests := []struct {
		name       string
		answer     http.HandlerFunc
		cfg        Config // without URL
		mode       tool.OutputMode
		text       string
		structured string
	}{
		{"JSON keeps its bytes", answers(200, jsonType, exact), Config{}, "", exact, exact},
		{"JSON as text", answers(200, jsonType, exact), Config{}, tool.OutputText, exact, ""},
		{"JSON with space around it", answers(200, jsonType, "\xEF\xBB\xBF\n {\"a\":1}\n"), Config{}, "", `{"a":1}`, `{"a":1}`},
		{"a JSON list", answers(200, "application/vnd.api+json", `[1, 2]`), Config{}, "", `[1, 2]`, `[1, 2]`},
		{"JSON that is said to be text", answers(200, "text/plain", `{"a":1}`), Config{}, "", `{"a":1}`, ""},
		{"JSON that is said to be text, as JSON", answers(200, "text/plain", `{"a":1}`), Config{}, tool.OutputJSON, `{"a":1}`, `{"a":1}`},
		{"text", answers(200, "text/html", "<p>ü</p>\n"), Config{}, "", "<p>ü</p>\n", ""},
		{"text of no type", answers(200, "", "plain"), Config{}, "", "plain", ""},
		{"content blocks", answers(200, jsonType, `{"content":[{"type":"text","text":"hi"}]}`), Config{}, tool.OutputContent, "hi", ""},
		{"nothing", answers(204, "", ""), Config{}, "", "", ""},
		{"nothing as JSON", answers(204, jsonType, ""), Config{}, tool.OutputJSON, "", ""},
		{"the answer to HEAD", answers(200, jsonType, "", "Content-Length", "999999999"), Config{Method: "HEAD", Result: `headers["content-length"]`}, "", "999999999", ""},
		{"decompressed", zipped(exact), Config{}, "", exact, exact},
		{"a result", answers(200, jsonType, exact), Config{Result: "body.b"}, "", "9007199254740993", "9007199254740993"},
		{"a result of everything", answers(201, "text/plain", "hello", "X-Page", "1", "X-Page", "2"), Config{Result: `{"status": status, "page": headers["x-page"], "body": body, "id": args.id}`}, "", `{"body":"hello","id":"7","page":"1, 2","status":201}`, `{"body":"hello","id":"7","page":"1, 2","status":201}`},
		{"a result of text", answers(200, jsonType, `{"a":"plain"}`), Config{Result: "body.a"}, "", "plain", ""},
		{"a result that is not there", answers(200, jsonType, `{"a":1}`), Config{Result: "body.x.y"}, "", "", ""},
		{"a result without the body", answers(200, "image/png", "\x89PNG\xff\x00"), Config{Result: "status"}, "", "200", "200"},
		{"a result of nothing", answers(204, "", ""), Config{Result: `body == nil ? "gone" : body`}, "", "gone", ""},
		{"a failure that counts as a success", answers(404, jsonType, `{"missing":true}`), Config{OK: "status == 404"}, "", `{"missing":true}`, `{"missing":true}`},
		{"ok by the body", answers(200, jsonType, `{"ok":true,"value":3}`), Config{OK: "body.ok", Result: "body.value"}, "", "3", "3"},
		{"exactly the cap", answers(200, "text/plain", strings.Repeat("x", tooltest.MaxOutput)), Config{}, "", strings.Repeat("x", tooltest.MaxOutput), ""},
	}
	client := newClient(t, loopback)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.cfg.URL = serve(t, test.answer).URL
			deps := testDeps(client)
			deps.Output = test.mode
			out, err := compile(t, test.cfg, deps).Run(t.Context(), input(t, `{"id": "7"}`))
			if err != nil {
				t.Fatal(err)
			}
			got := []string{out.Text(), string(out.Structured)}
			if diff := cmp.Diff([]string{test.text, test.structured}, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestFailedAnswers(t *testing.T) {
	long := strings.Repeat("ü", maxExcerpt)
	tests := []struct {
		name   string
		answer http.HandlerFunc
		cfg    Config
		mode   tool.OutputMode
		want   tool.Error // of which code, message, retryable and retry after count
	}{
		{"not found", answers(404, jsonType, `{"message":"no customer 7"}`), Config{}, "", tool.Error{Code: tool.UpstreamError, Message: `the upstream answered 404 Not Found: {"message":"no customer 7"}`}},
		{"nothing said", answers(500, "", ""), Config{}, "", tool.Error{Code: tool.UpstreamError, Message: "the upstream answered 500 Internal Server Error"}},
		{"an unknown status", answers(499, "text/plain", "why"), Config{}, "", tool.Error{Code: tool.UpstreamError, Message: "the upstream answered 499: why"}},
		{"a long text", answers(400, "text/plain", long), Config{}, "", tool.Error{Code: tool.UpstreamError, Message: "the upstream answered 400 Bad Request: " + long[:maxExcerpt] + " […]"}},
		{"more than the cap", answers(400, "text/plain", strings.Repeat("x", tooltest.MaxOutput+1)), Config{}, "", tool.Error{Code: tool.UpstreamError, Message: "the upstream answered 400 Bad Request: " + strings.Repeat("x", maxExcerpt) + " […]"}},
		{"binary", answers(400, "image/png", "\x89PNG\xff\xfe\xfd\x00"), Config{}, "", tool.Error{Code: tool.UpstreamError, Message: "the upstream answered 400 Bad Request: 8 bytes of image/png"}},
		{"too many requests", answers(429, "text/plain", "slow down", "Retry-After", "7"), Config{}, "", tool.Error{Code: tool.UpstreamError, Message: "the upstream answered 429 Too Many Requests: slow down", Retryable: true, RetryAfter: 7 * time.Second}},
		{"unavailable", answers(503, "", "", "Retry-After", "soon"), Config{}, "", tool.Error{Code: tool.UpstreamError, Message: "the upstream answered 503 Service Unavailable", Retryable: true}},
		{"a long wait", answers(502, "", "", "Retry-After", "99999999"), Config{}, "", tool.Error{Code: tool.UpstreamError, Message: "the upstream answered 502 Bad Gateway", Retryable: true, RetryAfter: maxRetryAfter}},
		{"a wait that is over", answers(504, "", "", "Retry-After", "Mon, 02 Jan 2006 15:04:05 GMT"), Config{}, "", tool.Error{Code: tool.UpstreamError, Message: "the upstream answered 504 Gateway Timeout", Retryable: true}},
		{"a wait where none helps", answers(500, "", "", "Retry-After", "7"), Config{}, "", tool.Error{Code: tool.UpstreamError, Message: "the upstream answered 500 Internal Server Error"}},
		{"not ok", answers(200, jsonType, `{"ok":false}`), Config{OK: "body.ok"}, "", tool.Error{Code: tool.UpstreamError, Message: `the upstream answered 200 OK with what this tool counts as a failure: {"ok":false}`}},
		{"ok that cannot be told of a failure", answers(502, "text/html", "<b>bad</b>"), Config{OK: "body.n > 1"}, "", tool.Error{Code: tool.UpstreamError, Message: "the upstream answered 502 Bad Gateway: <b>bad</b>", Retryable: true}},
		{"ok that cannot be told", answers(200, jsonType, `{"n":"x"}`), Config{OK: "body.n > 1"}, "", tool.Error{Code: tool.UpstreamError, Message: "the upstream's answer does not have the form this tool expects (its ok expression could not be applied)"}},
		{"a result that does not fit", answers(200, jsonType, `{"n":"x"}`), Config{Result: "body.n - 1"}, "", tool.Error{Code: tool.UpstreamError, Message: "the upstream's answer does not have the form this tool expects (its result expression could not be applied)"}},
		{"broken JSON", answers(200, jsonType, `{"a":`), Config{}, "", tool.Error{Code: tool.UpstreamError, Message: "the upstream answered with application/json that is not valid JSON"}},
		{"two JSON values", answers(200, jsonType, `{} {}`), Config{Result: "body"}, "", tool.Error{Code: tool.UpstreamError, Message: "the upstream answered with application/json that is not valid JSON"}},
		{"JSON that is not UTF-8", answers(200, jsonType, "\"\xff\""), Config{}, "", tool.Error{Code: tool.UpstreamError, Message: "the upstream answered with application/json that is not valid JSON"}},
		{"text that is no JSON", answers(200, "text/plain", "hello"), Config{}, tool.OutputJSON, tool.Error{Code: tool.UpstreamError, Message: "the tool answered with text that is not JSON"}},
		{"a picture as text", answers(200, "image/png", "\x89PNG\xff"), Config{}, tool.OutputText, tool.Error{Code: tool.UpstreamError, Message: "the tool answered with 5 bytes that are not text"}},
		{"an encoding nobody asked for", answers(200, "text/plain", "\x1b\xff", "Content-Encoding", "br"), Config{}, "", tool.Error{Code: tool.UpstreamError, Message: `the upstream answered with 2 bytes of text/plain in the encoding "br", which cannot be read`}},
		{"one byte over the cap", answers(200, "text/plain", strings.Repeat("x", tooltest.MaxOutput+1)), Config{}, "", tool.Error{Code: tool.TooLarge, Message: "the upstream's answer is larger than the 65536 bytes this tool may read"}},
		{"a gzip bomb", zipped(strings.Repeat("0", 64<<20)), Config{}, "", tool.Error{Code: tool.TooLarge, Message: "the upstream's answer is larger than the 65536 bytes this tool may read"}},
	}
	client := newClient(t, loopback)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.cfg.URL = serve(t, test.answer).URL
			deps := testDeps(client)
			deps.Output = test.mode
			_, err := compile(t, test.cfg, deps).Run(t.Context(), reads(input(t, `{}`)))
			e := tool.AsError(err)
			got := tool.Error{Code: e.Code, Message: e.Message, Retryable: e.Retryable, RetryAfter: e.RetryAfter}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if e.Hint == "" {
				t.Error("the model is not told what to do")
			}
		})
	}
}

// problems are failed answers of type application/problem+json and what a model
// is told.
var problems = []struct{ name, body, want string }{
	{"title and detail", `{"type":"https://example.com/probs/credit","title":"Not enough credit","status":422,"detail":"It costs 50.","instance":"/msgs/1"}`, "Not enough credit: It costs 50."},
	{"a title alone", `{"title":"bad name"}`, "bad name"},
	{"a detail alone", `{"detail":" no name \n"}`, "no name"},
	{"the title of the status", `{"title":"Unprocessable entity","detail":"no name"}`, "no name"},
	{"a detail that begins with the title", `{"title":"No name","detail":"No name was sent"}`, "No name was sent"},
	{"errors of RFC 9457", `{"title":"bad","errors":[{"detail":"must be > 0", "pointer":"#/age"}]}`, `bad; errors: [{"detail":"must be > 0","pointer":"#/age"}]`},
	{"own members", `{"title":"bad", "trace":"t-1", "errors":{"Name":["is missing"]}, "balance":30.10}`, `bad; balance: 30.10; errors: {"Name":["is missing"]}; trace: t-1`},
	{"a secret", `{"title":"bad key","detail":"hunt\u0065r22 is none"}`, "bad key: [secret] is none"},
	{"a long one", `{"title":"` + strings.Repeat("x", maxExcerpt+1) + `"}`, strings.Repeat("x", maxExcerpt) + " […]"},
	{"nothing that is known", `{"code":7}`, `{"code":7}`},
	{"a title that is no text", `{"title":{"en":"x"}}`, `{"title":{"en":"x"}}`},
	{"a list", `["x"]`, `["x"]`},
	{"no JSON", `bad`, `bad`},
	{"more than is looked at", `{"title":"x","errors":"` + strings.Repeat("y", 2*maxFailure) + `"}`, `{"title":"x","errors":"` + strings.Repeat("y", maxExcerpt-len(`{"title":"x","errors":"`)) + " […]"},
}

func TestProblems(t *testing.T) {
	client := newClient(t, loopback)
	for _, test := range problems {
		t.Run(test.name, func(t *testing.T) {
			deps := testDeps(client)
			deps.Masker = secret.NewMasker(secret.NewValue("hunter22"))
			cfg := Config{URL: serve(t, answers(422, "application/problem+json; charset=utf-8", test.body)).URL}
			_, err := compile(t, cfg, deps).Run(t.Context(), input(t, `{}`))
			if e := tool.AsError(err); e.Code != tool.UpstreamError || e.Message != "the upstream answered 422 Unprocessable Entity: "+test.want || e.Hint == "" {
				t.Errorf("got %v, want %q", e, test.want)
			}
		})
	}
}

// explained are failed answers and what an error expression makes of them.
var explained = []struct {
	name   string
	answer http.HandlerFunc
	cfg    Config
	want   string // the sentence
}{
	{"a text", answers(404, jsonType, `{"message":"no customer 7"}`), Config{Error: "body.message"}, "no customer 7"},
	{"made of the arguments and the header", answers(409, "text/plain", "x", "X-Why", "stale"), Config{Error: `"order " + args.id + " is " + headers["x-why"] + " (" + string(status) + ")"`}, "order 7 is stale (409)"},
	{"a list", answers(422, jsonType, `{"errors":[{"f":"a<b"}]}`), Config{Error: "body.errors"}, `[{"f":"a<b"}]`},
	{"a number", answers(400, jsonType, `{"code":12345678901234567890}`), Config{Error: "body.code"}, "12345678901234567890"},
	{"null", answers(404, jsonType, `{"m":null}`), Config{Error: "body.m"}, `the upstream answered 404 Not Found: {"m":null}`},
	{"empty", answers(404, jsonType, `{"m":" "}`), Config{Error: "body.m"}, `the upstream answered 404 Not Found: {"m":" "}`},
	{"one that cannot be applied", answers(404, jsonType, `{"m":"x"}`), Config{Error: "body.m - 1"}, `the upstream answered 404 Not Found: {"m":"x"}`},
	{"no body", answers(404, "", ""), Config{Error: "body.m"}, `the upstream answered 404 Not Found`},
	{"a long one", answers(404, jsonType, `{"m":"`+strings.Repeat("x", 9<<10)+`"}`), Config{Error: "body.m"}, strings.Repeat("x", maxExcerpt) + " […]"},
	{"a secret", answers(404, jsonType, `{"m":"key hunter22 is wrong"}`), Config{Error: "body.m"}, "key [secret] is wrong"},
	{"a secret at the cut", answers(404, jsonType, `{"m":"`+strings.Repeat("x", maxExcerpt-4)+`hunter22"}`), Config{Error: "body.m"}, strings.Repeat("x", maxExcerpt-4) + "[sec […]"},
	{"of what ok refused", answers(200, jsonType, `{"ok":false,"m":"closed"}`), Config{OK: "body.ok", Error: "body.m"}, "closed"},
}

func TestExplainedFailures(t *testing.T) {
	client := newClient(t, loopback)
	for _, test := range explained {
		t.Run(test.name, func(t *testing.T) {
			test.cfg.URL = serve(t, test.answer).URL
			deps := testDeps(client)
			deps.Masker = secret.NewMasker(secret.NewValue("hunter22"))
			_, err := compile(t, test.cfg, deps).Run(t.Context(), input(t, `{"id": "7"}`))
			if e := tool.AsError(err); e.Code != tool.UpstreamError || e.Message != test.want || e.Hint == "" {
				t.Errorf("got %v, want %q", e, test.want)
			}
		})
	}
}

func TestExplainedWait(t *testing.T) {
	at := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)
	cfg := Config{URL: serve(t, answers(503, jsonType, `{"m":"busy"}`, "Retry-After", at)).URL, Error: "body.m"}
	_, err := compile(t, cfg, testDeps(newClient(t, loopback))).Run(t.Context(), input(t, `{}`))
	e := tool.AsError(err)
	if e.Message != "busy" || !e.Retryable || e.RetryAfter <= 0 || e.RetryAfter > 90*time.Second || e.Cause == nil {
		t.Errorf("got %v, retryable %v after %v", e, e.Retryable, e.RetryAfter)
	}
}

// TestBytes holds what becomes of answers that are no UTF-8.
func TestBytes(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00\xff"
	image := func(media, data string) tool.Content {
		return tool.Content{Type: tool.ContentImage, MIMEType: media, Data: []byte(data)}
	}
	text := func(text string) tool.Content { return tool.Content{Type: tool.ContentText, Text: text} }
	tests := []struct {
		name, media, body string
		want              tool.Content
	}{
		{"an image", "image/png", png, image("image/png", png)},
		{"an image by its bytes", "text/plain", "\xff\xd8\xff\x00", image("image/jpeg", "\xff\xd8\xff\x00")},
		{"an image of no type", "", png, image("image/png", png)},
		{"a sound", "audio/x", "ID3\x03\x00", tool.Content{Type: tool.ContentAudio, MIMEType: "audio/mpeg", Data: []byte("ID3\x03\x00")}},
		{"other bytes", "application/zip", "PK\x03\x04\x00", tool.Content{Type: tool.ContentResource, MIMEType: "application/zip", Data: []byte("PK\x03\x04\x00")}},
		{"other bytes of no type", "", "\x00\x01", tool.Content{Type: tool.ContentResource, MIMEType: "application/octet-stream", Data: []byte("\x00\x01")}},
		{"bytes that are said to have a charset", "application/zip; charset=utf-16", "PK\x03\x04\x00", tool.Content{Type: tool.ContentResource, MIMEType: "application/zip", Data: []byte("PK\x03\x04\x00")}},
		{"Latin-1", "text/plain; charset=ISO-8859-1", "gr\xfc\xdfe", text("grüße")},
		{"windows-1252", "text/html; charset=windows-1252", "\x80 5", text("€ 5")},
		{"UTF-16", "text/plain; charset=utf-16", "a\x00\xfc\x00", text("aü")},
		{"UTF-16 by its mark", "text/plain; charset=utf-16", "\xfe\xff\x00a", text("a")},
		{"Shift_JIS", "text/csv; charset=shift_jis", "\x83\x65", text("テ")},
		{"JSON in Latin-1", "application/json; charset=latin1", "{\"a\":\"\xfc\"}", text(`{"a":"ü"}`)},
		{"an unknown charset", "text/plain; charset=klingon", "\xfc", tool.Content{Type: tool.ContentResource, MIMEType: "text/plain", Data: []byte("\xfc")}},
		{"UTF-8 as it is", "text/plain; charset=UTF-8", "ü", text("ü")},
	}
	client := newClient(t, loopback)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cfg := Config{URL: serve(t, answers(200, test.media, test.body)).URL}
			out, err := compile(t, cfg, testDeps(client)).Run(t.Context(), input(t, `{}`))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]tool.Content{test.want}, out.Content); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestGrowth: what is made UTF-8 counts as what it has become.
func TestGrowth(t *testing.T) {
	body := strings.Repeat("\xfc", tooltest.MaxOutput-1)
	cfg := Config{URL: serve(t, answers(200, "text/plain; charset=latin1", body)).URL}
	_, err := compile(t, cfg, testDeps(newClient(t, loopback))).Run(t.Context(), input(t, `{}`))
	if tool.AsError(err).Code != tool.TooLarge {
		t.Errorf("got %v", err)
	}
}

func TestRetryAfterDate(t *testing.T) {
	at := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)
	if got := retryAfter(at); got < 80*time.Second || got > 90*time.Second {
		t.Errorf("got %v for a date 90 seconds ahead", got)
	}
}
