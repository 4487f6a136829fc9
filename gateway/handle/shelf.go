package handle

import (
	"container/list"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// share is the part of a limit that one caller may fill: one in so many.
const share = 4

// light is how large an item is, in bytes, that is not reduced: it would not become
// much smaller.
const light = 2 << 10

// shelf keeps what has ended, within limits: the oldest goes first.
type shelf struct {
	keep            time.Duration
	perCaller, most int
	bytes           int64

	items  list.List // of *item, in the order they ended
	counts map[string]int
	sizes  map[string]int64 // bytes of each caller
	size   int64            // bytes of all
}

// item is what a shelf knows of a result.
type item struct {
	caller string
	ended  time.Time
	size   int64        // bytes
	forget func()       // takes it from where it is looked up
	reduce func() int64 // keeps no more than that it was, and gives the new size; nil where it is forgotten instead
	less   bool         // it was reduced, which happens once
}

func newShelf(keep time.Duration, perCaller, most int, bytes int64) *shelf {
	return &shelf{keep: keep, perCaller: perCaller, most: most, bytes: bytes, counts: map[string]int{}, sizes: map[string]int64{}}
}

// put keeps one more, which is the newest, and drops or reduces what is then too
// much: the caller's own first.
func (s *shelf) put(it *item) {
	s.items.PushBack(it)
	s.counts[it.caller]++
	s.grow(it.caller, it.size)
	for s.counts[it.caller] > s.perCaller && s.dropOldestOf(it.caller) {
	}
	for s.items.Len() > s.most {
		s.drop(s.items.Front())
	}
	for s.sizes[it.caller] > s.bytes/share && s.lighten(it, func(other *item) bool { return other.caller == it.caller }) {
	}
	for s.size > s.bytes && s.lighten(it, func(*item) bool { return true }) {
	}
}

// lighten reduces the oldest of those that may be, where there is one, but not the
// newest.
func (s *shelf) lighten(newest *item, may func(*item) bool) bool {
	for e := s.items.Front(); e != nil; e = e.Next() {
		it := of(e)
		switch {
		case it == newest || !may(it):
		case it.reduce == nil:
			s.drop(e)
			return true
		case it.size > light && !it.less:
			before := it.size
			it.size, it.less = it.reduce(), true
			s.grow(it.caller, it.size-before)
			return true
		}
	}
	return false
}

func (s *shelf) grow(caller string, by int64) {
	s.size += by
	if s.sizes[caller] += by; s.sizes[caller] == 0 {
		delete(s.sizes, caller)
	}
}

// expire drops what was kept for its time.
func (s *shelf) expire(now time.Time) {
	for e := s.items.Front(); e != nil && now.Sub(of(e).ended) >= s.keep; e = s.items.Front() {
		s.drop(e)
	}
}

// dropOldest drops the oldest of all, where there is one.
func (s *shelf) dropOldest() bool {
	e := s.items.Front()
	if e != nil {
		s.drop(e)
	}
	return e != nil
}

// dropOldestOf drops the oldest of one caller, where there is one.
func (s *shelf) dropOldestOf(caller string) bool {
	for e := s.items.Front(); e != nil && s.counts[caller] > 0; e = e.Next() {
		if of(e).caller == caller {
			s.drop(e)
			return true
		}
	}
	return false
}

func (s *shelf) drop(e *list.Element) {
	it := of(e)
	s.items.Remove(e)
	if s.counts[it.caller]--; s.counts[it.caller] == 0 {
		delete(s.counts, it.caller)
	}
	s.grow(it.caller, -it.size)
	it.forget()
}

func of(e *list.Element) *item {
	it, _ := e.Value.(*item)
	return it
}

// sizeOf is about what a result takes in memory, in bytes.
func sizeOf(r *tool.Result) int64 {
	const each = 512 // for the structs, and for the maps that lead to them
	n := each + len(r.CallID) + len(r.Tool) + len(r.Output.Structured) + each*len(r.Output.Content)
	for i := range r.Output.Content {
		c := &r.Output.Content[i]
		n += len(c.Text) + len(c.Data) + len(c.MIMEType) + len(c.URI) + len(c.Name) + len(c.Title) + len(c.Description)
	}
	if r.Error != nil {
		n += len(r.Error.Message) + len(r.Error.Hint) + len(r.Error.InputSchema)
	}
	return int64(n)
}
