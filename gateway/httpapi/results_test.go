package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/tool"
)

func request(method, target, header, body string) *http.Request {
	req := httptest.NewRequest(method, target, strings.NewReader(body))
	if name, value, ok := strings.Cut(header, ": "); ok {
		req.Header.Set(name, value)
	}
	return req
}

func serve(handler http.Handler, req *http.Request) *httptest.ResponseRecorder {
	res := httptest.NewRecorder()
	handler.ServeHTTP(res, req)
	return res
}

// keptOf keeps one text under the handle r_1 for ann, and nothing for others.
type keptOf string

type openText struct{ *bytes.Reader }

func (openText) Close() error { return nil }

func (k keptOf) Open(_ context.Context, who tool.Caller, handle string) (httpapi.Kept, bool, error) {
	switch {
	case handle == "r_broken":
		return httpapi.Kept{}, false, errors.New("hidden")
	case who.ID != "ann" || handle != "r_1":
		return httpapi.Kept{}, false, nil
	}
	return httpapi.Kept{
		Media: "text/html", Text: true, Size: int64(len(k)), Expires: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC),
		Content: openText{bytes.NewReader([]byte(k))},
	}, true, nil
}

// gate denies read_result to all but those who may administer, and keeps the calls.
type gate struct {
	fake
	denies bool
	calls  []tool.Call
}

func (g *gate) Call(_ context.Context, call tool.Call) tool.Result {
	g.calls = append(g.calls, call)
	if g.denies {
		return tool.Result{Tool: call.Tool, Status: tool.StatusError, Error: tool.Errorf(tool.Denied, "no"), Output: tool.TextOutput("no")}
	}
	return tool.Result{Tool: call.Tool, Status: tool.StatusOK}
}

// TestResults holds which part of a kept result is sent, and to whom.
func TestResults(t *testing.T) {
	const text = "<p>0123456789</p>"
	gone := problem("not_found", "no result is kept under this handle: it is unknown or has expired", "Copy the handle exactly as the notice in the result writes it.") + "\n"
	beyond := problem("bad_request", "there are 17 bytes", "Ask for a part that starts before its end.") + "\n"
	for _, c := range []struct {
		who, target, header string
		status              int
		want, of            string // the body, and Content-Range
	}{
		{"ann", "r_1", "", 200, text, ""},
		{"ann", "r_1?offset=3&limit=4", "", 206, "0123", "bytes 3-6/17"},
		{"ann", "r_1?offset=13", "", 206, "</p>", "bytes 13-16/17"},
		{"ann", "r_1?limit=3", "", 206, "<p>", "bytes 0-2/17"},
		{"ann", "r_1?limit=9223372036854775807", "", 206, text, "bytes 0-16/17"},
		{"ann", "r_1", "Range: bytes=3-6", 206, "0123", "bytes 3-6/17"},
		{"ann", "r_1", "Range: bytes=13-", 206, "</p>", "bytes 13-16/17"},
		{"ann", "r_1", "Range: bytes=-4", 206, "</p>", "bytes 13-16/17"},
		{"ann", "r_1", "Range: bytes=-400", 206, text, "bytes 0-16/17"},
		{"ann", "r_1", "Range: bytes=3-9223372036854775806", 206, text[3:], "bytes 3-16/17"},
		{"ann", "r_1", "Range: bytes=0-9223372036854775807", 206, text, "bytes 0-16/17"},
		{"ann", "r_1", "Range: bytes=0-1,3-4", 200, text, ""},
		{"ann", "r_1", "Range: bytes=6-3", 200, text, ""},
		{"ann", "r_1", "Range: bytes=-0", 200, text, ""},
		{"ann", "r_1", "Range: lines=1-2", 200, text, ""},
		{"ann", "r_1?offset=17", "", 416, beyond, "bytes */17"},
		{"ann", "r_1", "Range: bytes=17-", 416, beyond, "bytes */17"},
		{"ann", "r_1?offset=-1", "", 400, problem("bad_request", `offset is \"-1\"`, "Give a number of bytes from 0, such as offset=1000.") + "\n", ""},
		{"ann", "r_1?limit=0", "", 400, problem("bad_request", `limit is \"0\"`, "Give a number of bytes from 1, such as limit=1000.") + "\n", ""},
		{"ann", "r_1?from=1", "", 400, problem("bad_request", `unknown query parameter \"from\"`, "known: offset, limit") + "\n", ""},
		{"ann", "r_2", "", 404, gone, ""},
		{"bob", "r_1", "", 404, gone, ""},
	} {
		g := &gate{}
		handler := httpapi.New(g, httpapi.Options{Results: keptOf(text)})
		req := request(http.MethodGet, "/v1/results/"+c.target, c.header, "")
		res := serve(handler, req.WithContext(tool.WithCaller(req.Context(), tool.Caller{ID: c.who, Name: c.who})))
		if res.Code != c.status || res.Body.String() != c.want || res.Header().Get("Content-Range") != c.of {
			t.Errorf("%s %s %s: %d %q %q\nwant %d %q %q", c.who, c.target, c.header, res.Code, res.Header().Get("Content-Range"), res.Body, c.status, c.of, c.want)
		}
		if sent := res.Code < 300; sent != (len(g.calls) == 1 && string(g.calls[0].Arguments) == `{"handle":"r_1","limit":1}`) && res.Code != 416 {
			t.Errorf("%s: calls %+v", c.target, g.calls)
		}
		if h := res.Header(); res.Code < 300 && (h.Get("Content-Disposition") != "attachment" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Expires") != "Wed, 02 Jan 2030 03:04:05 GMT") {
			t.Errorf("%s: %v", c.target, h)
		}
	}
}

