package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// interval is how often it is written down which chats were used, and how often
	// those that expired are forgotten.
	interval = time.Minute
	// FollowInterval is how often the store is asked what other processes have changed.
	FollowInterval = time.Second
)

// lastWrite is how long the last of this may take when the desk is closed.
const lastWrite = 5 * time.Second

// Options are what a Desk may be given; the zero value works.
type Options struct {
	Limits    Config
	Logger    *slog.Logger  // told of what could not be written; nothing is logged when nil
	Files     FileStore     // keeps files of chats; without it there are none
	KeepFiles time.Duration // how long a file is kept after it was put, in a chat that is kept itself; 0 is as long as the chat
}

// Desk is where chats are kept: in memory, for calls, and behind that in a store.
// It is safe for concurrent use.
type Desk struct {
	store    Store     // nil where chats end with the process
	files    FileStore // nil where chats have no files
	logger   *slog.Logger
	loaded   atomic.Bool // what the store had was taken in
	watchers watchers
	stop     context.CancelFunc
	done     chan struct{} // closed when the desk writes no more

	writing turn  // held while the store is written, so that nothing overtakes; guards mark
	mark    int64 // up to which the changes of the store were taken in

	mu        sync.RWMutex // guards what follows
	limits    Config
	keepFiles time.Duration
	chats     map[Key]*entry
	callers   map[string]use
	held      int // bytes of all chats, as they count

	uploads  seats    // of callers who put files
	sessions sessions // what was found in chats of one connection
}

// use is what one caller's chats take.
type use struct {
	count    int
	bytes    int // as they count
	requests int // that are not answered
}

// Visit gives a program the chats of the store for a moment: it may look at them and
// make changes, which servers that use the store take in by themselves. It forgets
// and follows nothing, so there is nothing to close. When chats were used it knows as
// far as servers have written that down, and takes them for idle so much later.
func Visit(ctx context.Context, store Store, opts Options) (*Desk, error) {
	d := newDesk(store, opts)
	d.limits.Idle += 2 * interval
	if err := d.follow(ctx); err != nil {
		return nil, err
	}
	d.loaded.Store(true)
	return d, nil
}

func newDesk(store Store, opts Options) *Desk {
	d := &Desk{
		store: store, files: opts.Files, keepFiles: opts.KeepFiles, logger: cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)), done: make(chan struct{}), writing: make(turn, 1),
		chats: map[Key]*entry{}, callers: map[string]use{}, mark: -1,
	}
	d.Limit(opts.Limits)
	return d
}

// Open gives the desk the chats of the store, which may be nil. While the store
// cannot be read the desk goes on without what is in it, and tries again once a
// minute. [Desk.Close] ends it.
func Open(ctx context.Context, store Store, opts Options) *Desk {
	d := newDesk(store, opts)
	d.load(ctx)
	ctx, d.stop = context.WithCancel(context.WithoutCancel(ctx))
	go d.run(ctx)
	return d
}

// load takes in what the store has, unless that was done. What was set meanwhile
// is there already; what cannot be read any more holds nothing.
func (d *Desk) load(ctx context.Context) {
	if d.store == nil || d.loaded.Load() {
		return
	}
	if err := d.follow(ctx); err != nil {
		d.logger.ErrorContext(ctx, "the chats cannot be read from the store", "problem", err.Error())
		return
	}
	d.loaded.Store(true)
}

// Limit changes how long chats are kept and how many a caller may have. Those
// that there are stay, however many.
func (d *Desk) Limit(limits Config) {
	limits.Idle = cmp.Or(limits.Idle, DefaultIdle)
	limits.MostPerCaller = cmp.Or(limits.MostPerCaller, DefaultMost)
	limits.Files = limits.Files.complete()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.limits = limits
}

// Enter gives the chat of a call what the caller's chat of that name holds, and
// notes that it was used. It does not wait for the store.
func (d *Desk) Enter(caller string, in tool.Chat) tool.Chat {
	e := d.find(Key{caller, in.ID})
	if e != nil {
		e.used.Store(time.Now().UnixNano())
	}
	return d.withFound(caller, e.in(in))
}

// Look is Enter for a call that is not made: nothing is noted.
func (d *Desk) Look(caller string, in tool.Chat) tool.Chat {
	return d.withFound(caller, d.find(Key{caller, in.ID}).in(in))
}

// in gives the chat of a call what the entry holds, which may be nil: no group is
// active then, whatever the call says.
func (e *entry) in(chat tool.Chat) tool.Chat {
	chat.Groups, chat.Found = nil, nil
	if e != nil {
		chat.Context, chat.Groups, chat.Found = e.fields(), e.saved.Groups, e.saved.Found
	}
	return chat
}

// find gives a chat that has not expired, or nil.
func (d *Desk) find(key Key) *entry {
	d.mu.RLock()
	defer d.mu.RUnlock()
	e := d.chats[key]
	if e == nil || d.expired(e) {
		return nil
	}
	return e
}

