package reload

import "context"

// Recheck is what Run does each assembly.WatchInterval.
func (r *Reloader) Recheck(ctx context.Context) { r.recheck(ctx) }

// Retrying is what Run does while a source is left out.
var Retrying = retrying
