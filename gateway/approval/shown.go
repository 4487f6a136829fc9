package approval

import (
	"encoding/json"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Shown is an approval as those see it who may answer: the JSON object of the HTTP
// API, of the command line and of webhooks. Times are UTC.
type Shown struct {
	ID         string          `json:"id"`
	State      State           `json:"state"`
	Tool       string          `json:"tool"`
	Origin     string          `json:"origin,omitempty"` // of a tool of a source: what would be sent, such as DELETE /pets/{id} at pets.yaml:8:5
	Summary    string          `json:"summary"`
	Arguments  json.RawMessage `json:"arguments"` // an object; a text where masking left none
	Reason     string          `json:"reason,omitempty"`
	Rule       string          `json:"rule,omitempty"`            // empty for the policy's default
	CallReason string          `json:"toolcall_reason,omitempty"` // why the model says it calls
	Caller     ShownCaller     `json:"caller"`
	Chat       string          `json:"chat"`
	Via        tool.Via        `json:"via"`
	ApproveBy  Where           `json:"approve_by"`
	Remember   []Scope         `json:"remember"` // how far an approval may be made to reach; often none
	Created    time.Time       `json:"created_at"`
	Expires    time.Time       `json:"expires_at"`
	Answer     *Answer         `json:"answer,omitempty"`
	UsedBy     string          `json:"used_by,omitempty"` // the call that was let through
	Ending     string          `json:"ending,omitempty"`  // why it was ended
	CallID     string          `json:"call_id"`           // the call that asked
	Notified   bool            `json:"notified"`          // a webhook took it
}

// ShownCaller is who made the call.
type ShownCaller struct {
	ID   string    `json:"id"`
	Name string    `json:"name"`
	Kind tool.Kind `json:"kind"`
}

// Show gives the approval as it stands at a time. Whatever has to be masked is
// masked already.
func (a *Approval) Show(now time.Time) Shown {
	s := Shown{
		ID: a.ID, State: a.At(now), Tool: a.Tool, Origin: a.Origin, Summary: a.Summary, Arguments: a.Arguments, Reason: a.Reason, Rule: a.Rule,
		CallReason: a.CallReason, Caller: ShownCaller{a.Caller.ID, a.Caller.Name, a.Caller.Kind}, Chat: a.Chat, Via: a.Via,
		ApproveBy: a.Where, Remember: append([]Scope{}, a.Remember...), Created: a.Created.UTC(), Expires: a.Expires.UTC(),
		UsedBy: a.UsedBy, Ending: a.Ending, CallID: a.CallID, Notified: a.Told,
	}
	if !json.Valid(s.Arguments) {
		s.Arguments, _ = json.Marshal(string(a.Arguments)) // a text always encodes
	}
	if a.Answer != nil {
		own := *a.Answer
		own.Time = own.Time.UTC()
		s.Answer = &own
	}
	return s
}