// TestResultsAreGated holds that policy decides about kept results here too, and
// that a fault tells nothing of itself.
func TestResultsAreGated(t *testing.T) {
	handler := httpapi.New(&gate{denies: true}, httpapi.Options{Results: keptOf("text")})
	ann := func(target string) *httptest.ResponseRecorder {
		req := request(http.MethodGet, target, "", "")
		return serve(handler, req.WithContext(tool.WithCaller(req.Context(), tool.Caller{ID: "ann"})))
	}
	if res := ann("/v1/results/r_1"); res.Code != 403 || !strings.Contains(res.Body.String(), `"tool":"read_result","status":"error"`) {
		t.Errorf("%d %s", res.Code, res.Body)
	}
	if res := ann("/v1/results/r_broken"); res.Code != 500 || strings.Contains(res.Body.String(), "hidden") {
		t.Errorf("%d %s", res.Code, res.Body)
	}
}

// unexplained explains nothing.
type unexplained struct{}

func (unexplained) Explain(context.Context, tool.Call) (any, error) { return nil, errors.New("hidden") }

// TestFaultsAreLogged holds that a fault of the gateway itself is told to the
// operator once, and to nobody else.
func TestFaultsAreLogged(t *testing.T) {
	batch := batchFunc(func(context.Context, []httpapi.BatchCall, func(int, httpapi.BatchAnswer)) ([]httpapi.BatchAnswer, error) {
		return nil, errors.New("hidden")
	})
	for _, c := range []struct{ method, path, header, body string }{
		{http.MethodGet, "/v1/results/r_broken", "", ""},
		{http.MethodPost, "/v1/policy/explain", "", `{"tool":"a"}`},
		{http.MethodPost, "/v1/calls", "", calling("a", "echo")},
		{http.MethodPost, "/v1/calls", asEvents, calling("a", "echo")},
	} {
		var log bytes.Buffer
		handler := httpapi.New(&gate{}, httpapi.Options{
			Results: keptOf(""), Explainer: unexplained{}, Batch: batch, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		})
		req := request(c.method, c.path, c.header, c.body)
		res := serve(handler, req.WithContext(tool.WithCaller(req.Context(), *admin)))
		if body := res.Body.String(); !strings.Contains(body, `"error_type":"internal"`) || strings.Contains(body, "hidden") {
			t.Errorf("%s: %d %s", c.path, res.Code, body)
		}
		if strings.Count(log.String(), "level=ERROR") != 1 || !strings.Contains(log.String(), "hidden") {
			t.Errorf("%s: logged %q", c.path, log.String())
		}
	}
}

