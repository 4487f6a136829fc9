package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// maxWait is the longest that a request waits for a call to end. Common proxies
// give up on an answer after 60 s.
const maxWait = 50 * time.Second

// Handles starts calls that outlive the request they came in with. A call is
// known to its caller only: to every other one its id is unknown.
type Handles interface {
	// Start starts a call and returns its id. The call does not end with ctx.
	Start(ctx context.Context, call tool.Call) (id string, err error)
	// Status gives how the call stands now; false when the id is unknown, or when
	// ctx was over before that was known.
	Status(ctx context.Context, caller tool.Caller, id string) (Handle, bool)
	// Wait is Status, once the call has ended or ctx is over.
	Wait(ctx context.Context, caller tool.Caller, id string) (Handle, bool)
	// Cancel ends the call, if it has not ended, whether ctx is over or not, and
	// gives how it stands now.
	Cancel(ctx context.Context, caller tool.Caller, id string) (Handle, bool)
}

// Handle is how a started call stands at one moment. Its JSON form is what
// clients are shown.
type Handle interface {
	json.Marshaler
	// Outcome is the call's result, or nil while it runs. It must not be changed.
	Outcome() *tool.Result
}

// start starts a call and answers with its result if it ends soon enough, else
// with 202 and where to ask for it. Whoever waits and hangs up will never know
// of the call, so it is cancelled; whoever does not wait has meant it to go on.
func (a *api) start(w http.ResponseWriter, r *http.Request, asked request) {
	id, err := a.handles.Start(r.Context(), asked.call)
	if err != nil {
		a.failed(w, r, asked.call.Tool, err)
		return
	}
	handle, ok := a.await(r, id, asked.wait)
	if !ok {
		a.failed(w, r, asked.call.Tool, fmt.Errorf("the call %s was started and is unknown", id))
		return
	}
	if result := handle.Outcome(); result != nil {
		writeResult(w, *result)
		return
	}
	if asked.wait > 0 && r.Context().Err() != nil {
		a.handles.Cancel(r.Context(), caller(r), id)
	}
	w.Header().Set("Location", "/v1/calls/"+url.PathEscape(id))
	writeJSON(w, http.StatusAccepted, handle)
}

// await asks after a call, and waits for its end as long as it may.
func (a *api) await(r *http.Request, id string, wait time.Duration) (Handle, bool) {
	if wait == 0 {
		return a.handles.Status(r.Context(), caller(r), id)
	}
	ctx, stop := context.WithTimeout(r.Context(), wait)
	defer stop()
	return a.handles.Wait(ctx, caller(r), id)
}

// showCall answers how a started call stands.
func (a *api) showCall(w http.ResponseWriter, r *http.Request) {
	values, p := query(r, "wait")
	if p != nil {
		p.write(w)
		return
	}
	wait, p := waiting(values)
	if p != nil {
		p.write(w)
		return
	}
	handle, ok := a.await(r, r.PathValue("id"), wait)
	writeHandle(w, http.StatusOK, handle, ok)
}

// cancelCall ends a started call: 202 while it has not stopped yet, 200 when it
// has ended, by this or before.
func (a *api) cancelCall(w http.ResponseWriter, r *http.Request) {
	if _, p := query(r); p != nil {
		p.write(w)
		return
	}
	handle, ok := a.handles.Cancel(r.Context(), caller(r), r.PathValue("id"))
	status := http.StatusOK
	if ok && handle.Outcome() == nil {
		status = http.StatusAccepted
	}
	writeHandle(w, status, handle, ok)
}

func writeHandle(w http.ResponseWriter, status int, handle Handle, ok bool) {
	noStore(w)
	if ok {
		writeJSON(w, status, handle)
		return
	}
	p := &problem{
		status: http.StatusNotFound, Type: string(tool.NotFound),
		Message: "no call is known by this id: it was never started here, or it is forgotten",
		Hint:    "Use the id in the answer that started the call; ended calls are kept for some minutes only.",
	}
	p.write(w)
}

// waiting reads how long a request waits, in seconds; 0 when it does not say.
func waiting(values url.Values) (time.Duration, *problem) {
	if !values.Has("wait") {
		return 0, nil
	}
	text := values.Get("wait")
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789.") != "" || seconds > maxWait.Seconds() {
		return 0, badQuery(fmt.Sprintf("wait is %q", text),
			fmt.Sprintf("Give a number of seconds from 0 to %.0f, such as wait=0 or wait=2.5.", maxWait.Seconds()))
	}
	return time.Duration(seconds * float64(time.Second)), nil
}
