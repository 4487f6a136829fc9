package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/config"
)

const (
	// askTimeout is how long a gateway that is asked may take.
	askTimeout = 30 * time.Second
	// maxAnswer is the most bytes that are read of its answer.
	maxAnswer = 64 << 20
)

// remoteChats are the chats of a gateway that is asked over HTTP.
type remoteChats struct {
	base   *url.URL
	token  string
	client *http.Client
}

func newRemoteChats(address string) (chatHouse, error) {
	base, err := url.Parse(address)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, usagef("--server is the address of a gateway, such as http://127.0.0.1:8080, not %q", address)
	}
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // the token is for this address
	return &remoteChats{base: base, token: os.Getenv(config.EnvToken), client: &http.Client{Timeout: askTimeout, CheckRedirect: refuse}}, nil
}

func (h *remoteChats) list(ctx context.Context, f chat.Filter, most int) ([]chat.Owned, bool, error) {
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

func (h *remoteChats) show(ctx context.Context, key chat.Key) (c chatJSON, err error) {
	err = h.ask(ctx, http.MethodGet, nil, url.Values{"caller": {key.Caller}}, &c, "v1", "chats", key.ID, "groups")
	return c, err
}

func (h *remoteChats) set(ctx context.Context, key chat.Key, groups []string) (c chatJSON, err error) {
	body := map[string][]string{"groups": append([]string{}, groups...)}
	err = h.ask(ctx, http.MethodPut, body, url.Values{"caller": {key.Caller}}, &c, "v1", "chats", key.ID, "groups")
	return c, err
}

func (h *remoteChats) decline(ctx context.Context, key chat.Key, group string) (c chatJSON, err error) {
	err = h.ask(ctx, http.MethodDelete, nil, url.Values{"caller": {key.Caller}}, &c, "v1", "chats", key.ID, "requests", group)
	return c, err
}

func (h *remoteChats) alone() string { return "" }

func (h *remoteChats) close() error {
	h.client.CloseIdleConnections()
	return nil
}

// ask sends a request and reads the answer; the error is what the gateway says.
func (h *remoteChats) ask(ctx context.Context, method string, body any, query url.Values, into any, path ...string) error {
	req, err := h.request(ctx, method, body, query, path)
	if err != nil {
		return err
	}
	res, err := h.client.Do(req)
	if err != nil {
		return fmt.Errorf("the gateway cannot be asked: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("the answer of the gateway cannot be read: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return refusedBy(res.Status, data)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("the answer is none of a gateway of this version: %w", err)
	}
	return nil
}

// request is one with the token; each element of the path is a segment of it.
func (h *remoteChats) request(ctx context.Context, method string, body any, query url.Values, path []string) (*http.Request, error) {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return nil, err
		}
	}
	for i := range path {
		path[i] = url.PathEscape(path[i])
	}
	at := h.base.JoinPath(path...)
	at.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, method, at.String(), &sent)
	if err != nil {
		return nil, err
	}
	if h.token != "" {
		req.Header.Set("Authorization", "Bearer "+h.token)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// refusedBy is why a gateway refuses.
func refusedBy(status string, data []byte) error {
	var answer struct {
		Error struct {
			Message string `json:"message"`
			Hint    string `json:"hint"`
		} `json:"error"`
	}
	if json.Unmarshal(data, &answer) != nil || answer.Error.Message == "" {
		return fmt.Errorf("the gateway answered %s", status)
	}
	return fmt.Errorf("the gateway refuses: %s", strings.TrimSuffix(plain(answer.Error.Message)+". "+plain(answer.Error.Hint), ". "))
}
