package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// maxBody is the most bytes of a request body: 4 MiB, as at the MCP door.
const maxBody = 4 << 20

// statusClientClosed is what proxies log for a request whose client hung up;
// nobody but a log reads it.
const statusClientClosed = 499

// statusOf is the HTTP status of every code a call may fail with.
func statusOf(code tool.Code) int {
	switch code {
	case tool.NotFound:
		return http.StatusNotFound
	case tool.InvalidArgs:
		return http.StatusUnprocessableEntity // the request is well-formed HTTP; what it says does not fit
	case tool.Denied, tool.NeedsApproval, tool.BlockedTarget:
		return http.StatusForbidden
	case tool.Timeout:
		return http.StatusGatewayTimeout
	case tool.UpstreamError, tool.TooLarge:
		return http.StatusBadGateway // too_large is the size of the tool's answer, never of the request
	case tool.UpstreamUnavailable, tool.Interrupted:
		return http.StatusServiceUnavailable
	case tool.Cancelled:
		return statusClientClosed
	case tool.Internal:
		return http.StatusInternalServerError
	}
	return http.StatusInternalServerError
}

// callTool runs one call. The body is the arguments, as they are:
//
//	POST /v1/tools/find_customer/call
//	{"id": "7"}
//
// An empty body is no arguments. {"arguments": {...}} works too, because the
// gateway unwraps that at every door for tools without such a parameter.
func (a *api) callTool(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	args, p := arguments(w, r)
	if p != nil {
		writeJSON(w, p.status, refused(name, p))
		return
	}
	res := a.call(r, tool.Call{Tool: name, Arguments: args, Caller: caller(), Via: tool.ViaDirect})
	status := http.StatusOK
	if res.Error != nil {
		status = statusOf(res.Error.Code)
		retryAfter(w, res.Error.RetryAfter)
	}
	writeJSON(w, status, res)
}

// arguments reads the body of a call, or says why it cannot be one.
func arguments(w http.ResponseWriter, r *http.Request) (json.RawMessage, *problem) {
	if _, p := query(r); p != nil {
		return nil, p
	}
	if kind := r.Header.Get("Content-Type"); !isJSON(kind) {
		return nil, &problem{
			status: http.StatusUnsupportedMediaType, Type: typeUnsupported,
			Message: fmt.Sprintf("the content type %q is not supported", kind),
			Hint:    "Send the arguments as application/json.",
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLong, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, &problem{
			status: http.StatusRequestEntityTooLarge, Type: typeBadRequest,
			Message: fmt.Sprintf("the request body is longer than %d bytes", tooLong.Limit),
			Hint:    "Send smaller arguments.",
		}
	}
	if err != nil {
		return nil, &problem{status: http.StatusBadRequest, Type: typeBadRequest, Message: "the request body could not be read to its end"}
	}
	return body, nil
}

// isJSON takes an absent content type for JSON, since there is nothing else it
// could be.
func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "application/json"
}

// refused is the result of a call that never reached the gateway. It has the
// form and the codes of every other result, so a client needs one reader only.
func refused(name string, p *problem) tool.Result {
	err := &tool.Error{Code: tool.InvalidArgs, Tool: name, Message: p.Message, Hint: p.Hint}
	return tool.Result{Tool: name, Status: tool.StatusError, Output: tool.TextOutput(err.Text()), Error: err}
}

// call asks the gateway and turns a panic of it into a failed call.
func (a *api) call(r *http.Request, call tool.Call) (res tool.Result) {
	defer func() {
		if reason := recover(); reason != nil {
			a.logPanic(r, reason)
			err := tool.AsError(fmt.Errorf("panic: %v", reason))
			err.Tool = call.Tool
			res = tool.Result{Tool: call.Tool, Status: tool.StatusError, Output: tool.TextOutput(err.Text()), Error: err}
		}
	}()
	return a.gateway.Call(r.Context(), call)
}

// retryAfter says in whole seconds, rounded up, when to try again (RFC 9110,
// section 10.2.3).
func retryAfter(w http.ResponseWriter, after time.Duration) {
	if after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
	}
}
