package hook_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// service answers every request with what stands in the query of its URL.
func service(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then is the end of the connection noticed
		q := r.URL.Query()
		switch q.Get("do") {
		case "hang":
			<-r.Context().Done()
			return
		case "break":
			w.Header().Set("Content-Length", "100")
			return
		case "long":
			_, _ = io.WriteString(w, strings.Repeat(" ", hook.MaxWebhookAnswer+1))
			return
		case "fail":
			w.WriteHeader(http.StatusInternalServerError)
		}
		_, _ = io.WriteString(w, q.Get("say"))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// timeoutOf is short only where the service never answers: a busy machine is
// no reason for the others to fail.
func timeoutOf(do string) time.Duration {
	if do == "hang" {
		return 200 * time.Millisecond
	}
	return time.Minute
}

func TestWebhookBefore(t *testing.T) {
	t.Parallel()
	base := service(t)
	const unavailable = "denied: a check of this call is not available"
	tests := []struct{ name, do, say, want, cause string }{
		{"allow", "", `{"action":"allow"}`, `{"amount":1,"user":"u"}`, ""},
		{"deny", "", `{"action":"deny","reason":"Not today."}`, "denied: Not today", ""},
		{"deny without a reason", "", `{"action":"deny"}`, "denied: a check of the gateway does not allow this call", ""},
		{"set", "", `{"action":"set","args":{"amount":"2.50","user":"v"}}`, `{"amount":2.50,"user":"v"}`, ""},
		{"set invalid", "", `{"action":"set","args":{"amount":2.50}}`, "internal: the gateway rewrote the arguments of this call into ones that the tool does not take", "the rewritten arguments are not valid"},
		{"set nothing", "", `{"action":"set"}`, unavailable, `without "args"`},
		{"set no object", "", `{"action":"set","args":[]}`, unavailable, "not the JSON object"},
		{"action of the other side", "", `{"action":"replace","result":1}`, unavailable, `the action "replace" (known here: allow, deny and set)`},
		{"no action", "", `{}`, unavailable, `the action ""`},
		{"no JSON", "", `yes`, unavailable, "not the JSON object"},
		{"two answers", "", `{"action":"allow"}{"action":"deny"}`, unavailable, "hold more after the end of the JSON value"},
		{"nothing", "", ``, unavailable, "not the JSON object"},
		{"status", "fail", `{"action":"allow"}`, unavailable, "answered 500 Internal Server Error"},
		{"too slow", "hang", ``, unavailable, "did not answer in time (200ms)"},
		{"breaks off", "break", ``, unavailable, "could not be reached"},
		{"too long", "long", ``, unavailable, "more than 1048576 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := hook.BeforeConfig{Name: "desk", HTTP: &hook.WebhookConfig{
				URL:     base + "/check?do=" + tt.do + "&say=${args.deep.say}",
				Timeout: timeoutOf(tt.do),
			}}
			cfg.HTTP.URL = strings.Replace(cfg.HTTP.URL, "${args.deep.say}", "${\""+strings.ReplaceAll(tt.say, `"`, `\"`)+"\"}", 1)
			c := newCall(t, `{"amount":1,"user":"u"}`)
			err := plan(t, hook.Config{Before: []hook.BeforeConfig{cfg}}).Before(t.Context(), c)
			got := ending(err)
			if err == nil {
				got = encode(t, c.Request.Args)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if tt.cause != "" && !strings.Contains(fmt.Sprint(errors.Unwrap(err)), tt.cause) {
				t.Errorf("cause %v, want %q", errors.Unwrap(err), tt.cause)
			}
			cfg.OnError = "skip"
			c = newCall(t, `{"amount":1,"user":"u"}`)
			err = plan(t, hook.Config{Before: []hook.BeforeConfig{cfg}}).Before(t.Context(), c)
			if tt.cause != "" && (err != nil || len(c.Notes) != 1 || !strings.Contains(c.Notes[0], tt.cause)) {
				t.Errorf("skipped: %v, notes %q", err, c.Notes)
			}
			if tt.cause == "" && ending(err) != "" && ending(err) != tt.want {
				t.Errorf("a decision was skipped: %v", err)
			}
		})
	}
}

