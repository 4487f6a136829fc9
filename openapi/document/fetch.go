package document

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// FetchTimeout is how long the answer of an address may take, with its body.
const FetchTimeout = 30 * time.Second

// KeptTimeout is how long it may take where an earlier answer is kept, which is used
// when it takes longer.
const KeptTimeout = 5 * time.Second

// Fetcher sends a request. It decides which networks may be reached, and which
// redirects are followed.
type Fetcher interface {
	Do(req *http.Request) (*http.Response, error)
}

// answer is what came from an address.
type answer struct {
	Body []byte `json:"-"`
	ETag string `json:"etag"`
	Base string `json:"base"` // the address, after redirects
}

// fetch asks an address for its document. When that cannot be reached, the last
// answer is used if there is one.
func fetch(ctx context.Context, o Options) (*Source, error) {
	u, err := url.Parse(o.Path)
	if err != nil || u.Host == "" {
		return nil, errors.New("the address of the document is not a valid URL") // which may hold a password
	}
	if o.Fetch == nil {
		return nil, fmt.Errorf("%s: addresses cannot be read here", shown(u))
	}
	s := &Source{name: nameOf(u.Path, u.Host)}
	kept := keptAnswer(o.CacheDir, o.Path)
	got, err := ask(ctx, o.Fetch, u, kept)
	if err != nil {
		if kept == nil || ctx.Err() != nil || !errors.As(err, new(unreachable)) {
			return nil, fmt.Errorf("%s: %w", shown(u), err)
		}
		s.stale, got = fmt.Sprintf("%s: %v", shown(u), err), kept
	} else if got != kept {
		keepAnswer(o.CacheDir, o.Path, got)
	}
	s.data, s.base = got.Body, got.Base
	return s, nil
}

// unreachable is a failure that says nothing about the document: a later request
// may well be answered.
type unreachable struct{ error }

func (u unreachable) Unwrap() error { return u.error }

// ask sends the request; kept is the last answer, which is given again when the
// address says that it still holds, or nil.
func ask(ctx context.Context, f Fetcher, u *url.URL, kept *answer) (*answer, error) {
	limit := FetchTimeout
	if kept != nil {
		limit = KeptTimeout
	}
	ctx, stop := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the answer takes longer than %s", limit))
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, errors.New("not a valid address")
	}
	req.Header.Set("Accept", "application/json, application/yaml, application/openapi+json, application/openapi+yaml, text/yaml, */*;q=0.5")
	if kept != nil && kept.ETag != "" {
		req.Header.Set("If-None-Match", kept.ETag)
	}
	resp, err := f.Do(req)
	if err != nil {
		return nil, unreachable{cause(ctx, err)}
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode == http.StatusNotModified && kept != nil && kept.ETag != "":
		return kept, nil
	case resp.StatusCode != http.StatusOK:
		return nil, refused(resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxSize+1))
	switch {
	case len(body) > MaxSize:
		return nil, fmt.Errorf("the document is larger than %d MiB", MaxSize>>20)
	case err != nil:
		return nil, unreachable{cause(ctx, err)}
	}
	if resp.Request != nil && resp.Request.URL != nil {
		u = resp.Request.URL
	}
	return &answer{Body: body, ETag: resp.Header.Get("ETag"), Base: shown(u)}, nil
}

// refused words a status that brings no document.
func refused(status int) error {
	err := fmt.Errorf("the server answered with status %d, where a document was expected", status)
	switch {
	case status >= http.StatusInternalServerError, status == http.StatusTooManyRequests:
		return unreachable{err}
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fmt.Errorf("%w (documents are asked for without credentials: save it to a file)", err)
	}
	return err
}

// cause is why a request failed, without the address, which may hold what nobody
// should read.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// shown is an address without user info, query and fragment, which may hold
// secrets.
func shown(u *url.URL) string {
	bare := *u
	bare.User, bare.RawQuery, bare.ForceQuery, bare.Fragment, bare.RawFragment = nil, "", false, "", ""
	return bare.String()
}
