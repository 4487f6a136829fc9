package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/access"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/gateway/store"
	"github.com/toolgate/toolgate/gateway/tool"
)

// localChats are the chats of the store that a configuration names. Servers that run
// on it follow what is written there.
type localChats struct {
	config  *config.Config
	made    *assembly.Assembly
	gateway *gateway.Gateway
	desk    *chat.Desk
	store   *store.Store // nil where there is none yet
}

func openLocalChats(ctx context.Context, io streams, opts config.Options, writes bool) (chatHouse, error) {
	cfg, a, _, err := load(opts, assembly.Declared)
	if err != nil {
		return nil, err
	}
	h := &localChats{config: cfg, made: a, gateway: gateway.New(a.Generation, nil, gateway.Options{})}
	s, err := store.Open(ctx, cfg.Store.File(), store.Options{ReadOnly: !writes})
	if errors.Is(err, fs.ErrNotExist) {
		_, _ = fmt.Fprintf(io.err, "there is no store %s yet, so no chat holds anything\n", cfg.Store.File())
		h.desk, err = chat.Visit(ctx, nil, chat.Options{Limits: cfg.Chats})
		return h, err
	}
	if err != nil {
		return nil, errors.Join(err, h.close())
	}
	h.store = s
	if h.desk, err = chat.Visit(ctx, s, chat.Options{Limits: cfg.Chats, Files: s, KeepFiles: cfg.Store.Keep.Files}); err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

func (h *localChats) list(_ context.Context, f chat.Filter, most int) ([]chat.Owned, bool, error) {
	chats, more := h.desk.List(f, most)
	return chats, more, nil
}

func (h *localChats) show(ctx context.Context, key chat.Key) (chatJSON, error) {
	if err := tool.CheckChatID(key.ID); err != nil {
		return chatJSON{}, usagef("%w", err)
	}
	found, _ := h.desk.Show(key)
	files, err := h.files(ctx, key)
	if err != nil {
		return chatJSON{}, err
	}
	view := tool.View{Caller: h.caller(key.Caller), Chat: tool.Chat{ID: key.ID, Groups: found.Groups}}
	return chatJSON{
		ID: key.ID, Caller: key.Caller, Active: append([]string{}, found.Groups...),
		Inactive: host.OfferedGroups(h.gateway.Offered(ctx, view)), Requests: append([]chat.Request{}, found.Requests...), Found: found.Found, Files: files,
	}, nil
}

func (h *localChats) set(ctx context.Context, key chat.Key, groups []string) (chatJSON, error) {
	known := h.gateway.Groups()
	old, _ := h.desk.Show(key)
	for _, g := range groups {
		if slices.Contains(known, g) || slices.Contains(old.Groups, g) { // one that is no more may stay
			continue
		}
		return chatJSON{}, fmt.Errorf("there is no group %q%s", g, hinted(diag.DidYouMean(g, known)))
	}
	if err := h.owned(key); err != nil {
		return chatJSON{}, err
	}
	if _, err := h.desk.SetGroups(ctx, key, groups, byCLI); err != nil {
		return chatJSON{}, err
	}
	return h.show(ctx, key)
}

// owned refuses a new chat of a caller that there is not.
func (h *localChats) owned(key chat.Key) error {
	callers := append(access.OwnNames(), slices.Sorted(maps.Keys(h.config.Server.Callers))...)
	if _, ok := h.desk.Show(key); ok || slices.Contains(callers, key.Caller) {
		return nil
	}
	return fmt.Errorf("there is no caller %q%s", key.Caller, hinted(diag.DidYouMean(key.Caller, callers)))
}

func (h *localChats) decline(ctx context.Context, key chat.Key, group string) (chatJSON, error) {
	switch ok, err := h.desk.Decline(ctx, key, group, byCLI); {
	case err != nil:
		return chatJSON{}, err
	case !ok:
		return chatJSON{}, fmt.Errorf("the group %q is not asked for in this chat", group)
	}
	return h.show(ctx, key)
}

// alone is the one caller of a gateway without tokens.
func (h *localChats) alone() string {
	if section := h.config.Server.Access(); section.HasTokens() {
		return ""
	}
	return tool.Anonymous
}

// caller is one of the file, as far as rules can know it without its token.
func (h *localChats) caller(id string) tool.Caller {
	who := tool.Caller{ID: id, Name: id, Kind: tool.KindMCP, Claims: map[string]any{}}
	declared := h.config.Server.Callers[id]
	who.Groups = declared.Groups
	for name, raw := range declared.Claims {
		var v any
		if json.Unmarshal(raw, &v) == nil {
			who.Claims[name] = v
		}
	}
	return who
}

func (h *localChats) close() error {
	err := h.made.Close()
	if h.store != nil {
		err = errors.Join(err, h.store.Close())
	}
	return err
}