func TestWebhookAfter(t *testing.T) {
	t.Parallel()
	base := service(t)
	const unavailable = "denied: a check of this call's result is not available"
	tests := []struct{ name, do, say, want string }{
		{"allow", "", `{"action":"allow"}`, "paid"},
		{"deny", "", `{"action":"deny","reason":"Confidential."}`, "denied: Confidential"},
		{"replace", "", `{"action":"replace","result":{"n":1.50}}`, `{"n":1.50}`},
		{"replace by text", "", `{"action":"replace","result":"done"}`, "done"},
		{"replace by nothing", "", `{"action":"replace","result":null}`, ""},
		{"replace without", "", `{"action":"replace"}`, unavailable},
		{"set", "", `{"action":"set","args":{}}`, unavailable},
		{"status", "fail", `{"action":"allow"}`, unavailable},
		{"too slow", "hang", ``, unavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := hook.AfterConfig{Name: "dlp", HTTP: &hook.WebhookConfig{
				URL:     base + "/check?do=" + tt.do + "&say=${\"" + strings.ReplaceAll(tt.say, `"`, `\"`) + "\"}",
				Timeout: timeoutOf(tt.do),
			}}
			c := newCall(t, `{"amount":1,"user":"u"}`)
			out, err := plan(t, hook.Config{After: []hook.AfterConfig{cfg}}).After(t.Context(), c, tool.TextOutput("paid"), nil)
			got := ending(err)
			if err == nil {
				got = out.Text()
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			cfg.OnError = "skip"
			c = newCall(t, `{"amount":1,"user":"u"}`)
			out, err = plan(t, hook.Config{After: []hook.AfterConfig{cfg}}).After(t.Context(), c, tool.TextOutput("paid"), nil)
			if tt.want == unavailable && (err != nil || out.Text() != "paid" || len(c.Notes) != 1) {
				t.Errorf("skipped: %v, notes %q", err, c.Notes)
			}
		})
	}
}

// TestWebhookRequest holds what a webhook is sent: the values in its address
// stay in their place, headers may hold a secret, the body tells of the call.
func TestWebhookRequest(t *testing.T) {
	t.Parallel()
	var uri, auth, kind, body string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		uri, auth, kind, body = r.Method+" "+r.RequestURI, strings.Join(r.Header["X-Key"], "|"), r.Header.Get("Content-Type"), string(data)
		_, _ = io.WriteString(w, `{"action":"allow"}`)
	}))
	defer s.Close()
	web := &hook.WebhookConfig{
		URL:     s.URL + "/a b/${args.user}?q=${args.note}",
		Headers: map[string]expression.Texts{"X-Key": {"${secret.hook}", "${args.gone}", "${caller.name}"}},
	}
	p := plan(t, hook.Config{
		Before: []hook.BeforeConfig{{Name: "b", HTTP: web}}, After: []hook.AfterConfig{{Name: "a", HTTP: web}},
	})
	c := newCall(t, `{"amount":12345678901234567890.50,"user":"../x?y#z","note":"a&b=c +"}`)
	if err := p.Before(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	const about = `{"hook":"b","call_id":"call_1","tool":"pay","args":{"amount":12345678901234567890.50,"note":"a\u0026b=c +","user":"../x?y#z"},"toolcall_reason":"for tea","caller":{"id":"u1","name":"ann","kind":"go","groups":[],"claims":{"team":"blue"}},"chat":{"id":"c1","groups":[],"context":{}}`
	got := []string{uri, auth, kind, body}
	want := []string{"POST /a%20b/..%2Fx%3Fy%23z?q=a%26b%3Dc%20%2B", "hunter2-and-more|ann", "application/json", about + "}"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if _, err := p.After(t.Context(), c, tool.Output{}, tool.Errorf(tool.UpstreamError, "no <b>").WithHint("Ask.")); err == nil {
		t.Error("the failure is gone")
	}
	result := `,"result":{"content":[{"text":"Error: no \u003cb\u003e\nAsk.","type":"text"}],"is_error":true,"text":"Error: no \u003cb\u003e\nAsk.","value":"no \u003cb\u003e"}}`
	if d := cmp.Diff(strings.Replace(about, `"b"`, `"a"`, 1)+result, body); d != "" {
		t.Error(d)
	}
	uri = ""
	c = newCall(t, `{"amount":1,"user":"..","note":"x"}`)
	if err := p.Before(t.Context(), c); ending(err) != "denied: a check of this call is not available" || uri != "" {
		t.Errorf("asked %s: %v", uri, err)
	}
}

// TestWebhookSendsNoNull: what is a list or an object is one where it is empty
// too.
func TestWebhookSendsNoNull(t *testing.T) {
	t.Parallel()
	var body string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		body = string(data)
		_, _ = io.WriteString(w, `{"action":"allow"}`)
	}))
	defer s.Close()
	web := &hook.WebhookConfig{URL: s.URL}
	p := plan(t, hook.Config{Before: []hook.BeforeConfig{{Name: "b", HTTP: web}}, After: []hook.AfterConfig{{Name: "a", HTTP: web}}})
	c := &hook.Call{Request: policy.Request{Tool: payTool(t).Spec}}
	if err := p.Before(t.Context(), c); err != nil || strings.Contains(body, "null") || strings.Count(body, "[]") != 2 || strings.Count(body, "{}") != 3 {
		t.Errorf("before: %s, %v", body, err)
	}
	if _, err := p.After(t.Context(), c, tool.Output{}, nil); err != nil || strings.Contains(body, "null") || !strings.Contains(body, `"content":[]`) {
		t.Errorf("after: %s, %v", body, err)
	}
}

