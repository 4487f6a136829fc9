package chat

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Change is what happened to the groups and the found tools of a chat, for whoever
// watches.
type Change struct {
	Key
	Groups      []string  // that are active now; not nil
	Activated   []string  // that were not active before
	Deactivated []string  // that were
	Requested   []Request // that are new
	Found       []string  // names of tools that are newly found in the chat
	Forgotten   []string  // names of tools that were found in it, and are not any more
	Declined    []string  // groups whose requests were taken out without activating them
	By          string    // who made the change, as far as that is known: a model that asks is nobody, nor is another process
}

func (c *Change) any() bool {
	return len(c.Activated)+len(c.Deactivated)+len(c.Requested)+len(c.Declined)+len(c.Found)+len(c.Forgotten) > 0
}

// between is what differs between two states of a chat.
func between(key Key, old, now *Saved, by string) Change {
	c := Change{Key: key, Groups: append([]string{}, now.Groups...), By: by}
	c.Activated, c.Deactivated = without(now.Groups, old.Groups), without(old.Groups, now.Groups)
	c.Found, c.Forgotten = without(now.Found, old.Found), without(old.Found, now.Found)
	asked := func(s *Saved) (groups []string) {
		for _, r := range s.Requests {
			groups = append(groups, r.Group)
		}
		return groups
	}
	for _, r := range now.Requests {
		if !slices.Contains(asked(old), r.Group) {
			c.Requested = append(c.Requested, r)
		}
	}
	c.Declined = without(without(asked(old), asked(now)), now.Groups)
	return c
}

// without are those of a list that are in no other.
func without(list, other []string) (rest []string) {
	for _, x := range list {
		if !slices.Contains(other, x) {
			rest = append(rest, x)
		}
	}
	return rest
}

// watchers are those who are told of changes.
type watchers struct {
	mu  sync.Mutex // guards all
	all []*func(Change)
}

// Watch tells one more of changes of groups, requests and found tools, in their order, until
// stop is called. It is told while the desk waits, so it must neither wait nor ask
// the desk for a change.
func (d *Desk) Watch(told func(Change)) (stop func()) {
	w, entry := &d.watchers, &told
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(slices.Clone(w.all), entry)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.all = slices.DeleteFunc(slices.Clone(w.all), func(e *func(Change)) bool { return e == entry })
	}
}

func (d *Desk) tell(c Change) {
	if !c.any() {
		return
	}
	d.watchers.mu.Lock()
	all := d.watchers.all
	d.watchers.mu.Unlock()
	for _, told := range all {
		(*told)(c)
	}
}

// turn is held by one at a time.
type turn chan struct{}

// take waits for the turn, but not longer than the context lasts.
func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("others were still writing to the store: %w", context.Cause(ctx))
	}
}

// give ends the turn.
func (t turn) give() { <-t }

// emptyContext are the fields of a chat that was given none.
const emptyContext = "{}"

// change makes another one of a chat, which begins with that where there is none.
// What another process made of it meanwhile is kept, but for what edit changes. An
// error is a [*tool.Error], and then nothing has changed.
func (d *Desk) change(ctx context.Context, key Key, by string, edit func(*Saved) error) (Chat, error) {
	if err := d.writing.take(ctx); err != nil {
		return Chat{}, unsaved(err)
	}
	defer d.writing.give()
	var made Saved
	write := func(stored *Saved) (Saved, error) {
		made = d.base(key, stored)
		if err := edit(&made); err != nil {
			return Saved{}, err
		}
		made.Used = time.Now()
		return made, d.room(&made)
	}
	if err := d.edit(ctx, key, write); err != nil {
		return Chat{}, unsaved(err)
	}
	return d.shown(d.replace(made, by)), nil
}

// edit writes to the store, where there is one.
func (d *Desk) edit(ctx context.Context, key Key, write func(*Saved) (Saved, error)) error {
	if d.store != nil {
		if err := d.catchUp(ctx); err != nil { // so that what others did is not taken for this change
			return err
		}
		return d.store.EditChat(ctx, key, write)
	}
	_, err := write(nil)
	return err
}

// base is what a change begins with: the chat as the store has it, else as it is in
// memory. One that was not used for too long holds nothing any more.
func (d *Desk) base(key Key, stored *Saved) Saved {
	here := d.find(key)
	switch {
	case stored != nil && (here != nil || !d.over(stored.Used)):
		return *stored
	case here != nil:
		return here.saved
	}
	now := time.Now()
	return Saved{Key: key, Context: []byte(emptyContext), Made: now, Used: now}
}

// replace puts a chat in the place of the one that it was made of.
func (d *Desk) replace(s Saved, by string) *entry {
	old := d.find(s.Key)
	e := newEntry(s, fieldsOf(old, &s))
	d.put(e)
	if old == nil {
		old = &entry{}
	}
	d.tell(between(s.Key, &old.saved, &s, by))
	return e
}

// fieldsOf reads the fields when they are asked for first, if they are not the ones
// that were read before.
func fieldsOf(old *entry, s *Saved) func() map[string]any {
	if old != nil && bytes.Equal(old.saved.Context, s.Context) {
		return old.fields
	}
	raw := s.Context
	return sync.OnceValue(func() map[string]any {
		fields, _ := read(raw)
		return fields
	})
}

// follow takes in what other processes have changed. While the store cannot be read
// the desk goes on with what it has.
func (d *Desk) follow(ctx context.Context) error {
	if d.store == nil {
		return nil
	}
	if err := d.writing.take(ctx); err != nil {
		return err
	}
	defer d.writing.give()
	return d.catchUp(ctx)
}

// catchUp is follow while writing is held.
func (d *Desk) catchUp(ctx context.Context) error {
	changed, next, err := d.store.ChangedChats(ctx, d.mark)
	if err != nil {
		return err
	}
	if next < d.mark { // another store: all of it is new
		if changed, next, err = d.store.ChangedChats(ctx, -1); err != nil {
			return err
		}
	}
	d.mark = next
	for i := range changed {
		d.takeIn(&changed[i])
	}
	return nil
}

// takeIn puts a chat as the store has it in the place of the one in memory, unless
// they are the same. One that has expired is taken in to be forgotten.
func (d *Desk) takeIn(s *Saved) {
	old := d.find(s.Key)
	if old == nil && d.over(s.Used) {
		d.put(newEntry(*s, fieldsOf(nil, s)))
		return
	}
	if old != nil {
		if c := between(s.Key, &old.saved, s, ""); !c.any() && bytes.Equal(old.saved.Context, s.Context) {
			old.usedAt(s.Used)
			return
		}
		s.Used = later(s.Used, old.last())
	}
	d.replace(*s, "")
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// over reports whether a chat that was used then has expired.
func (d *Desk) over(used time.Time) bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return time.Since(used) > d.limits.Idle
}
