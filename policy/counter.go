package policy

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// By says whose calls are counted together.
type By string

// The ways of counting the calls of one tool.
const (
	ByCaller By = "caller" // those of one caller
	ByChat   By = "chat"   // those of one chat of one caller
	ByTool   By = "tool"   // all of them
)

// Subject is what calls are counted for. Fields that By does not speak of are
// empty.
type Subject struct {
	By     By
	Tool   string // full name
	Caller string // ID
	Chat   string // ID
}

// Counter says how many calls have entered. It is safe for concurrent use.
type Counter interface {
	// Calls is the number of calls of a subject that entered in the time of
	// length window that ends now.
	Calls(s Subject, window time.Duration, now time.Time) int
}

// subject is what a call counts for in one of the ways.
func (r *Request) subject(by By) Subject {
	s := Subject{By: by}
	if r.Tool != nil {
		s.Tool = r.Tool.Name
	}
	if by == ByCaller || by == ByChat {
		s.Caller = r.Caller.ID
	}
	if by == ByChat {
		s.Chat = r.Chat.ID
	}
	return s
}

// MaxWindow is the longest time that calls() can look back.
const MaxWindow = 31 * 24 * time.Hour

// parseWindow reads a time to look back: one of Go's durations, or whole days
// with the unit d.
func parseWindow(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 16)
		d = time.Duration(n) * 24 * time.Hour
	}
	switch {
	case err != nil || d <= 0:
		return 0, fmt.Errorf("%q is no time to look back", text)
	case d > MaxWindow:
		return 0, fmt.Errorf("calls are counted for 31 days, and %q is longer", text)
	}
	return d, nil
}

func parseBy(text string) (By, error) {
	by := By(text)
	if by != ByCaller && by != ByChat && by != ByTool {
		return "", fmt.Errorf("calls are not counted by %q", text)
	}
	return by, nil
}
