package httpapi

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

// maxPage is the most calls that are shown at once.
const maxPage = 1000

// Log is the record of calls. Complete is false where a part of it cannot be read
// now.
type Log interface {
	// Find gives the newest calls that match, oldest first.
	Find(ctx context.Context, q runlog.Query) (entries []runlog.Entry, complete bool, err error)
	// Summarise counts the calls that match by tool.
	Summarise(ctx context.Context, q runlog.Query) (summaries []runlog.Summary, complete bool, err error)
}

// logParameters are the filters of the log.
func logParameters() []string {
	return []string{"tool", "code", "status", "since", "caller", "chat", "decision", "rule"}
}

// pageJSON is a page of the log, the newest call first.
type pageJSON struct {
	Calls      []json.RawMessage `json:"calls"`
	Next       string            `json:"next,omitempty"` // the cursor of the page behind; empty where there is none
	Incomplete bool              `json:"incomplete,omitempty"`
}

// showLog answers with a page of the log: of all calls for who may everything, of
// one's own calls for others.
func (a *api) showLog(w http.ResponseWriter, r *http.Request) {
	values, p := query(r, append([]string{"limit", "cursor"}, logParameters()...)...)
	var q runlog.Query
	if p == nil {
		q, p = logQuery(r, values)
	}
	if p == nil {
		p = page(&q, values)
	}
	if p != nil {
		p.write(w)
		return
	}
	entries, complete, err := a.log.Find(r.Context(), q)
	if err != nil {
		a.logUnread(w, r, err)
		return
	}
	answer := pageJSON{Calls: make([]json.RawMessage, 0, len(entries)), Incomplete: !complete}
	for _, e := range slices.Backward(entries) {
		data, err := shownEntry(r, e)
		if err != nil {
			a.logUnread(w, r, err)
			return
		}
		answer.Calls = append(answer.Calls, data)
	}
	if len(entries) == q.Limit {
		answer.Next = cursorOf(entries[0].At())
	}
	noStore(w)
	writeJSON(w, http.StatusOK, answer)
}

// showRecord answers with one call of the log.
func (a *api) showRecord(w http.ResponseWriter, r *http.Request) {
	values, p := query(r)
	var q runlog.Query
	if p == nil {
		q, p = logQuery(r, values)
	}
	if p != nil {
		p.write(w)
		return
	}
	q.CallID, q.Limit = r.PathValue("id"), 1
	entries, complete, err := a.log.Find(r.Context(), q)
	switch {
	case err != nil, len(entries) == 0 && !complete:
		a.logUnread(w, r, err)
		return
	case len(entries) == 0:
		p := &problem{
			status: http.StatusNotFound, Type: string(tool.NotFound), Message: "no call of this id is in the log",
			Hint: "Only your own calls are shown, and calls are kept for some time only.",
		}
		p.write(w)
		return
	}
	data, err := shownEntry(r, entries[0])
	if err != nil {
		a.logUnread(w, r, err)
		return
	}
	noStore(w)
	writeJSON(w, http.StatusOK, json.RawMessage(data))
}

// showLogStats answers with counts by tool.
func (a *api) showLogStats(w http.ResponseWriter, r *http.Request) {
	values, p := query(r, logParameters()...)
	var q runlog.Query
	if p == nil {
		q, p = logQuery(r, values)
	}
	if p != nil {
		p.write(w)
		return
	}
	summaries, complete, err := a.log.Summarise(r.Context(), q)
	if err != nil {
		a.logUnread(w, r, err)
		return
	}
	noStore(w)
	writeJSON(w, http.StatusOK, struct {
		Tools      []runlog.Summary `json:"tools"`
		Incomplete bool             `json:"incomplete,omitempty"`
	}{append([]runlog.Summary{}, summaries...), !complete})
}

