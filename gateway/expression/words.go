package expression

import (
	"errors"
	"strconv"
	"strings"
)

// mostNames is how many names a hint lists.
const mostNames = 12

// listed is a hint that lists names: "the variables are a, b, …".
func listed(what string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	rest := ""
	if len(names) > mostNames {
		names, rest = names[:mostNames], ", …"
	}
	return what + " " + strings.Join(names, ", ") + rest
}

// EvalError is a failure while an expression runs. Its text may be shown to a
// model: it names places of the expression and kinds of values, never a value
// and never a Go type.
type EvalError struct {
	Text  string // what went wrong, lower case start, no final stop
	cause error
}

// ErrAbsent is the cause of a failure because a value that is needed is absent or
// null.
var ErrAbsent = errors.New("absent")

// Unwrap returns the cause, or nil.
func (e *EvalError) Unwrap() error { return e.cause }

// Error returns the text.
func (e *EvalError) Error() string { return e.Text }

func failed(parts ...string) error { return &EvalError{Text: strings.Join(parts, "")} }

func digits(n int) string { return strconv.Itoa(n) }

func plural(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return strconv.Itoa(n) + " arguments"
}
