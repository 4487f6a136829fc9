// Package wire is what a gateway and its interpreter processes say to each other:
// messages in frames over pipes, and what programs print in a file that both have.
package wire

import (
	"encoding/json"
	"time"
)

// Outcome is how a program ended.
type Outcome string

// The outcomes.
const (
	OK           Outcome = "ok"           // it ran to its end
	Raised       Outcome = "error"        // an exception that it did not catch
	Syntax       Outcome = "syntax"       // it did not compile: nothing of it was run
	Exited       Outcome = "exit"         // SystemExit, as by sys.exit
	Dependencies Outcome = "dependencies" // something that it depends on is not there: nothing of it was run
	Crashed      Outcome = "crash"        // the interpreter ended in it, or its answer made no sense
)

// Limits are what one program may leave behind. The process holds them; the
// gateway states them.
type Limits struct {
	Value     int   `json:"value"`     // most bytes of the last expression's value, each form of it by itself, and of each text of a failure
	Artifacts int   `json:"artifacts"` // most files under /out
	Bytes     int64 `json:"bytes"`     // most bytes of all files that are written
}

// Job is one program to run. The contents of its files follow it in the frame, one
// behind the other, in their order and of their sizes.
type Job struct {
	Code string `json:"code"`
	// Check only compiles: the outcome is OK or Syntax, or Dependencies.
	Check        bool     `json:"check,omitempty"`
	Dependencies []string `json:"dependencies,omitempty"` // as the caller wrote them: "attrs", "pyyaml>=6"
	Argv         []string `json:"argv,omitempty"`         // sys.argv behind its first entry
	Name         string   `json:"name,omitempty"`         // of the script, for tracebacks and sys.argv[0]
	Files        []File   `json:"files,omitempty"`        // under /files, read-only
	Limits       Limits   `json:"limits"`
}

// File is a file of a job, below /files, or of a reply, below /out. Its name is valid
// by [io/fs.ValidPath], and not ".".
type File struct {
	Name string `json:"name"` // slash-separated, relative
	Size int64  `json:"size"` // bytes
	Data []byte `json:"-"`    // of that size
}

// Value is the value of a program's last expression.
type Value struct {
	Repr string `json:"repr"` // as repr() gives it, cut to the limit
	Cut  bool   `json:"cut,omitempty"`
	// JSON is the value as such, where it is one of JSON's and within the limit.
	JSON json.RawMessage `json:"json,omitempty"`
	// Media and Data are the picture that the value is.
	Media string `json:"media,omitempty"`
	Data  []byte `json:"data,omitempty"`
}

// Failure is why a program did not run to its end.
type Failure struct {
	Type      string `json:"type"`    // the exception's class, as ZeroDivisionError
	Message   string `json:"message"` // str() of it
	Traceback string `json:"traceback"`
	Line      int    `json:"line,omitempty"` // of the program, from 1; 0 is unknown
	Hint      string `json:"hint,omitempty"` // what to do instead
}

// Reply is how a program ended. What the guest says of it comes from the driver, and
// a program can forge it: nothing in it is trusted. The contents of its artifacts
// follow it in the frame.
type Reply struct {
	Outcome  Outcome  `json:"outcome"`
	Value    *Value   `json:"value,omitempty"`
	Failure  *Failure `json:"failure,omitempty"`
	ExitCode int      `json:"exit_code,omitempty"`

	// What follows is said by the process, not by the guest.

	Artifacts []File        `json:"artifacts,omitempty"`
	Notes     []string      `json:"notes,omitempty"` // what was left out, and why
	Ran       time.Duration `json:"ran"`             // from when the guest was woken until its reply was whole
	// Worn says why the process takes no further job; empty while it does.
	Worn string `json:"worn,omitempty"`
}

// Hello is what a process says when it can take a job.
type Hello struct {
	Version string        `json:"version"` // of the interpreter, as sys.version_info gives it: 3.12.0
	Held    []string      `json:"held"`    // what confines the process
	Missing []string      `json:"missing"` // what the system could not confine, and why
	Resting uint64        `json:"resting"` // bytes of the guest's memory in the state that every job begins with
	Loaded  time.Duration `json:"loaded"`  // until the code was loaded or compiled
	Started time.Duration `json:"started"` // from then until the first state was taken
	// Packages are what can be imported beside the standard library, by their names
	// and versions.
	Packages map[string]string `json:"packages,omitempty"`
}

// Ready is what a process says when it has answered a job and can take the next one:
// its state is again as it was when it said [Hello]. Until then it is sent no job,
// so that nobody waits for what another's program left to clean up.
type Ready struct {
	Resting uint64        `json:"resting"` // as in Hello, now
	Took    time.Duration `json:"took"`    // since the reply was sent
}

// Bye is what a process says, where it can, before it ends by its own will. It says
// so only between jobs: one that has begun is answered with [Reply.Worn] instead.
type Bye struct {
	Reason string `json:"reason"` // for the operator
}
