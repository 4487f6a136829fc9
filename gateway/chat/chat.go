// Package chat keeps what belongs to a conversation: fields that clients set and
// that rules, hooks and inject read as chat.context, the groups of tools that its
// user activated, the groups that its model asked for, and files.
//
// A chat is known by its name and by the caller who named it. The same name of
// another caller is another chat, so nobody can take a name from somebody else,
// nor find out that it is used. A chat that holds nothing is not kept: it may be
// named in calls all the same.
package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// DefaultIdle is how long a chat is kept after its last call.
	DefaultIdle = 7 * 24 * time.Hour
	// MinIdle is the shortest time that may be chosen: when a chat was used last is
	// written down once a minute.
	MinIdle = 5 * time.Minute
	// DefaultMost is how many chats a caller may have.
	DefaultMost = 1000
	// MaxMost is the most that may be chosen.
	MaxMost = 100_000
	// MaxContext is the most bytes of the fields of one chat, as JSON.
	MaxContext = 64 << 10
	// maxHeld is the most bytes of the fields of all chats, which are in memory.
	maxHeld = 64 << 20
	// maxShare is the most bytes of those of one caller.
	maxShare = maxHeld / 8
)

// Config is the "chats" section.
type Config struct {
	Idle          time.Duration `koanf:"idle"`            // DefaultIdle when absent
	MostPerCaller int           `koanf:"most_per_caller"` // DefaultMost when absent
	Files         FilesConfig   `koanf:"files"`
}

// Key names a chat.
type Key struct {
	Caller string // ID of the caller
	ID     string // as the caller named it
}

// Saved is a chat as a store keeps it.
type Saved struct {
	Key
	Context  []byte    // a JSON object
	Groups   []string  // that are active, sorted
	Requests []Request // that are not answered, oldest first
	Found    []string  // names of tools that searches have found in it, in that order
	Made     time.Time // when it was first given something to hold
	Used     time.Time // when it was last used, as far as that was written down
}

// size is what a chat counts for, in bytes: what it holds, and for each part of a
// list about what that takes beside its text.
func (s *Saved) size() int {
	n := len(s.Context)
	for _, g := range s.Groups {
		n += len(g) + 16
	}
	for _, name := range s.Found {
		n += len(name) + 16
	}
	for i := range s.Requests {
		n += len(s.Requests[i].Group) + len(s.Requests[i].Reason) + 64
	}
	return n
}

// Store keeps chats, for several processes at a time. A method that returns an
// error has changed nothing, or all of what it was asked for.
type Store interface {
	// ChangedChats gives the chats that were edited behind a mark, and the mark to go
	// on with; behind -1 it gives all. A mark that is less than the one that was given
	// is of another, newer store.
	ChangedChats(ctx context.Context, mark int64) (chats []Saved, next int64, err error)
	// EditChat writes what edit makes of a chat, which is nil where there is none.
	// Nobody else changes it meanwhile. Where edit fails nothing is written, and its
	// error is part of the one returned.
	EditChat(ctx context.Context, key Key, edit func(*Saved) (Saved, error)) error
	// UseChats writes down when chats were used and, of those that are not there, all.
	UseChats(ctx context.Context, chats []Saved) error
	// DropChats takes chats out; those that are not there are no error.
	DropChats(ctx context.Context, keys []Key) error
}

// Chat is what a caller is shown of a chat.
type Chat struct {
	ID       string          `json:"id"`
	Context  json.RawMessage `json:"context,omitempty"` // a JSON object; none for whoever may not see it
	Made     time.Time       `json:"created_at"`
	Used     time.Time       `json:"used_at"`
	Expires  time.Time       `json:"expires_at"` // unless it is used before
	Groups   []string        `json:"groups"`     // of tools, that are active; sorted, not nil
	Requests []Request       `json:"requests"`   // that are not answered, oldest first; not nil
	// Found are tools that searches have found in it and that are in its list since, in
	// that order.
	Found []string `json:"found,omitempty"`
	// Files are those of the chat, by path. [Desk.Files] gives them, and no other method.
	Files []File `json:"files,omitempty"`
}

// entry is a chat that holds something. Only its time changes.
type entry struct {
	saved   Saved
	fields  func() map[string]any // as rules see them; not to be changed
	used    atomic.Int64          // nanoseconds since 1970
	written atomic.Int64          // the time that the store knows
}

func newEntry(s Saved, fields func() map[string]any) *entry {
	e := &entry{saved: s, fields: fields}
	e.used.Store(s.Used.UnixNano())
	e.written.Store(s.Used.UnixNano())
	return e
}

func (e *entry) last() time.Time { return time.Unix(0, e.used.Load()) }

// usedAt notes that the chat was used then, unless it was later, too.
func (e *entry) usedAt(then time.Time) {
	for used := e.used.Load(); used < then.UnixNano(); used = e.used.Load() {
		if e.used.CompareAndSwap(used, then.UnixNano()) {
			return
		}
	}
}

// now is the chat with the time that it was really used.
func (e *entry) now() Saved {
	s := e.saved
	s.Used = e.last()
	return s
}

// read makes fields of a JSON object, as strictly as arguments are read. The
// error is for whoever sent it.
func read(raw []byte) (map[string]any, error) {
	if len(raw) > MaxContext {
		return nil, tool.Errorf(tool.InvalidArgs, "the context has %d bytes, and at most %d are kept", len(raw), MaxContext).
			WithHint("Keep identifiers there, and fetch what they stand for with a tool.")
	}
	v, err := schema.Decode(raw)
	if err != nil {
		return nil, tool.Errorf(tool.InvalidArgs, "the context cannot be read: %s", err)
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, tool.Errorf(tool.InvalidArgs, "the context is not a JSON object").WithHint(`Send {"context": {"name": value}}.`)
	}
	return fields, nil
}

// tooMany words why a caller gets no further chat.
func tooMany(most int, idle time.Duration) error {
	return tool.Errorf(tool.Denied, "this caller has %d chats that hold something, and may have no more", most).
		WithHint("Delete one with DELETE /v1/chats/ID, or wait: a chat is forgotten %v after its last call.", idle)
}

// tooLarge words why a caller's chats may not hold more.
func tooLarge(idle time.Duration) error {
	return tool.Errorf(tool.Denied, "the chats of this caller hold %d MiB, and may hold no more", maxShare>>20).
		WithHint("Let them hold less, delete some with DELETE /v1/chats/ID, or wait: a chat is forgotten %v after its last call.", idle)
}

// tooMuch words why nobody gets a further chat.
func tooMuch() error {
	e := tool.Errorf(tool.Overloaded, "the chats of all callers hold %d MiB, and no more is kept", maxHeld>>20).
		WithHint("Try again later, or delete chats that are not needed.")
	e.Retryable = true
	return e
}

// errUnread is why nothing can be forgotten of a store that was not read yet.
var errUnread = errors.New("the store has not been read yet")

// unsaved words that the store failed. What the caller did wrong stays as it is.
func unsaved(err error) error {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e
	}
	e := tool.Errorf(tool.Internal, "the chat could not be written to the store, and nothing was changed").
		Because(fmt.Errorf("chats: %w", err)).WithHint("Try again; if it fails again, tell the operator.")
	e.Retryable = true
	return e
}
