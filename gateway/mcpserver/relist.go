package mcpserver

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Hosts give their model the tools that they know of when an answer arrives. So the
// answer to a search that put tools into the list of a session is held until the
// session, which is told on the stream of that very call, has listed again: then the
// model can call what was found in its next step.
const (
	// relistMost is how long an answer is held at most. A session that has not begun to
	// list by then takes no notice of what it is told: nothing is held for it again.
	relistMost = time.Second
	// relistGrace is how much longer an answer is held when the list was answered, for
	// the host to take it in.
	relistGrace = 100 * time.Millisecond
)

// relists is what is known of how a session of the older revisions lists. A nil one is
// that of a request of 2026-07-28, whose list does not change by what was called.
type relists struct {
	mu        sync.Mutex // guards what follows
	heedless  bool       // nothing is held for it
	waiting   []*relist  // lists that are still to come
	searching int        // searches under way
	owed      bool       // other searches found something meanwhile
}

// relist is one list that is waited for.
type relist struct {
	reached  bool          // its last page is on its way; guarded by relists.mu
	answered chan struct{} // closed when that was sent
}

// relistsOf is what is known of the session of a request; nil where nothing is to be
// known.
func (s *Server) relistsOf(sdk *mcp.ServerSession, version string) *relists {
	if version >= statelessVersion {
		return nil
	}
	if open := s.sessions.of(sdk); open != nil {
		return &open.relists
	}
	return s.audience.relists(sdk)
}

// search notes that the session calls a tool, for which it is not told meanwhile of
// what searches find. leave ends that, and reports whether there was something.
func (r *relists) search(name string) (leave func() (owed bool)) {
	if r == nil || name != searchTool {
		return func() bool { return false }
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.searching++
	return func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		owed := r.owed
		r.searching, r.owed = r.searching-1, false
		return owed
	}
}

// owe leaves it to a search under way to tell the session of other tools; false when
// there is none.
func (r *relists) owe() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.owed = r.owed || r.searching > 0
	return r.searching > 0
}

// notice is how a session is told that its list is another one now.
type notice struct {
	send func(context.Context) error
	gone <-chan struct{} // closed when the client has hung up
	most time.Duration   // how long an answer is held
}

// found tells the session of what a call of it has found, and holds the answer.
func (r *relists) found(ctx context.Context, search *tool.Search, owed bool, n notice) {
	switch {
	case r == nil:
	case search != nil && len(search.Activated) > 0:
		r.hold(ctx, n)
	case owed:
		_ = n.send(ctx) // who cannot be told has gone
	}
}

// hold tells the session and waits until it has listed, unless it takes no notice,
// cannot be told, or has gone.
func (r *relists) hold(ctx context.Context, n notice) {
	w := r.expect()
	if err := n.send(ctx); err != nil || w == nil {
		r.giveUp(w, false)
		return
	}
	most := time.NewTimer(n.most)
	defer most.Stop()
	select {
	case <-w.answered:
	case <-most.C:
		r.giveUp(w, true)
		return
	case <-ctx.Done():
		r.giveUp(w, false)
		return
	case <-n.gone:
		r.giveUp(w, false)
		return
	}
	grace := time.NewTimer(relistGrace)
	defer grace.Stop()
	select {
	case <-grace.C:
	case <-most.C:
	case <-ctx.Done():
	case <-n.gone:
	}
}

// expect waits for the list after the next telling; nil where none is waited for.
func (r *relists) expect() *relist {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.heedless {
		return nil
	}
	w := &relist{answered: make(chan struct{})}
	r.waiting = append(r.waiting, w)
	return w
}

// giveUp waits no longer. A session that had its time and did not list is waited for
// never again.
func (r *relists) giveUp(w *relist, late bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := slices.Index(r.waiting, w); at >= 0 {
		r.waiting = slices.Delete(r.waiting, at, at+1)
		r.heedless = r.heedless || late && !w.reached
	}
}

// begin gives those who wait for a list that begins now.
func (r *relists) begin() []*relist {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.waiting)
}

// reach notes that the last page of the list that they wait for is on its way: what
// was found stands there.
func (r *relists) reach(those []*relist) {
	if len(those) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range those {
		w.reached = true
	}
}

// answer notes that this page was sent.
func (r *relists) answer(those []*relist) {
	if len(those) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range those {
		if at := slices.Index(r.waiting, w); at >= 0 {
			r.waiting = slices.Delete(r.waiting, at, at+1)
			close(w.answered)
		}
	}
}

// end lets go of everybody who waits: nothing more is heard of the session.
func (r *relists) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heedless = true
	for _, w := range r.waiting {
		close(w.answered)
	}
	r.waiting = nil
}
