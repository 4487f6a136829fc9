package confine

import (
	"fmt"
	"strings"
)

// Unprivileged is the user and the group that a process of root becomes where
// [Limits] names none: the one that owns nothing, "nobody" on most systems.
const Unprivileged = 65534

// DefaultThreads is how many threads the user of workers may have in all where
// [Limits] says nothing. The kernel counts them for all processes of that user, in
// other containers too, and a Go program dies when it gets no more of them: so it is
// far above what workers need, and far below what a machine can have.
const DefaultThreads = 4096

// Limits are what a process keeps, and how much it may take from then on.
type Limits struct {
	// Memory is how much address space may be mapped beyond what is mapped at the
	// call, in bytes; 0 sets no limit. What is mapped by then, reserved space
	// included, does not count, and to map over it is no growth. A Go program dies
	// where it gets no more: it maps its heap in pieces of 64 MiB, so that less than
	// what the heap may grow by and 64 MiB is too little. 512 MiB leave room; builds
	// with cgo, whose threads reserve memory each for itself, want 1 GiB.
	Memory uint64
	// FileSize is how long a file may be made, or be written to, in bytes; it goes
	// for memfds too, but not for pipes, nor for what is written through a mapping.
	// 0 lets no file be written to.
	FileSize uint64
	// Keep are the descriptors above 2 that stay open, [Limits.Lifeline] apart. Each
	// has to be open. Those of Go's runtime stay without being named.
	Keep []int
	// Lifeline is the descriptor that [EndWith] is called with, 0 for none.
	Lifeline int
	// User is the user and group to become, 0 for [Unprivileged].
	User int
	// Threads is how many threads that user may have in all its processes, 0 for
	// [DefaultThreads]. It is set only where the user changes: one that has other
	// work to do counts that as well.
	Threads uint64
}

// Report is what [Process] did.
type Report struct {
	// Held are the things that the process has given up, or is limited to, each in a
	// few words.
	Held []string
	// Missing are those that the system did not have, or does not let it have.
	Missing []Missing
}

// Missing is one thing that does not hold.
type Missing struct {
	// What is the thing, in the words that [Report.Held] would have had.
	What string
	// Why says what stands in the way.
	Why string
}

// String is the report as one line for a log.
func (r Report) String() string {
	text := "held: " + strings.Join(r.Held, ", ")
	before := "; missing: "
	for _, m := range r.Missing {
		text += fmt.Sprintf("%s%s (%s)", before, m.What, m.Why)
		before = ", "
	}
	return text
}
