package httpapi

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Limits of a [Feed].
const (
	// feedSize is how many events are kept for those who come back.
	feedSize = 4096
	// maxFollowers is how many follow a feed at a time, and maxOwnFollowers how many
	// of these are one caller's.
	maxFollowers    = 256
	maxOwnFollowers = 16
	// feedBatch is how many events a follower takes at a time.
	feedBatch = 64
)

// The kinds of events.
const (
	eventStarted = "call_started" // its tool is about to run
	eventEnded   = "call_ended"   // whether or not its tool ran; also when it needs a person to agree
	eventDenied  = "call_denied"  // policy or a person refused it; it has no other event
	eventLost    = "lost"         // events that were not kept, or not taken in time; not numbered
)

// The kinds of events of approvals.
const (
	ApprovalRequested = "approval_requested" // a call waits for a person
	ApprovalAnswered  = "approval_answered"  // a person agreed, or refused
	ApprovalExpired   = "approval_expired"   // nobody answered, or the call was not made again, in time
	ApprovalEnded     = "approval_ended"     // the configuration denies the call now
)

// Feed keeps the newest events and gives them to those who follow it. It is an
// observer of a gateway. Whoever tells it of something never waits for those who
// follow: who is too slow loses events, and is told so. It starts no goroutine and
// is safe for concurrent use.
type Feed struct {
	epoch string // of this process: numbers of another mean nothing here

	mu        sync.Mutex    // guards all below
	ring      []event       // grows to feedSize; event n stands at n-1 modulo that
	next      uint64        // number of the next event; the first has 1
	changed   chan struct{} // closed when there is more
	closed    bool
	followers map[string]int // by caller
	following int
}

// event is one thing that happened.
type event struct {
	number uint64
	kind   string
	owner  string     // the caller that may know of it; empty for administrators only
	right  tool.Right // others who have it may know of it too; empty for none but administrators
	at     time.Time
	call   *callEvent // nil for what is no call
	data   any        // in place of call

	approval *approvalEvent // in place of both
}

// approvalEvent is what an event tells of an approval: nothing of the arguments but
// what its one line says to those who may answer.
type approvalEvent struct {
	ID      string         `json:"id"`
	State   approval.State `json:"state"`
	Tool    string         `json:"tool"`
	Chat    string         `json:"chat"`
	CallID  string         `json:"call_id"` // the call that asked
	Expires string         `json:"expires_at"`

	Caller  string `json:"caller,omitempty"` // from here on for those who may answer
	Rule    string `json:"rule,omitempty"`
	Summary string `json:"summary,omitempty"`
	By      string `json:"by,omitempty"`   // who answered
	From    string `json:"from,omitempty"` // from where: http, cli or client
}

// callEvent is what an event tells of a call: nothing of its arguments or result.
type callEvent struct {
	Type       string      `json:"type"`
	Time       string      `json:"time"`
	CallID     string      `json:"call_id"`
	Parent     string      `json:"parent,omitempty"`
	Request    string      `json:"request,omitempty"`
	Tool       string      `json:"tool"`
	Caller     string      `json:"caller,omitempty"` // for administrators
	Chat       string      `json:"chat"`
	Via        tool.Via    `json:"via"`
	Decision   string      `json:"decision,omitempty"`
	Rule       string      `json:"rule,omitempty"` // for administrators
	Status     tool.Status `json:"status,omitempty"`
	ErrorType  tool.Code   `json:"error_type,omitempty"`
	DurationMS *float64    `json:"duration_ms,omitempty"` // nil or took
	took       float64
}

// NewFeed returns an empty feed.
func NewFeed() *Feed {
	return &Feed{
		epoch: strconv.FormatInt(time.Now().UnixNano(), 36), next: 1,
		changed: make(chan struct{}), followers: map[string]int{},
	}
}

// Began tells of a call whose tool is about to run.
func (f *Feed) Began(n *tool.Notice) { f.add(callHappened(eventStarted, n)) }

// Ended tells of a call that has ended.
func (f *Feed) Ended(n *tool.Notice) {
	kind := eventEnded
	if e := n.Result.Error; e != nil && (e.Code == tool.Denied || e.Code == tool.ApprovalDenied) {
		kind = eventDenied
	}
	f.add(callHappened(kind, n))
}

// Say tells administrators of something that is no call, such as a reload. The
// kind has the form of an identifier, and data encodes as a JSON object that holds
// no secret.
func (f *Feed) Say(kind string, data any) { f.add(event{kind: kind, data: data}) }

