package mcpserver

import (
	"net/http"
	"sync"
)

// methodListen asks for a stream of notifications, which lasts until its client
// hangs up (2026-07-28, basic/utilities/subscriptions).
const methodListen = "subscriptions/listen"

const (
	// maxListens is how many of these streams are open at once, and maxOwnListens
	// how many of them are one caller's.
	maxListens    = 1000
	maxOwnListens = 250
)

// listens counts the streams that are open.
type listens struct {
	mu   sync.Mutex     // guards what follows
	of   map[string]int // by caller
	open int
}

// enter lets one more in, unless there are too many; leave is to be called when it
// has ended.
func (l *listens) enter(caller string) (leave func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= maxListens || l.of[caller] >= maxOwnListens {
		return nil, false
	}
	if l.of == nil {
		l.of = map[string]int{}
	}
	l.open++
	l.of[caller]++
	return func() { l.leave(caller) }, true
}

func (l *listens) leave(caller string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if l.of[caller]--; l.of[caller] == 0 {
		delete(l.of, caller)
	}
}

// listen answers a request for such a stream. That its header says what it is
// the SDK holds against its body.
func (d *door) listen(w http.ResponseWriter, r *http.Request) {
	leave, ok := d.listens.enter(caller(r.Context()).ID)
	if !ok {
		http.Error(w, "too many subscriptions: close others, or try again later", http.StatusServiceUnavailable)
		return
	}
	defer leave()
	d.stateless.ServeHTTP(timed(w), r)
}
