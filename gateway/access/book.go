package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"slices"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Book is who is let in, by the tokens of one configuration. It is immutable.
// The zero Book knows nobody: then everybody on this machine is let in, and
// nobody else.
type Book struct {
	digests []tokenDigest // of the tokens
	callers []tool.Caller // of each digest
	hosts   []host
	origins []origin
}

// tokenDigest stands for a token: all are of one length, so that comparing them
// tells nothing of the tokens', and the tokens themselves are not kept.
type tokenDigest [sha256.Size]byte

// noToken stands for none, which no caller can have.
var noToken = digest("")

func digest(token string) tokenDigest { return sha256.Sum256([]byte(token)) }

// Open reports whether there are no tokens, so that callers are not told apart.
func (b *Book) Open() bool { return len(b.digests) == 0 }

// Identify is the caller whose token this is; false where it is nobody's. It
// takes the same time for each token, known or not: every digest is compared, in
// constant time. What the caller holds is shared: do not change it.
func (b *Book) Identify(token string) (tool.Caller, bool) { return b.identify(digest(token)) }

func (b *Book) identify(sum tokenDigest) (tool.Caller, bool) {
	at := -1
	for i := range b.digests {
		at = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(b.digests[i][:], sum[:]), i, at)
	}
	if at < 0 {
		return tool.Caller{}, false
	}
	return b.callers[at], true
}

// Callers are those that have a token; the nil Book knows none. What they hold is
// shared: do not change it.
func (b *Book) Callers() []tool.Caller {
	if b == nil {
		return nil
	}
	return slices.Clone(b.callers)
}
