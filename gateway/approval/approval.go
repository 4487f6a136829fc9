package approval

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Limits of approvals.
const (
	DefaultExpires = time.Hour // how long a call may wait for a person
	MaxExpires     = 30 * 24 * time.Hour
	DefaultWait    = 45 * time.Second // how long a caller is kept waiting for an answer
	MaxWait        = 10 * time.Minute
	// MaxPending is how many calls of one caller may wait for a person at a time:
	// nobody reads more.
	MaxPending = 100
	// MaxPendingOfAll is how many of all callers may.
	MaxPendingOfAll = 10_000
	// MaxArguments is the most bytes that the arguments of a call may have about
	// which a person is asked.
	MaxArguments = 64 << 10
	// MaxNote is the most characters that whoever answers may say.
	MaxNote = 1000
	// MaxSummary is the most characters of the line that says what is asked.
	MaxSummary = 300
	// RememberFor is how long an answer is remembered where that is allowed.
	RememberFor = 24 * time.Hour
	// KeepEnded is how long an approval that ended is kept, to be looked at, after it
	// expired or would have: at least that long after it ended.
	KeepEnded = 7 * 24 * time.Hour
)

// Config is the "approvals" section.
type Config struct {
	Expires time.Duration  `koanf:"expires"` // how long a call may wait where its rule does not say; DefaultExpires when absent
	Webhook *WebhookConfig `koanf:"webhook"` // who is told of calls that wait; nobody when nil
}

// WebhookConfig is a service that is told of calls that wait for a person. Both are
// templates.
type WebhookConfig struct {
	URL    string `koanf:"url"`
	Secret string `koanf:"secret"` // that requests are signed with
}

// State is how an approval stands.
type State string

// The states. Pending goes over to any other, Approved to Used, Denied, Expired or
// Ended, and nothing changes after that, but that a call which could not be started
// gives back what it used.
const (
	Pending  State = "pending"  // nobody answered yet
	Approved State = "approved" // a person agreed, and the call has not run yet
	Used     State = "used"     // the call was let through
	Denied   State = "denied"   // a person refused
	Expired  State = "expired"  // nobody answered, or the call was not made again, in time
	Ended    State = "ended"    // the configuration denies the call now, or has no such tool
)

// States are all of them, in the order of this page.
func States() []State { return []State{Pending, Approved, Used, Denied, Expired, Ended} }

// open reports whether something may become of it yet.
func (s State) open() bool { return s == Pending || s == Approved }

// Where says who may answer.
type Where string

// The ways of answering.
const (
	AtDesk  Where = "desk"   // people with the right to approve, at the gateway
	Client  Where = "client" // the user of the program that calls, in a form of that program
	Anybody Where = "any"    // either
)

// Scope is how far an answer reaches that is remembered.
type Scope string

// The scopes.
const (
	SameArgs Scope = "same_args" // calls of the same caller, tool and arguments, in any chat
	InChat   Scope = "chat"      // calls of the same caller and tool in the same chat, whatever the arguments
)

// Binding is what an approval is bound to.
type Binding struct {
	Caller string `json:"caller_id"` // ID of the caller
	Chat   string `json:"chat"`
	Tool   string `json:"tool"`
	Digest string `json:"digest"` // of the arguments, as lower-case hexadecimal SHA-256 of their canonical JSON
}

// Answer is what was said of an approval, by whom and from where.
type Answer struct {
	Time     time.Time `json:"time"`
	By       string    `json:"by"`                 // name of who answered
	ID       string    `json:"by_id,omitempty"`    // their identity
	From     string    `json:"from"`               // http, cli or client
	Note     string    `json:"note,omitempty"`     // in the record; a caller that is refused is told it
	Remember Scope     `json:"remember,omitempty"` // how far the answer reaches
	// Terms are those under which it was given, where they may be others than when it
	// was asked; nil for the same.
	Terms *string `json:"-"`
}

// Approval is one call that waits, or waited, for a person.
type Approval struct {
	ID string
	Binding
	Caller tool.Caller // who calls
	// Groups are the groups of tools that are active for the call where no chat says
	// so: those that it named itself.
	Groups []string
	// Hooks tells apart what is configured before calls of the tool: what a person is
	// asked about went through that.
	Hooks string
	// Print tells apart what the tool does (see [tool.Spec]), and Origin says so to
	// people where it is no declared one: both as they were when it was asked.
	Print      string
	Origin     string
	Profile    string // the fixed subset of tools that the call came through; empty for all
	Via        tool.Via
	Depth      int
	CallID     string          // the call that asked
	Arguments  json.RawMessage // as they are to run: an object
	CallReason string          // why the model says it makes the call
	Rule       string          // the rule that asks; empty for the policy's default
	Reason     string          // the reason that rule gives
	Summary    string          // one line that says what is asked
	Where      Where
	// Terms tells apart what a rule says of who may answer.
	Terms    string
	Limited  bool    // the rule says itself who may answer
	Remember []Scope // how far the answer may be made to reach
	Created  time.Time
	Expires  time.Time
	State    State
	Answer   *Answer // nil while nobody answered
	UsedBy   string  // the call that was let through
	Ending   string  // why it Ended or, of one that was Used, why nothing is remembered of it
	Told     bool    // whoever is to be told of it from outside was
	Change   int64   // goes up with every change of any approval in its store
}