// logUnread tells that the log cannot be read; why is for the operator. The error is
// nil where that was said already.
func (a *api) logUnread(w http.ResponseWriter, r *http.Request, err error) {
	if err != nil && r.Context().Err() == nil {
		a.logger.WarnContext(r.Context(), "the record of calls cannot be read", "problem", err)
	}
	p := &problem{
		status: http.StatusServiceUnavailable, Type: typeInternal, after: overloadedAfter,
		Message: "the record of calls cannot be read now", Hint: "Try again later, or tell the operator: the gateway's log says why.",
	}
	p.write(w)
}

// shownEntry is a call as whoever asks may see it. What only the operator may read, and
// arguments, which the server may have set, are left out of one's own calls.
func shownEntry(r *http.Request, e runlog.Entry) ([]byte, error) {
	if who := caller(r); !who.Can(tool.MayAdmin) {
		e.Arguments, e.Rule, e.Notes, e.Cause = nil, "", nil, ""
	}
	return e.MarshalJSON()
}

// logQuery reads the filters, and confines a caller to its own calls.
func logQuery(r *http.Request, values url.Values) (runlog.Query, *problem) {
	q := runlog.Query{
		Tool: values.Get("tool"), Code: tool.Code(values.Get("code")), Status: runlog.Status(values.Get("status")),
		Caller: values.Get("caller"), Chat: values.Get("chat"), Decision: values.Get("decision"), Rule: values.Get("rule"),
	}
	who := caller(r)
	switch {
	case who.Can(tool.MayAdmin):
	case who.Can(tool.MayCall):
		if q.CallerID = who.ID; q.Rule != "" {
			return q, badQuery("rule is a filter for admins", "Leave it out.")
		}
	default:
		return q, lacks(r, tool.MayCall)
	}
	for _, p := range []*problem{
		oneOf("code", q.Code, append([]tool.Code{runlog.CodeOK}, tool.Codes()...)),
		oneOf("status", q.Status, runlog.Statuses()), oneOf("decision", q.Decision, runlog.Decisions()),
	} {
		if p != nil {
			return q, p
		}
	}
	return q, since(&q, values)
}

func oneOf[T ~string](name string, value T, known []T) *problem {
	if value == "" || slices.Contains(known, value) {
		return nil
	}
	words := make([]string, len(known))
	for i, k := range known {
		words[i] = string(k)
	}
	return badQuery(fmt.Sprintf("%s is %q", name, value), knownHint(string(value), words))
}

func since(q *runlog.Query, values url.Values) *problem {
	text := values.Get("since")
	if text == "" {
		return nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago > 0 {
		q.Since = time.Now().Add(-ago)
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return badQuery(fmt.Sprintf("since is %q", text), "Give a time such as 2026-01-31T12:00:00Z, or how long ago, such as 15m or 48h.")
	}
	q.Since = at
	return nil
}

// page reads which page is asked for.
func page(q *runlog.Query, values url.Values) *problem {
	q.Limit = runlog.DefaultLimit
	if text := values.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxPage {
			return badQuery(fmt.Sprintf("limit is %q", text), fmt.Sprintf("Give a number from 1 to %d.", maxPage))
		}
		q.Limit = n
	}
	if text := values.Get("cursor"); text != "" {
		before, ok := cursorFrom(text)
		if !ok {
			return badQuery("cursor is none of this log", `Use the "next" of a page as it is.`)
		}
		q.Before = before
	}
	return nil
}

// cursorOf writes a place in the log as text that means nothing to others. Calls
// that come later do not move it.
func cursorOf(c runlog.Cursor) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(c.Time.UnixMicro(), 10) + " " + c.CallID))
}

func cursorFrom(text string) (c runlog.Cursor, ok bool) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	at, id, found := strings.Cut(string(data), " ")
	us, errAt := strconv.ParseInt(at, 10, 64)
	if cmp.Or(err, errAt) != nil || !found || id == "" {
		return c, false
	}
	return runlog.Cursor{Time: time.UnixMicro(us), CallID: id}, true
}
