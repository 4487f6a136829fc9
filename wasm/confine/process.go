package confine

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Process confines this process as far as its system can, and says how far that is.
// There is no way back. Nothing else may open or close descriptors, or start a
// process, meanwhile. After an error the process is confined in part and has to end.
func Process(l Limits) (Report, error) {
	if l.User == 0 {
		l.User = Unprivileged
	}
	if l.Threads == 0 {
		l.Threads = DefaultThreads
	}
	return takeAll(&taking{Limits: l}, steps())
}

// A taking is what the steps of one call know of each other.
type taking struct {
	Limits
	// mapped is the address space at the beginning, in bytes; 0 is not known.
	mapped uint64
	// highest is the highest descriptor that is left.
	highest int
	// alone is that the user is the workers' own.
	alone bool
	// detail is what the present step adds to its name in the report.
	detail string
}

// A step takes one thing away. Its error is an absent where the system has no such
// thing.
type step struct {
	what string
	take func(*taking) error
}

// absent says why a system cannot take something away.
type absent string

func (a absent) Error() string { return string(a) }

// absentf is an absent with the reason written as by fmt.Sprintf.
func absentf(format string, args ...any) error { return absent(fmt.Sprintf(format, args...)) }

func takeAll(t *taking, steps []step) (Report, error) {
	var r Report
	for _, s := range steps {
		t.detail = ""
		err := s.take(t)
		var why absent
		switch {
		case errors.As(err, &why):
			r.Missing = append(r.Missing, Missing{What: s.what, Why: string(why)})
		case err != nil:
			return r, fmt.Errorf("confining this process: %s: %w", s.what, err)
		default:
			r.Held = append(r.Held, strings.TrimSpace(s.what+" "+t.detail))
		}
	}
	return r, nil
}

// environment forgets the environment. What a process was started with stays in its
// memory nonetheless: it has to be started with none.
func environment(*taking) error {
	n := len(os.Environ())
	os.Clearenv()
	if n > 0 {
		return absentf("%d variables were set when the process was started, and their text may still be in its memory", n)
	}
	return nil
}
