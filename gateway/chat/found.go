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
	// maxSessions is of how many chats of one connection it is kept what was found in
	// them: at most about 10 KiB each.
	maxSessions = 2048
)

// Find notes that tools were found in a chat, behind those that were before, and
// gives the names that are new there. What is kept depends on the chat: a named one
// keeps it with all that it holds; that of one connection (Session) in memory, until
// [Desk.EndSession], as long as a chat is kept and there are not too many of them. The
// default chat of a caller keeps nothing: it is shared by all conversations that name
// none, and what one of them finds is not to be in the lists of the others. A chat
// that has MaxFound of them takes no more. An error is a [*tool.Error], and then
// nothing has changed.
func (d *Desk) Find(ctx context.Context, caller string, in tool.Chat, names []string) (added []string, err error) {
	key := Key{caller, in.ID}
	switch {
	case in.Session:
		return d.sessions.find(key, names), nil
	case in.ID == tool.DefaultChat || in.ID == "":
		return nil, nil
	}
	if e := d.find(key); e != nil && len(e.saved.adding(names)) == 0 {
		return nil, nil
	}
	_, err = d.change(ctx, key, "", func(s *Saved) error {
		if d.find(key) == nil && d.fillsUp(caller) {
			return tooMany(d.most(), d.idle())
		}
		added = s.adding(names)
		s.Found = append(slices.Clone(s.Found), added...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}

// adding are those of the names that are new and for which there is room.
func (s *Saved) adding(names []string) []string {
	added := without(names, s.Found)
	return added[:min(len(added), max(0, MaxFound-len(s.Found)))]
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
	mu    sync.Mutex // guards all
	order list.List  // of *session, the one used last at the front
	at    map[Key]*list.Element
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
	s.order.MoveToFront(e)
	return own.found
}

func (s *sessions) find(key Key, names []string) (added []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.at[key]
	if e == nil {
		if s.at == nil {
			s.at = map[Key]*list.Element{}
		}
		e = s.order.PushFront(&session{key: key})
		s.at[key] = e
	}
	if s.order.Len() > maxSessions {
		s.remove(s.order.Back())
	}
	own := e.Value.(*session)
	s.order.MoveToFront(e)
	saved := Saved{Found: own.found}
	added = saved.adding(names)
	own.found, own.used = append(slices.Clone(own.found), added...), time.Now()
	return added
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
	delete(s.at, e.Value.(*session).key)
	s.order.Remove(e)
}
