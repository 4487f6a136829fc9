package httpapi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/tool"
)

const asEvents = "Accept: text/event-stream"

// batchFunc is a batch that a test makes up.
type batchFunc func(ctx context.Context, calls []httpapi.BatchCall, finished func(int, httpapi.BatchAnswer)) ([]httpapi.BatchAnswer, error)

func (f batchFunc) Batch(ctx context.Context, calls []httpapi.BatchCall, _ string, finished func(int, httpapi.BatchAnswer)) ([]httpapi.BatchAnswer, error) {
	return f(ctx, calls, finished)
}

func handlerOf(f batchFunc) http.Handler { return httpapi.New(&fake{}, httpapi.Options{Batch: f}) }

func event(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }

func TestEvents(t *testing.T) {
	const internal = `{"error":{"error_type":"internal","message":"the gateway could not complete this call because of a fault of its own","hint":"Do not repeat the call unchanged; tell the user that the tool gateway reported an internal error."}}`
	tests := []struct{ name, body, want string }{
		{"all kinds", calling("a", "echo", "b", "fail-denied", "old-p", "picture"), event("result", `{"index":2,"id":"old-p","replayed":true,`+gotPicture) +
			event("result", `{"index":1,"id":"b",`+failed("denied")[1:]) + event("result", `{"index":0,"id":"a",`+gotEcho) +
			event("done", whole(`{"id":"a",`+gotEcho+`,`+failedIn("b", "denied")+`,{"id":"old-p","replayed":true,`+gotPicture, echoMessage+`,`+failedMessage("b")+`,`+pictureMsg+`,`+pictureSeen))},
		{"no call", "[]", event("done", nothing)},
		{"a panic halfway", calling("p", "fail-panic", "a", "echo"), event("result", `{"index":1,"id":"a",`+gotEcho) + event("error", internal)},
		{"no batch", calling("a", "busy"), event("error", `{"error":{"error_type":"overloaded","message":"too many batches"}}`)},
	}
	batch := &fakeBatch{}
	handler := httpapi.New(batch, httpapi.Options{Batch: batch})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := send(handler, http.MethodPost, "/v1/calls", asEvents, tt.body)
			if kind := res.Header().Get("Content-Type"); res.Code != 200 || kind != "text/event-stream" || !res.Flushed {
				t.Errorf("%d, %s, flushed: %v", res.Code, kind, res.Flushed)
			}
			if diff := cmp.Diff(tt.want, res.Body.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if res := send(handler, http.MethodPost, "/v1/calls?x=1", asEvents, "[]"); res.Code != 400 || res.Header().Get("Content-Type") != "application/json" {
		t.Errorf("a mistake is answered with %d as %s", res.Code, res.Header().Get("Content-Type"))
	}
}

func TestAccept(t *testing.T) {
	tests := []struct {
		accept string
		events bool
	}{
		{"text/event-stream", true},
		{"Text/Event-Stream; charset=utf-8", true},
		{"application/json, text/event-stream", true},
		{"application/json;q=0.5, text/event-stream", true},
		{"*/*, text/event-stream;q=0.1", true},
		{"", false},
		{"*/*", false},
		{"text/*", false},
		{"application/json", false},
		{"text/event-stream;q=0", false},
		{"text/event-stream;q=0.5, application/json", false},
		{"text/event-stream-not, ;;", false},
		{"text/html", false},
	}
	handler := httpapi.New(&fake{}, httpapi.Options{Batch: &fakeBatch{}})
	for _, tt := range tests {
		res := send(handler, http.MethodPost, "/v1/calls", "Accept: "+tt.accept, "[]")
		if got := res.Header().Get("Content-Type") == "text/event-stream"; got != tt.events {
			t.Errorf("Accept: %s: events %v, want %v", tt.accept, got, tt.events)
		}
	}
}

// TestBeat holds that a stream shows that it lives while its calls run.
func TestBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := handlerOf(func(context.Context, []httpapi.BatchCall, func(int, httpapi.BatchAnswer)) ([]httpapi.BatchAnswer, error) {
			time.Sleep(50 * time.Second)
			return make([]httpapi.BatchAnswer, 1), nil
		})
		res := send(handler, http.MethodPost, "/v1/calls", asEvents, calling("a", "echo"))
		if n := strings.Count(res.Body.String(), ": still running\n\n"); n != 3 {
			t.Errorf("%d signs of life in 50 s, want 3", n)
		}
	})
}

// deaf is a client whose connection breaks at the first event.
type deaf struct{ http.ResponseWriter }

