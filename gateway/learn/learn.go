// Package learn keeps which searches led to calls of which tools, so that later
// searches find them better. A search is remembered for a while; a call of a tool that
// it found, in the same chat, makes a note of its query. Notes are shared by the
// callers of the same groups, and fade.
package learn

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// MaxPerTool is how many notes of one tool a group of callers may have: of more the
	// ones go that count least.
	MaxPerTool = 10
	// MaxTools is how many tools with notes a group of callers may have.
	MaxTools = 1000
	// MaxNotes is how many notes there may be of all groups of callers together.
	MaxNotes = 20_000
	// MaxQuery is the most bytes of a query that are kept; the rest is cut off.
	MaxQuery = 400
	// HalfLife is the time after which a note that nothing renews counts half. A call
	// that follows the same search makes it count in full again.
	HalfLife = 30 * 24 * time.Hour
	// LeastWeight is what a note must count at least to be kept: about four half-lives.
	LeastWeight = 0.06
)

// Everybody is the group of the notes that serve all callers.
const Everybody = ""

// Saved is a note as it is kept.
type Saved struct {
	Key
	Weight float64 // in (0, 1] when it was used; 0 says that it was taken out
	// Used is when a call last followed the search. The zero time is that of a note that
	// a person wrote: it does not fade and is not pushed out by others.
	Used time.Time
}

// Key tells notes apart.
type Key struct {
	Group string // see GroupOf; Everybody for a note that serves all callers
	Tool  string // full name
	Query string // what is left of it after [Clean]
}

// GroupOf names the group of callers that share notes: "group:" and the caller's groups,
// sorted and with commas between them, or "caller:" and its ID where it has none.
func GroupOf(c *tool.Caller) string {
	if len(c.Groups) == 0 {
		return "caller:" + c.ID
	}
	groups := slices.Compact(slices.Sorted(slices.Values(c.Groups)))
	for i, g := range groups {
		groups[i] = strings.NewReplacer("%", "%25", ",", "%2C").Replace(g)
	}
	return "group:" + strings.Join(groups, ",")
}

// at is what the note counts at a time.
func (s *Saved) at(now time.Time) float64 {
	if s.Used.IsZero() {
		return s.Weight
	}
	age := max(0, now.Sub(s.Used))
	return s.Weight * math.Exp2(-float64(age)/float64(HalfLife))
}

// faded reports whether the note counts too little to be kept.
func (s *Saved) faded(now time.Time) bool { return s.at(now) < LeastWeight && !s.written() }

// written reports whether a person wrote the note.
func (s *Saved) written() bool { return s.Used.IsZero() }

// entry is a note in memory.
type entry struct {
	Saved
	note  discovery.Note
	words string  // of the query, as far as searches tell them apart
	rank  float64 // orders notes by what they count: in seconds, as each halves alike
}

func newEntry(s Saved) *entry {
	words := discovery.Terms(s.Query)
	slices.Sort(words)
	e := &entry{Saved: s, note: discovery.NewNote(s.Tool, s.Query, s.Weight), words: strings.Join(words, "\x00")}
	e.rank = HalfLife.Seconds() * math.Log2(s.Weight)
	if !s.written() {
		e.rank += float64(s.Used.UnixMicro()) / 1e6
	}
	return e
}

// timeLayout is how times are written: as the store keeps them.
const timeLayout = "2006-01-02T15:04:05.999999Z07:00"

func parseTime(text string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	return at.UTC().Truncate(time.Microsecond), err
}
