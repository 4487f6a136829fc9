package runlog

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Limits of a record's texts. A longer text is cut and says how much is
// missing, so that a single call cannot fill the disk or hide itself in a line
// that nobody reads.
const (
	MaxName = 256  // characters of an identifier or a name
	MaxText = 4000 // characters of a reason, an error or its cause, or a note

	MaxNotes = 20 // notes of a call
)

// timeLayout is RFC 3339 with microseconds, always of the same width.
const timeLayout = "2006-01-02T15:04:05.000000Z07:00"

// Caller is who made a call.
type Caller struct {
	ID   string    `json:"id,omitempty"`
	Name string    `json:"name,omitempty"`
	Kind tool.Kind `json:"kind,omitempty"`
}

// Approval is what a person said of a call.
type Approval struct {
	ID         string `json:"id"`
	Answer     string `json:"answer,omitempty"`     // approved, denied, expired or ended; empty while nobody answered
	By         string `json:"by,omitempty"`         // name of who answered
	From       string `json:"from,omitempty"`       // from where: http, cli or client
	Note       string `json:"note,omitempty"`       // what they said with it
	Remembered string `json:"remembered,omitempty"` // how far the answer reaches
}

// Record is what is known of a call. The record of a start has no result, code
// or duration yet; the record of an end is complete without its start.
type Record struct {
	CallID   string
	Parent   string    // the call this one was made from, or empty
	Request  string    // the request it came in with, or empty
	Time     time.Time // when the call came in; now less Duration when zero
	Tool     string    // as it was called
	Caller   Caller
	Chat     string // ID of the conversation it belongs to
	Via      tool.Via
	ReadOnly bool
	// Arguments are the JSON the tool was given or, where it never came to
	// that, what was sent, which need not be JSON.
	Arguments json.RawMessage
	Result    string // the answer as text, of a failed call where its tool had answered something; the journal keeps its beginning
	Decision  string // allow, deny or ask; empty when policy was not asked
	Rule      string // the policy rule that decided
	Reason    string // the reason that rule gives
	// CallReason is why the model says it made the call.
	CallReason string
	Notes      []string  // what was done to the call on its way, such as a hook that was skipped
	Approval   *Approval // of a call about which a person was asked; else nil
	Code       tool.Code // empty for a call that went well
	Error      string    // the sentence the caller was given
	Cause      string    // what only the operator may read
	Duration   time.Duration
	// Logged says how much of Arguments and Result the journal keeps. It is not
	// itself recorded.
	Logged tool.Logged
}

// Status is how a call stands.
type Status string

// The ways a call stands.
const (
	StatusOK          Status = "ok"
	StatusError       Status = "error"
	StatusRunning     Status = "running"     // started by a process that lives
	StatusInterrupted Status = "interrupted" // its process is gone and never recorded an end
)

// Statuses are all ways a call stands.
func Statuses() []Status {
	return []Status{StatusOK, StatusError, StatusRunning, StatusInterrupted}
}

// Decisions are what policy may say of a call.
func Decisions() []string { return []string{"allow", "deny", "ask"} }

// Entry is one call as [Read] finds it.
type Entry struct {
	Record
	Status Status
}

// kind says which half of a call a line tells of.
type kind string

const (
	kindStart kind = "start"
	kindEnd   kind = "end"
)

// line is a record as the journal and the command line write it.
type line struct {
	Kind          kind            `json:"kind,omitempty"`
	Status        Status          `json:"status,omitempty"`
	CallID        string          `json:"call_id"`
	Parent        string          `json:"parent,omitempty"`
	Request       string          `json:"request,omitempty"`
	Time          string          `json:"time"`
	Tool          string          `json:"tool"`
	Caller        Caller          `json:"caller"`
	Chat          string          `json:"chat,omitempty"`
	Via           tool.Via        `json:"via,omitempty"`
	ReadOnly      bool            `json:"read_only,omitempty"`
	Arguments     json.RawMessage `json:"arguments,omitempty"`
	ArgumentsText string          `json:"arguments_text,omitempty"` // in place of Arguments that are not JSON
	Result        string          `json:"result,omitempty"`
	Decision      string          `json:"decision,omitempty"`
	Rule          string          `json:"rule,omitempty"`
	Reason        string          `json:"reason,omitempty"`
	CallReason    string          `json:"toolcall_reason,omitempty"`
	Notes         []string        `json:"notes,omitempty"`
	Approval      *Approval       `json:"approval,omitempty"`
	Code          tool.Code       `json:"code,omitempty"`
	Error         string          `json:"error,omitempty"`
	Cause         string          `json:"cause,omitempty"`
	DurationMS    float64         `json:"duration_ms,omitempty"`
}

