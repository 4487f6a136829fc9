package httptool

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	notYours = "Nothing is wrong with the arguments; the fault is the upstream's."
	// maxRetryAfter is the longest wait taken over from an upstream.
	maxRetryAfter = 24 * time.Hour
)

// unreached words why there is no whole answer.
func unreached(ctx context.Context, err error) *tool.Error {
	if e, ok := errors.AsType[*tool.Error](err); ok { // a refused address or redirect
		return e
	}
	if ctx.Err() != nil {
		return tool.Ended(ctx)
	}
	cause := withoutQuery(err)
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return tool.Errorf(tool.UpstreamUnavailable, "the upstream's certificate could not be verified").Because(cause).
			WithHint("Nothing is wrong with the arguments; tell the user.")
	}
	e := tool.Errorf(tool.UpstreamUnavailable, "the upstream could not be reached or broke off before it had answered").Because(cause).
		WithHint("Try again later; if the call changes something, first find out whether it already did.")
	e.Retryable = true
	return e
}

// isTransient reports whether the same request may succeed later.
func isTransient(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

func hintFor(status int) string {
	switch {
	case isTransient(status):
		return "Wait before you try again."
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusProxyAuthRequired:
		return "The credentials are the gateway's own; tell the user if other arguments do not help."
	case status >= http.StatusInternalServerError:
		return notYours
	}
	return "Check the arguments against what the upstream says."
}

// retryAfter reads a Retry-After header (RFC 9110 section 10.2.3): seconds or
// a date. It is 0 for one that says nothing usable.
func retryAfter(text string) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if date, err := http.ParseTime(text); err == nil {
		wait = time.Until(date)
	}
	return min(max(wait, 0), maxRetryAfter)
}
