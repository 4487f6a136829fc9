// Package repeat remembers calls that were refused or failed, so that a model that
// makes the same one again and again is told to change course.
//
// What is remembered is small, for a short time, and in memory: forgetting it costs
// one more attempt.
package repeat

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// Attempts is how often a call is made that is refused or fails each time.
	Attempts = 2
	// Window is how long after the last of them it is not made again.
	Window = 2 * time.Minute
	// MaxCalls is how many calls a Book remembers; beyond it the one that failed
	// least lately is forgotten.
	MaxCalls = 4096
	// maxMessage is the most bytes that are kept of what was wrong.
	maxMessage = 1000
)

// Place is where a call is made.
type Place struct {
	Caller string // ID
	Chat   string // ID
	Tool   string // name, as it was sent
}

// Call names a call: only the same call has it.
type Call struct {
	talk   uint64 // the conversation: its caller and chat
	place  uint64
	digest [sha256.Size]byte
}

// Book remembers. It is safe for concurrent use.
type Book struct {
	seed maphash.Seed
	size atomic.Int64 // of calls, for those who need not look

	mu     sync.Mutex // guards what follows
	calls  map[Call]*list.Element
	places map[uint64]int // calls that are remembered of each
	talks  map[uint64]int // likewise, of conversations
	order  list.List      // of *entry, the latest to fail in front
}

// entry is a call that was refused or failed.
type entry struct {
	call  Call
	times int
	last  time.Time
	why   *tool.Error // the last time
}

// New returns a Book that remembers nothing yet.
func New() *Book {
	b := &Book{seed: maphash.MakeSeed()}
	b.Forget()
	return b
}

// Counts reports whether a failure says that the same call will fail again soon. One
// that may pass does not, nor does one that lies in the caller or in the gateway.
func Counts(e *tool.Error) bool {
	if e.Retryable {
		return false
	}
	switch e.Code {
	case tool.NeedsApproval, tool.Cancelled, tool.Interrupted, tool.Overloaded, tool.RateLimited, tool.Internal:
		return false
	}
	return true
}

// Name names the call that is made at the place, with all that makes it this one:
// arguments, and whatever else decides about it.
func (b *Book) Name(p Place, about ...[]byte) Call {
	c := Call{talk: b.talk(p.Caller, p.Chat), place: maphash.Comparable(b.seed, p)}
	h := sha256.New()
	for _, part := range append([][]byte{[]byte(p.Caller), []byte(p.Chat), []byte(p.Tool)}, about...) {
		_, _ = h.Write(binary.AppendUvarint(nil, uint64(len(part)))) // so that no two lists read the same
		_, _ = h.Write(part)
	}
	h.Sum(c.digest[:0])
	return c
}

func (b *Book) talk(caller, chat string) uint64 {
	return maphash.Comparable(b.seed, Place{Caller: caller, Chat: chat})
}

// Changed forgets the calls of a conversation in which something was changed: what
// failed before may be tried again.
func (b *Book) Changed(caller, chat string) {
	if b.size.Load() == 0 {
		return
	}
	talk := b.talk(caller, chat)
	b.mu.Lock()
	defer b.mu.Unlock()
	for element := b.order.Front(); element != nil && b.talks[talk] > 0; {
		e := element.Value.(*entry)
		if element = element.Next(); e.call.talk == talk {
			b.remove(e)
		}
	}
}

// Knows reports whether a call that is made at the place may be remembered. It takes
// no time where none is.
func (b *Book) Knows(p Place) bool {
	if b.size.Load() == 0 {
		return false
	}
	place := maphash.Comparable(b.seed, p)
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.places[place] > 0
}

// Why is how the call failed the last time, when it was made as often as it may be;
// else nil. What it gives is shared: do not change it.
func (b *Book) Why(c Call) *tool.Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.find(c)
	if e == nil || e.times < Attempts {
		return nil
	}
	return e.why
}

// Failed remembers that the call was refused or failed.
func (b *Book) Failed(c Call, why *tool.Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.find(c)
	if e == nil {
		e = &entry{call: c}
		b.calls[c] = b.order.PushFront(e)
		b.places[c.place]++
		b.talks[c.talk]++
		b.size.Store(int64(len(b.calls)))
	}
	b.order.MoveToFront(b.calls[c])
	e.times, e.last, e.why = e.times+1, time.Now(), short(why)
	for range 2 { // more go than come
		if oldest := b.order.Back().Value.(*entry); len(b.calls) > MaxCalls || oldest.over() {
			b.remove(oldest)
		}
	}
}

// Succeeded forgets the call.
func (b *Book) Succeeded(c Call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.find(c); e != nil {
		b.remove(e)
	}
}

// Forget forgets all calls.
func (b *Book) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls, b.places, b.talks = map[Call]*list.Element{}, map[uint64]int{}, map[uint64]int{}
	b.order.Init()
	b.size.Store(0)
}

// find gives what is remembered of the call, and forgets what is over; mu is held.
func (b *Book) find(c Call) *entry {
	element := b.calls[c]
	if element == nil {
		return nil
	}
	e := element.Value.(*entry)
	if e.over() {
		b.remove(e)
		return nil
	}
	return e
}

func (e *entry) over() bool { return time.Since(e.last) >= Window }

// remove takes an entry out; mu is held.
func (b *Book) remove(e *entry) {
	b.order.Remove(b.calls[e.call])
	delete(b.calls, e.call)
	b.size.Store(int64(len(b.calls)))
	if b.places[e.call.place]--; b.places[e.call.place] == 0 {
		delete(b.places, e.call.place)
	}
	if b.talks[e.call.talk]--; b.talks[e.call.talk] == 0 {
		delete(b.talks, e.call.talk)
	}
}

// short is the failure without what need not be told again.
func short(e *tool.Error) *tool.Error {
	return &tool.Error{
		Code: e.Code, Message: tool.Excerpt([]byte(e.Message), maxMessage), InputSchema: e.InputSchema, Fatal: e.Fatal,
	}
}
