package learn

import (
	"container/list"
	"slices"
	"time"
)

const (
	// Window is how long a search is remembered for a call to follow it.
	Window = 10 * time.Minute
	// MaxSearches is how many searches of one chat are remembered: of more the oldest go.
	MaxSearches = 8
	// MaxChats is how many chats have searches that are remembered: of more the ones go
	// that searched least recently.
	MaxChats = 5000
	// MaxFound is how many tools of one search are remembered, the best ones.
	MaxFound = 50
)

// chatKey tells chats apart.
type chatKey struct{ caller, chat string }

// search is one that calls may follow.
type search struct {
	at    time.Time
	query string // clean
	found []string
}

// recent are the searches of one chat, oldest first.
type recent struct {
	key      chatKey
	searches []search
}

// searches are those that calls may follow, of all chats.
type searches struct {
	order *list.List // of *recent: the chat that searched least recently is the first
	of    map[chatKey]*list.Element
}

func newSearches() searches { return searches{order: list.New(), of: map[chatKey]*list.Element{}} }

// add remembers a search, and forgets what is too much.
func (s *searches) add(key chatKey, one search) {
	one.found = slices.Clone(one.found[:min(len(one.found), MaxFound)])
	e := s.of[key]
	if e == nil {
		e = s.order.PushBack(&recent{key: key})
		s.of[key] = e
	}
	s.order.MoveToBack(e)
	r := e.Value.(*recent)
	r.searches = append(r.searches, one)
	r.searches = r.searches[max(0, len(r.searches)-MaxSearches):]
	if len(s.of) > MaxChats {
		s.drop(s.order.Front())
	}
}

// take gives the query of the last search that found the tool within the window, once;
// empty when there is none.
func (s *searches) take(key chatKey, tool string, now time.Time) string {
	e := s.of[key]
	if e == nil {
		return ""
	}
	for i := len(e.Value.(*recent).searches) - 1; i >= 0; i-- {
		one := &e.Value.(*recent).searches[i]
		if now.Sub(one.at) > Window {
			break
		}
		if at := slices.Index(one.found, tool); at >= 0 {
			one.found = slices.Delete(one.found, at, at+1)
			return one.query
		}
	}
	return ""
}

// sweep forgets what no call can follow any more.
func (s *searches) sweep(now time.Time) {
	for e := s.order.Front(); e != nil; e = s.order.Front() {
		all := e.Value.(*recent).searches
		if now.Sub(all[len(all)-1].at) <= Window {
			return
		}
		s.drop(e)
	}
}

func (s *searches) drop(e *list.Element) {
	delete(s.of, e.Value.(*recent).key)
	s.order.Remove(e)
}