// broken fails in the middle of a result.
type broken struct{}

type half struct{}

func (half) ReadAt(p []byte, off int64) (int, error) {
	if off > 0 {
		return 0, errors.New("the disk is gone")
	}
	return copy(p, "half"), io.ErrUnexpectedEOF
}
func (half) Close() error { return nil }

func (broken) Open(context.Context, tool.Caller, string) (httpapi.Kept, bool, error) {
	return httpapi.Kept{Media: "text/plain", Size: 1 << 20, Content: half{}}, true, nil
}

// TestHalfAResult holds that nobody takes a piece of a result for the whole.
func TestHalfAResult(t *testing.T) {
	web := httptest.NewServer(httpapi.New(&gate{}, httpapi.Options{Results: broken{}}))
	defer web.Close()
	res, err := web.Client().Get(web.URL + "/v1/results/r_1")
	if err != nil {
		return // not even a header came
	}
	defer func() { _ = res.Body.Close() }()
	if data, err := io.ReadAll(res.Body); err == nil {
		t.Errorf("%d bytes and no error", len(data))
	}
}

// counting runs calls and counts them; a key that was used is replayed.
type counting struct {
	runs atomic.Int64
	key  string
}

func (c *counting) Once(_ context.Context, key string, call tool.Call) (tool.Result, bool) {
	if call.Tool == "panics" {
		panic("hidden")
	}
	replayed := c.key == key
	c.key = key
	if !replayed {
		c.runs.Add(1)
	}
	return tool.Result{CallID: "c1", Tool: call.Tool, Status: tool.StatusOK, Output: tool.TextOutput(call.Chat.ID + string(call.Arguments))}, replayed
}

// TestOnce holds how a key is read and what a replay looks like.
func TestOnce(t *testing.T) {
	once := &counting{}
	handler := httpapi.New(&fake{}, httpapi.Options{Once: once, Handles: noHandles{}})
	post := func(target string, keys ...string) *httptest.ResponseRecorder {
		req := request(http.MethodPost, target, "", "{}")
		for _, key := range keys {
			req.Header.Add("Idempotency-Key", key)
		}
		return serve(handler, req)
	}
	first, second := post("/v1/tools/pay/call?chat=c", "k1"), post("/v1/tools/pay/call?chat=c", "k1")
	if first.Code != 200 || first.Header().Get("Idempotent-Replayed") != "" || second.Header().Get("Idempotent-Replayed") != "true" {
		t.Errorf("%d %v, then %v", first.Code, first.Header(), second.Header())
	}
	if first.Body.String() != second.Body.String() || !strings.Contains(first.Body.String(), "c{}") || once.runs.Load() != 1 {
		t.Errorf("%s, then %s, in %d runs", first.Body, second.Body, once.runs.Load())
	}
	hint := `Send it once, as 1 to 128 printable ASCII characters without spaces.`
	for name, c := range map[string]struct {
		res  *httptest.ResponseRecorder
		code int
		want string
	}{
		"two keys":  {post("/v1/tools/pay/call", "a", "b"), 400, "the request has several headers Idempotency-Key\\n" + hint},
		"empty":     {post("/v1/tools/pay/call", ""), 400, "the header Idempotency-Key holds no key\\n" + hint},
		"space":     {post("/v1/tools/pay/call", "a b"), 400, "the header Idempotency-Key holds no key"},
		"long":      {post("/v1/tools/pay/call", strings.Repeat("k", 129)), 400, "the header Idempotency-Key holds no key"},
		"and later": {post("/v1/tools/pay/call?wait=0", "a"), 400, "a call with an Idempotency-Key cannot be answered later"},
		"panic":     {post("/v1/tools/panics/call", "a"), 500, `"error_type":"internal"`},
	} {
		if c.res.Code != c.code || !strings.Contains(c.res.Body.String(), c.want) || strings.Contains(c.res.Body.String(), "hidden") {
			t.Errorf("%s: %d %s, want %d %s", name, c.res.Code, c.res.Body, c.code, c.want)
		}
	}
	if once.runs.Load() != 1 {
		t.Errorf("%d runs", once.runs.Load())
	}
}

