package reload

import (
	"maps"
	"slices"
	"time"
)

// Status is how the served configuration stands to the one on disk.
type Status struct {
	Generation  int       // how many configurations were served, the one of the start among them
	Served      time.Time // since when it is
	Reloads     int       // attempts since the start
	Failures    int       // of them those that changed nothing because of an error
	LastAttempt time.Time // the start counts as one
	LastSuccess time.Time
	Problems    int // errors of the last attempt: while there are any, what is on disk is not what is served
	// Absent says of each source that is left out, by its name, why that is.
	Absent  map[string]string
	Restart []string // keys whose values on disk take effect at the next start
}

// Status says how it stands now.
func (r *Reloader) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.status
	s.Restart, s.Absent = slices.Clone(s.Restart), maps.Clone(s.Absent)
	return s
}

// failed takes note of a version that cannot be served. The watcher then waits
// for anything else than that, be it the version that is served.
func (r *Reloader) failed(bad *Version, cause string) {
	r.watcher.Expect(bad.seen)
	r.mu.Lock()
	r.status.Reloads++
	r.status.Failures++
	r.status.LastAttempt = time.Now()
	r.status.Problems = len(bad.Problems.Errors())
	r.mu.Unlock()
	r.logErrors(bad, cause)
	r.ended(Failed, nil)
}

func (r *Reloader) ended(o Outcome, res *Result) {
	if r.opts.Ended != nil {
		r.opts.Ended(o, res)
	}
}

// succeeded takes note of a version that is served, newly or still.
func (r *Reloader) succeeded(v *Version, res *Result, cause string, took time.Duration) {
	r.watcher.Expect(v.seen)
	r.mu.Lock()
	s := &r.status
	s.Reloads++
	s.LastAttempt = time.Now()
	s.LastSuccess, s.Problems, s.Restart = s.LastAttempt, 0, res.Restart
	if res.Any() {
		s.Generation++
		s.Served = s.LastAttempt
	}
	res.Generation = s.Generation
	r.mu.Unlock()
	if r.told != "" {
		r.logger.Info("configuration without errors again")
	}
	r.told = ""
	r.logChanges(res, cause, took)
	r.lacks(r.served.Assembly.Absent())
	if res.Any() {
		r.ended(Swapped, res)
		return
	}
	r.ended(Unchanged, res)
}
