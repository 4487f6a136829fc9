package reload

import "context"

// Recheck is what Run does each assembly.WatchInterval.
func (r *Reloader) Recheck(ctx context.Context) { r.recheck(ctx) }

// Open is how many generations are not closed.
func (r *Reloader) Open() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.open)
}

// Retrying is what Run does while a source is left out.
var Retrying = retrying
