package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// ChatGroups is what there is to activate in chats.
type ChatGroups interface {
	// Names are the groups that there are, sorted.
	Names() []string
	// Callers are the identities of those who can have chats, sorted.
	Callers() []string
	// Offered are the groups that a caller may have and has not in its chat. Who asks
	// is that caller, or somebody who may activate groups for it.
	Offered(ctx context.Context, who tool.Caller, key chat.Key) []OfferedGroup
}

// OfferedGroup is a group that is not active in a chat and could be.
type OfferedGroup struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Tools       int    `json:"tools"` // how many it would add
}

// groupsJSON is how the groups of a chat stand.
type groupsJSON struct {
	ID       string         `json:"id"`
	Caller   string         `json:"caller"`
	Active   []string       `json:"active"`
	Inactive []OfferedGroup `json:"inactive"` // that its caller may have
	Requests []chat.Request `json:"requests"` // that nobody answered, oldest first
}

// The most chats that a list may have, and how many it has unless it says.
const (
	defaultChats = 50
	maxChats     = 1000
)

// listChats answers which chats hold something: those of whoever asks, and to who
// may activate groups those of all callers, without their context and what was found.
func (a *api) listChats(w http.ResponseWriter, r *http.Request) {
	values, p := query(r, "caller", "id", "asking", "limit")
	if p != nil {
		p.write(w)
		return
	}
	who, limit := caller(r), defaultChats
	filter := chat.Filter{Caller: values.Get("caller"), ID: values.Get("id"), Asking: values.Get("asking") == "true"}
	if text := values.Get("asking"); values.Has("asking") && text != "true" && text != "false" {
		badQuery(fmt.Sprintf("asking is %q", shown(text)), "Write asking=true for chats with requests that nobody answered.").write(w)
		return
	}
	if values.Has("limit") {
		n, err := strconv.Atoi(values.Get("limit"))
		if err != nil || n < 1 || n > maxChats {
			badQuery(fmt.Sprintf("limit is %q", shown(values.Get("limit"))), fmt.Sprintf("Write a number from 1 to %d.", maxChats)).write(w)
			return
		}
		limit = n
	}
	if !who.Can(tool.MayActivate) {
		if filter.Caller != "" && filter.Caller != who.ID {
			chatsOfOthers().write(w)
			return
		}
		filter.Caller = who.ID
	}
	chats, more := a.chats.List(filter, limit)
	for i := range chats {
		if !seesWithin(&who, chats[i].Caller) {
			chats[i].Context, chats[i].Found = nil, nil
		}
	}
	noStore(w)
	writeJSON(w, http.StatusOK, map[string]any{"chats": chats, "more": more})
}

// seesWithin reports whether a caller may see what a chat of the owner was told, and
// which tools were found in it.
func seesWithin(who *tool.Caller, owner string) bool {
	return owner == who.ID || who.Can(tool.MayAdmin)
}

// groupsKey says which chat a request about groups is about: one of whoever sends
// it or, where that caller may activate groups, of another one.
func groupsKey(r *http.Request) (chat.Key, *problem) { return keyFor(r, tool.MayActivate) }

func (a *api) showGroups(w http.ResponseWriter, r *http.Request) {
	key, p := groupsKey(r)
	if p != nil {
		p.write(w)
		return
	}
	a.writeGroups(w, r, key)
}

// writeGroups answers how the groups stand, also of a chat that holds nothing.
func (a *api) writeGroups(w http.ResponseWriter, r *http.Request, key chat.Key) {
	found, _ := a.chats.Show(key)
	answer := groupsJSON{ID: key.ID, Caller: key.Caller, Active: found.Groups, Inactive: []OfferedGroup{}, Requests: found.Requests}
	if answer.Active == nil {
		answer.Active, answer.Requests = []string{}, []chat.Request{}
	}
	answer.Inactive = append(answer.Inactive, a.groups.Offered(r.Context(), caller(r), key)...)
	noStore(w)
	writeJSON(w, http.StatusOK, answer)
}

// setGroups takes {"groups": [...]}: those that are active from now on.
func (a *api) setGroups(w http.ResponseWriter, r *http.Request) {
	key, p := groupsKey(r)
	if p == nil {
		p = lacks(r, tool.MayActivate)
	}
	if p != nil {
		p.write(w)
		return
	}
	groups, p := readGroups(w, r)
	if p == nil {
		p = a.known(groups)
	}
	if p == nil {
		p = a.owned(key)
	}
	if p != nil {
		p.write(w)
		return
	}
	if _, err := a.chats.SetGroups(r.Context(), key, groups, caller(r).Name); err != nil {
		a.writeError(w, r, err)
		return
	}
	a.writeGroups(w, r, key)
}