// TestOneTool holds one tool's answer in both formats, and filters of lists.
func TestOneTool(t *testing.T) {
	handler := httpapi.New(&fake{specs: []*tool.Spec{
		{Name: "a", Tags: []string{"read_only", "x"}}, {Name: "b", Tags: []string{"x", "network"}}, {Name: "c"},
	}}, httpapi.Options{})
	names := func(query string) string {
		var list struct{ Tools []struct{ Name string } }
		res := send(handler, http.MethodGet, "/v1/tools?format=mcp&"+query, "", "")
		if err := json.Unmarshal(res.Body.Bytes(), &list); err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, s := range list.Tools {
			out += s.Name
		}
		return out
	}
	for query, want := range map[string]string{
		"": "abc", "tags=x": "ab", "tags=read_only,network": "ab", "tags=y": "", "exclude_tags=x": "c", "exclude_tags=network": "ac", "tags=x&exclude_tags=network,y": "a", "chat=c1": "abc",
	} {
		if got := names(query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	for _, c := range []struct {
		target string
		status int
		want   string
	}{
		{"/v1/tools/a?format=mcp", 200, `{"name":"a","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true}}`},
		{"/v1/tools/c", 200, `{"type":"function","function":{"name":"c","parameters":{"type":"object","properties":{}}}}`},
		{"/v1/tools/d", 404, problem("not_found", `no tool is named \"d\"`, "GET /v1/tools lists those that there are.")},
		{"/v1/tools/A", 404, problem("not_found", `no tool is named \"A\"`, "GET /v1/tools lists those that there are.")},
		{"/v1/tools/a?tags=x", 400, problem("bad_request", `unknown query parameter \"tags\"`, "known: format, chat, profile")},
		{"/v1/tools?tags=", 400, problem("bad_request", `tags is \"\", which names an empty tag`, "Write tags with commas between them, such as tags=read_only,network.")},
		{"/v1/tools?exclude_tags=a,,b", 400, problem("bad_request", `exclude_tags is \"a,,b\", which names an empty tag`, "Write tags with commas between them, such as exclude_tags=read_only,network.")},
	} {
		res := send(handler, http.MethodGet, c.target, "", "")
		if got := strings.TrimSuffix(res.Body.String(), "\n"); res.Code != c.status || got != c.want {
			t.Errorf("%s: %d %s, want %d %s", c.target, res.Code, got, c.status, c.want)
		}
	}
}

// TestScrapes holds how many ask for the metrics at a time.
func TestScrapes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		handler := httpapi.New(&fake{}, httpapi.Options{Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			<-release
			_, _ = io.WriteString(w, "metrics")
		})})
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if res := send(handler, http.MethodGet, "/metrics", "", ""); res.Code != 200 || res.Body.String() != "metrics" {
					t.Errorf("%d %s", res.Code, res.Body)
				}
			})
		}
		synctest.Wait()
		if res := send(handler, http.MethodGet, "/metrics", "", ""); res.Code != 503 || !strings.Contains(res.Body.String(), `"error_type":"overloaded"`) {
			t.Errorf("%d %s", res.Code, res.Body)
		}
		close(release)
		group.Wait()
		if res := send(handler, http.MethodGet, "/metrics", "", ""); res.Code != 200 {
			t.Errorf("%d %s", res.Code, res.Body)
		}
	})
}