// At is how it stands at a time.
func (a *Approval) At(now time.Time) State {
	if a.State.open() && !now.Before(a.Expires) {
		return Expired
	}
	return a.State
}

// Stands reports whether the same call, made again at that time, is answered by
// this approval: one that waits or was agreed to, and one that was refused, until
// it expires.
func (a *Approval) Stands(now time.Time) bool {
	return (a.State.open() || a.State == Denied) && now.Before(a.Expires)
}

// Offers reports whether whoever answers may make the answer reach so far.
func (a *Approval) Offers(s Scope) bool { return slices.Contains(a.Remember, s) }

// RuleKey names a rule for what is remembered: by its name, by what it says of who may
// answer, and by what the tool does, so that an answer does not outlive any of them.
func RuleKey(rule, terms, print string) string {
	if terms == "" && print == "" {
		return rule
	}
	return rule + "\x00" + terms + "\x00" + print
}

// Remembered reports whether the answer reaches further than the call.
func (a *Approval) Remembered() bool { return a.Answer != nil && a.Answer.Remember != "" }

// Forgets reports whether nothing is to be remembered of the approval: it is none
// any more, or what was remembered was taken back.
func (a *Approval) Forgets() bool {
	return a.State == Denied || a.State == Ended || a.Ending != ""
}

// Grant is an answer that is remembered: calls like the one it was given for need
// no other.
type Grant struct {
	Binding         // Digest is empty for InChat, Chat for SameArgs
	Rule     string // only where this rule asks
	Scope    Scope
	Approval string // the approval that was answered
	By       string // name of who answered
	Expires  time.Time
}

// Covers reports whether a call of the binding is one that the grant is for.
func (g *Grant) Covers(b Binding) bool {
	return g.Caller == b.Caller && g.Tool == b.Tool && (g.Scope == SameArgs && g.Digest == b.Digest || g.Scope == InChat && g.Chat == b.Chat)
}

// Query says which approvals are wanted; the zero value wants the newest of all.
type Query struct {
	State  State  // only those in this state at Now; empty for all
	Caller string // only those of calls of this caller, by ID; empty for all
	Prefix string // only those whose ID begins so
	After  string // only those that come after the one with this ID; empty for the newest
	Limit  int    // most of them; DefaultLimit when not above zero
	Now    time.Time
}

// DefaultLimit is how many approvals a query gives that names no other number, and
// MaxLimit the most.
const (
	DefaultLimit = 100
	MaxLimit     = 1000
)

// Store keeps approvals. A method that returns an error has most likely changed
// nothing, and can be tried again. What several processes do with one store happens
// one after the other. Times count to the microsecond.
type Store interface {
	// RaiseApproval keeps a new approval, unless one of the same binding stands at
	// the time it was created: then that one is given. It gives ErrTooMany where the
	// caller, or all callers together, have as many pending as most and all say.
	RaiseApproval(ctx context.Context, a *Approval, most, all int) (standing *Approval, err error)
	// StandingApproval gives the approval that stands for a binding, the oldest of
	// several, or nil.
	StandingApproval(ctx context.Context, b Binding, now time.Time) (*Approval, error)
	// Approval gives one by its ID, or nil.
	Approval(ctx context.Context, id string) (*Approval, error)
	// Approvals gives those of a query, the newest first.
	Approvals(ctx context.Context, q Query) ([]Approval, error)
	// ChangeApproval puts a in place of the approval with its ID if that is in the
	// state from and has not changed since a was read, as its Change tells, and keeps
	// grant, if there is one. Else it reports false. What was remembered of an
	// approval that is Denied or Ended now is forgotten.
	ChangeApproval(ctx context.Context, a *Approval, from State, grant *Grant) (changed bool, err error)
	// ApprovalChanges gives approvals that changed after the change, at most limit
	// of them, in the order of their changes.
	ApprovalChanges(ctx context.Context, after int64, limit int) ([]Approval, error)
	// LastApprovalChange is the highest change there is; 0 where there is none.
	LastApprovalChange(ctx context.Context) (int64, error)
	// ApprovalGrant gives a grant for calls of a binding about which the rule asks,
	// of one of the scopes, or nil.
	ApprovalGrant(ctx context.Context, b Binding, rule string, scopes []Scope, now time.Time) (*Grant, error)
	// SweepApprovals makes those Expired that are open and expired at now, and
	// forgets those that are not open and whose Expires lies before the time before,
	// which is not after now, and grants that are over. It gives how many it made
	// Expired.
	SweepApprovals(ctx context.Context, now, before time.Time) (expired int, err error)
}

// NewID makes an identifier of an approval, which ends in 130 random bits.
func NewID() string {
	const digits, length = "0123456789abcdefghijklmnopqrstuv", 26
	var random [length]byte
	_, _ = rand.Read(random[:]) // it never fails
	id := []byte("apr_")
	for _, b := range random {
		id = append(id, digits[b&31])
	}
	return string(id)
}