// Approval tells whoever made the call, and those who may answer, what became of an
// approval, which holds no secret. The kind is one of those above.
func (f *Feed) Approval(kind string, a *approval.Approval) {
	told := &approvalEvent{
		ID: a.ID, State: a.State, Tool: a.Tool, Chat: a.Chat, CallID: a.CallID, Expires: a.Expires.UTC().Format(eventTime),
		Caller: a.Caller.Name, Rule: a.Rule, Summary: a.Summary,
	}
	if a.Answer != nil {
		told.By, told.From = a.Answer.By, a.Answer.From
	}
	f.add(event{kind: kind, owner: a.Binding.Caller, approval: told})
}

func callHappened(kind string, n *tool.Notice) event {
	c := n.Call
	told := &callEvent{
		Type: kind, CallID: c.ID, Parent: c.Parent, Request: n.Request, Tool: n.Shown, Caller: n.Caller,
		Chat: cmp.Or(n.Chat, tool.DefaultChat), Via: c.Via, Decision: n.Decision, Rule: n.Rule,
	}
	if n.Result != nil {
		told.took = float64(n.Result.Duration.Microseconds()) / 1000
		told.Status, told.DurationMS = n.Result.Status, &told.took
		if n.Result.Error != nil {
			told.ErrorType = n.Result.Error.Code
		}
	}
	return event{kind: kind, owner: c.Caller.ID, call: told}
}

// Close tells those who follow what they have not taken yet, and ends their
// streams. A server that stops closes its feed when the last call has ended. What
// is told after it is told to nobody.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.closed = true
		close(f.changed)
	}
}

func (f *Feed) add(e event) {
	e.at = time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	e.number = f.next
	if len(f.ring) < feedSize {
		f.ring = append(f.ring, e)
	} else {
		f.ring[place(e.number)] = e
	}
	f.next++
	if f.following > 0 {
		close(f.changed)
		f.changed = make(chan struct{})
	}
}

// follow lets one more follow, until leave is called; false when there are too
// many.
func (f *Feed) follow(who string) (leave func(), ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.following >= maxFollowers || f.followers[who] >= maxOwnFollowers {
		return nil, false
	}
	f.following++
	f.followers[who]++
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.following--
		if f.followers[who]--; f.followers[who] == 0 {
			delete(f.followers, who)
		}
	}, true
}

// after waits until there are events with numbers from the given one on, and gives
// the first of them, as far as the caller may know of them, and the number to go
// on with. Lost is how many there were that are not kept any more. It gives
// nothing when the context is over or the feed is closed.
func (f *Feed) after(ctx context.Context, from uint64, sees func(*event) bool) (found []event, next, lost uint64) {
	for {
		found, next, lost, changed := f.take(from, sees)
		if len(found) > 0 || lost > 0 || changed == nil {
			return found, next, lost
		}
		from = next
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, from, 0
		}
	}
}

func (f *Feed) isClosed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed
}

// take gives what there is without waiting, and what to wait for; nil when the
// caller has all that there will be.
func (f *Feed) take(from uint64, sees func(*event) bool) (found []event, next, lost uint64, changed chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if oldest := f.oldest(); from < oldest {
		from, lost = oldest, oldest-from
	}
	for from < f.next && len(found) < feedBatch {
		if e := &f.ring[place(from)]; sees(e) {
			found = append(found, *e)
		}
		from++
	}
	if f.closed && from == f.next {
		return found, from, lost, nil
	}
	return found, from, lost, f.changed
}

// place is where an event stands in the ring.
func place(number uint64) uint64 { return (number - 1) % feedSize }

func (f *Feed) oldest() uint64 {
	if f.next > feedSize {
		return f.next - feedSize
	}
	return 1
}

// since is where to go on after the event of an identifier; without one it is with
// what happens next, and after one of another process it is with the oldest.
func (f *Feed) since(id string) (from uint64, known bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if id == "" {
		return f.next, true
	}
	epoch, text, _ := strings.Cut(id, "-")
	n, err := strconv.ParseUint(text, 10, 64)
	if epoch != f.epoch || err != nil || n >= f.next {
		return f.oldest(), false
	}
	return n + 1, true
}

// id is the identifier of an event.
func (f *Feed) id(number uint64) string { return f.epoch + "-" + strconv.FormatUint(number, 10) }
