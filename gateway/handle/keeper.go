package handle

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	keepEvery = 100 * time.Millisecond // how long what has ended waits to be stored
	keepRetry = 10 * time.Second       // the longest pause after a failure
	keepBatch = 200                    // entries that are stored at once
	keepLast  = 2 * time.Second        // for what waits when a keeper ends
	// maxStored is the largest entry that is stored, in bytes: a larger one ends
	// with the process.
	maxStored = 4 << 20
)

// Name is what a stored entry is known by.
type Name struct {
	Kind   string // KindCall or KindOnce
	Caller string // ID of the caller
	Chat   string // ID of the chat; empty for KindCall
	ID     string // of the call: ours for KindCall, the provider's for KindOnce
}

// The kinds of entries.
const (
	KindCall = "call" // a call that was started and has ended
	KindOnce = "once" // the answer to a call that runs once
)

// Entry is what has ended, as it is stored.
type Entry struct {
	Name
	Ended time.Time
	Data  []byte
}

// Store keeps entries beyond the end of the process.
type Store interface {
	// Keep stores and removes entries: all of them, or none.
	Keep(ctx context.Context, put []Entry, drop []Name) error
	// Kept gives what ended since then, oldest first, and removes what is older.
	Kept(ctx context.Context, since time.Time) ([]Entry, error)
}

// Keeper stores what a Desk keeps, a moment later: no call waits for it. What
// cannot be stored now waits, within the limits of the desk.
type Keeper struct {
	store  Store
	logger *slog.Logger

	mu      sync.Mutex // guards pending
	pending map[Name]change
}

// change is what is to become of an entry in the store.
type change struct {
	encode func() *Entry // nil where it is to be removed
	stored bool          // the store may hold one of the name now
}

// NewKeeper makes a keeper, which logs failures. [Keeper.Run] starts it.
func NewKeeper(store Store, logger *slog.Logger) *Keeper {
	return &Keeper{store: store, logger: cmp.Or(logger, slog.New(slog.DiscardHandler)), pending: map[Name]change{}}
}

// put stores what encode gives, later; nil is for what cannot be stored. A nil
// keeper keeps nothing.
func (k *Keeper) put(n Name, encode func() *Entry) { k.change(n, encode, false) }

// replace is put in place of an entry that was put before.
func (k *Keeper) replace(n Name, encode func() *Entry) { k.change(n, encode, true) }

func (k *Keeper) change(n Name, encode func() *Entry, again bool) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	was, waits := k.pending[n]
	k.pending[n] = change{encode: encode, stored: was.stored || again && !waits}
}

// drop removes an entry, or does not store it where that has not happened yet: of
// what waits there is never more than the desk keeps and the store holds.
func (k *Keeper) drop(n Name) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if was, waits := k.pending[n]; waits && !was.stored {
		delete(k.pending, n)
		return
	}
	k.pending[n] = change{stored: true}
}

// Run stores until the context ends, and then what waits, for two seconds at most.
// It is called once.
func (k *Keeper) Run(ctx context.Context) {
	pause, failing := keepEvery, false
	for {
		select {
		case <-ctx.Done():
			ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), keepLast)
			defer stop()
			_ = k.flush(ctx)
			return
		case <-time.After(pause):
		}
		err := k.flush(ctx)
		if pause = keepEvery; err != nil && ctx.Err() == nil {
			if pause = min(keepRetry, 10*pause); !failing {
				k.logger.Warn("results that can be asked for later would not survive a restart now", "problem", err.Error())
			}
		}
		failing = err != nil
	}
}

// flush stores what waits.
func (k *Keeper) flush(ctx context.Context) error {
	for {
		batch := k.take()
		if len(batch) == 0 {
			return nil
		}
		var put []Entry
		var drop []Name
		for n, c := range batch {
			if c.encode == nil {
				drop = append(drop, n)
			} else if e := c.encode(); e != nil && len(e.Data) <= maxStored {
				put = append(put, *e)
			}
		}
		if err := k.store.Keep(ctx, put, drop); err != nil {
			k.giveBack(batch)
			return err
		}
	}
}

// take takes some of what waits.
func (k *Keeper) take() map[Name]change {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.pending) <= keepBatch {
		batch := k.pending
		k.pending = map[Name]change{}
		return batch
	}
	batch := map[Name]change{}
	for n, c := range k.pending {
		if batch[n] = c; len(batch) == keepBatch {
			break
		}
	}
	maps.DeleteFunc(k.pending, func(n Name, _ change) bool { _, taken := batch[n]; return taken })
	return batch
}

// giveBack lets a batch wait on, but for what was decided otherwise meanwhile.
func (k *Keeper) giveBack(batch map[Name]change) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for n, c := range batch {
		if _, newer := k.pending[n]; !newer {
			k.pending[n] = c
		}
	}
}

// oldestFirst is the order in which entries are put on a shelf.
func oldestFirst(entries []Entry) []Entry {
	return slices.SortedStableFunc(slices.Values(entries), func(a, b Entry) int { return a.Ended.Compare(b.Ended) })
}
