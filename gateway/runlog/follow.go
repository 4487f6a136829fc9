package runlog

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"
)

const (
	followEvery = 250 * time.Millisecond // how often a follower looks
	followBatch = 1000                   // changes of an archive that are read at once
	// followMemory is how many calls a follower knows to have told already. A call
	// comes from a journal and then from the archive, after at most so many others.
	followMemory = 200_000
)

// Follower tells of calls as they end. It is used by one goroutine.
type Follower struct {
	dir     string
	archive Archive // nil for none
	matcher *matcher
	starts  bool

	change int64                // the last of the archive that was seen
	known  map[string]*followed // journals by name
	told   map[string]bool      // calls that were told; true when ended
	order  []string             // of them, the oldest first
	emit   func(*Entry) error
}

// followed is a journal as far as it was read.
type followed struct {
	position int64
	open     map[string]Entry // starts without an end
	seen     bool             // it is still there
}

// NewFollower starts to follow: what ends from now on is told. With starts calls
// that begin to run are told as well, as far as their start is recorded.
func NewFollower(ctx context.Context, dir string, archive Archive, q Query, starts bool) (*Follower, error) {
	m, err := newMatcher(q)
	if err != nil {
		return nil, err
	}
	f := &Follower{
		dir: dir, archive: archive, matcher: m, starts: starts,
		known: map[string]*followed{}, told: map[string]bool{}, emit: func(*Entry) error { return nil },
	}
	if archive != nil {
		f.change = unknown
		_ = f.begin(ctx) // else when the archive is looked at
	}
	return f, f.journals()
}

// Tell tells of a call that was found otherwise, so that it is not told again.
func (f *Follower) Tell(e *Entry, tell func(*Entry) error) error {
	if _, known := f.told[e.CallID]; !known {
		f.remember(e.CallID)
	}
	f.told[e.CallID] = e.Status != StatusRunning
	return tell(e)
}

// Follow tells of calls until the context or tell ends it. An archive or a journal
// that cannot be read is tried again, and problem is told of it once.
func (f *Follower) Follow(ctx context.Context, tell func(*Entry) error, problem func(error)) error {
	f.emit = tell
	last := ""
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		var told *tellError
		err := errors.Join(f.journals(), f.changes(ctx))
		if errors.As(err, &told) {
			return told.error
		}
		if err != nil && ctx.Err() == nil && err.Error() != last {
			problem(err)
			last = err.Error()
		}
	}
}

// unknown is the last change of an archive that could not be asked yet.
const unknown = -1

// begin asks for the last change before what is to be told.
func (f *Follower) begin(ctx context.Context) error {
	_, last, err := f.archive.Changes(ctx, 0, 0)
	if errors.Is(err, fs.ErrNotExist) {
		last, err = 0, nil // nothing was delivered yet
	}
	if err == nil {
		f.change = last
	}
	return err
}

// tellError is why telling failed.
type tellError struct{ error }

// changes tells what is new in the archive.
func (f *Follower) changes(ctx context.Context) error {
	if f.change == unknown {
		return f.begin(ctx)
	}
	for f.archive != nil {
		entries, last, err := f.archive.Changes(ctx, f.change, followBatch)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // nothing was delivered yet
		}
		if err != nil {
			return err
		}
		for i := range entries {
			if err := f.tell(&entries[i]); err != nil {
				return err
			}
		}
		if f.change = last; len(entries) < followBatch {
			break
		}
	}
	return nil
}

// journals tells what is new in the journals.
func (f *Follower) journals() error {
	all, failed := openAll(f.dir)
	defer closeAll(all)
	for i := range all {
		if err := f.journal(&all[i]); err != nil {
			return err
		}
	}
	for i := range all { // when all ends were seen, in whichever file
		if !all[i].live {
			if err := f.interrupted(f.known[all[i].name]); err != nil {
				return err
			}
		}
	}
	for name, k := range f.known {
		if !k.seen && len(failed) == 0 {
			delete(f.known, name)
		}
		k.seen = false
	}
	return errors.Join(failed...)
}

func (f *Follower) journal(o *opened) error {
	k := f.known[o.name]
	if k == nil {
		k = &followed{open: map[string]Entry{}}
		f.known[o.name] = k
	}
	k.seen = true
	rs := newRecords(o, k.position, new(Stats))
	for rs.next() {
		e := Entry{Record: rs.now.Record, Status: StatusRunning}
		if rs.now.kind == kindEnd {
			e.Status = ended(&e.Record)
			f.close(e.CallID)
		} else {
			k.open[e.CallID] = e
		}
		if err := f.tell(&e); err != nil {
			return err
		}
	}
	k.position = rs.done
	return rs.lines.err
}

// close forgets the start of a call, in whichever journal it stands.
func (f *Follower) close(id string) {
	for _, k := range f.known {
		delete(k.open, id)
	}
}

// interrupted tells of what a process that is gone has left open.
func (f *Follower) interrupted(k *followed) error {
	left := make([]Entry, 0, len(k.open))
	for _, e := range k.open {
		e.Interrupt()
		left = append(left, e)
	}
	clear(k.open)
	slices.SortFunc(left, func(a, b Entry) int { return a.At().Compare(b.At()) })
	for i := range left {
		if err := f.tell(&left[i]); err != nil {
			return err
		}
	}
	return nil
}

// tell tells of a call unless it was told in this state.
func (f *Follower) tell(e *Entry) error {
	over := e.Status != StatusRunning
	was, known := f.told[e.CallID]
	if known && (was || !over) {
		return nil
	}
	if f.told[e.CallID] = over; !known {
		f.remember(e.CallID)
	}
	if !over && !f.starts || !f.matcher.matches(e) {
		return nil
	}
	if err := f.emit(e); err != nil {
		return &tellError{err}
	}
	return nil
}

func (f *Follower) remember(id string) {
	f.order = append(f.order, id)
	if len(f.order) <= followMemory {
		return
	}
	const some = followMemory / 10
	for _, old := range f.order[:some] {
		delete(f.told, old)
	}
	f.order = slices.Clone(f.order[some:])
}
