package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// fakeHandles starts calls that end after "sleep" seconds, the number in the
// name of their tool, or when they are cancelled.
type fakeHandles struct {
	mu    sync.Mutex
	calls map[string]*started
	last  tool.Call
}

// started is one call that was started.
type started struct {
	tool   string
	end    time.Time
	result *tool.Result // of a call that was cancelled
}

func (f *fakeHandles) Start(_ context.Context, call tool.Call) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch call.Tool {
	case "busy":
		return "", tool.Errorf(tool.Overloaded, "too many calls")
	case "lost":
		return "lost", nil
	}
	id := fmt.Sprintf("call %d", len(f.calls)+1)
	var seconds int
	_, _ = fmt.Sscanf(call.Tool, "sleep-%d", &seconds)
	f.calls[id], f.last = &started{tool: call.Tool, end: time.Now().Add(time.Duration(seconds) * time.Second)}, call
	return id, nil
}

func (f *fakeHandles) Status(ctx context.Context, caller tool.Caller, id string) (httpapi.Handle, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, ok := f.calls[id]
	if !ok || !cmp.Equal(caller, fakeCaller()) {
		return nil, false
	}
	h := fakeHandle{ID: id, Tool: c.tool, State: "running", result: c.result}
	if h.result == nil && !time.Now().Before(c.end) {
		h.result = &tool.Result{CallID: id, Tool: c.tool, Status: tool.StatusOK}
	}
	if h.result != nil {
		h.State = "ended"
	}
	return h, true
}

