package main

import (
	"context"
	"net/http"
	"net/url"

	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/learn"
)

// remoteHints are the hints of a gateway that is asked over HTTP.
type remoteHints struct{ *remote }

func newRemoteHints(address string) (hintHouse, error) {
	r, err := newRemote(address)
	if err != nil {
		return nil, err
	}
	return remoteHints{r}, nil
}

func groupQuery(group *string) url.Values {
	if group == nil {
		return nil
	}
	return url.Values{"group": {*group}}
}

func (h remoteHints) list(ctx context.Context, group *string) ([]learn.Hint, error) {
	var answer httpapi.HintList
	err := h.ask(ctx, http.MethodGet, nil, groupQuery(group), &answer, "v1", "hints")
	hints := make([]learn.Hint, len(answer.Hints))
	for i, one := range answer.Hints {
		hints[i] = learn.Hint(one)
	}
	return hints, err
}

func (h remoteHints) put(ctx context.Context, hints []learn.Hint, group *string, replace, force bool) error {
	body := httpapi.HintImport{Hints: make([]httpapi.Hint, len(hints)), Replace: replace, Force: force}
	for i, one := range hints {
		body.Hints[i] = httpapi.Hint(one)
	}
	var answer struct{}
	return h.ask(ctx, http.MethodPut, body, groupQuery(group), &answer, "v1", "hints")
}
