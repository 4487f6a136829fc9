package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/toolgate/toolgate/gateway/chat"
)

// remoteChats are the chats of a gateway that is asked over HTTP.
type remoteChats struct{ *remote }

func newRemoteChats(address string) (chatHouse, error) {
	r, err := newRemote(address)
	if err != nil {
		return nil, err
	}
	return remoteChats{r}, nil
}

func (h remoteChats) list(ctx context.Context, f chat.Filter, most int) ([]chat.Owned, bool, error) {
	query := url.Values{"limit": {strconv.Itoa(most)}}
	for name, value := range map[string]string{"caller": f.Caller, "id": f.ID} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if f.Asking {
		query.Set("asking", "true")
	}
	var answer struct {
		Chats []chat.Owned `json:"chats"`
		More  bool         `json:"more"`
	}
	err := h.ask(ctx, http.MethodGet, nil, query, &answer, "v1", "chats")
	return answer.Chats, answer.More, err
}

func (h remoteChats) show(ctx context.Context, key chat.Key) (c chatJSON, err error) {
	if err := h.ask(ctx, http.MethodGet, nil, url.Values{"caller": {key.Caller}}, &c, "v1", "chats", key.ID, "groups"); err != nil {
		return c, err
	}
	var whole chat.Chat
	err = h.ask(ctx, http.MethodGet, nil, url.Values{"caller": {key.Caller}}, &whole, "v1", "chats", key.ID)
	if refused, ok := errors.AsType[*remoteRefusal](err); ok && refused.status == http.StatusNotFound {
		err = nil // it holds nothing
	}
	c.Found, c.Files = whole.Found, whole.Files // none for whoever may only activate
	return c, err
}

func (h remoteChats) set(ctx context.Context, key chat.Key, groups []string) (c chatJSON, err error) {
	body := map[string][]string{"groups": append([]string{}, groups...)}
	err = h.ask(ctx, http.MethodPut, body, url.Values{"caller": {key.Caller}}, &c, "v1", "chats", key.ID, "groups")
	return c, err
}

func (h remoteChats) decline(ctx context.Context, key chat.Key, group string) (c chatJSON, err error) {
	err = h.ask(ctx, http.MethodDelete, nil, url.Values{"caller": {key.Caller}}, &c, "v1", "chats", key.ID, "requests", group)
	return c, err
}

func (remoteChats) alone() string { return "" }
