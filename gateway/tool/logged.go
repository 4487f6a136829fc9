package tool

import "cmp"

// LogArguments says how much of a call's arguments is recorded; it is the
// "arguments" key of "log".
type LogArguments string

// What may be recorded of arguments.
const (
	LogArgumentsFull   LogArguments = "full"   // all of them
	LogArgumentsMasked LogArguments = "masked" // the names of members; in place of each value its type
	LogArgumentsDigest LogArguments = "digest" // a digest, which is the same for the same arguments
	LogArgumentsNone   LogArguments = "none"
)

// LogResults says how much of a call's result is recorded; it is the "results"
// key of "log".
type LogResults string

// What may be recorded of results.
const (
	LogResultsFull    LogResults = "full"
	LogResultsPreview LogResults = "preview" // the start
	LogResultsNone    LogResults = "none"
)

// Logged says how much of a call is recorded. The zero value stands for all of
// the arguments and the start of the result.
type Logged struct {
	Arguments LogArguments `koanf:"arguments"`
	Results   LogResults   `koanf:"results"`
}

// Or fills in what l does not say.
func (l Logged) Or(otherwise Logged) Logged {
	return Logged{cmp.Or(l.Arguments, otherwise.Arguments), cmp.Or(l.Results, otherwise.Results)}
}
