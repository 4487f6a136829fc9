package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// interval is how often it is written down which chats were used, and how often
// those that expired are forgotten.
const interval = time.Minute

// lastWrite is how long the last of this may take when the desk is closed.
const lastWrite = 5 * time.Second

// Options are what a Desk may be given; the zero value works.
type Options struct {
	Limits Config
	Logger *slog.Logger // told of what could not be written; nothing is logged when nil
}

// Desk is where chats are kept: in memory, for calls, and behind that in a store.
// It is safe for concurrent use.
type Desk struct {
	store  Store // nil where chats end with the process
	logger *slog.Logger
	loaded atomic.Bool // what the store had was taken in
	stop   context.CancelFunc
	done   chan struct{} // closed when the desk writes no more

	writing sync.Mutex // held while the store is written, so that nothing overtakes

	mu      sync.RWMutex // guards what follows
	limits  Config
	chats   map[Key]*entry
	callers map[string]use
	held    int // bytes of all contexts
}

// use is what one caller's chats take.
type use struct {
	count int
	bytes int // of their contexts
}

// Open gives the desk the chats of the store, which may be nil. While the store
// cannot be read the desk goes on without what is in it, and tries again once a
// minute. [Desk.Close] ends it.
func Open(ctx context.Context, store Store, opts Options) *Desk {
	d := &Desk{
		store: store, logger: cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)), done: make(chan struct{}),
		chats: map[Key]*entry{}, callers: map[string]use{},
	}
	d.Limit(opts.Limits)
	d.load(ctx)
	ctx, d.stop = context.WithCancel(context.WithoutCancel(ctx))
	go d.run(ctx)
	return d
}

// load takes in what the store has, unless that was done. What was set meanwhile
// stays; what cannot be read any more holds nothing.
func (d *Desk) load(ctx context.Context) {
	if d.store == nil || d.loaded.Load() {
		return
	}
	d.writing.Lock()
	defer d.writing.Unlock()
	saved, err := d.store.Chats(ctx)
	if err != nil {
		d.logger.ErrorContext(ctx, "the chats cannot be read from the store", "problem", err.Error())
		return
	}
	d.loaded.Store(true)
	for _, s := range saved {
		if d.find(s.Key) != nil {
			continue
		}
		d.put(newEntry(s, sync.OnceValue(func() map[string]any {
			fields, _ := read(s.Context)
			return fields
		})))
	}
}

// Limit changes how long chats are kept and how many a caller may have. Those
// that there are stay, however many.
func (d *Desk) Limit(limits Config) {
	limits.Idle = cmp.Or(limits.Idle, DefaultIdle)
	limits.MostPerCaller = cmp.Or(limits.MostPerCaller, DefaultMost)
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
	return e.in(in)
}

// Look is Enter for a call that is not made: nothing is noted.
func (d *Desk) Look(caller string, in tool.Chat) tool.Chat { return d.find(Key{caller, in.ID}).in(in) }

// in gives the chat of a call what the entry holds, which may be nil.
func (e *entry) in(chat tool.Chat) tool.Chat {
	if e != nil {
		chat.Context = e.fields()
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
	return Chat{ID: s.ID, Context: s.Context, Made: s.Made.UTC(), Used: s.Used.UTC(), Expires: s.Used.Add(d.limits.Idle).UTC()}
}

// Set gives the caller's chat of that name these fields, a JSON object, in place
// of those that it has. It is in the store when Set returns. An error is a
// [*tool.Error], and then nothing has changed.
func (d *Desk) Set(ctx context.Context, key Key, raw json.RawMessage) (Chat, error) {
	fields, err := read(raw)
	if err != nil {
		return Chat{}, err
	}
	d.writing.Lock()
	defer d.writing.Unlock()
	now := time.Now()
	s := Saved{Key: key, Context: raw, Made: now, Used: now}
	if old := d.find(key); old != nil {
		s.Made = old.saved.Made
	}
	if err := d.room(s); err != nil {
		return Chat{}, err
	}
	if d.store != nil {
		if err := d.store.SaveChats(ctx, []Saved{s}); err != nil {
			return Chat{}, unsaved(err)
		}
	}
	e := newEntry(s, func() map[string]any { return fields })
	d.put(e)
	return d.shown(e), nil
}

// room says why there is none for the chat, or nil.
func (d *Desk) room(s Saved) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	more, old, own := len(s.Context), d.chats[s.Key], d.callers[s.Caller]
	if old != nil {
		more -= len(old.saved.Context)
	}
	switch {
	case old == nil && own.count >= d.limits.MostPerCaller:
		return tooMany(d.limits.MostPerCaller, d.limits.Idle)
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
	d.writing.Lock()
	defer d.writing.Unlock()
	if d.store != nil && !d.loaded.Load() { // it may have the chat, and would give it back
		return false, unsaved(errUnread)
	}
	if d.find(key) == nil {
		return false, nil
	}
	if d.store != nil {
		if err := d.store.DropChats(ctx, []Key{key}); err != nil {
			return false, unsaved(err)
		}
	}
	d.take(key)
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
	own, size := d.callers[e.saved.Caller], sign*len(e.saved.Context)
	own.count += sign
	own.bytes += size
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
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
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

// sweep writes down which chats were used, and forgets those that expired. What
// fails is tried again the next time.
func (d *Desk) sweep(ctx context.Context) {
	d.writing.Lock()
	defer d.writing.Unlock()
	used, gone := d.changes()
	if d.store != nil && len(used)+len(gone) > 0 {
		if err := errors.Join(d.store.SaveChats(ctx, used), d.store.DropChats(ctx, gone)); err != nil {
			d.logger.ErrorContext(ctx, "which chats were used could not be written", "problem", err.Error())
			return
		}
	}
	d.take(gone...)
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, s := range used {
		d.chats[s.Key].written.Store(s.Used.UnixNano())
	}
}

// changes are the chats that were used since that was written, and those that
// expired.
func (d *Desk) changes() (used []Saved, gone []Key) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for key, e := range d.chats {
		switch last := e.used.Load(); {
		case d.expired(e):
			gone = append(gone, key)
		case last != e.written.Load():
			used = append(used, e.now())
		}
	}
	return used, gone
}
