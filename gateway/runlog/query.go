package runlog

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Bounds of [Query.Limit].
const (
	DefaultLimit = 50
	MaxLimit     = 100_000
)

// CodeOK is what [Query.Code] calls a call that went well.
const CodeOK tool.Code = "ok"

// Query says which calls to find; the zero value finds the newest
// [DefaultLimit] of all.
type Query struct {
	Limit  int       // most calls to return; DefaultLimit when zero, at most MaxLimit
	Tool   string    // name as it was called, * for any text and ? for one character
	Code   tool.Code // how it ended: one of tool's codes, or CodeOK
	Since  time.Time // when it came in, at the earliest
	CallID string
}

// selection keeps the newest calls that match a query, and at most as many
// again before it lets go of the oldest.
type selection struct {
	query Query
	tool  *regexp.Regexp // nil for any
	kept  []Entry
}

func newSelection(q Query) (*selection, error) {
	if q.Limit < 0 || q.Limit > MaxLimit {
		return nil, fmt.Errorf("the limit of calls is between 1 and %d, not %d", MaxLimit, q.Limit)
	}
	q.Limit = cmp.Or(q.Limit, DefaultLimit)
	s := &selection{query: q}
	if q.Tool == "" {
		return s, nil
	}
	pattern := strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(q.Tool))
	var err error
	s.tool, err = regexp.Compile(`(?s)^` + pattern + `$`)
	return s, err
}

func (s *selection) matches(e *Entry) bool {
	q := &s.query
	switch {
	case q.CallID != "" && e.CallID != q.CallID,
		s.tool != nil && !s.tool.MatchString(e.Tool),
		e.Time.Before(q.Since):
		return false
	case q.Code == CodeOK:
		return e.Status == StatusOK
	}
	return q.Code == "" || e.Code == q.Code
}

func (s *selection) add(e Entry) {
	if !s.matches(&e) {
		return
	}
	s.kept = append(s.kept, e)
	if len(s.kept) == 2*s.query.Limit {
		s.prune()
	}
}

// prune sorts what is kept and drops the oldest over the limit. Calls of the
// same microsecond stay in the order in which they were read.
func (s *selection) prune() {
	slices.SortStableFunc(s.kept, func(a, b Entry) int { return a.Time.Compare(b.Time) })
	s.kept = slices.Delete(s.kept, 0, max(0, len(s.kept)-s.query.Limit))
}

// entries returns what is kept, oldest first.
func (s *selection) entries() []Entry {
	s.prune()
	return s.kept
}
