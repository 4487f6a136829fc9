package httptool

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/tool"
)

// job is a server that gives one answer after the other, the last one again
// and again: a status, then a body. HOST in one is its own address.
func job(t *testing.T, said ...string) (address string, asked *asks) {
	asked = &asks{}
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		line := r.Method + " " + r.RequestURI + " " + r.Header.Get("X-Key") + " " + r.Header.Get("Content-Type") + string(body)
		answer := said[min(asked.add(line), len(said))-1]
		status := 0
		_, _ = fmt.Sscan(answer, &status)
		if status == 0 {
			panic(http.ErrAbortHandler) // the connection breaks
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Location", "/loc")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, strings.ReplaceAll(answer[4:], "HOST", "http://"+r.Host))
	})
	return server.URL, asked
}

// quick makes a runner's polls follow each other at once.
func quick(t *testing.T, r tool.Runner) *runner {
	own, ok := r.(*runner)
	if !ok {
		t.Fatalf("got a %T", r)
	}
	own.poll.every = time.Millisecond
	return own
}

const (
	pending = `202 {"done":false,"id":"j 1/2"}`
	busy    = "503 {}"
)

func repeat(s string, n int) []string {
	return strings.Split(strings.TrimSuffix(strings.Repeat(s+"|", n), "|"), "|")
}

// polled are what a server says one after the other, and what a call makes of
// it.
var polled = []struct {
	name  string
	cfg   Config
	poll  Poll
	said  []string
	text  string // of the answer, or part of the message of an error
	code  tool.Code
	asked string // behind the first request
}{
	{name: "over at once", said: []string{`200 {"done":true,"x":1}`}, text: `{"done":true,"x":1}`},
	{name: "its own address", said: []string{pending, pending, `200 {"done":true}`}, text: `{"done":true}`, asked: "GET /jobs?a=1 s3cr=t|GET /jobs?a=1 s3cr=t"},
	{name: "a value stays in its segment", poll: Poll{URL: "/jobs/${body.id}/state?of=${args.id}"}, said: []string{pending, `200 {"done":true}`}, text: `{"done":true}`, asked: "GET /jobs/j%201%2F2/state?of=7 s3cr=t"},
	{name: "an address that was given", poll: Poll{URL: "${headers.location}"}, said: []string{pending, `200 {"done":true}`}, text: `{"done":true}`, asked: "GET /loc s3cr=t"},
	{name: "a whole address that was given", poll: Poll{URL: "${body.at}"}, said: []string{`202 {"at":"HOST/s?x=1"}`, `200 {"done":true}`}, text: `{"done":true}`, asked: "GET /s?x=1 s3cr=t"},
	{name: "relative to the request", poll: Poll{URL: "state/${status}"}, said: []string{pending, `200 {"done":true}`}, text: `{"done":true}`, asked: "GET /state/202 s3cr=t"},
	{name: "the address of the first answer", poll: Poll{URL: "/s/${body.n}"}, said: []string{`202 {"n":1}`, `202 {"n":2}`, `200 {"done":true}`}, text: `{"done":true}`, asked: "GET /s/1 s3cr=t|GET /s/1 s3cr=t"},
	{name: "a result", cfg: Config{Result: "body.x"}, said: []string{pending, `200 {"done":true,"x":9007199254740993}`}, text: "9007199254740993", asked: "GET /jobs?a=1 s3cr=t"},
	{name: "a failure at first", said: []string{"409 {}"}, code: tool.UpstreamError, text: "409 Conflict"},
	{name: "busy at first", said: []string{busy}, code: tool.UpstreamError, text: "503"},
	{name: "stumbles", said: append(append([]string{pending}, repeat(busy, 5)...), pending, busy, `200 {"done":true}`), text: `{"done":true}`, asked: "*"},
	{name: "breaks off", said: []string{pending, "reset", `200 {"done":true}`}, text: `{"done":true}`, asked: "*"},
	{name: "too many stumbles", said: append([]string{pending}, repeat(busy, 6)...), code: tool.UpstreamError, text: "503", asked: strings.Join(repeat("GET /jobs?a=1 s3cr=t", 6), "|")},
	{name: "gone", said: []string{pending, "404 {}"}, code: tool.UpstreamError, text: "404", asked: "GET /jobs?a=1 s3cr=t"},
	{name: "not ok", cfg: Config{OK: `!(body.state == "failed")`, Error: "body.why"}, said: []string{pending, `200 {"state":"failed","why":"no paper"}`}, code: tool.UpstreamError, text: "no paper", asked: "GET /jobs?a=1 s3cr=t"},
	{name: "another host", poll: Poll{URL: "${body.at}"}, said: []string{`202 {"at":"http://evil.example/s"}`}, code: tool.UpstreamError, text: "named http://evil.example"},
	{name: "another host from a part", poll: Poll{URL: "http://${body.at}/s"}, said: []string{`202 {"at":"evil.example"}`}, code: tool.UpstreamError, text: "named http://evil.example"},
	{name: "no address", poll: Poll{URL: "${body.at}"}, said: []string{pending}, code: tool.UpstreamError, text: "its poll.url expression"},
	{name: "an absent part", poll: Poll{URL: "/s/${body.at}"}, said: []string{pending}, code: tool.UpstreamError, text: "its poll.url expression"},
	{name: "dots", poll: Poll{URL: "/s/${body.at}"}, said: []string{`202 {"at":".."}`}, code: tool.UpstreamError, text: "its poll.url expression"},
	{name: "an until that does not fit", poll: Poll{Until: "body.n > 1"}, said: []string{`202 {"n":"x"}`}, code: tool.UpstreamError, text: "its poll.until expression"},
	{name: "never over", poll: Poll{For: 100 * time.Millisecond, Every: MinPollEvery}, said: []string{pending}, code: tool.Timeout, text: "did not end within 100ms", asked: "*"},
}

