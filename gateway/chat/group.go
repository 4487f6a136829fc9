package chat

import (
	"context"
	"slices"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// MaxGroups is how many groups may be active in a chat.
	MaxGroups = 64
	// MaxRequests is how many requests of one caller wait for an answer, in all of
	// its chats; in one chat there is at most one for each group.
	MaxRequests = 100
)

// Request is a group of tools that the model of a chat asked for. It grants
// nothing: a person answers it.
type Request struct {
	Group  string    `json:"group"`
	Reason string    `json:"reason"` // as the model gave it
	Made   time.Time `json:"created_at"`
}

// SetGroups makes these groups the active ones of the chat, in place of those that
// are. Requests for them are answered by that. By is who does so, for whoever
// watches. An error is a [*tool.Error], and then nothing has changed.
func (d *Desk) SetGroups(ctx context.Context, key Key, groups []string, by string) (Chat, error) {
	return d.change(ctx, key, by, func(s *Saved) error {
		s.Groups = slices.Clone(groups)
		return s.settle()
	})
}

// Activate adds a group to the active ones, as [Desk.SetGroups] does.
func (d *Desk) Activate(ctx context.Context, key Key, group, by string) (Chat, error) {
	return d.change(ctx, key, by, func(s *Saved) error {
		s.Groups = append(slices.Clone(s.Groups), group)
		return s.settle()
	})
}

// Deactivate takes a group out of the active ones.
func (d *Desk) Deactivate(ctx context.Context, key Key, group, by string) (Chat, error) {
	return d.change(ctx, key, by, func(s *Saved) error {
		s.Groups = slices.DeleteFunc(slices.Clone(s.Groups), func(g string) bool { return g == group })
		return s.settle()
	})
}

// settle brings the groups in order and takes out the requests that they answer.
func (s *Saved) settle() error {
	slices.Sort(s.Groups)
	s.Groups = slices.Compact(s.Groups)
	if len(s.Groups) > MaxGroups {
		return tool.Errorf(tool.InvalidArgs, "the chat would have %d active groups, and at most %d may be", len(s.Groups), MaxGroups).
			WithHint("Deactivate some first.")
	}
	s.Requests = slices.DeleteFunc(slices.Clone(s.Requests), func(r Request) bool { return slices.Contains(s.Groups, r.Group) })
	return nil
}

// Ask notes that the model of a chat wants a group. A group that it has asked for
// already, which again then says, is not asked for twice. An error is a
// [*tool.Error].
func (d *Desk) Ask(ctx context.Context, key Key, group, reason string) (again bool, err error) {
	same := func(r Request) bool { return r.Group == group }
	if e := d.find(key); e != nil && slices.ContainsFunc(e.saved.Requests, same) {
		return true, nil
	}
	_, err = d.change(ctx, key, "", func(s *Saved) error {
		if again = slices.ContainsFunc(s.Requests, same); again || slices.Contains(s.Groups, group) {
			return nil
		}
		s.Requests = append(slices.Clone(s.Requests), Request{Group: group, Reason: reason, Made: time.Now()})
		return nil
	})
	return again, err
}

// Decline takes a request out that is not to be granted; false where there is none.
// An error is a [*tool.Error].
func (d *Desk) Decline(ctx context.Context, key Key, group, by string) (bool, error) {
	same := func(r Request) bool { return r.Group == group }
	if e := d.find(key); e == nil || !slices.ContainsFunc(e.saved.Requests, same) {
		return false, nil
	}
	_, err := d.change(ctx, key, by, func(s *Saved) error {
		s.Requests = slices.DeleteFunc(slices.Clone(s.Requests), same)
		return nil
	})
	return err == nil, err
}

// Owned is a chat and whose it is.
type Owned struct {
	Caller string `json:"caller"` // ID of the caller
	Chat
}

// Filter says which chats a list is about.
type Filter struct {
	Caller string // ID of their caller; empty for all
	ID     string // name of the chat; empty for all
	Asking bool   // only those with requests that are not answered
}

func (f *Filter) keeps(e *entry) bool {
	s := &e.saved
	return (f.Caller == "" || f.Caller == s.Caller) && (f.ID == "" || f.ID == s.ID) && (!f.Asking || len(s.Requests) > 0)
}

// List gives the chats that were used last, at most as many as given, the last one
// first; more says that there are others.
func (d *Desk) List(f Filter, most int) (chats []Owned, more bool) {
	found := d.matching(f)
	slices.SortFunc(found, func(a, b *entry) int { return b.last().Compare(a.last()) })
	if len(found) > most {
		found, more = found[:most], true
	}
	chats = make([]Owned, 0, len(found))
	for _, e := range found {
		chats = append(chats, Owned{e.saved.Caller, d.shown(e)})
	}
	return chats, more
}

func (d *Desk) matching(f Filter) []*entry {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var found []*entry
	for _, e := range d.chats {
		if f.keeps(e) && !d.expired(e) {
			found = append(found, e)
		}
	}
	return found
}

// tooManyRequests words why a caller's models may ask for no more.
func tooManyRequests() error {
	return tool.Errorf(tool.Denied, "%d requests of this caller for groups of tools are not answered, and there may be no more", MaxRequests).
		WithHint("Do not ask again: tell the user what you need, and that earlier requests wait for an answer.")
}
