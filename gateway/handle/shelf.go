package handle

import (
	"container/list"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// shelf keeps what has ended, within limits: the oldest goes first.
type shelf struct {
	keep            time.Duration
	perCaller, most int
	bytes           int64

	items  list.List // of *item, in the order they ended
	counts map[string]int
	size   int64
}

// item is what a shelf knows of a result.
type item struct {
	caller string
	ended  time.Time
	size   int64  // bytes
	forget func() // takes it from where it is looked up
}

func newShelf(keep time.Duration, perCaller, most int, bytes int64) *shelf {
	return &shelf{keep: keep, perCaller: perCaller, most: most, bytes: bytes, counts: map[string]int{}}
}

// put keeps one more, which is the newest, and drops what is then too much.
func (s *shelf) put(it *item) {
	s.items.PushBack(it)
	s.counts[it.caller]++
	s.size += it.size
	for s.counts[it.caller] > s.perCaller && s.dropOldestOf(it.caller) {
	}
	for s.items.Len() > s.most || s.size > s.bytes && s.items.Len() > 1 {
		s.drop(s.items.Front())
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
	s.size -= it.size
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
