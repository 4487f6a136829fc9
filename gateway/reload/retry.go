package reload

import (
	"context"
	"maps"
	"slices"
	"time"
)

const (
	// FirstRetry is how long after a source was left out it is tried again. That is
	// doubled each time up to LastRetry.
	FirstRetry = 30 * time.Second
	LastRetry  = 10 * time.Minute
)

// causeSource is the cause of a reload that may bring back a source.
const causeSource = "source"

// retry reloads the configuration as it is while a source is left out, until the
// context is over: nobody else may tell when its document is there.
func (r *Reloader) retry(ctx context.Context) {
	retrying(ctx, r.lacking, func() bool { return len(r.Status().Absent) > 0 }, func() {
		_, _ = r.Reload(ctx, causeSource) // what came of it is logged
	})
}

// retrying tries again and again, each time that something was said to be lacking,
// for as long as it is.
func retrying(ctx context.Context, said <-chan struct{}, lacking func() bool, try func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-said:
		}
		for wait := FirstRetry; lacking(); wait = min(2*wait, LastRetry) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(jittered(wait)):
			}
			if lacking() { // another reload may have brought it
				try()
			}
		}
	}
}

// lacks takes note of the sources that are left out now, and says which are there
// again. That one is left out is a warning of its configuration.
func (r *Reloader) lacks(absent map[string]string) {
	r.mu.Lock()
	before := r.status.Absent
	r.status.Absent = absent
	r.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(before)) {
		s, known := r.served.Config.Sources[name]
		if _, still := absent[name]; !still && known && s.On() {
			r.logger.Info("a source that was left out is there again", "source", name)
		}
	}
	if len(absent) > 0 {
		select {
		case r.lacking <- struct{}{}:
		default: // it is said already
		}
	}
}