func (f *fakeHandles) Wait(ctx context.Context, caller tool.Caller, id string) (httpapi.Handle, bool) {
	for ctx.Err() == nil {
		if h, ok := f.Status(ctx, caller, id); !ok || h.Outcome() != nil {
			return h, ok
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
	return f.Status(ctx, caller, id)
}

// Cancel ends a call, but one that needs an hour goes on for a while.
func (f *fakeHandles) Cancel(ctx context.Context, caller tool.Caller, id string) (httpapi.Handle, bool) {
	f.mu.Lock()
	c, ok := f.calls[id]
	if ok && c.tool != "sleep-3600" && c.result == nil && time.Now().Before(c.end) {
		err := tool.Errorf(tool.Cancelled, "the call was cancelled")
		c.result = &tool.Result{CallID: id, Tool: c.tool, Status: tool.StatusError, Error: err}
	}
	f.mu.Unlock()
	return f.Status(ctx, caller, id)
}

type fakeHandle struct {
	ID     string `json:"call_id"`
	Tool   string `json:"tool"`
	State  string `json:"state"`
	result *tool.Result
}

func (h fakeHandle) Outcome() *tool.Result { return h.result }

func (h fakeHandle) MarshalJSON() ([]byte, error) {
	type plain fakeHandle
	return json.Marshal(plain(h))
}

// TestHandles goes through the life of calls, in a time of its own: each request
// takes as long as it waits.
func TestHandles(t *testing.T) {
	status := func(id, name, state string) string {
		return `{"call_id":"` + id + `","tool":"` + name + `","state":"` + state + `"}`
	}
	ended := func(id, name string) string {
		return `{"call_id":"` + id + `","tool":"` + name + `","status":"ok","content":[],"duration_ms":0}`
	}
	badWait := func(wait string) string {
		return problem("bad_request", `wait is \"`+wait+`\"`, "Give a number of seconds from 0 to 50, such as wait=0 or wait=2.5.")
	}
	unknown := problem("not_found", "no call is known by this id: it was never started here, or it is forgotten", "Use the id in the answer that started the call; ended calls are kept for some minutes only.")
	steps := []struct {
		name, method, target string
		status               int
		want                 string
		wantHeader           string
		takes                time.Duration
	}{
		{"starts", "POST", "/v1/tools/sleep-10/call?wait=0", 202, status("call 1", "sleep-10", "running"), "Location: /v1/calls/call%201", 0},
		{"runs", "GET", "/v1/calls/call%201", 200, status("call 1", "sleep-10", "running"), "Cache-Control: no-store", 0},
		{"is waited for, too short", "GET", "/v1/calls/call%201?wait=2.5", 200, status("call 1", "sleep-10", "running"), "", 2500 * time.Millisecond},
		{"is waited for", "GET", "/v1/calls/call%201?wait=50", 200, status("call 1", "sleep-10", "ended"), "", 7500 * time.Millisecond},
		{"has ended", "GET", "/v1/calls/call%201?wait=50", 200, status("call 1", "sleep-10", "ended"), "", 0},
		{"is not cancelled any more", "DELETE", "/v1/calls/call%201", 200, status("call 1", "sleep-10", "ended"), "", 0},

		{"ends soon enough", "POST", "/v1/tools/sleep-3/call?wait=5", 200, ended("call 2", "sleep-3"), "", 3 * time.Second},
		{"ends at once", "POST", "/v1/tools/sleep-0/call?wait=0", 200, ended("call 3", "sleep-0"), "", 0},
		{"does not end soon enough", "POST", "/v1/tools/sleep-100/call?wait=5&chat=c", 202, status("call 4", "sleep-100", "running"), "Location: /v1/calls/call%204", 5 * time.Second},
		{"is cancelled", "DELETE", "/v1/calls/call%204", 200, status("call 4", "sleep-100", "ended"), "Cache-Control: no-store", 0},
		{"takes its time", "POST", "/v1/tools/sleep-3600/call?wait=0", 202, status("call 5", "sleep-3600", "running"), "", 0},
		{"is being cancelled", "DELETE", "/v1/calls/call%205", 202, status("call 5", "sleep-3600", "running"), "", 0},

		{"unknown", "GET", "/v1/calls/call%209", 404, unknown, "Cache-Control: no-store", 0},
		{"unknown, waiting", "GET", "/v1/calls/x%2Fy?wait=50", 404, unknown, "", 0},
		{"unknown, cancelled", "DELETE", "/v1/calls/x", 404, unknown, "", 0},
		{"another method", "POST", "/v1/calls/x", 405, problem("method_not_allowed", "this path takes DELETE, GET, HEAD only", ""), "Allow: DELETE, GET, HEAD", 0},
		{"overloaded", "POST", "/v1/tools/busy/call?wait=0", 503, `{"call_id":"","tool":"busy","status":"error","content":[{"type":"text","text":"Error: too many calls"}],"error":{"error_type":"overloaded","tool":"busy","message":"too many calls","retryable":false,"fatal":false},"duration_ms":0}`, "Retry-After: 1", 0},

		{"too long a wait", "GET", "/v1/calls/x?wait=50.1", 400, badWait("50.1"), "", 0},
		{"a wait in words", "GET", "/v1/calls/x?wait=5s", 400, badWait("5s"), "", 0},
		{"a wait that is no number", "GET", "/v1/calls/x?wait=nan", 400, badWait("nan"), "", 0},
		{"a wait back in time", "GET", "/v1/calls/x?wait=-1", 400, badWait("-1"), "", 0},
		{"a wait with an exponent", "GET", "/v1/calls/x?wait=1e1", 400, badWait("1e1"), "", 0},
		{"no wait", "GET", "/v1/calls/x?wait=", 400, badWait(""), "", 0},
		{"unknown parameter", "GET", "/v1/calls/x?wiat=1", 400, problem("bad_request", `unknown query parameter \"wiat\"`, "did you mean wait?"), "", 0},
		{"parameter of DELETE", "DELETE", "/v1/calls/x?wait=1", 400, problem("bad_request", `unknown query parameter \"wait\"`, "this path takes no query parameters"), "", 0},
		{"a bad call", "POST", "/v1/tools/echo/call?wait=x", 400, refused("bad_request", `wait is \"x\"`, "Give a number of seconds from 0 to 50, such as wait=0 or wait=2.5."), "", 0},
	}
	synctest.Test(t, func(t *testing.T) {
		handler := httpapi.New(&fake{}, httpapi.Options{Handles: &fakeHandles{calls: map[string]*started{}}})
		for _, tt := range steps {
			start := time.Now()
			res := send(handler, tt.method, tt.target, "", "")
			if took := time.Since(start); res.Code != tt.status || took != tt.takes {
				t.Errorf("%s: %d after %v, want %d after %v", tt.name, res.Code, took, tt.status, tt.takes)
			}
			if diff := cmp.Diff(tt.want+"\n", res.Body.String()); diff != "" {
				t.Errorf("%s: body (-want +got):\n%s", tt.name, diff)
			}
			if name, value, _ := strings.Cut(tt.wantHeader, ": "); res.Header().Get(name) != value {
				t.Errorf("%s: %s is %q, want %q", tt.name, name, res.Header().Get(name), value)
			}
		}
	})
}

// TestStartReachesGateway holds what is started, and that a call without "wait"
// has no handle.
func TestStartReachesGateway(t *testing.T) {
	gw, handles := &fake{}, &fakeHandles{calls: map[string]*started{}}
	handler := httpapi.New(gw, httpapi.Options{Handles: handles})
	send(handler, http.MethodPost, "/v1/tools/sleep-0/call?wait=0&chat=c", "", `{"a": 1.10}`)
	want := tool.Call{Tool: "sleep-0", Arguments: json.RawMessage(`{"a": 1.10}`), Caller: fakeCaller(), Via: tool.ViaDirect, Chat: tool.Chat{ID: "c"}}
	if diff := cmp.Diff(want, handles.last); diff != "" || gw.call.Tool != "" {
		t.Errorf("called %q (-want +got):\n%s", gw.call.Tool, diff)
	}
	send(handler, http.MethodPost, "/v1/tools/sleep-1/call", "", "")
	if gw.call.Tool != "sleep-1" || len(handles.calls) != 1 {
		t.Errorf("called %q, %d handles", gw.call.Tool, len(handles.calls))
	}
	res := send(handler, http.MethodPost, "/v1/tools/lost/call?wait=0", "", "")
	if body := res.Body.String(); res.Code != 500 || !strings.Contains(body, `"error_type":"internal"`) {
		t.Errorf("%d %s", res.Code, body)
	}
}

// TestStartHangUp holds that whoever waits and hangs up takes the call along:
// nobody could ask for it.
func TestStartHangUp(t *testing.T) {
	handles := &fakeHandles{calls: map[string]*started{}}
	api := httpapi.New(&fake{}, httpapi.Options{Handles: handles})
	answered := make(chan struct{}, 1)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api.ServeHTTP(w, r)
		answered <- struct{}{}
	}))
	defer web.Close()
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, web.URL+"/v1/tools/sleep-1000/call?wait=50", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			if _, ok := handles.Status(t.Context(), fakeCaller(), "call 1"); ok {
				hangUp()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if res, err := web.Client().Do(req); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v, want that the client cancelled", res, err)
	}
	<-answered
	if h, _ := handles.Status(t.Context(), fakeCaller(), "call 1"); h.Outcome() == nil || h.Outcome().Error.Code != tool.Cancelled {
		t.Errorf("the call goes on: %+v", h)
	}
}
