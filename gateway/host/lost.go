package host

import (
	"context"
	"time"

	"github.com/toolgate/toolgate/gateway/handle"
	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// lostWait is how long the record of calls is looked through for one call.
	lostWait = 5 * time.Second
	// lostAtOnce is how many look at a time: whoever asks for ids that nobody has
	// must not keep the store from others.
	lostAtOnce = 4
)

// calls is a record of calls that can be asked.
type calls interface {
	Find(ctx context.Context, q runlog.Query) (entries []runlog.Entry, complete bool, err error)
}

// lost finds calls that nobody can wait for any more: the process that ran them is
// gone, and of it there is the record alone.
type lost struct {
	record calls
	turns  chan struct{} // holds one for each that looks
}

func newLost(record calls) lost { return lost{record, make(chan struct{}, lostAtOnce)} }

// find gives a call of the caller that was interrupted so.
func (l lost) find(ctx context.Context, caller tool.Caller, id string) (httpapi.Handle, bool) {
	if id == "" || caller.ID == "" {
		return nil, false
	}
	ctx, stop := context.WithTimeout(ctx, lostWait)
	defer stop()
	select {
	case l.turns <- struct{}{}:
		defer func() { <-l.turns }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return nil, false
	}
	entries, _, err := l.record.Find(ctx, runlog.Query{CallID: id, CallerID: caller.ID, Limit: 1})
	if err != nil || len(entries) == 0 || entries[0].Status != runlog.StatusInterrupted {
		return nil, false
	}
	return started{interrupted(&entries[0])}, true
}

// interrupted is how a call stands whose process is gone. When it ended nobody knows.
func interrupted(e *runlog.Entry) handle.Status {
	failure := tool.Errorf(tool.Interrupted, "the gateway was ended while the call ran").
		WithHint("It may have had an effect: look before you call it again.")
	failure.Tool = e.Tool
	return handle.Status{
		ID: e.CallID, Tool: e.Tool, State: handle.Failed, Started: e.Time,
		Result: &tool.Result{
			CallID: e.CallID, Tool: e.Tool, Status: tool.StatusError, Output: tool.TextOutput(failure.Text()), Error: failure, MayHaveActed: true,
		},
	}
}