// Finish fills in what the answer to the call says of its end.
func (r *Record) Finish(result *tool.Result) {
	r.Duration = result.Duration
	e := result.Error
	if e == nil {
		r.Result = result.Output.Text()
		return
	}
	if text := result.Output.Text(); strings.HasPrefix(text, e.Text()+"\n") { // the tool had answered something
		r.Result = text
	}
	r.Code, r.Error = e.Code, e.Message
	if e.Cause != nil {
		r.Cause = e.Cause.Error()
	}
}

// trimmed returns the record with its texts cut to their limits.
func (r Record) trimmed(o Options) Record {
	for _, name := range []*string{&r.CallID, &r.Parent, &r.Request, &r.Tool, &r.Caller.ID, &r.Caller.Name, &r.Chat, &r.Rule} {
		*name = cut(*name, MaxName)
	}
	for _, text := range []*string{&r.Reason, &r.CallReason, &r.Error, &r.Cause} {
		*text = cut(*text, MaxText)
	}
	r.Notes = cutNotes(r.Notes)
	r.Arguments = cutArguments(reduced(r.Arguments, r.Logged.Arguments), o.MaxArguments)
	r.Result = o.kept(r.Result, r.Logged.Results)
	return r
}

// newLine turns a record into a line.
func newLine(k kind, r *Record) line {
	at := r.Time
	if at.IsZero() {
		at = time.Now().Add(-r.Duration)
	}
	return line{
		Kind: k, CallID: r.CallID, Parent: r.Parent, Request: r.Request, Time: at.UTC().Format(timeLayout), Tool: r.Tool,
		Caller: r.Caller, Chat: r.Chat, Via: r.Via, ReadOnly: r.ReadOnly, Arguments: r.Arguments, Result: r.Result,
		Decision: r.Decision, Rule: r.Rule, Reason: r.Reason, CallReason: r.CallReason, Notes: r.Notes, Approval: r.Approval,
		Code: r.Code, Error: r.Error, Cause: r.Cause,
		DurationMS: float64(r.Duration.Microseconds()) / 1000,
	}
}

// errNoRecord is a line that is JSON but no record of a call.
var errNoRecord = errors.New("not a record of a call")

// parseLine reads a line of a journal.
func parseLine(data []byte) (kind, Record, error) {
	var l line
	if err := json.Unmarshal(data, &l); err != nil {
		return "", Record{}, err
	}
	at, err := time.Parse(time.RFC3339, l.Time)
	if err != nil || l.CallID == "" || (l.Kind != kindStart && l.Kind != kindEnd) {
		return "", Record{}, errNoRecord
	}
	return l.Kind, l.record(at.UTC()), nil
}

func (l *line) record(at time.Time) Record {
	args := l.Arguments
	if l.ArgumentsText != "" {
		args = json.RawMessage(l.ArgumentsText)
	}
	return Record{
		CallID: l.CallID, Parent: l.Parent, Request: l.Request, Time: at, Tool: l.Tool, Caller: l.Caller, Chat: l.Chat, Via: l.Via,
		ReadOnly: l.ReadOnly, Arguments: args, Result: l.Result, Decision: l.Decision, Rule: l.Rule,
		Reason: l.Reason, CallReason: l.CallReason, Notes: l.Notes, Approval: l.Approval, Code: l.Code, Error: l.Error, Cause: l.Cause,
		Duration: time.Duration(l.DurationMS*1000) * time.Microsecond,
	}
}
