package learn

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"
)

// tombstones is how long the store remembers that a note was taken out: longer than a
// process that uses it does not look.
const tombstones = 24 * time.Hour

const (
	// maxEdits is how many notes are written at a time.
	maxEdits = 1000
	// maxUnsaved is how many changes wait for a store that cannot be written: further
	// ones stay in memory.
	maxUnsaved = 2 * MaxNotes
)

// save has the store told of a note; mu is held.
func (b *Book) save(s Saved) {
	if _, ok := b.unsaved[s.Key]; b.store != nil && (ok || len(b.unsaved) < maxUnsaved) {
		b.unsaved[s.Key] = s
	}
}

// Close ends the book, after it has written what the store does not have. Closing again
// does nothing.
func (b *Book) Close() error {
	b.stop()
	<-b.done
	return nil
}

func (b *Book) run(ctx context.Context, failed bool) {
	defer close(b.done)
	sweep := time.NewTicker(sweepInterval)
	defer sweep.Stop()
	var tick <-chan time.Time // none without a store
	if b.store != nil {
		ticker := time.NewTicker(FollowInterval)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-tick:
			failed = b.noteFailure(ctx, b.exchange(ctx), failed)
		case <-sweep.C:
			b.sweep()
			failed = b.noteFailure(ctx, b.forget(ctx), failed)
		case <-ctx.Done():
			ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
			defer stop()
			b.noteFailure(ctx, b.write(ctx), false)
			return
		}
	}
}

// noteFailure logs that the store cannot be used, once until it can be again.
func (b *Book) noteFailure(ctx context.Context, err error, failed bool) bool {
	if err != nil && !failed && ctx.Err() == nil {
		b.logger.ErrorContext(ctx, "what was learned from searches cannot be kept in the store", "problem", err.Error())
	}
	return err != nil
}

// exchange takes in what others have changed, and writes what the store does not have.
func (b *Book) exchange(ctx context.Context) error {
	if b.store == nil {
		return nil
	}
	if err := b.follow(ctx); err != nil {
		return err
	}
	return b.write(ctx)
}

func (b *Book) follow(ctx context.Context) error {
	b.writing.Lock()
	defer b.writing.Unlock()
	changed, next, err := b.store.ChangedHints(ctx, b.mark)
	if err == nil && next < b.mark { // another store lies there now
		changed, next, err = b.store.ChangedHints(ctx, -1)
	}
	if err != nil {
		return err
	}
	b.mark = next
	b.takeIn(changed)
	return nil
}

// takeIn changes what is in memory as somebody has changed the store, but for what is
// newer here.
func (b *Book) takeIn(changed []Saved) {
	now := time.Now()
	made := make([]*entry, 0, len(changed))
	for i := range changed {
		made = append(made, newEntry(changed[i]))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range made {
		if _, newer := b.unsaved[e.Key]; newer {
			continue
		}
		switch old := b.find(e.Key); {
		case old != nil && old.Saved.equal(&e.Saved): // its own write
		case e.Weight <= 0 || e.faded(now):
			b.remove(e.Key)
		default:
			g := b.group(e.Group)
			before := g.edits.all
			if b.put(e); !e.written() { // a call of another program
				g.edits.learned += g.edits.all - before
			}
		}
	}
}

func (s *Saved) equal(t *Saved) bool {
	return s.Key == t.Key && s.Weight == t.Weight && s.Used.Equal(t.Used)
}

// find gives the note of a key, or nil; mu is held.
func (b *Book) find(key Key) *entry {
	if g := b.groups[key.Group]; g != nil {
		for _, e := range g.tools[key.Tool] {
			if e.Key == key {
				return e
			}
		}
	}
	return nil
}

// write writes what the store does not have.
func (b *Book) write(ctx context.Context) error {
	b.writing.Lock()
	defer b.writing.Unlock()
	b.mu.Lock()
	edits := slices.SortedFunc(maps.Values(b.unsaved), func(x, y Saved) int { return compareKeys(x.Key, y.Key) })
	b.mu.Unlock()
	if b.store == nil {
		return nil
	}
	for part := range slices.Chunk(edits, maxEdits) {
		if err := b.store.EditHints(ctx, part); err != nil {
			return err
		}
		b.settle(part)
	}
	return nil
}

// settle notes that the store has these, unless they have changed meanwhile.
func (b *Book) settle(edits []Saved) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range edits {
		if s, ok := b.unsaved[edits[i].Key]; ok && s.equal(&edits[i]) {
			delete(b.unsaved, edits[i].Key)
		}
	}
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Query, b.Query))
}

// sweep drops what faded, and has what notes count worked out anew.
func (b *Book) sweep() {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.searches.sweep(now)
	var gone []*entry
	for e := range b.entries() {
		if e.faded(now) {
			gone = append(gone, e)
		}
	}
	for _, e := range gone {
		b.expel(e)
	}
	for name, g := range b.groups {
		if g.edits.all++; len(g.tools) == 0 && name != Everybody {
			delete(b.groups, name)
		}
	}
}

// forget has the store forget what was taken out long ago.
func (b *Book) forget(ctx context.Context) error {
	if b.store == nil {
		return nil
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	return b.store.DropHints(ctx, time.Now().Add(-tombstones))
}
