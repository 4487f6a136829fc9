package python

import (
	"time"

	"github.com/toolgate/toolgate/wasm/python/wire"
)

// Request is one program to run.
type Request struct {
	// Caller is who takes turns with others for the processes; any text.
	Caller string
	// Job is the program. Limits of it that are 0 are the pool's.
	Job wire.Job
	// Timeout is how long it may run where that is less than the pool allows; 0 is
	// the pool's.
	Timeout time.Duration
}

// Result is what became of a program. Beside an error it holds what is known: what
// was printed until the time limit, or until the process ended.
type Result struct {
	// Reply is how the program ended; without an outcome where there is an error.
	Reply wire.Reply
	// Stdout and Stderr are what it printed, cut off at the pool's limit, perhaps
	// within a character.
	Stdout, Stderr []byte
	// DroppedOut and DroppedErr are how many bytes of each did not fit.
	DroppedOut, DroppedErr int64
	// Waited is how long it was in the queue.
	Waited time.Duration
	// Ran is from when a process got it until the answer, seen from here.
	Ran time.Duration
	// TimedOut says that it was ended at the time limit: the error is then tool.Timeout.
	TimedOut bool
	// Begun says that something of it has been run.
	Begun bool
}