func (*deaf) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// TestDeafClient holds that calls end when nobody takes their events.
func TestDeafClient(t *testing.T) {
	ended := make(chan error, 1)
	handler := handlerOf(func(ctx context.Context, calls []httpapi.BatchCall, finished func(int, httpapi.BatchAnswer)) ([]httpapi.BatchAnswer, error) {
		finished(0, httpapi.BatchAnswer{})
		<-ctx.Done()
		ended <- ctx.Err()
		return make([]httpapi.BatchAnswer, len(calls)), nil
	})
	req := httptest.NewRequest(http.MethodPost, "/v1/calls", strings.NewReader(calling("a", "echo", "b", "echo")))
	req.Header.Set("Accept", "text/event-stream")
	handler.ServeHTTP(&deaf{httptest.NewRecorder()}, req)
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// open asks a real server for the events of two calls.
func open(ctx context.Context, t *testing.T, web *httptest.Server) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, web.URL+"/v1/calls", strings.NewReader(calling("a", "echo", "b", "echo")))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	res, err := web.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// TestEventsArriveAtOnce holds that a result is sent while another call runs.
func TestEventsArriveAtOnce(t *testing.T) {
	goOn := make(chan struct{})
	web := httptest.NewServer(handlerOf(func(_ context.Context, calls []httpapi.BatchCall, finished func(int, httpapi.BatchAnswer)) ([]httpapi.BatchAnswer, error) {
		finished(1, httpapi.BatchAnswer{})
		<-goOn
		finished(0, httpapi.BatchAnswer{})
		return make([]httpapi.BatchAnswer, len(calls)), nil
	}))
	defer web.Close()
	body := bufio.NewReader(open(t.Context(), t, web).Body)
	if line, err := body.ReadString('\n'); err != nil || line != "event: result\n" {
		t.Errorf("%q, %v", line, err)
	}
	if line, err := body.ReadString('\n'); err != nil || !strings.HasPrefix(line, `data: {"index":1,"id":"b",`) {
		t.Errorf("%q, %v", line, err)
	}
	close(goOn)
	rest, err := io.ReadAll(body)
	if err != nil || !strings.Contains(string(rest), `{"index":0,"id":"a",`) || !strings.Contains(string(rest), "event: done\n") {
		t.Errorf("%s, %v", rest, err)
	}
}

// TestBatchHangUp holds that a client that hangs up ends its calls, with events
// and without.
func TestBatchHangUp(t *testing.T) {
	started, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	web := httptest.NewServer(handlerOf(func(ctx context.Context, calls []httpapi.BatchCall, finished func(int, httpapi.BatchAnswer)) ([]httpapi.BatchAnswer, error) {
		finished(0, httpapi.BatchAnswer{})
		started <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return make([]httpapi.BatchAnswer, len(calls)), nil
	}))
	defer web.Close()

	ctx, hangUp := context.WithCancel(t.Context())
	body := bufio.NewReader(open(ctx, t, web).Body)
	if line, err := body.ReadString('\n'); err != nil || line != "event: result\n" {
		t.Errorf("%q, %v", line, err)
	}
	<-started
	hangUp()
	<-ended

	ctx, hangUp = context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, web.URL+"/v1/calls", strings.NewReader(calling("a", "echo")))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-started
		hangUp()
	}()
	if res, err := web.Client().Do(req); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v, want that the client cancelled", res, err)
	}
	<-ended
}

// TestBatchHammer has many clients at once, some of which hang up. Every batch
// ends, and who stays is given the own answers, each once.
func TestBatchHammer(t *testing.T) {
	const clients, steps = 8, 25
	web := httptest.NewServer(handlerOf(func(ctx context.Context, calls []httpapi.BatchCall, finished func(int, httpapi.BatchAnswer)) ([]httpapi.BatchAnswer, error) {
		answers := make([]httpapi.BatchAnswer, len(calls))
		var all sync.WaitGroup
		var one sync.Mutex
		for i := range calls {
			all.Go(func() {
				answers[i].Result = tool.Result{CallID: calls[i].ID, Tool: calls[i].Call.Tool, Status: tool.StatusOK, Output: tool.TextOutput(calls[i].ID)}
				one.Lock()
				defer one.Unlock()
				if ctx.Err() == nil {
					finished(i, answers[i])
				}
			})
		}
		all.Wait()
		return answers, nil
	}))
	defer web.Close()
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for s := range steps {
				hammer(t, web, fmt.Sprintf("%d-%d", c, s), s%5 == 4)
			}
		})
	}
	all.Wait()
}

// hammer makes one step of twenty calls, and may hang up in the middle of it.
func hammer(t *testing.T, web *httptest.Server, name string, hangsUp bool) {
	var pairs []string
	for i := range 20 {
		pairs = append(pairs, fmt.Sprintf("%s-%d", name, i), "echo")
	}
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, web.URL+"/v1/calls", strings.NewReader(calling(pairs...)))
	if err != nil {
		t.Error(err)
		return
	}
	req.Header.Set("Accept", "text/event-stream")
	res, err := web.Client().Do(req)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = res.Body.Close() }()
	if hangsUp {
		return
	}
	got, err := io.ReadAll(res.Body)
	for i := range 20 {
		if n := strings.Count(string(got), fmt.Sprintf(`{"index":%d,"id":"%s-%d","call_id":"%s-%d"`, i, name, i, name, i)); n != 1 || err != nil {
			t.Errorf("%s: call %d is answered %d times, %v", name, i, n, err)
		}
	}
	if !strings.Contains(string(got), "event: done\n") {
		t.Errorf("%s has no end", name)
	}
}
