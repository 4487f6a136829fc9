package result

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"time"
)

// ErrNone is the one answer for a handle that is unknown, has expired, or
// belongs to another caller: which of them it is cannot be learnt.
var ErrNone = errors.New("no result is kept under this handle")

// Meta says what is kept under a handle.
type Meta struct {
	Handle  string // made by the store
	Owner   string // identity of the caller that may read it
	Tool    string // the tool that answered
	CallID  string // the call it answered
	Media   string // media type, without parameters
	Text    bool   // UTF-8 text, shown as it is; else bytes, shown as base64
	Size    int64  // bytes; counted by the store
	Kept    time.Time
	Expires time.Time // from then on it cannot be read
}

// Store keeps results; it is safe for concurrent use.
type Store interface {
	// Put keeps everything the reader has, under a new handle of the owner, and
	// returns the Meta with Handle, Size, Kept and Expires filled in. When it
	// fails nothing is kept.
	Put(ctx context.Context, meta Meta, r io.Reader) (Meta, error)
	// Open returns what is kept under the handle of the owner, to be closed by
	// the caller, or ErrNone.
	Open(ctx context.Context, owner, handle string) (Meta, Blob, error)
}

// Blob is a kept result, open for reading. It stays readable until it is
// closed, also when it expires meanwhile.
type Blob interface {
	io.ReaderAt
	io.Closer
}

const (
	handlePrefix = "r_"
	// handleChars of base32 are 130 random bits: too many to guess one.
	handleChars  = 26
	handleLetter = "abcdefghijklmnopqrstuvwxyz234567" // RFC 4648 section 6, in lower case
)

// NewHandle makes a handle that nobody can guess, for stores.
func NewHandle() string {
	return handlePrefix + strings.ToLower(rand.Text()) // of handleChars
}

// ValidHandle reports whether text has the form of a handle. Stores ask before
// they look for one that came from outside.
func ValidHandle(text string) bool {
	chars, ok := strings.CutPrefix(text, handlePrefix)
	return ok && len(chars) == handleChars && strings.Trim(chars, handleLetter) == ""
}
