package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/config"
)

const (
	// remoteTimeout is how long a gateway may take to answer.
	remoteTimeout = 30 * time.Second
	// maxRemoteAnswer is the most bytes that are read of its answer.
	maxRemoteAnswer = 64 << 20
)

// remote is a gateway that runs, asked over HTTP, with the token of [config.EnvToken].
type remote struct {
	client *http.Client
	base   *url.URL
	token  string // empty for none
}

// newRemote is the gateway at an address. It follows no redirect: the token is for
// this address.
func newRemote(address string) (*remote, error) {
	token := os.Getenv(config.EnvToken)
	base, err := url.Parse(address)
	switch {
	case err == nil && base.User != nil: // before the address is shown
		return nil, usagef("the address for --server holds a user name or a password: put the token into %s", config.EnvToken)
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		return nil, usagef("--server is the address of a gateway, such as http://127.0.0.1:8080")
	case base.RawQuery != "" || base.Fragment != "" || strings.ContainsAny(token, "\r\n"):
		return nil, usagef("--server is the address of a gateway without anything behind it, and %s is one line", config.EnvToken)
	}
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &remote{client: &http.Client{Timeout: remoteTimeout, CheckRedirect: refuse}, base: base, token: token}, nil
}

func (r *remote) close() error {
	r.client.CloseIdleConnections()
	return nil
}

// address is where the gateway is, for those who read what went wrong.
func (r *remote) address() string { return strings.TrimSuffix(r.base.String(), "/") }

// remoteRefusal is what a gateway answers that does not do what it was asked.
type remoteRefusal struct {
	status  int
	kind    string // error_type
	message string
	hint    string
}

// Error gives the sentences.
func (r *remoteRefusal) Error() string {
	return "the gateway refuses: " + strings.TrimSuffix(plain(r.message)+". "+plain(r.hint), ". ")
}

// ask sends a request, whose body may be nil, and reads the answer. Each element of
// the path is a segment of it. The error is a *remoteRefusal where the gateway says
// why it does not do it.
func (r *remote) ask(ctx context.Context, method string, body any, query url.Values, into any, path ...string) error {
	req, err := r.request(ctx, method, body, query, path)
	if err != nil {
		return err
	}
	res, err := r.client.Do(req)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err // the address is said already
		}
		return fmt.Errorf("no gateway answers at %s: %w (start it with gateway serve, or correct the address)", r.address(), err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxRemoteAnswer+1)) // one more tells cut from whole
	switch {
	case err != nil:
		return fmt.Errorf("the answer of %s could not be read: %w", r.address(), err)
	case len(data) > maxRemoteAnswer:
		return fmt.Errorf("the answer of %s has more than %d bytes", r.address(), maxRemoteAnswer)
	case res.StatusCode != http.StatusOK:
		return r.refused(res.StatusCode, data)
	case json.Unmarshal(data, into) != nil:
		return fmt.Errorf("what answers at %s is no gateway, or one of another version", r.address())
	}
	return nil
}

func (r *remote) request(ctx context.Context, method string, body any, query url.Values, path []string) (*http.Request, error) {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return nil, err
		}
	}
	for i := range path {
		path[i] = url.PathEscape(path[i])
	}
	at := r.base.JoinPath(path...)
	at.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, method, at.String(), &sent)
	if err != nil {
		return nil, err
	}
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
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
	e := &answer.Error
	switch {
	case json.Unmarshal(data, &answer) != nil || e.Message == "":
		return fmt.Errorf("%s answered %d %s: it is no gateway, or one of another version", r.address(), status, http.StatusText(status))
	case e.Type == "no_such_route":
		return fmt.Errorf("%s does not serve this: it is a gateway of another version, or the address has a path too many", r.address())
	}
	return &remoteRefusal{status, e.Type, e.Message, e.Hint}
}