// panicking is a client with a fault.
type panicking struct{}

func (panicking) Do(*http.Request) (*http.Response, error) { panic("hunter2-and-more") }
func (panicking) Advise(diag.Cursor, string)               {}

func TestPanicDenies(t *testing.T) {
	t.Parallel()
	var report diag.Report
	web := &hook.WebhookConfig{URL: "https://x"}
	set := hook.Compile(diag.NewCursor(&report, nil), &hook.Config{
		Before: []hook.BeforeConfig{{Name: "b", HTTP: web, OnError: "skip"}},
		After:  []hook.AfterConfig{{Name: "a", HTTP: web, OnError: "skip"}},
	}, nil, hook.Deps{Client: panicking{}})
	set.Bind(payTool(t))
	p := set.Plan("pay")
	if got := ending(p.Before(t.Context(), newCall(t, `{}`))); got != "denied: a check of this call is not available" {
		t.Errorf("before: %s", got)
	}
	if _, err := p.After(t.Context(), newCall(t, `{}`), tool.TextOutput("x"), nil); ending(err) != "denied: a check of this call's result is not available" {
		t.Errorf("after: %v", err)
	}
}

func TestCancelledIsNotDenied(t *testing.T) {
	t.Parallel()
	base := service(t)
	p := plan(t, hook.Config{
		Before: []hook.BeforeConfig{{Name: "b", HTTP: &hook.WebhookConfig{URL: base + "/?do=hang"}}},
		After:  []hook.AfterConfig{{Name: "a", HTTP: &hook.WebhookConfig{URL: base + "/?do=hang"}}},
	})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for name, err := range map[string]error{
		"before": p.Before(ctx, newCall(t, `{}`)),
		"after": func() error {
			_, err := p.After(ctx, newCall(t, `{}`), tool.TextOutput("x"), nil)
			return err
		}(),
	} {
		if code := tool.AsError(err).Code; code != tool.Cancelled && code != tool.Timeout {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzWebhookAnswer gives a webhook any answer: the call is allowed, refused or
// rewritten into valid arguments, and nothing else.
func FuzzWebhookAnswer(f *testing.F) {
	for _, say := range []string{`{"action":"allow"}`, `{"action":"set","args":{"amount":1,"user":"u"}}`, `{"action":"deny","reason":"x"}`, `[`} {
		f.Add(say)
	}
	schema := payTool(f).Schema
	f.Fuzz(func(t *testing.T, say string) {
		var report diag.Report
		set := hook.Compile(diag.NewCursor(&report, nil), &hook.Config{Before: []hook.BeforeConfig{{Name: "b", HTTP: &hook.WebhookConfig{URL: "https://x"}}}}, nil, hook.Deps{Client: saying(say)})
		set.Bind(payTool(t))
		c := newCall(t, `{"amount":1,"user":"u"}`)
		err := set.Plan("pay").Before(t.Context(), c)
		if err == nil && schema.Validate(c.Request.Args) != nil {
			t.Errorf("%q made %s", say, encode(t, c.Request.Args))
		}
		if err != nil && encode(t, c.Request.Args) != `{"amount":1,"user":"u"}` {
			t.Errorf("%q changed the arguments of a call that was refused", say)
		}
	})
}

// saying answers every request with a text.
type saying string

func (s saying) Do(req *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	_, _ = io.WriteString(w, string(s))
	return w.Result(), nil
}

func (saying) Advise(diag.Cursor, string) {}
