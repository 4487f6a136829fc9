package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/config"
)

// remoteApprovals are the approvals of a gateway that is asked over HTTP.
type remoteApprovals struct{ *remote }

func newRemoteApprovals(address string) (counter, error) {
	r, err := newRemote(address)
	if err != nil {
		return nil, err
	}
	return remoteApprovals{r}, nil
}

func (r remoteApprovals) list(ctx context.Context, q approval.Query) ([]approval.Shown, error) {
	query := url.Values{"state": {cmp.Or(string(q.State), "all")}, "limit": {strconv.Itoa(q.Limit)}}
	for name, value := range map[string]string{"caller": q.Caller, "prefix": q.Prefix} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var answer struct {
		Approvals []approval.Shown `json:"approvals"`
	}
	err := r.ask(ctx, http.MethodGet, nil, query, &answer)
	return answer.Approvals, err
}

func (r remoteApprovals) get(ctx context.Context, id string) (a approval.Shown, err error) {
	err = r.ask(ctx, http.MethodGet, nil, nil, &a, id)
	return a, err
}

func (r remoteApprovals) answer(ctx context.Context, id string, s reply) (a approval.Shown, err error) {
	verb := "deny"
	if s.approve {
		verb = "approve"
	}
	err = r.ask(ctx, http.MethodPost, map[string]string{"note": s.note, "remember": string(s.remember)}, nil, &a, id, verb)
	return a, err
}

// webhook reports that one was told: a gateway says no more of it.
func (remoteApprovals) webhook(a *approval.Shown) bool { return a.Notified }

// ask sends a request about approvals. What is refused is an [*approval.Refusal], as
// it is in the store.
func (r remoteApprovals) ask(ctx context.Context, method string, body any, query url.Values, into any, path ...string) error {
	err := r.remote.ask(ctx, method, body, query, into, append([]string{"v1", "approvals"}, path...)...)
	no, ok := errors.AsType[*remoteRefusal](err)
	switch {
	case !ok:
		return err
	case no.status == http.StatusUnauthorized && r.token == "":
		return fmt.Errorf("%s (put the token of a caller that may approve into %s)", plain(no.message), config.EnvToken)
	case no.status == http.StatusForbidden && r.token == "":
		return approval.Refuse(approval.Forbidden, "put the token of a caller that may approve into "+config.EnvToken+", or answer on the gateway's machine with --config in place of --server", "%s", no.message)
	}
	return approval.Refuse(approval.Kind(no.kind), no.hint, "%s", no.message)
}
