package policy

import (
	"container/list"
	"slices"
	"sync"
	"time"
)

// MaxSubjects is how many subjects of each By a MemoryCounter remembers; beyond
// it the one that has been quiet for longest is forgotten.
const MaxSubjects = 10_000

// ages says how finely calls of an age are told apart. Calls that fall
// together count as made at the latest of their times, so that a count may be
// too high by what one step holds and is never too low.
var ages = []struct{ below, step time.Duration }{
	{time.Minute, time.Second},
	{time.Hour, time.Minute},
	{24 * time.Hour, 15 * time.Minute},
	{MaxWindow, 6 * time.Hour},
}

// MemoryCounter is a [Counter] that keeps its counts in memory: for each
// subject at most a few hundred numbers, however many calls there are. The
// zero value is ready. A restart forgets.
type MemoryCounter struct {
	mu    sync.Mutex // guards kinds
	kinds map[By]*subjects
	turns sync.Map // of *sync.Mutex, by the full name of a tool
}

// subjects are the counts of one By, the last one that called in front.
type subjects struct {
	known map[Subject]*list.Element // of *tally
	order list.List
}

// tally is the calls of one subject, oldest first.
type tally struct {
	subject Subject
	steps   []step
	tidied  time.Time // when steps were last put together
}

// step is some calls of about one time.
type step struct {
	at    int64 // the latest of them, in nanoseconds since 1970
	calls int
}

// Count counts a call for everything that it may be counted for.
func (c *MemoryCounter) Count(req *Request) {
	now := req.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, by := range []By{ByCaller, ByChat, ByTool} {
		c.tally(req.subject(by)).add(now)
	}
}

// InTurn runs decide while no other call of the tool is in its own, and counts
// the call when decide reports that it was allowed: what decide finds with Calls
// is then still true when the call counts. Where a limit of n stands, n run,
// however many come at the same time.
func (c *MemoryCounter) InTurn(req *Request, decide func() (allowed bool)) {
	turn, _ := c.turns.LoadOrStore(req.Tool.Name, new(sync.Mutex))
	mu := turn.(*sync.Mutex)
	mu.Lock()
	defer mu.Unlock()
	if decide() {
		c.Count(req)
	}
}

// Calls is as Counter says.
func (c *MemoryCounter) Calls(s Subject, window time.Duration, now time.Time) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	kind := c.kinds[s.By]
	if kind == nil || kind.known[s] == nil {
		return 0
	}
	t := kind.known[s].Value.(*tally)
	after, calls := now.Add(-window).UnixNano(), 0
	for _, step := range slices.Backward(t.steps) {
		if step.at <= after {
			break
		}
		calls += step.calls
	}
	return calls
}

// tally finds or makes the tally of a subject that calls now.
func (c *MemoryCounter) tally(s Subject) *tally {
	if c.kinds == nil {
		c.kinds = map[By]*subjects{}
	}
	kind := c.kinds[s.By]
	if kind == nil {
		kind = &subjects{known: map[Subject]*list.Element{}}
		c.kinds[s.By] = kind
	}
	if e := kind.known[s]; e != nil {
		kind.order.MoveToFront(e)
		return e.Value.(*tally)
	}
	if len(kind.known) >= MaxSubjects {
		oldest := kind.order.Remove(kind.order.Back()).(*tally)
		delete(kind.known, oldest.subject)
	}
	t := &tally{subject: s}
	kind.known[s] = kind.order.PushFront(t)
	return t
}

// add counts a call. Time that goes back, as clocks may, counts as standing
// still.
func (t *tally) add(now time.Time) {
	at := now.UnixNano()
	if n := len(t.steps); n > 0 {
		last := &t.steps[n-1]
		if at = max(at, last.at); last.at/int64(ages[0].step) == at/int64(ages[0].step) {
			last.at = at
			last.calls++
			return
		}
	}
	t.steps = append(t.steps, step{at, 1})
	if now.Sub(t.tidied) >= ages[0].below {
		t.tidy(now)
	}
}

// tidy puts together what has become too old to be told apart, and forgets
// what is older than any window.
func (t *tally) tidy(now time.Time) {
	t.tidied = now
	kept := t.steps[:0]
	for _, s := range t.steps {
		size := stepOf(now.Sub(time.Unix(0, s.at)))
		if size == 0 {
			continue
		}
		if n := len(kept); n > 0 && kept[n-1].at/int64(size) == s.at/int64(size) {
			kept[n-1].at = s.at
			kept[n-1].calls += s.calls
			continue
		}
		kept = append(kept, s)
	}
	t.steps = kept
}

// stepOf is how finely calls of an age are told apart; 0 when they are
// forgotten.
func stepOf(age time.Duration) time.Duration {
	for _, a := range ages {
		if age < a.below {
			return a.step
		}
	}
	return 0
}