// expired reports whether a chat was not used for too long; mu is held.
func (d *Desk) expired(e *entry) bool { return time.Since(e.last()) > d.limits.Idle }

// Show gives the chat as it is; false when the caller has none of that name.
func (d *Desk) Show(key Key) (Chat, bool) {
	e := d.find(key)
	if e == nil {
		return Chat{}, false
	}
	return d.shown(e), true
}

func (d *Desk) shown(e *entry) Chat {
	d.mu.RLock()
	defer d.mu.RUnlock()
	s := e.now()
	return Chat{
		ID: s.ID, Context: s.Context, Made: s.Made.UTC(), Used: s.Used.UTC(), Expires: s.Used.Add(d.limits.Idle).UTC(),
		Groups: append([]string{}, s.Groups...), Requests: append([]Request{}, s.Requests...), Found: slices.Clone(s.Found),
	}
}

// Set gives the caller's chat of that name these fields, a JSON object, in place
// of those that it has. It is in the store when Set returns. An error is a
// [*tool.Error], and then nothing has changed.
func (d *Desk) Set(ctx context.Context, key Key, raw json.RawMessage) (Chat, error) {
	if _, err := read(raw); err != nil {
		return Chat{}, err
	}
	return d.change(ctx, key, "", func(s *Saved) error {
		s.Context = raw
		return nil
	})
}

// room says why there is none for the chat, or nil.
func (d *Desk) room(s *Saved) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	more, asking, old, own := s.size(), len(s.Requests), d.chats[s.Key], d.callers[s.Caller]
	if old != nil {
		more -= old.saved.size()
		asking -= len(old.saved.Requests)
	}
	switch {
	case old == nil && own.count >= d.limits.MostPerCaller:
		return tooMany(d.limits.MostPerCaller, d.limits.Idle)
	case asking > 0 && own.requests+asking > MaxRequests:
		return tooManyRequests()
	case more > 0 && own.bytes+more > maxShare:
		return tooLarge(d.limits.Idle)
	case d.held+more > maxHeld:
		return tooMuch()
	}
	return nil
}

// Drop forgets the chat; false when the caller has none of that name. An error is
// a [*tool.Error], and then nothing has changed.
func (d *Desk) Drop(ctx context.Context, key Key) (bool, error) {
	if err := d.writing.take(ctx); err != nil {
		return false, unsaved(err)
	}
	defer d.writing.give()
	if d.store != nil && !d.loaded.Load() { // it may have the chat, and would give it back
		return false, unsaved(errUnread)
	}
	old := d.find(key)
	if old == nil {
		return false, nil
	}
	if d.store != nil {
		if err := d.store.DropChats(ctx, []Key{key}); err != nil {
			return false, unsaved(err)
		}
	}
	d.take(key)
	d.tell(between(key, &old.saved, &Saved{}, ""))
	d.clearFiles(ctx)
	return true, nil
}

func (d *Desk) put(e *entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if old := d.chats[e.saved.Key]; old != nil {
		d.add(old, -1)
	}
	d.chats[e.saved.Key] = e
	d.add(e, 1)
}

func (d *Desk) take(keys ...Key) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, key := range keys {
		if e := d.chats[key]; e != nil {
			delete(d.chats, key)
			d.add(e, -1)
		}
	}
}

// add counts a chat that comes (1) or goes (-1); mu is held.
func (d *Desk) add(e *entry, sign int) {
	own, size := d.callers[e.saved.Caller], sign*e.saved.size()
	own.count += sign
	own.bytes += size
	own.requests += sign * len(e.saved.Requests)
	d.held += size
	if d.callers[e.saved.Caller] = own; own.count == 0 {
		delete(d.callers, e.saved.Caller)
	}
}

// Close ends the desk, after it has written which chats were used. Closing again
// does nothing.
func (d *Desk) Close() error {
	d.stop()
	<-d.done
	return nil
}

func (d *Desk) run(ctx context.Context) {
	defer close(d.done)
	tick, look := time.NewTicker(interval), time.NewTicker(FollowInterval)
	defer tick.Stop()
	defer look.Stop()
	failed := false
	for {
		select {
		case <-look.C:
			if d.loaded.Load() {
				failed = d.noteFailure(ctx, d.follow(ctx), failed)
			}
		case <-tick.C:
			d.load(ctx)
			d.sweep(ctx)
		case <-ctx.Done():
			ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
			defer stop()
			d.sweep(ctx)
			return
		}
	}
}

// noteFailure logs that the store cannot be followed, once until it can be again.
func (d *Desk) noteFailure(ctx context.Context, err error, failed bool) bool {
	if err != nil && !failed && ctx.Err() == nil {
		d.logger.ErrorContext(ctx, "changes of chats by other processes cannot be read from the store", "problem", err.Error())
	}
	return err != nil
}
