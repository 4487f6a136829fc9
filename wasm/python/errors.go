package python

import (
	"errors"
	"fmt"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// retryAfter is when a program that found no room may be tried again: a guess, since
// nobody knows how long the others run.
const retryAfter = 5 * time.Second

func full(waiting int) *tool.Error {
	return overloaded(retryAfter, tool.Errorf(tool.Overloaded, "the interpreter is busy: %d programs are waiting already, so this one was not run", waiting))
}

func tooLate(longest time.Duration) *tool.Error {
	return overloaded(longest, tool.Errorf(tool.Overloaded, "the program waited %v for the interpreter and was not run", longest))
}

func overloaded(after time.Duration, e *tool.Error) *tool.Error {
	e.Retryable, e.RetryAfter = true, after
	return e.WithHint("Call it again a little later, with fewer programs at the same time.")
}

func timedOut(limit time.Duration) *tool.Error {
	return tool.Errorf(tool.Timeout, "the program ran for longer than %v and was ended", limit).
		WithHint("Nothing of it is kept but what it had printed. Make it do less work, or look for an endless loop.")
}

// crashed does not say whose fault it was: nobody knows.
func crashed(cause error) *tool.Error {
	return tool.Errorf(tool.UpstreamError, "the interpreter ended while the program ran: it crashed or was killed").
		Because(cause).
		WithHint("Nothing of it is kept but what it had printed. The interpreter is there again; if the same program ends it once more, change the program.")
}

// broken is for a process that answered with nonsense.
func broken(cause error) *tool.Error {
	return tool.Errorf(tool.UpstreamError, "the interpreter gave an answer that makes no sense, and was ended").
		Because(cause).
		WithHint("Nothing of the program is kept but what it had printed. The interpreter is there again; if the same program breaks it once more, change the program.")
}

func refused(cause error) *tool.Error {
	return tool.Errorf(tool.InvalidArgs, "the program cannot be given to the interpreter: %v", cause).Because(cause)
}

// unavailable is for callers while no process can be started. What says why for
// itself is told as it is, with when to try again.
func unavailable(cause error, after time.Duration) *tool.Error {
	after = max(after, time.Second).Round(time.Second)
	if e, ok := errors.AsType[*tool.Error](cause); ok {
		own := *e // the cause is shared by many calls
		if own.RetryAfter == 0 && own.Retryable {
			own.RetryAfter = after
		}
		return &own
	}
	e := tool.Errorf(tool.UpstreamUnavailable, "the interpreter does not start").Because(cause).
		WithHint("No program can be run for now; tell the user that the operator finds the reason in the gateway's log.")
	e.Retryable, e.RetryAfter = true, after
	return e
}

// ended is how a process came to its end, for the operator.
type ended struct {
	why    Death
	cause  error  // may be nil
	status string // of the process; empty while it is not known
	said   string // the last of its log
}

func (e *ended) Error() string {
	s := "interpreter process: " + string(e.why)
	if e.cause != nil {
		s += ": " + e.cause.Error()
	}
	if e.status != "" {
		s += ": " + e.status
	}
	if e.said != "" {
		s += fmt.Sprintf(": it said %q", e.said)
	}
	return s
}

func (e *ended) Unwrap() error { return e.cause }