func TestPoll(t *testing.T) {
	client := newClient(t, loopback)
	for _, test := range polled {
		t.Run(test.name, func(t *testing.T) {
			address, asked := job(t, test.said...)
			test.cfg.URL, test.cfg.Method, test.cfg.Path, test.cfg.Headers = address, "POST", "/jobs?a=1", texts{"X-Key": {"${secret.key}"}}
			test.cfg.Body = &Body{JSON: []byte(`{}`)}
			if test.poll.Until == "" {
				test.poll.Until = "body.done"
			}
			test.cfg.Poll = &test.poll
			out, err := quick(t, compile(t, test.cfg, testDeps(client))).Run(t.Context(), input(t, `{"id": 7}`))
			first, others := asked.asked()
			if first != "POST /jobs?a=1 s3cr=t application/json{}" || others != test.asked && test.asked != "*" {
				t.Errorf("asked for %q, then %q, want %q", first, others, test.asked)
			}
			if e := tool.AsError(err); test.code != "" && (err == nil || e.Code != test.code || !strings.Contains(e.Message, test.text) || e.Hint == "") {
				t.Errorf("got %q, %v, want %s with %q", out.Text(), err, test.code, test.text)
			}
			if test.code == "" && (err != nil || out.Text() != test.text) {
				t.Errorf("got %q, %v, want %q", out.Text(), err, test.text)
			}
		})
	}
}

// TestPollTellsAndEnds: each request is told to whoever listens, and waiting
// ends with the call.
func TestPollTellsAndEnds(t *testing.T) {
	address, _ := job(t, pending)
	cfg := Config{URL: address, Poll: &Poll{Until: "body.done"}}
	ctx, cancel := context.WithCancelCause(t.Context())
	var steps []tool.Step
	ctx = tool.WithProgress(ctx, func(s tool.Step) {
		if steps = append(steps, s); len(steps) == 2 {
			cancel(tool.Errorf(tool.Interrupted, "the gateway is stopping"))
		}
	})
	_, err := quick(t, compile(t, cfg, testDeps(newClient(t, loopback)))).Run(ctx, input(t, `{}`))
	if tool.AsError(err).Code != tool.Interrupted {
		t.Errorf("got %v", err)
	}
	want := []tool.Step{{Done: 1, Message: "waiting, asked 1 time"}, {Done: 2, Message: "waiting, asked 2 times"}}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestPause(t *testing.T) {
	failed := tool.Errorf(tool.UpstreamError, "x")
	failed.RetryAfter = 3 * time.Second
	said := func(text string) *answer { return &answer{header: http.Header{"Retry-After": {text}}} }
	tests := []struct {
		a    *answer
		err  error
		want time.Duration
	}{
		{said(""), nil, 0},
		{said("7"), nil, 7 * time.Second},
		{said("3600"), nil, maxPollWait},
		{nil, failed, 3 * time.Second},
		{nil, nil, 0},
	}
	for _, test := range tests {
		if got := pause(test.a, test.err); got != test.want {
			t.Errorf("%v, %v: got %v, want %v", test.a, test.err, got, test.want)
		}
	}
}
