// Package limit counts calls against rate limits: of any time as long as a limit
// says, no more calls are let through than it allows.
//
// A limit is a sliding window over the calls that were let through, each with its
// time, and is therefore exact; it is known by a key that does not hang on how many
// calls it allows, so what was counted counts on when that changes.
package limit

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Key names what is counted together: a digest, so that it has one length,
// whatever callers and chats are called.
type Key [16]byte

// Of says what a limit belongs to.
type Of string

// What a limit may belong to.
const (
	OfTool Of = "tool"
	OfRule Of = "rule"
)

// KeyOf is the key of the limit of a tool, or of a rule of this name, for one call.
// A rule's calls count together whatever tool they are of, but by tool.
func KeyOf(of Of, name string, by tool.LimitBy, call *tool.Call) Key {
	parts := [...]string{string(of), name, string(by), "", ""}
	switch by {
	case tool.LimitByTool:
		parts[3] = call.Tool
	case tool.LimitByChat:
		parts[3], parts[4] = call.Caller.ID, call.Chat.ID
	default:
		parts[3] = call.Caller.ID
	}
	h := sha256.New()
	for _, part := range parts { // each with its length, so that no two lists read the same
		_, _ = h.Write(binary.AppendUvarint(nil, uint64(len(part))))
		_, _ = io.WriteString(h, part)
	}
	return Key(h.Sum(nil)[:len(Key{})])
}

// Limit is one limit that a call has to keep.
type Limit struct {
	Key   Key
	Calls int           // that may be let through in any time of the length Per
	Per   time.Duration // more than zero
}

// None is the index of no limit.
const None = -1

// Store counts. It is safe for concurrent use.
type Store interface {
	// Take counts a call for each of the limits, at the time that now gives, or for
	// none of them where one has no room: full is then the index of the one that has
	// none for longest and wait, more than zero, how long that is; else full is None.
	// Now is asked while no other call is counted. A clock that goes back lets no
	// more through: calls that it says are to come count as made now. With an error
	// nothing was counted, but that it may have been where the end of it could not be
	// told.
	Take(ctx context.Context, now func() time.Time, limits []Limit) (full int, wait time.Duration, err error)
}

// KeepLeast is how long calls are remembered at least, so that a limit about a
// longer time that is configured later finds those of this time.
const KeepLeast = time.Hour
