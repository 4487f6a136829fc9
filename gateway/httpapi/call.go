package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// callTool runs one call. The body is the arguments, as they are:
//
//	POST /v1/tools/find_customer/call
//	{"id": "7"}
//
// An empty body is no arguments. {"arguments": {...}} works too, because the
// gateway unwraps that at every door for tools without such a parameter. With
// "wait" the answer comes later if the call takes longer than that. With a header
// Idempotency-Key the call runs once, however often it is sent.
func (a *api) callTool(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	asked, p := a.readCall(w, r)
	if p != nil {
		writeJSON(w, p.status, refused(name, p))
		return
	}
	switch {
	case asked.once != "":
		a.callOnce(w, r, asked)
	case asked.mayEndLater:
		a.start(w, r, asked)
	default:
		writeResult(w, a.call(r, asked.call))
	}
}

// request is one call as it was asked for.
type request struct {
	call        tool.Call
	wait        time.Duration // how long the request waits for the end
	mayEndLater bool          // the call is answered with its handle when it takes longer
	once        string        // the key of a call that is run once; empty for none
}

// readCall reads a request for one call, or says why it cannot be one.
func (a *api) readCall(w http.ResponseWriter, r *http.Request) (request, *problem) {
	known := []string{"chat", "profile"}
	if a.handles != nil {
		known = append(known, "wait")
	}
	values, p := query(r, known...)
	if p != nil {
		return request{}, p
	}
	inChat, p := chatOf(r, values)
	if p != nil {
		return request{}, p
	}
	profile, p := a.profile(values)
	if p != nil {
		return request{}, p
	}
	wait, p := waiting(values)
	if p != nil {
		return request{}, p
	}
	args, p := readBody(w, r, noun{plural: "arguments", less: "Send smaller arguments."})
	if p != nil {
		return request{}, p
	}
	once := ""
	if a.once != nil {
		if once, p = onceKey(r); p != nil {
			return request{}, p
		}
	}
	if once != "" && values.Has("wait") {
		return request{}, badQuery("a call with an "+onceHeader+" cannot be answered later", "Leave out wait, or the header.")
	}
	call := tool.Call{Tool: r.PathValue("name"), Arguments: args, Caller: caller(r), Via: tool.ViaDirect, Chat: inChat, Profile: profile}
	return request{call: call, wait: wait, mayEndLater: values.Has("wait"), once: once}, nil
}

// writeResult answers with how a call ended.
func writeResult(w http.ResponseWriter, res tool.Result) {
	status := http.StatusOK
	if res.Error != nil {
		status = statusOf(res.Error.Code)
		retryAfter(w, whenAgain(res.Error))
	}
	body, err := res.MarshalJSON() // which json.Marshal would read once more
	if err != nil {
		unencodable().write(w)
		return
	}
	send(w, status, append(body, '\n'))
}

// refused is the result of a request that never became a call. It has the form of
// every other result, so a client needs one reader only, and the kind that such a
// refusal has on every path, so that nobody takes it for a fault of the arguments.
func refused(name string, p *problem) tool.Result {
	return failure(name, &tool.Error{Code: tool.Code(p.Type), Message: p.Message, Hint: p.Hint})
}

// failure is the result of a call that did not take place. The error is copied:
// it may be shared.
func failure(name string, e *tool.Error) tool.Result {
	own := *e
	own.Tool = name
	return tool.Result{Tool: name, Status: tool.StatusError, Output: tool.TextOutput(own.Text()), Error: &own}
}

// failed answers that a call did not take place.
func (a *api) failed(w http.ResponseWriter, r *http.Request, name string, err error) {
	e := tool.AsError(err)
	a.logFault(r, e)
	writeResult(w, failure(name, e))
}

// call asks the gateway and turns a panic of it into a failed call.
func (a *api) call(r *http.Request, call tool.Call) tool.Result {
	result, _ := a.guarded(r, call, func(ctx context.Context, call tool.Call) (tool.Result, bool) {
		return a.gateway.Call(ctx, call), false
	})
	return result
}

// guarded turns a panic of whoever runs the call into a failed call.
func (a *api) guarded(r *http.Request, call tool.Call, run func(context.Context, tool.Call) (tool.Result, bool)) (res tool.Result, replayed bool) {
	defer func() {
		if reason := recover(); reason != nil {
			a.logPanic(r, reason)
			res, replayed = failure(call.Tool, tool.AsError(fmt.Errorf("panic: %v", reason))), false
		}
	}()
	return run(r.Context(), call)
}
