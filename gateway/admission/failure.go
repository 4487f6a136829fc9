package admission

import (
	"context"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// retryAfter is when a call that found no room may be tried again: a guess, since
// nobody knows how long the others take.
const retryAfter = 5 * time.Second

func full(most int) *tool.Error {
	return overloaded(retryAfter, tool.Errorf(tool.Overloaded, "the gateway is busy: %d calls are waiting already, so this one was not run", most))
}

func fullKey(most int) *tool.Error {
	return overloaded(retryAfter, tool.Errorf(tool.Overloaded, "the tool is busy: %d calls that may only run one at a time are waiting already, so this one was not run", most))
}

// tooLate takes it that what was in the way for so long stays so for as long
// again.
func tooLate(longest time.Duration) *tool.Error {
	return overloaded(longest, tool.Errorf(tool.Overloaded, "the call waited %v for its turn and was not run", longest))
}

func overloaded(after time.Duration, e *tool.Error) *tool.Error {
	e.Retryable, e.RetryAfter = true, after
	return e.WithHint("Call it again a little later, with fewer calls at the same time.")
}

func wouldWaitForItself() *tool.Error {
	return tool.Errorf(tool.Denied, "this call may not run beside the call that it was made from, which has to finish first").
		WithHint("Call the tool by itself, not from inside another call.")
}

// notStarted is the failure of a call whose context is over before its turn
// came. That the tool may have done something is not true of it.
func notStarted(ctx context.Context) *tool.Error {
	e := tool.Ended(ctx)
	if e.Code == tool.Timeout {
		e.Message = "the call's time was over before its turn came"
	}
	if e.Hint == "" || e.Code == tool.Timeout {
		e.Hint = "The tool was not started."
	}
	return e
}
