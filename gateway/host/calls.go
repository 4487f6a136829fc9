package host

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/batch"
	"github.com/toolgate/toolgate/gateway/handle"
	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/result"
	"github.com/toolgate/toolgate/gateway/tool"
)

// batches runs the calls that a provider's model made in one step, each id once
// in a chat that is named. Without a name nothing tells one conversation's
// "call_0" from another's, so there every call runs.
type batches struct{ gateway *gateway.Gateway }

// Batch runs the calls and tells finished of each as it ends.
func (b batches) Batch(ctx context.Context, calls []httpapi.BatchCall, stopOn string, finished func(int, httpapi.BatchAnswer)) ([]httpapi.BatchAnswer, error) {
	once := onceGateway{Gateway: b.gateway, provider: make(map[string]string, len(calls))}
	plain := make([]tool.Call, len(calls))
	for i, c := range calls {
		plain[i] = c.Call
		plain[i].ID = tool.NewCallID()
		once.provider[plain[i].ID] = c.ID
	}
	answer := func(i int, r tool.Result) httpapi.BatchAnswer {
		_, replayed := once.replayed.Load(plain[i].ID)
		return httpapi.BatchAnswer{Result: r, Replayed: replayed}
	}
	options := batch.Options{
		StopOn:   batch.StopOn(stopOn),
		Finished: func(i int, r tool.Result) { finished(i, answer(i, r)) },
	}
	ctx, plain, err := b.gateway.AskFirst(ctx, plain, options, once.ran)
	if err != nil {
		return nil, err
	}
	results, err := batch.Run(ctx, &once, plain, options)
	if err != nil {
		return nil, err
	}
	answers := make([]httpapi.BatchAnswer, len(results))
	for i, r := range results {
		answers[i] = answer(i, r)
	}
	return answers, nil
}

// onceGateway is the gateway of one batch, for which a call that ran before is
// answered with what it gave then.
type onceGateway struct {
	*gateway.Gateway
	provider map[string]string // the provider's id of a call, by ours
	replayed sync.Map          // our ids of the calls that had run before
}

// ran reports whether the call ran before, and nobody has to be asked about it.
func (h *onceGateway) ran(call tool.Call) bool {
	return call.Chat.ID != "" && h.Handles().Ran(onceKey(&call, h.provider[call.ID]))
}

// Call runs the call unless it ran before.
func (h *onceGateway) Call(ctx context.Context, call tool.Call) tool.Result {
	if call.Chat.ID == "" {
		return h.Gateway.Call(ctx, call)
	}
	result, replayed, err := h.Handles().Once(ctx, onceKey(&call, h.provider[call.ID]), call)
	if err != nil {
		return h.Refuse(ctx, call, tool.AsError(err))
	}
	if replayed {
		h.replayed.Store(call.ID, true)
	}
	return result
}

// onceKey is what a call that runs once is known by. What a profile does not hold is
// not found through it, and is all the same beside it.
func onceKey(call *tool.Call, id string) handle.Key {
	if id != "" && call.Profile != "" {
		id += " (profile " + call.Profile + ")"
	}
	return handle.Key{Caller: call.Caller.ID, Chat: call.Chat.ID, ID: id}
}

// handles are the gateway's as the HTTP API asks for them.
type handles struct {
	desk *handle.Desk
	lost lost // asked for calls that the desk does not know
}

// Start starts a call and gives its id.
func (h handles) Start(ctx context.Context, call tool.Call) (id string, err error) {
	status, err := h.desk.Start(ctx, call)
	return status.ID, err
}

// Status says how a call is doing.
func (h handles) Status(ctx context.Context, caller tool.Caller, id string) (httpapi.Handle, bool) {
	if status, ok := h.desk.Status(caller, id); ok {
		return started{status}, true
	}
	return h.lost.find(ctx, caller, id)
}

// Wait waits for the end of a call.
func (h handles) Wait(ctx context.Context, caller tool.Caller, id string) (httpapi.Handle, bool) {
	if status, ok := h.desk.Wait(ctx, caller, id); ok {
		return started{status}, true
	}
	return h.lost.find(ctx, caller, id)
}

// Cancel ends a call.
func (h handles) Cancel(ctx context.Context, caller tool.Caller, id string) (httpapi.Handle, bool) {
	if status, ok := h.desk.Cancel(caller, id); ok {
		return started{status}, true
	}
	return h.lost.find(ctx, caller, id)
}

// started is the status of a started call.
type started struct{ handle.Status }

// Outcome is the result; nil while the call runs.
func (s started) Outcome() *tool.Result { return s.Result }

// onces runs calls with a key once.
type onces struct{ gateway *gateway.Gateway }

// Once runs the call unless it ran before under the key.
func (o onces) Once(ctx context.Context, key string, call tool.Call) (tool.Result, bool) {
	call.ID = tool.NewCallID()
	// A provider's identifier of a call is not one of these.
	id := fmt.Sprintf("Idempotency-Key %s (%s)", key, o.gateway.Target(call))
	result, replayed, err := o.gateway.Handles().Once(ctx, onceKey(&call, id), call)
	if err != nil {
		return o.gateway.Refuse(ctx, call, ofKey(key, tool.AsError(err))), false
	}
	return result, replayed
}

// ofKey says of a key what [handle.Desk.Once] says of a call id: a tool and a chat
// are part of what it stands for, so the arguments are others.
func ofKey(key string, e *tool.Error) *tool.Error {
	if e.Code != tool.InvalidArgs {
		return e
	}
	return tool.Errorf(tool.InvalidArgs, "the Idempotency-Key %q was sent with other arguments before, for this tool in this chat", key).
		WithHint("The call was not run. Send a new call with a key of its own, and one that is sent again with the arguments it had.")
}

// keptResults are those that were too large to show.
type keptResults struct{ store result.Store }

// Open opens what is kept under a handle of the caller.
func (k keptResults) Open(ctx context.Context, caller tool.Caller, name string) (httpapi.Kept, bool, error) {
	meta, blob, err := k.store.Open(ctx, caller.ID, name)
	if errors.Is(err, result.ErrNone) {
		return httpapi.Kept{}, false, nil
	}
	if err != nil {
		return httpapi.Kept{}, false, err
	}
	return httpapi.Kept{Media: meta.Media, Text: meta.Text, Size: meta.Size, Expires: meta.Expires, Content: blob}, true, nil
}
