package python

import (
	"log/slog"
	"time"

	"github.com/toolgate/toolgate/wasm/python/wire"
)

// Config is how interpreters are run. Its zero value has every default but Command.
type Config struct {
	// Workers is how many programs run at a time; 0 is 2. There is one process more.
	Workers int
	// Timeout is how long a program may run, which does not count its wait for a
	// process; 0 is 30 s.
	Timeout time.Duration
	// Queue is how many programs may wait for a process; 0 is 64.
	Queue int
	// Wait is how long a program may wait for a process; 0 is 2 min.
	Wait time.Duration
	// Output is how many bytes are kept of stdout, and of stderr: up to
	// [wire.MaxStream]; 0 is 1 MiB.
	Output int64
	// Limits are for jobs that state none of their own; each that is 0 is as
	// [DefaultLimits] has it.
	Limits wire.Limits
	// StartTimeout is how long a process may take until it can run a program: 0 is
	// 1 min, enough for compiling an interpreter that is in no cache.
	StartTimeout time.Duration
	// Command gives the command line of a process, the path of a program first; it is
	// asked before every start. Its error is why there is none, as the interpreter not being
	// installed yet: a *tool.Error in it is what callers get for as long as no process is
	// there. It is asked again after a while, and by [Pool.Wake]. It has to answer soon:
	// Close waits for it.
	Command func() (argv []string, err error)
	// Log takes starts that failed and processes that ended by themselves; nil is none.
	Log *slog.Logger

	reset, check time.Duration // tests do not have the time of resetTimeout and checkTimeout
}

// DefaultLimits are what a program may leave behind where nothing else is said: 256 KiB
// of value, 16 files, 32 MiB of files.
func DefaultLimits() wire.Limits {
	return wire.Limits{Value: 256 << 10, Artifacts: 16, Bytes: 32 << 20}
}

// Limits that no configuration changes.
const (
	// resetTimeout is how long a process may take between its reply and the next job.
	resetTimeout = 10 * time.Second
	// checkTimeout is how long it may take to say whether a program compiles that waits.
	checkTimeout = 5 * time.Second
	// saidBytes is how much of a process's own log is kept.
	saidBytes = 4 << 10
	// drainTime is for what a process leaves in its pipes when others hold them, too.
	drainTime = time.Second
	// statusTime is for the exit status of a process whose pipe has ended.
	statusTime = 250 * time.Millisecond

	// downAfter is how many starts fail in a row until callers are told so at once.
	downAfter = 3
	// firstRetry and lastRetry are the shortest and the longest time between starts that fail.
	firstRetry, lastRetry = 200 * time.Millisecond, 30 * time.Second
	// infancy is how long after its start the end of a process that has answered nothing counts
	// as a start that failed.
	infancy = 10 * time.Second

	// mostSlow is how many callers are known whose last program ran too long.
	mostSlow = 1024
)

// withDefaults has a value for everything.
func (c Config) withDefaults() Config {
	or(&c.Workers, 2)
	or(&c.Timeout, 30*time.Second)
	or(&c.Queue, 64)
	or(&c.Wait, 2*time.Minute)
	or(&c.Output, 1<<20)
	or(&c.StartTimeout, time.Minute)
	or(&c.reset, resetTimeout)
	or(&c.check, checkTimeout)
	c.Limits = limits(c.Limits, DefaultLimits())
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

func limits(l, otherwise wire.Limits) wire.Limits {
	or(&l.Value, otherwise.Value)
	or(&l.Artifacts, otherwise.Artifacts)
	or(&l.Bytes, otherwise.Bytes)
	return l
}

// or sets what is not stated.
func or[N int | int64 | time.Duration](n *N, otherwise N) {
	if *n <= 0 {
		*n = otherwise
	}
}
