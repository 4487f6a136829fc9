package handle_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/handle"
	"github.com/toolgate/toolgate/gateway/tool"
)

var (
	ann = tool.Caller{ID: "ann"}
	bob = tool.Caller{ID: "bob"}
)

// house runs calls of a few tools.
type house struct{ runs atomic.Int64 }

// run is the way of a call: "echo" answers at once, "slow" after a minute,
// "steady" after a minute whatever happens, "hurt" fails when it is cancelled
// and "stubborn" needs an hour more then; any other name is the code of the
// failure.
func (h *house) run(ctx context.Context, call tool.Call) tool.Result {
	h.runs.Add(1)
	switch call.Tool {
	case "echo":
		return answer(call, nil)
	case "steady":
		time.Sleep(time.Minute)
		return answer(call, nil)
	case "slow", "hurt", "stubborn":
		tool.Progress(ctx, tool.Step{Done: 1, Total: 4, Message: "a < b"})
		return answer(call, h.linger(ctx, call.Tool))
	}
	return answer(call, tool.Errorf(tool.Code(call.Tool), "it failed"))
}

func (h *house) linger(ctx context.Context, name string) *tool.Error {
	select {
	case <-time.After(time.Minute):
		return nil
	case <-ctx.Done():
	}
	switch name {
	case "hurt":
		return tool.Errorf(tool.UpstreamError, "the connection broke")
	case "stubborn":
		time.Sleep(time.Hour)
	}
	return tool.Ended(ctx)
}

func answer(call tool.Call, err *tool.Error) tool.Result {
	r := tool.Result{CallID: call.ID, Tool: call.Tool, Status: tool.StatusOK, Output: tool.TextOutput(string(call.Arguments))}
	if err != nil {
		r.Status, r.Error, r.Output = tool.StatusError, err, tool.TextOutput(err.Text())
	}
	return r
}

// call is one of a tool by Ann.
func call(name, id, args string) tool.Call {
	return tool.Call{ID: id, Tool: name, Arguments: []byte(args), Caller: ann}
}

func newDesk(o handle.Options) (*handle.Desk, *house) {
	h := &house{}
	return handle.New(h.run, o), h
}

// start starts a call that must be taken.
func start(t *testing.T, d *handle.Desk, c tool.Call) handle.Status {
	t.Helper()
	s, err := d.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wait is the status of Ann's call when it has ended.
func wait(t *testing.T, d *handle.Desk, id string) handle.Status {
	t.Helper()
	s, ok := d.Wait(t.Context(), ann, id)
	if !ok {
		t.Fatalf("call %s is not here", id)
	}
	return s
}

// here says which of Ann's calls can be asked after.
func here(d *handle.Desk, ids ...string) []string {
	var found []string
	for _, id := range ids {
		if _, ok := d.Status(ann, id); ok {
			found = append(found, id)
		}
	}
	return found
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func wantError(t *testing.T, err error, code tool.Code, text string) {
	t.Helper()
	e, ok := errors.AsType[*tool.Error](err)
	if !ok {
		t.Fatalf("got %v, want %s", err, code)
	}
	same(t, "error", []string{string(code), text}, []string{string(e.Code), e.Text()})
	if room := code == tool.Overloaded; room != (e.RetryAfter > 0) || room && !e.Retryable {
		t.Errorf("retryable %v after %v", e.Retryable, e.RetryAfter)
	}
}
