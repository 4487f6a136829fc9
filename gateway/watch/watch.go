// Package watch tells when files are not what they were: by events of the file
// system where there are any, and by looking at their content every few seconds
// where there are none (network file systems, changes below a bind mount).
//
// A file is known by its content, never by its date: its marks (size, dates, which
// file it is) only say that it need not be read again for a minute. Watched are folders and
// not files: an editor that renames, and a symbolic link that is swapped, put
// another file in the place of the one that would be watched.
package watch

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// pollInterval is how often the content is looked at when no event comes.
	pollInterval = 3 * time.Second
	// settleTime is how long nothing may change before a change is told: editors
	// and deployments write in several steps.
	settleTime = 100 * time.Millisecond
	// absence is how long a file must be gone before that is told.
	absence = time.Second
	// maxSettle is how long a change is held back at most while others follow.
	maxSettle = 3 * time.Second
	// maxFolders is how many folders events are asked of. Files in others are
	// found by looking.
	maxFolders = 512
)

// Options are what a Watcher is given.
type Options struct {
	Disk   Disk
	Logger *slog.Logger // told when only looking is left; nothing is logged when nil
}

// Watcher knows what was last read of some files. Expect is safe for concurrent
// use; Wait is for one goroutine at a time.
type Watcher struct {
	disk   *memory // for the goroutine of Wait
	logger *slog.Logger
	notify *fsnotify.Watcher // nil where there are no events
	events chan fsnotify.Event
	errs   chan error
	poke   chan struct{} // holds one when another state is expected

	mu       sync.Mutex // guards expected
	expected State

	entries map[string]bool     // of watched folders, those that matter; see chain
	globs   map[string][]string // what else matters in a folder: patterns of names
	blind   bool                // told already that a folder cannot be watched
}

// Open starts to watch; until Expect nothing is looked at. Where the system
// gives no events the Watcher only looks.
func Open(opts Options) *Watcher {
	w := newWatcher(opts)
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		w.tell(err)
		return w
	}
	w.notify, w.events, w.errs = notify, notify.Events, notify.Errors
	return w
}

func newWatcher(opts Options) *Watcher {
	return &Watcher{
		disk: &memory{disk: &opts.Disk, clock: time.Now}, logger: cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)),
		poke: make(chan struct{}, 1),
	}
}

// tell says once that there are no events of some files.
func (w *Watcher) tell(err error) {
	if !w.blind {
		w.blind = true
		w.logger.Warn("changes of the configuration are found by looking only", "every", pollInterval, "problem", err)
	}
}

// Close gives up what is watched. A Wait under way must be ended before.
func (w *Watcher) Close() error {
	if w.notify == nil {
		return nil
	}
	return w.notify.Close()
}

// Expect says what has been read, whether it was of use or not: Wait tells when
// the same paths and patterns give anything else.
func (w *Watcher) Expect(s State) {
	w.mu.Lock()
	w.expected = s
	w.mu.Unlock()
	select {
	case w.poke <- struct{}{}:
	default:
	}
}

func (w *Watcher) expecting() State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.expected
}

// Wait returns nil when what is on disk is not what is expected and has been
// so for a moment, and else when the context is over with its cause.
func (w *Watcher) Wait(ctx context.Context) error {
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for {
		w.follow() // first, so that what changes after the look is an event
		if w.differs() && w.settled(ctx) {
			return nil
		}
		if err := w.sleep(ctx, poll.C); err != nil {
			return err
		}
	}
}

// differs reports whether the disk is not as expected.
func (w *Watcher) differs() bool {
	expected := w.expecting()
	return !w.disk.look(expected).Equal(expected)
}

// settled waits until a change has come to rest. It is false when it was undone
// meanwhile, or the context is over.
func (w *Watcher) settled(ctx context.Context) bool {
	var last State
	for began := time.Now(); ; {
		expected := w.expecting()
		now, waited := w.disk.look(expected), time.Since(began)
		switch {
		case now.Equal(expected):
			return false
		case waited >= maxSettle:
			return true
		case now.Equal(last) && (waited >= absence || !now.lacks(expected)):
			return true
		}
		last = now
		select {
		case <-ctx.Done():
			return false
		case <-time.After(settleTime):
		}
	}
}

// sleep returns when there is a reason to look.
func (w *Watcher) sleep(ctx context.Context, poll <-chan time.Time) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case e := <-w.events:
			if w.matters(e) {
				return nil
			}
		case <-w.errs: // such as too many events: any may have been lost
			return nil
		case <-w.poke:
			return nil
		case <-poll:
			return nil
		}
	}
}
