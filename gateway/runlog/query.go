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
	Limit    int       // most calls to return; DefaultLimit when zero, at most MaxLimit
	Tool     string    // name as it was called, * for any text and ? for one character
	Code     tool.Code // how it ended: one of tool's codes, or CodeOK
	Status   Status    // how it stands; StatusInterrupted also finds calls that a stop of the gateway ended
	Since    time.Time // when it came in, at the earliest
	CallID   string
	Caller   string // name of the caller, with * and ?, or kind/name
	CallerID string
	Chat     string
	Decision string // what policy said: allow, deny or ask
	Rule     string // that decided
	Before   Cursor // only calls older than this one
}

// Cursor is the place of a call in the order of the log: by the time it came in,
// and its identifier where several came at once. The zero value is behind all.
type Cursor struct {
	Time   time.Time
	CallID string
}

// At is the entry's place in the order of the log.
func (e *Entry) At() Cursor { return Cursor{e.Time, e.CallID} }

// Compare is negative where c is older than other.
func (c Cursor) Compare(other Cursor) int {
	return cmp.Or(c.Time.Compare(other.Time), strings.Compare(c.CallID, other.CallID))
}

// selection keeps the newest calls that match a query, and at most as many
// again before it lets go of the oldest.
type selection struct {
	query   Query
	matcher *matcher
	kept    []Entry
}

func newSelection(q Query) (*selection, error) {
	if q.Limit < 0 || q.Limit > MaxLimit {
		return nil, fmt.Errorf("the limit of calls is between 1 and %d, not %d", MaxLimit, q.Limit)
	}
	q.Limit = cmp.Or(q.Limit, DefaultLimit)
	m, err := newMatcher(q)
	return &selection{query: q, matcher: m}, err
}

func (s *selection) add(e Entry) {
	if !s.matcher.matches(&e) {
		return
	}
	s.kept = append(s.kept, e)
	if len(s.kept) == 2*s.query.Limit {
		s.prune()
	}
}

// prune sorts what is kept and drops the oldest over the limit.
func (s *selection) prune() {
	slices.SortFunc(s.kept, func(a, b Entry) int { return a.At().Compare(b.At()) })
	s.kept = slices.Delete(s.kept, 0, max(0, len(s.kept)-s.query.Limit))
}

// entries returns what is kept, oldest first.
func (s *selection) entries() []Entry {
	s.prune()
	return s.kept
}

// matcher tells the calls that match a query.
type matcher struct {
	query        Query
	tool, caller *regexp.Regexp // nil for any
	kind         tool.Kind      // of a caller whose name matches named
	named        *regexp.Regexp // nil where no kind is asked for
}

func newMatcher(q Query) (*matcher, error) {
	toolGlob, err := globOf(q.Tool)
	if err != nil {
		return nil, err
	}
	caller, err := globOf(q.Caller)
	if err != nil {
		return nil, err
	}
	m := &matcher{query: q, tool: toolGlob, caller: caller}
	if kind, name, ok := q.CallerKind(); ok {
		m.kind = kind
		m.named, err = globOf(name)
	}
	return m, err
}

// CallerKind splits a Caller that is written as kind/name; ok is false for one
// without a kind or without a name. A caller's own name may look like it, too.
func (q *Query) CallerKind() (kind tool.Kind, name string, ok bool) {
	word, name, _ := strings.Cut(q.Caller, "/")
	known := []tool.Kind{tool.KindMCP, tool.KindHTTP, tool.KindCLI, tool.KindGo}
	return tool.Kind(word), name, name != "" && slices.Contains(known, tool.Kind(word))
}

func globOf(text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	pattern := strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(text))
	return regexp.Compile(`(?s)^` + pattern + `$`)
}

func (m *matcher) matches(e *Entry) bool {
	q := &m.query
	for _, is := range [...]struct{ want, got string }{
		{q.CallID, e.CallID},
		{q.CallerID, e.Caller.ID},
		{q.Chat, e.Chat},
		{q.Decision, e.Decision},
		{q.Rule, e.Rule},
	} {
		if is.want != "" && is.want != is.got {
			return false
		}
	}
	switch {
	case m.tool != nil && !m.tool.MatchString(e.Tool), !m.made(&e.Caller), !m.stands(e),
		e.Time.Before(q.Since),
		q.Before != (Cursor{}) && e.At().Compare(q.Before) >= 0:
		return false
	case q.Code == CodeOK:
		return e.Status == StatusOK
	}
	return q.Code == "" || e.Code == q.Code
}

// made reports whether the caller is one that is asked for.
func (m *matcher) made(c *Caller) bool {
	return m.caller == nil || m.caller.MatchString(c.Name) || m.named != nil && c.Kind == m.kind && m.named.MatchString(c.Name)
}

// stands reports whether the call stands as it is asked for.
func (m *matcher) stands(e *Entry) bool {
	want := m.query.Status
	return want == "" || want == e.Status || want == StatusInterrupted && e.Code == tool.Interrupted
}
