package handle

import (
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// shelveFirst keeps the result of a call that runs once; mu is held. Where the result
// has to go for its size, it stays known that the call ran.
func (d *Desk) shelveFirst(key Key, f *first, ended time.Time) {
	n, names := key.name(), int64(len(key.ID)+len(key.Chat)+len(key.Caller))
	d.replays.put(&item{
		caller: key.Caller, ended: ended, size: sizeOf(&f.result) + names,
		forget: func() { delete(d.firsts, key); d.limits.Keeper.drop(n) },
		reduce: func() int64 {
			less := &first{running: over(), asks: f.asks, kept: true, lost: true}
			d.firsts[key] = less // others may be reading the one before
			d.limits.Keeper.replace(n, func() *Entry { return encodeLost(key, less, ended) })
			return sizeOf(&less.result) + names
		},
	})
}

// encodeLost writes no more than that a call ran.
func encodeLost(key Key, f *first, ended time.Time) *Entry {
	return encode(key.name(), stored{Ended: ended, Asks: f.asks[:], Lost: true})
}

// lost is the answer to a call that ran and must not be run again.
func lost(key Key) *tool.Error {
	return tool.Errorf(tool.TooLarge, "the call %q has run, and its result is not kept any more", tool.Excerpt([]byte(key.ID), maxShownID)).
		WithHint("It was not run again. Find out what it did before you make the call under another id.")
}
