package httpapi

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// statusClientClosed is what proxies log for a request whose client hung up;
// nobody but a log reads it.
const statusClientClosed = 499

// overloadedAfter is when to try again what was refused because too much was
// going on, where nothing better is known.
const overloadedAfter = time.Second

// statusOf is the HTTP status of every code a call may fail with.
func statusOf(code tool.Code) int {
	switch code {
	case tool.NotFound:
		return http.StatusNotFound
	case tool.InvalidArgs:
		return http.StatusUnprocessableEntity // the request is well-formed HTTP; what it says does not fit
	case tool.Denied, tool.Inactive, tool.NeedsApproval, tool.ApprovalDenied, tool.BlockedTarget, tool.Boundary:
		return http.StatusForbidden
	case tool.RateLimited:
		return http.StatusTooManyRequests
	case tool.Timeout:
		return http.StatusGatewayTimeout
	case tool.UpstreamError, tool.TooLarge:
		return http.StatusBadGateway // too_large is the size of the tool's answer, never of the request
	case tool.UpstreamUnavailable, tool.Interrupted, tool.Overloaded:
		return http.StatusServiceUnavailable
	case tool.Cancelled:
		return statusClientClosed
	case tool.Internal:
		return http.StatusInternalServerError
	}
	return http.StatusInternalServerError
}

// whenAgain is how long to wait before trying again after a failure; 0 when
// nothing is known of it.
func whenAgain(e *tool.Error) time.Duration {
	if e.Code == tool.Overloaded && e.RetryAfter <= 0 {
		return overloadedAfter
	}
	return e.RetryAfter
}

// retryAfter says in whole seconds, rounded up, when to try again (RFC 9110,
// section 10.2.3).
func retryAfter(w http.ResponseWriter, after time.Duration) {
	if after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
	}
}
