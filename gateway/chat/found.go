package chat

import (
	"container/list"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// MaxFound is how many tools are kept as found in one chat. Further ones are found
	// all the same and can be called; they are in no list.
	MaxFound = 128
	// maxSessions is of how many chats of one connection of a caller it is kept what was
	// found in them: at most about 10 KiB each. So many sessions may be open at a time.
	maxSessions = 10_000
	// maxAllSessions is the same of all callers. More than maxSessions are there only
	// where a search outlived its session.
	maxAllSessions = 2 * maxSessions
)

// Find notes that tools were found in a chat, behind those that were before, and
// gives the names that are new there. What is kept depends on the chat: a named one
// keeps it with all that it holds; that of one connection (Session) in memory, until
// [Desk.EndSession], as long as a chat is kept and its caller has not too many of them.
// The default chat of a caller keeps nothing: it is shared by all conversations that
// name none, and what one of them finds is not to be in the lists of the others. A chat
// that has MaxFound of them takes no more, unless some do not count any more: these
// give way, as many as have to. An error is a [*tool.Error], and then nothing has
// changed; it is one, too, when the context is over before it was this one's turn.
func (d *Desk) Find(ctx context.Context, caller string, in tool.Chat, names []string, counts func(name string) bool) (added []string, err error) {
	key := Key{caller, in.ID}
	switch {
	case in.Session:
		return d.sessions.find(key, names, counts), nil
	case in.ID == tool.DefaultChat || in.ID == "":
		return nil, nil
	}
	if e := d.find(key); e != nil {
		if _, added = adding(e.saved.Found, names, counts); len(added) == 0 {
			return nil, nil
		}
	}
	_, err = d.change(ctx, key, "", func(s *Saved) error {
		if d.find(key) == nil && d.fillsUp(caller) {
			return tooMany(d.most(), d.idle())
		}
		s.Found, added = adding(s.Found, names, counts)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}

// adding puts names behind those that were found before, and gives the ones that are
// new and for which there is room. The list that it is given does not change.
func adding(found, names []string, counts func(string) bool) (all, added []string) {
	added = without(names, found)
	lacking := len(found) + len(added) - MaxFound
	all = slices.DeleteFunc(slices.Clone(found), func(name string) bool {
		if lacking <= 0 || counts(name) {
			return false
		}
		lacking--
		return true
	})
	added = added[:min(len(added), max(0, MaxFound-len(all)))]
	return append(all, added...), added
}

// fillsUp reports whether searches make no further chat of the caller: a part of
// what it may have is left for what its user puts into chats.
func (d *Desk) fillsUp(caller string) bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.callers[caller].count >= d.limits.MostPerCaller-d.limits.MostPerCaller/4
}

func (d *Desk) most() int {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.limits.MostPerCaller
}

func (d *Desk) idle() time.Duration {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.limits.Idle
}

// EndSession forgets what was found in the chat of one connection, which has ended.
func (d *Desk) EndSession(caller, id string) { d.sessions.end(Key{caller, id}) }

// withFound gives the chat of one connection what was found in it.
func (d *Desk) withFound(caller string, in tool.Chat) tool.Chat {
	if in.Session {
		in.Found = d.sessions.look(Key{caller, in.ID}, d.idle())
	}
	return in
}

// sessions keep what was found in chats of one connection. The zero value works.
type sessions struct {
	mu     sync.Mutex // guards all
	at     map[Key]*list.Element
	orders map[string]*list.List // of *session, by caller, the one used last at the front; none is empty
}

type session struct {
	key   Key
	found []string // not changed, but replaced
	used  time.Time
}

func (s *sessions) look(key Key, idle time.Duration) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.at[key]
	if e == nil {
		return nil
	}
	own := e.Value.(*session)
	if time.Since(own.used) > idle {
		s.remove(e)
		return nil
	}
	own.used = time.Now()
	s.orders[key.Caller].MoveToFront(e)
	return own.found
}

func (s *sessions) find(key Key, names []string, counts func(string) bool) (added []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.at[key]
	if e == nil {
		e = s.add(key)
	}
	own := e.Value.(*session)
	s.orders[key.Caller].MoveToFront(e)
	own.found, added = adding(own.found, names, counts)
	own.used = time.Now()
	return added
}

// add makes room for one and puts it in; mu is held. It costs a caller its own.
func (s *sessions) add(key Key) *list.Element {
	if s.at == nil {
		s.at, s.orders = map[Key]*list.Element{}, map[string]*list.List{}
	}
	if order := s.orders[key.Caller]; order != nil && order.Len() >= maxSessions {
		s.remove(order.Back())
	}
	if len(s.at) >= maxAllSessions {
		s.remove(s.longest().Back())
	}
	order := s.orders[key.Caller]
	if order == nil {
		order = list.New()
		s.orders[key.Caller] = order
	}
	e := order.PushFront(&session{key: key})
	s.at[key] = e
	return e
}

// longest are the sessions of the caller that has most; mu is held, and there are some.
func (s *sessions) longest() (most *list.List) {
	for _, order := range s.orders {
		if most == nil || order.Len() > most.Len() {
			most = order
		}
	}
	return most
}

func (s *sessions) end(key Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.at[key]; e != nil {
		s.remove(e)
	}
}

// remove forgets one; mu is held.
func (s *sessions) remove(e *list.Element) {
	key := e.Value.(*session).key
	delete(s.at, key)
	if order := s.orders[key.Caller]; order.Len() > 1 {
		order.Remove(e)
	} else {
		delete(s.orders, key.Caller)
	}
}
