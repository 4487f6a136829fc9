package httptool

import (
	"cmp"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	mayHaveActed = "It may have had an effect: check before you call it again."
	jobStarted   = "The job was started: find out what became of it before you start it again."
	jobRuns      = "It may still be running: find out what became of it before you start it again."
	notYours     = "Nothing is wrong with the arguments; the fault is the upstream's."
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
	if isGarbled(err) {
		return tool.Errorf(tool.UpstreamError, "the upstream's answer is compressed and cannot be unpacked").Because(cause).WithHint(notYours)
	}
	e := tool.Errorf(tool.UpstreamUnavailable, "the upstream could not be reached or broke off before it had answered").Because(cause).
		WithHint("Nothing is wrong with the arguments; try again later.")
	e.Retryable = true
	return e
}

// isGarbled reports whether what came could not be unpacked. An answer that ends
// too soon is none of these.
func isGarbled(err error) bool {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	return corrupt || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum)
}

// failure words an answer that is none of the successes, so that the model can
// learn from what the upstream says of it.
func (r *runner) failure(a *answer, once bool) *tool.Error {
	line := strings.TrimSpace(fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)))
	if a.status < http.StatusBadRequest {
		line += " with what this tool counts as a failure"
	}
	var e *tool.Error
	if said := r.explained(a); said != "" {
		e = tool.Errorf(tool.UpstreamError, "%s", said).Because(fmt.Errorf("the upstream answered %s", line))
	} else if said := cmp.Or(a.problem(r.masker), a.excerpt(r.masker)); said != "" {
		e = tool.Errorf(tool.UpstreamError, "the upstream answered %s: %s", line, said)
	} else {
		e = tool.Errorf(tool.UpstreamError, "the upstream answered %s", line)
	}
	if once && isAmbiguous(a.status) {
		return e.WithHint(mayHaveActed)
	}
	if isTransient(a.status) {
		e.Retryable, e.RetryAfter = true, retryAfter(a.header.Get("Retry-After"))
	}
	if once && mayBeHalfDone(a.status) {
		return e.WithHint("%s %s", notYours, mayHaveActed)
	}
	return e.WithHint("%s", hintFor(a.status))
}

// explained is the sentence that the error expression makes of an answer, empty
// where it makes none.
func (r *runner) explained(a *answer) string {
	if r.sentence == nil {
		return ""
	}
	value, err := r.sentence.Eval(a.vars)
	if err != nil || value == nil {
		return ""
	}
	text, ok := value.(string)
	if !ok {
		data, err := tool.EncodeJSON(value)
		if err != nil {
			return ""
		}
		text = string(data)
	}
	return tool.Excerpt([]byte(r.masker.Text(text)), maxExcerpt)
}

// unfit words an error of a template: it was checked when it was compiled, so
// what is left is that it does not fit the arguments.
func unfit(err error) error {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e
	}
	hint := "Change the arguments and call again."
	if errors.Is(err, expression.ErrAbsent) {
		hint = "Send it and call again."
	}
	return tool.Errorf(tool.InvalidArgs, "the request cannot be built from these arguments: %s", err).Because(err).WithHint("%s", hint)
}

// unexpected words an error of an expression over the answer.
func unexpected(key string, err error) *tool.Error {
	return tool.Errorf(tool.UpstreamError, "the upstream's answer does not have the form this tool expects (its %s expression could not be applied)", key).
		Because(err).
		WithHint("Nothing is wrong with the arguments; tell the user that the tool and its upstream do not fit together.")
}

var errCap = errors.New("the answer is larger than max_output")

func tooLarge(most int64) *tool.Error {
	return tool.Errorf(tool.TooLarge, "the upstream's answer is larger than the %d bytes this tool may read", most).
		Because(errCap).
		WithHint("Ask for less, by a filter, a page or a smaller limit where the tool has one.")
}

// isAmbiguous reports whether a status says that nobody knows what became of a
// request.
func isAmbiguous(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusGatewayTimeout
}

// mayBeHalfDone reports whether a status says that a request was taken and then
// failed inside of the upstream, which may have done a part of it.
func mayBeHalfDone(status int) bool {
	return status >= http.StatusInternalServerError && status != http.StatusNotImplemented && !isTransient(status)
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
