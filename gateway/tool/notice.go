package tool

import "context"

// Notice is what whoever observes a gateway is told of one call. It is shared by
// all observers and must not be changed.
type Notice struct {
	Call    *Call  // as it came in, with its ID and chat: none of its texts may be shown
	Request string // identifier of the request it came in with; empty when there was none
	Known   bool   // a tool of this name is registered, whether or not the caller may know
	// Shown is the name of the tool without secrets, cut to a length that can be
	// shown: models make names up.
	Shown    string
	Caller   string  // the caller's name, without secrets
	Chat     string  // the chat, without secrets
	Decision string  // allow, deny or ask; empty while policy was not asked
	Rule     string  // the rule that decided; empty for none
	Result   *Result // how it ended; nil while it runs
}

// maxRequestID is the most characters of a request's identifier.
const maxRequestID = 128

// requestKey is the context key of a request's identifier.
type requestKey struct{}

// WithRequest returns a context of the request with this identifier.
func WithRequest(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// RequestOf is the identifier of the request that the context belongs to, empty
// when it has none.
func RequestOf(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

// IsRequestID reports whether a text may be a request's identifier: 1 to 128
// characters that logs, headers and URLs carry as they are, which are letters,
// digits and ._~:/+=@- of ASCII.
func IsRequestID(id string) bool {
	if id == "" || len(id) > maxRequestID {
		return false
	}
	for i := range len(id) {
		if !isRequestByte(id[i]) {
			return false
		}
	}
	return true
}

func isRequestByte(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return true
	}
	switch c {
	case '.', '_', '~', ':', '/', '+', '=', '@', '-':
		return true
	}
	return false
}
