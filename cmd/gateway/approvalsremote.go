package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/approval"
)

const (
	// remoteTimeout is how long a gateway may take to answer.
	remoteTimeout = 30 * time.Second
	// maxRemoteAnswer is the most bytes of its answer: maxListed approvals with
	// approval.MaxArguments each.
	maxRemoteAnswer = 32 << 20
)

// remote is a gateway that runs, asked over HTTP.
type remote struct {
	client *http.Client
	base   string
	token  string // empty for none
}

// newRemote is the gateway at an address.
func newRemote(base, token string) (*remote, error) {
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, usagef("--server is the address of a gateway, such as http://127.0.0.1:8080")
	case u.User != nil:
		return nil, usagef("the address for --server holds a user name or a password: put the token into %s", tokenVariable)
	case u.RawQuery != "" || u.Fragment != "" || strings.ContainsAny(token, "\r\n"):
		return nil, usagef("--server is the address of a gateway without anything behind it, and %s is one line", tokenVariable)
	}
	return &remote{
		client: &http.Client{Timeout: remoteTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		base:   strings.TrimSuffix(u.String(), "/"), token: token,
	}, nil
}

func (r *remote) close() error {
	r.client.CloseIdleConnections()
	return nil
}

func (r *remote) list(ctx context.Context, q approval.Query) ([]approval.Shown, error) {
	values := url.Values{"state": {cmp.Or(string(q.State), "all")}, "limit": {strconv.Itoa(q.Limit)}}
	for name, value := range map[string]string{"caller": q.Caller, "prefix": q.Prefix} {
		if value != "" {
			values.Set(name, value)
		}
	}
	var answer struct {
		Approvals []approval.Shown `json:"approvals"`
	}
	err := r.ask(ctx, http.MethodGet, "?"+values.Encode(), nil, &answer)
	return answer.Approvals, err
}

func (r *remote) get(ctx context.Context, id string) (a approval.Shown, err error) {
	err = r.ask(ctx, http.MethodGet, "/"+url.PathEscape(id), nil, &a)
	return a, err
}

func (r *remote) answer(ctx context.Context, id string, s reply) (a approval.Shown, err error) {
	verb := "/deny"
	if s.approve {
		verb = "/approve"
	}
	body, err := json.Marshal(map[string]string{"note": s.note, "remember": string(s.remember)})
	if err != nil {
		return a, err
	}
	err = r.ask(ctx, http.MethodPost, "/"+url.PathEscape(id)+verb, body, &a)
	return a, err
}

// webhook reports that one was told: a gateway says no more of it.
func (*remote) webhook(a *approval.Shown) bool { return a.Notified }

// ask sends a request about approvals and reads the answer.
func (r *remote) ask(ctx context.Context, method, path string, body []byte, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, r.base+"/v1/approvals"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := r.client.Do(req)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err // the address is said already
		}
		return fmt.Errorf("no gateway answers at %s: %w", r.base, err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxRemoteAnswer+1)) // one more tells cut from whole
	switch {
	case err != nil:
		return fmt.Errorf("the answer of %s could not be read: %w", r.base, err)
	case len(data) > maxRemoteAnswer:
		return fmt.Errorf("the answer of %s has more than %d bytes", r.base, maxRemoteAnswer)
	case res.StatusCode != http.StatusOK:
		return r.refused(res.StatusCode, data)
	case json.Unmarshal(data, into) != nil:
		return fmt.Errorf("what answers at %s is no gateway, or one of another version", r.base)
	}
	return nil
}

// refused is the failure that a gateway answered.
func (r *remote) refused(status int, data []byte) error {
	var answer struct {
		Error struct {
			Type    string `json:"error_type"`
			Message string `json:"message"`
			Hint    string `json:"hint"`
		} `json:"error"`
	}
	if json.Unmarshal(data, &answer) != nil || answer.Error.Message == "" {
		return fmt.Errorf("%s answered %d %s: it is no gateway, or one of another version", r.base, status, http.StatusText(status))
	}
	e := answer.Error
	switch {
	case status == http.StatusUnauthorized && r.token == "":
		return fmt.Errorf("%s (put the token of a caller that may approve into %s)", plain(e.Message), tokenVariable)
	case status == http.StatusForbidden && r.token == "":
		return approval.Refuse(approval.Forbidden, "put the token of a caller that may approve into "+tokenVariable+", or answer on the gateway's machine with --config in place of --server", "%s", e.Message)
	case e.Type == "no_such_route":
		return fmt.Errorf("%s serves no approvals: it is a gateway of another version, or the address has a path too many", r.base)
	}
	return approval.Refuse(approval.Kind(e.Type), e.Hint, "%s", e.Message)
}
