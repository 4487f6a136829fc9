package interpreter

import (
	"fmt"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

// maxSaid is the most bytes of an exception's text in the sentence about it; the
// traceback has all of it.
const maxSaid = 500

// again is what to do about a program that failed.
const again = "Correct the program and send all of it again: nothing of this call is there in the next."

// result is the answer to a program that came to an end of its own. What it says of
// itself can be forged, and so can the end: no more than texts hangs on it.
func (a *answer) result() (tool.Output, error) {
	reply := &a.ran.Reply
	switch reply.Outcome {
	case wire.OK:
		return a.output(string(wire.OK)), nil
	case wire.Exited:
		if reply.ExitCode == 0 {
			return a.output(string(wire.Exited)), nil
		}
		return tool.Output{}, a.failed(tool.UpstreamError, "the program ended with exit status %d", reply.ExitCode).WithHint(again)
	case wire.Raised:
		return tool.Output{}, a.told(a.failed(tool.UpstreamError, "the program raised %s", a.exception()), again)
	case wire.Syntax:
		return tool.Output{}, a.told(a.failed(tool.InvalidArgs, "the code is not valid Python, and nothing of it was run: %s", a.exception()), again)
	case wire.Dependencies:
		return tool.Output{}, a.told(a.failed(tool.InvalidArgs, "the program was not run: %s", a.why()), "Write it with what there is.")
	case wire.Crashed:
		return tool.Output{}, a.told(a.failed(tool.UpstreamError, "the program did not come to its end: %s", a.why()), again)
	}
	reply.Outcome = outcomeEnded
	return tool.Output{}, a.failed(tool.UpstreamError, "the interpreter does not say how the program ended").WithHint(again)
}

// failed is a failure with all that the program left behind.
func (a *answer) failed(code tool.Code, format string, args ...any) *tool.Error {
	return tool.Errorf(code, format, args...).With(a.output(string(a.ran.Reply.Outcome)))
}

// told adds what to do: what the interpreter knows of it, else this.
func (a *answer) told(e *tool.Error, otherwise string) *tool.Error {
	hint := otherwise
	if f := a.ran.Reply.Failure; f != nil && f.Hint != "" {
		hint = excerpt(f.Hint)
	}
	return e.WithHint("%s", hint)
}

// exception is what the program failed of, in one line.
func (a *answer) exception() string {
	f := a.ran.Reply.Failure
	if f == nil {
		return "an exception"
	}
	said := excerpt(f.Type)
	if message := excerpt(f.Message); message != "" {
		said += ": " + message
	}
	if f.Line > 0 {
		said += fmt.Sprintf(" (line %d)", f.Line)
	}
	return said
}

func (a *answer) why() string {
	if f := a.ran.Reply.Failure; f != nil && f.Message != "" {
		return excerpt(f.Message)
	}
	return "the interpreter does not say why"
}

// excerpt is the beginning of a text, in one line.
func excerpt(text string) string {
	return strings.Join(strings.Fields(tool.Excerpt([]byte(text), maxSaid)), " ")
}

// cutShort is the failure of a program that was ended, with what it had printed.
func (a *answer) cutShort(err error) error {
	e := asTool(err)
	outcome := outcomeEnded
	if e.Code == tool.Timeout {
		outcome = outcomeTimeout
		if e.Hint == "" {
			e.Hint = "Have it do less, or in several calls. What it printed is here; what it wrote to /out is lost."
		}
	}
	if len(a.ran.Stdout)+len(a.ran.Stderr)+len(a.left) > 0 {
		return e.With(a.output(outcome))
	}
	return e
}
