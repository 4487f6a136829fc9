package chat

import (
	"context"
	"errors"
	"slices"
)

// sweepPart is how many chats are written at a time: other changes wait no longer
// than for these.
const sweepPart = 1000

// sweep writes down which chats were used, and forgets those that expired. What
// fails is tried again the next time.
func (d *Desk) sweep(ctx context.Context) {
	for part := range slices.Chunk(d.stale(), sweepPart) {
		if err := d.sweepSome(ctx, part); err != nil {
			d.logger.ErrorContext(ctx, "which chats were used could not be written", "problem", err.Error())
			return
		}
	}
	d.clearFiles(ctx)
}

func (d *Desk) sweepSome(ctx context.Context, keys []Key) error {
	if err := d.writing.take(ctx); err != nil {
		return err
	}
	defer d.writing.give()
	used, gone := d.changes(keys)
	if d.store != nil {
		if err := errors.Join(d.store.UseChats(ctx, used), d.store.DropChats(ctx, gone)); err != nil {
			return err
		}
	}
	for _, key := range gone {
		d.tell(between(key, &d.entryOf(key).saved, &Saved{}, ""))
	}
	d.take(gone...)
	for _, s := range used {
		d.entryOf(s.Key).written.Store(s.Used.UnixNano())
	}
	return nil
}

// entryOf gives a chat that is in memory, expired or not.
func (d *Desk) entryOf(key Key) *entry {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.chats[key]
}

// stale are the chats of which the store has to be told something: first those that
// expired.
func (d *Desk) stale() []Key {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var used, gone []Key
	for key, e := range d.chats {
		switch {
		case d.expired(e):
			gone = append(gone, key)
		case e.used.Load() != e.written.Load():
			used = append(used, key)
		}
	}
	return append(gone, used...)
}

// changes are those of the chats that were used since that was written, and those
// that expired.
func (d *Desk) changes(keys []Key) (used []Saved, gone []Key) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, key := range keys {
		switch e := d.chats[key]; {
		case e == nil: // it was dropped
		case d.expired(e):
			gone = append(gone, key)
		case e.used.Load() != e.written.Load():
			used = append(used, e.now())
		}
	}
	return used, gone
}
