package acceptance_test

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python"
	"github.com/toolgate/toolgate/wasm/python/pythontest"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

// brief is the time limit of attacks that may run into it.
const brief = time.Second

// someOfClass is how many attacks of each class the race detector looks on: all of them
// would take too long for every run of the tests.
const someOfClass = 4

// TestAttacks: a program comes to what its header says, whatever it tries, and the next
// ones find everything as it was.
func TestAttacks(t *testing.T) {
	attacks, err := pythontest.Attacks(os.DirFS("../testdata/attacks"))
	if err != nil {
		t.Fatal(err)
	}
	p, seen, classes := open(t, python.Config{Workers: 1}), states{}, map[string]int{}
	for _, a := range attacks {
		class, _, _ := strings.Cut(a.Name, "/")
		if raced && classes[class] == someOfClass {
			continue
		}
		classes[class]++
		t.Run(a.Name, func(t *testing.T) {
			p := &pool{p.Pool, t}
			attack(t, p, a)
			for range 3 { // one of two processes each
				seen.check(p)
			}
		})
	}
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		t.Logf("%s: %d attacks", class, classes[class])
	}
}

// attack runs one, and again with more time where it came to nothing within its own.
func attack(t *testing.T, p *pool, a pythontest.Attack) {
	request := python.Request{Job: wire.Job{Code: a.Code}}
	if slices.Contains(a.Outcomes, "timeout") {
		request.Timeout = brief
	}
	var r python.Result
	var wrong string
	for {
		before := p.deaths()
		var err error
		r, err = p.Run(context.Background(), request)
		p.calm()
		came, worn := comes(r, err), "no"
		if p.deaths() > before {
			worn = "yes"
		}
		t.Logf("%s: %s in %v, worker replaced: %s", a.What, came, r.Ran.Round(time.Millisecond), worn)
		if wrong = unexpected(a, r, came, worn); !r.TimedOut || wrong == "" || request.Timeout > patience {
			break
		}
		request.Timeout *= 10 // the machine may be slow
	}
	if wrong != "" {
		t.Errorf("%s; %s; stdout %.300q, stderr %.300q", wrong, ends(r), r.Stdout, r.Stderr)
	}
	harmless(t, r)
}

// unexpected says what an attack came to that it must not; "" is nothing.
func unexpected(a pythontest.Attack, r python.Result, came, worn string) string {
	f := r.Reply.Failure
	switch {
	case !slices.Contains(a.Outcomes, came):
		return "it comes to " + came + ", not to " + strings.Join(a.Outcomes, ", ")
	case came == "error" && f != nil && len(a.Types) > 0 && !slices.Contains(a.Types, f.Type):
		return "it ends by " + f.Type + ", not by " + strings.Join(a.Types, ", ")
	case a.Worn != "any" && a.Worn != worn && came != "timeout":
		return "its worker is replaced: " + worn + ", and not " + a.Worn
	case !strings.Contains(string(r.Stdout), a.Stdout):
		return fmt.Sprintf("%q is not in stdout", a.Stdout)
	case f != nil && !strings.Contains(f.Type+": "+f.Message, a.Error), f == nil && a.Error != "" && came != "timeout":
		return fmt.Sprintf("%q is not in its error", a.Error)
	}
	return ""
}

// comes says what a program came to, in the words of attacks.
func comes(r python.Result, err error) string {
	failed, _ := errors.AsType[*tool.Error](err)
	switch {
	case err == nil && r.Reply.Outcome == wire.Crashed, failed != nil && failed.Code == tool.UpstreamError:
		return "died"
	case r.TimedOut:
		return "timeout"
	case err != nil:
		return err.Error()
	}
	return string(r.Reply.Outcome)
}

// harmless reports what nobody wants to be given.
func harmless(t *testing.T, r python.Result) {
	if len(r.Stdout) > 1<<20 || len(r.Stderr) > 1<<20 || r.DroppedOut < 0 || r.DroppedErr < 0 {
		t.Errorf("%d bytes of stdout and %d of stderr, and %d and %d more", len(r.Stdout), len(r.Stderr), r.DroppedOut, r.DroppedErr)
	}
	total := 0
	for _, f := range r.Reply.Artifacts {
		total += len(f.Data)
	}
	if l := python.DefaultLimits(); len(r.Reply.Artifacts) > l.Artifacts || int64(total) > l.Bytes {
		t.Errorf("%d artifacts of %d bytes", len(r.Reply.Artifacts), total)
	}
	if f := r.Reply.Failure; f != nil && f.Line < 0 {
		t.Errorf("line %d", f.Line)
	}
}

// stateProgram prints what a program sees of its process.
//
//go:embed state.py
var stateProgram string

// states are what programs saw of their processes, by the name that they give to those. The
// same program sees the same each time.
type states map[string]string

// check reports what a process has kept of the programs before.
func (s states) check(p *pool) {
	p.t.Helper()
	name, state, _ := strings.Cut(p.prints(stateProgram), "\n")
	if first, known := s[name]; !known {
		s[name] = state
	} else if first != state {
		p.t.Errorf("a process is not as it was: %s", difference(first, state))
	}
}

// difference gives the lines that differ.
func difference(first, second string) string {
	a, b := strings.Split(first, "\n"), strings.Split(second, "\n")
	var found []string
	for i := range max(len(a), len(b)) {
		if one, other := line(a, i), line(b, i); one != other {
			found = append(found, fmt.Sprintf("%q was %q", other, one))
		}
	}
	return strings.Join(found, "; ")
}

func line(of []string, i int) string {
	if i < len(of) {
		return of[i]
	}
	return ""
}
