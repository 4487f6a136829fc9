package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// onceHeader names a call that is made once, however often it is sent
	// (draft-ietf-httpapi-idempotency-key-header).
	onceHeader = "Idempotency-Key"
	// replayedHeader says that an answer is that of an earlier request.
	replayedHeader = "Idempotent-Replayed"
	// maxOnceKey is the most characters of a key.
	maxOnceKey = 128
)

// Once runs calls that are sent again once.
type Once interface {
	// Once runs the call unless one of the same caller, tool, chat and key was run
	// before, and gives that one's result then. It always answers: a key that
	// stands for other arguments is a failed call.
	Once(ctx context.Context, key string, call tool.Call) (result tool.Result, replayed bool)
}

// onceKey reads the key of a call; empty for none.
func onceKey(r *http.Request) (string, *problem) {
	keys := r.Header.Values(onceHeader)
	if len(keys) == 0 {
		return "", nil
	}
	hint := fmt.Sprintf("Send it once, as 1 to %d printable ASCII characters without spaces.", maxOnceKey)
	key := keys[0]
	switch {
	case len(keys) > 1:
		return "", badQuery("the request has several headers "+onceHeader, hint)
	case key == "" || len(key) > maxOnceKey || strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c > '~' }):
		return "", badQuery("the header "+onceHeader+" holds no key", hint)
	}
	return key, nil
}

// callOnce runs a call that has a key.
func (a *api) callOnce(w http.ResponseWriter, r *http.Request, asked request) {
	result, replayed := a.guarded(r, asked.call, func(ctx context.Context, call tool.Call) (tool.Result, bool) {
		return a.once.Once(ctx, asked.once, call)
	})
	if replayed {
		w.Header().Set(replayedHeader, "true")
	}
	writeResult(w, result)
}