// declineRequest takes a request out without activating the group.
func (a *api) declineRequest(w http.ResponseWriter, r *http.Request) {
	key, p := groupsKey(r)
	if p == nil {
		p = lacks(r, tool.MayActivate)
	}
	if p != nil {
		p.write(w)
		return
	}
	switch ok, err := a.chats.Decline(r.Context(), key, r.PathValue("group"), caller(r).Name); {
	case err != nil:
		a.writeError(w, r, err)
	case !ok:
		p := &problem{
			status: http.StatusNotFound, Type: string(tool.NotFound), Message: "this group was not asked for in this chat, or the request was answered",
			Hint: "GET /v1/chats/ID/groups lists the requests of a chat.",
		}
		p.write(w)
	default:
		a.writeGroups(w, r, key)
	}
}

// known refuses a group that there is not.
func (a *api) known(groups []string) *problem {
	names := a.groups.Names()
	for _, g := range groups {
		if !slices.Contains(names, g) {
			hint := diag.DidYouMean(g, names)
			if hint == "" {
				hint = "The configuration declares groups under the key groups."
			}
			return badQuery(fmt.Sprintf("there is no group %q", shown(g)), hint)
		}
	}
	return nil
}

// owned refuses a new chat of a caller that there is not: what would be active in it
// would be so for nobody.
func (a *api) owned(key chat.Key) *problem {
	callers := a.groups.Callers()
	if _, ok := a.chats.Show(key); ok || slices.Contains(callers, key.Caller) {
		return nil
	}
	hint := diag.DidYouMean(key.Caller, callers)
	if hint == "" {
		hint = "GET /v1/chats lists the chats that hold something, and whose they are."
	}
	return badQuery(fmt.Sprintf("there is no caller %q", shown(key.Caller)), hint)
}

// readGroups reads the one member of the body.
func readGroups(w http.ResponseWriter, r *http.Request) ([]string, *problem) {
	body, p := readBody(w, r, noun{plural: "groups", less: fmt.Sprintf("A chat has at most %d active groups.", chat.MaxGroups)})
	if p != nil {
		return nil, p
	}
	var asked struct {
		Groups *[]string `json:"groups"`
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	err := dec.Decode(&asked)
	if _, more := dec.Token(); err != nil || !errors.Is(more, io.EOF) || asked.Groups == nil {
		return nil, badQuery("the body does not say which groups are to be active", `Send {"groups": ["name"]}, with all of them, or {"groups": []} for none.`)
	}
	return *asked.Groups, nil
}

// told is what followers are told of a chat.
type told struct {
	Caller      string   `json:"caller"`
	Chat        string   `json:"chat"`
	Groups      []string `json:"groups"` // that are active now
	Activated   []string `json:"activated,omitempty"`
	Deactivated []string `json:"deactivated,omitempty"`
	Found       []string `json:"found,omitempty"` // tools that are in its list from now on
	Forgotten   []string `json:"forgotten,omitempty"`
	Group       string   `json:"group,omitempty"` // that is asked for, or declined
	Reason      string   `json:"reason,omitempty"`
	By          string   `json:"by,omitempty"` // the name of who did it, where that is known
}

// The kinds of events about chats.
const (
	eventRequested = "activation_requested" // a model asks for a group
	eventDeclined  = "activation_declined"  // its request was taken out
	eventGroups    = "groups_changed"       // other groups are active in a chat
	eventFound     = "found_changed"        // searches have found other tools in a chat
)

// ChatChanged tells the chat's caller, those who may activate groups, and
// administrators of what happened to the groups of a chat, and of what was found in it
// its caller and administrators. Mask takes secrets out of the chat's name.
func (f *Feed) ChatChanged(c chat.Change, mask func(string) string) {
	base := told{Caller: c.Caller, Chat: mask(c.ID), Groups: c.Groups, By: c.By}
	say := func(kind string, data told) {
		f.add(event{kind: kind, owner: c.Caller, right: tool.MayActivate, data: data})
	}
	for _, r := range c.Requested {
		data := base
		data.Group, data.Reason = r.Group, r.Reason
		say(eventRequested, data)
	}
	for _, group := range c.Declined {
		data := base
		data.Group = group
		say(eventDeclined, data)
	}
	if len(c.Activated)+len(c.Deactivated) > 0 {
		data := base
		data.Activated, data.Deactivated = c.Activated, c.Deactivated
		say(eventGroups, data)
	}
	if len(c.Found)+len(c.Forgotten) > 0 {
		data := base
		data.Found, data.Forgotten = c.Found, c.Forgotten
		f.add(event{kind: eventFound, owner: c.Caller, data: data}) // others may not know of these tools
	}
}
