package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Code is the machine-readable kind of a failure; doors map it to an HTTP
// status, an MCP error or an exit code in one table each.
type Code string

// The codes of failed calls.
const (
	NotFound            Code = "not_found"            // no such tool, or none this caller may know of
	Inactive            Code = "inactive"             // none of the tool's groups is active in the chat
	InvalidArgs         Code = "invalid_args"         // the arguments do not fit the schema
	Denied              Code = "denied"               // a policy rule refuses the call
	NeedsApproval       Code = "needs_approval"       // a person has to agree first
	ApprovalDenied      Code = "approval_denied"      // a person refused, or nobody answered in time
	Overloaded          Code = "overloaded"           // more calls are waiting than the gateway takes
	RateLimited         Code = "rate_limited"         // a limit of the tool or of a rule lets no more calls through for now
	Timeout             Code = "timeout"              // the tool ran longer than it may
	UpstreamError       Code = "upstream_error"       // the tool's backend answered with a failure
	UpstreamUnavailable Code = "upstream_unavailable" // the tool's backend did not answer
	BlockedTarget       Code = "blocked_target"       // the address is one that tools may not reach
	Boundary            Code = "boundary"             // the call would leave the place its tool is held to
	TooLarge            Code = "too_large"            // the answer exceeds the tool's max_output
	Cancelled           Code = "cancelled"            // the caller gave up
	Interrupted         Code = "interrupted"          // the gateway stopped while the call ran
	Internal            Code = "internal"             // a fault of the gateway itself
)

// Codes returns every code, in the order in which they are declared.
func Codes() []Code {
	return []Code{
		NotFound, Inactive, InvalidArgs, Denied, NeedsApproval, ApprovalDenied, Overloaded, RateLimited, Timeout, UpstreamError, UpstreamUnavailable,
		BlockedTarget, Boundary, TooLarge, Cancelled, Interrupted, Internal,
	}
}

// ErrNotAsked is among the causes of a failure where a backend was not asked at
// all, because it is known not to answer for now. The same call may succeed later,
// and trying it again at once is pointless.
var ErrNotAsked = errors.New("not asked")

// Stopping is why a call ends because the gateway stops. What that means for the
// tool is for whoever knows the tool to add.
func Stopping() *Error { return Errorf(Interrupted, "the gateway is stopping") }

// Error is a failed call for its three readers: Code for programs, Message and
// Hint for the model, Cause for the operator's log. Cause never reaches a
// model.
type Error struct {
	Code        Code
	Tool        string          // the tool that was asked for; the gateway fills it in
	Message     string          // one sentence, lower case start, no final stop needed
	Hint        string          // what to do next; may be empty
	InputSchema json.RawMessage // the tool's schema where that helps to repair the call
	Retryable   bool            // the same call may succeed later
	Fatal       bool            // no call like this one will ever succeed: stop trying
	RetryAfter  time.Duration   // how long to wait before trying again; 0 when unknown
	Approval    string          // ID of the approval that the call waits for; may be empty
	// Output is what the tool had answered when it failed, such as what a program had
	// printed: it stands behind the sentence in the result, fitted like any answer. It
	// is nil for most failures, and in a Result, whose Output has it.
	Output *Output
	Cause  error // for the operator; may be nil
}

// Errorf makes an Error whose message is for the model. Like fmt.Errorf it
// takes %w, but an error wrapped so is text for the model too: use
// [Error.Because] for what only the operator may read.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Cause: errors.Unwrap(err)}
}

// Because sets the cause that the operator reads and returns e.
func (e *Error) Because(cause error) *Error { e.Cause = cause; return e }

// WithHint sets what the model is told to do next and returns e.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// With sets what the tool had answered when it failed and returns e.
func (e *Error) With(out Output) *Error { e.Output = &out; return e }

// Answer is what a model reads of the failure: its text and, in the same block where
// that is text too, what the tool had answered.
func (e *Error) Answer() Output {
	said := TextOutput(e.Text())
	if e.Output == nil {
		return said
	}
	out := *e.Output
	if more := out.Content; len(more) > 0 && more[0].Type == ContentText {
		said.Content[0].Text += "\n\n" + more[0].Text
		out.Content = more[1:]
	}
	out.Content = append(said.Content, out.Content...)
	return out
}

// Error gives the code, the sentence for the model and the cause, for logs.
func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Message
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Text is what the model reads: "Error: <sentence>", then the hint as a
// sentence of its own.
func (e *Error) Text() string {
	s := "Error: " + e.Message
	if e.Hint != "" {
		s += "\n" + e.Hint
	}
	return s
}

// AsError turns any error into an *Error: an *Error in its chain is returned
// as it is, anything else becomes Internal with a sentence that tells the
// model nothing of the gateway's insides.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Errorf(Internal, "the gateway could not complete this call because of a fault of its own").
		Because(err).
		WithHint("Do not repeat the call unchanged; tell the user that the tool gateway reported an internal error.")
}
