package access

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/toolgate/toolgate/gateway/tool"
)

// errTakenBack is why a request ends whose token no longer means what it did.
var errTakenBack = errors.New("the caller's token was taken back, or its rights were changed")

// Current holds the book that counts now; safe for concurrent use. Until the
// first [Current.Swap] it holds the zero Book.
type Current struct {
	book atomic.Pointer[Book]

	mu   sync.Mutex // guards open
	open map[*reading]struct{}
}

// reading is a request that may last: whoever reads on must still be let in.
type reading struct {
	token tokenDigest
	who   tool.Caller
	end   context.CancelCauseFunc
}

// Swap makes the book count from the next request on. Tokens that are not in it
// stop working: what their callers still read, such as a stream of events, ends.
// Calls under way do not end.
func (c *Current) Swap(b *Book) {
	c.book.Store(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	for r := range c.open {
		r.check(c.Book())
	}
}

// Book is the book that counts now.
func (c *Current) Book() *Book {
	if b := c.book.Load(); b != nil {
		return b
	}
	return &Book{}
}

// reading gives the context of a request that ends with the rights of its caller;
// done is to be called when it has been answered.
func (c *Current) reading(ctx context.Context, token tokenDigest, who tool.Caller) (_ context.Context, done func()) {
	ctx, end := context.WithCancelCause(ctx)
	r := &reading{token, who, end}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[*reading]struct{}{}
	}
	c.open[r] = struct{}{}
	r.check(c.Book()) // another one may count since the caller was let in
	return ctx, func() {
		end(nil)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.open, r)
	}
}

func (r *reading) check(b *Book) {
	if !b.letsRead(r) {
		r.end(errTakenBack)
	}
}

// letsRead reports whether whoever reads is still who it was: without tokens,
// whoever needed none.
func (b *Book) letsRead(r *reading) bool {
	if b.Open() {
		return r.token == noToken
	}
	who, ok := b.identify(r.token)
	return ok && reflect.DeepEqual(who, r.who)
}
