package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Chats keeps what belongs to conversations. An error is a [*tool.Error].
type Chats interface {
	// Show gives a chat; false when its caller has none of that name.
	Show(key chat.Key) (chat.Chat, bool)
	// Set gives a chat these fields, a JSON object, in place of those it has.
	Set(ctx context.Context, key chat.Key, fields json.RawMessage) (chat.Chat, error)
	// Drop forgets a chat; false when its caller has none of that name.
	Drop(ctx context.Context, key chat.Key) (bool, error)

	// List gives the chats that were used last, and says whether there are more.
	List(f chat.Filter, most int) (chats []chat.Owned, more bool)
	// SetGroups makes these groups of tools the active ones of a chat.
	SetGroups(ctx context.Context, key chat.Key, groups []string, by string) (chat.Chat, error)
	// Decline takes a request for a group out; false when there is none.
	Decline(ctx context.Context, key chat.Key, group, by string) (bool, error)
}

// chatKey says which chat a request is about: one of whoever sends it or, where
// that is an administrator who says so, of another caller.
func chatKey(r *http.Request) (chat.Key, *problem) { return keyFor(r, tool.MayAdmin) }

// keyFor is chatKey for a right that opens the chats of others.
func keyFor(r *http.Request, right tool.Right) (chat.Key, *problem) {
	values, p := query(r, "caller")
	if p != nil {
		return chat.Key{}, p
	}
	who := caller(r)
	key := chat.Key{Caller: who.ID, ID: r.PathValue("id")}
	if p := checkChat(key.ID); p != nil {
		return chat.Key{}, p
	}
	if !values.Has("caller") {
		return key, nil
	}
	if key.Caller = values.Get("caller"); key.Caller != who.ID && !who.Can(right) {
		return chat.Key{}, chatsOfOthers()
	}
	return key, nil
}

func chatsOfOthers() *problem {
	return &problem{
		status: http.StatusForbidden, Type: typeForbidden, Message: "the chats of another caller are for administrators",
		Hint: "Leave out caller, or use the token of a caller that may admin; groups of others may be seen and set with one that may activate.",
	}
}

func (a *api) showChat(w http.ResponseWriter, r *http.Request) {
	key, p := groupsKey(r)
	if p != nil {
		p.write(w)
		return
	}
	found, ok := a.chats.Show(key)
	if !ok {
		noChat().write(w)
		return
	}
	if who := caller(r); !seesWithin(&who, key.Caller) {
		found.Context, found.Found = nil, nil
		writeChat(w, found)
		return
	}
	found, err := a.withFiles(r.Context(), key, found)
	if err != nil {
		a.writeError(w, r, err)
		return
	}
	writeChat(w, found)
}

// setChat takes {"context": {...}}.
func (a *api) setChat(w http.ResponseWriter, r *http.Request) {
	key, p := chatKey(r)
	if p == nil {
		p = lacks(r, tool.MayCall)
	}
	if p != nil {
		p.write(w)
		return
	}
	fields, p := readContext(w, r)
	if p != nil {
		p.write(w)
		return
	}
	made, err := a.chats.Set(r.Context(), key, fields)
	if err != nil {
		a.writeError(w, r, err)
		return
	}
	writeChat(w, made)
}

func (a *api) dropChat(w http.ResponseWriter, r *http.Request) {
	key, p := chatKey(r)
	if p == nil {
		p = lacks(r, tool.MayCall)
	}
	if p != nil {
		p.write(w)
		return
	}
	switch ok, err := a.chats.Drop(r.Context(), key); {
	case err != nil:
		a.writeError(w, r, err)
	case !ok:
		noChat().write(w)
	default:
		writeJSON(w, http.StatusOK, map[string]string{"id": key.ID, "status": "deleted"})
	}
}

// readContext reads the one member of the body.
func readContext(w http.ResponseWriter, r *http.Request) (json.RawMessage, *problem) {
	body, p := readBody(w, r, noun{plural: "fields", less: fmt.Sprintf("A chat keeps at most %d bytes.", chat.MaxContext)})
	if p != nil {
		return nil, p
	}
	fields, ok := onlyMember("context", body)
	if !ok {
		return nil, &problem{
			status: http.StatusBadRequest, Type: typeBadRequest, Message: "the body is not a chat",
			Hint: `Send {"context": {"name": value}} and nothing else.`,
		}
	}
	return fields, nil
}

// onlyMember gives the value of the one member that a JSON object has.
func onlyMember(name string, body []byte) (value json.RawMessage, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(body))
	for _, want := range []json.Token{json.Delim('{'), name} {
		if got, err := dec.Token(); err != nil || got != want {
			return nil, false
		}
	}
	if dec.Decode(&value) != nil {
		return nil, false
	}
	if got, err := dec.Token(); err != nil || got != json.Delim('}') {
		return nil, false
	}
	_, err := dec.Token()
	return value, errors.Is(err, io.EOF)
}

func writeChat(w http.ResponseWriter, c chat.Chat) {
	noStore(w)
	writeJSON(w, http.StatusOK, c)
}

// noChat is the answer about a chat that its caller does not have, whether
// another caller has one of that name or not.
func noChat() *problem {
	return &problem{
		status: http.StatusNotFound, Type: string(tool.NotFound), Message: "no chat of this name holds anything",
		Hint: "A chat begins with PUT, and is forgotten when it was not used for long.",
	}
}

// writeError answers with a failure that is none of a call.
func (a *api) writeError(w http.ResponseWriter, r *http.Request, err error) {
	e := tool.AsError(err)
	a.logFault(r, e)
	problemOf(e).write(w)
}
