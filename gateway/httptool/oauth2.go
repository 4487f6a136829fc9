package httptool

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

const (
	tokenTimeout = 20 * time.Second // to get an access token
	// An access token is not used in the last part of its life, so that it does
	// not end on its way: a fifth of it, and at most earlyRenewal.
	earlyRenewal = 30 * time.Second
	earlyPart    = 5
	// maxToken is the most bytes of an access token, which are more than servers take
	// in a header: what the Masker holds of it and its work grow with them.
	maxToken    = 16 << 10
	theEndpoint = "the token endpoint of the upstream"
)

// grantErrors are the codes of RFC 6749 section 5.2. No other text of an
// endpoint is shown: it was sent the client's secret and may repeat it.
var grantErrors = []string{
	"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
}

// tokens gets access tokens and keeps the last one until it is about to expire.
// Of several callers one asks the endpoint, and the others wait for it no
// longer than their contexts last.
type tokens struct {
	name   string                                    // where they are configured
	origin string                                    // of the endpoint
	config func() (*clientcredentials.Config, error) // known once secrets are
	masker *secret.Masker
	turn   chan struct{} // holds a token while the endpoint is asked

	mu      sync.Mutex // guards what follows
	held    string     // the access token; empty for none
	until   time.Time  // when it is no longer used; never when zero
	round   int        // how often the endpoint was asked
	failure *tool.Error
}

func (c *authCompiler) tokens(at diag.Cursor, cfg *OAuth2) *tokens {
	t := &tokens{name: at.Path(), masker: c.deps.Masker, turn: make(chan struct{}, 1)}
	if strings.ContainsAny(cfg.TokenURL, "#$") {
		c.wrong(c.key(at, "token_url"), "write the address itself", "the address of a token endpoint is literal text without a fragment")
	} else {
		t.origin = c.origin(c.key(at, "token_url"), cfg.TokenURL, nil)
	}
	id, password := c.text(c.key(at, "client_id"), cfg.ClientID), c.secret(c.key(at, "client_secret"), cfg.ClientSecret)
	for i, scope := range cfg.Scopes {
		if !isScope(scope) {
			c.wrong(c.key(at, "scopes").Index(i), "write one scope an item, such as [read, write]", "%q cannot be a scope", scope)
		}
	}
	t.config = sync.OnceValues(func() (*clientcredentials.Config, error) {
		id, err := id()
		password, passErr := password()
		return &clientcredentials.Config{ClientID: id, ClientSecret: password, TokenURL: cfg.TokenURL, Scopes: cfg.Scopes}, errors.Join(err, passErr)
	})
	return t
}

// isScope reports whether text is a scope (RFC 6749 section 3.3).
func isScope(text string) bool {
	return text != "" && !strings.Contains(text, "${") &&
		strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r == '"' || r == '\\' || r > '~' }) < 0
}

// get gives an access token. What the endpoint answered to one caller holds for
// all that waited for it.
func (t *tokens) get(ctx context.Context, u *Upstream) (string, error) {
	token, round, _ := t.known(-1)
	if token != "" {
		return token, nil
	}
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return "", tool.Ended(ctx)
	}
	switch token, _, failure := t.known(round); {
	case token != "":
		return token, nil
	case failure != nil:
		return "", failure
	}
	return t.fetch(ctx, u)
}

// known is what is known without asking: a token that can be used, or how the
// endpoint failed after the given round.
func (t *tokens) known(since int) (token string, round int, failure error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held != "" && (t.until.IsZero() || time.Now().Before(t.until)) {
		return t.held, t.round, nil
	}
	if since >= 0 && t.round != since && t.failure != nil {
		again := *t.failure // each call words its own
		return "", t.round, &again
	}
	return "", t.round, nil
}

// drop forgets a token that the upstream does not take.
func (t *tokens) drop(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held == token {
		t.held = ""
	}
}

// fetch asks the endpoint. What a caller that gave up saw is not kept.
func (t *tokens) fetch(call context.Context, u *Upstream) (string, error) {
	ctx, stop := context.WithTimeoutCause(call, tokenTimeout, tooSlow(theEndpoint, tokenTimeout))
	defer stop()
	asked := time.Now()
	token, err := t.ask(ctx, u)
	if call.Err() != nil {
		return "", tool.Ended(call)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.round++
	t.held, t.failure = "", err
	if err != nil {
		own := *err
		return "", &own
	}
	t.held, t.until = token.AccessToken, time.Time{}
	if !token.Expiry.IsZero() {
		t.until = token.Expiry.Add(-min(earlyRenewal, token.Expiry.Sub(asked)/earlyPart))
	}
	return t.held, nil
}

func (t *tokens) ask(ctx context.Context, u *Upstream) (*oauth2.Token, *tool.Error) {
	config, err := t.config()
	if err != nil {
		return nil, tool.Errorf(tool.Internal, "the gateway's credentials for this tool cannot be used").Because(err).
			WithHint("Nothing is wrong with the arguments; tell the user.")
	}
	client := &http.Client{
		Transport:     tokenRoute{u, t.origin},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	token, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, client))
	if err != nil {
		return nil, noToken(ctx, err)
	}
	long := len(token.AccessToken) > maxToken
	if !long {
		t.masker.Learn(t.name, secret.NewValue(token.AccessToken))
	}
	if long || token.Type() != "Bearer" || !isHeaderValue(token.AccessToken) {
		return nil, tool.Errorf(tool.UpstreamError, "%s gave a token of a kind that cannot be used", theEndpoint).WithHint(notYours)
	}
	return token, nil
}

// tokenRoute sends to a token endpoint: over the connections of the upstream
// where it is at its origin.
type tokenRoute struct {
	u      *Upstream
	origin string
}

// RoundTrip is that of an http.RoundTripper.
func (r tokenRoute) RoundTrip(req *http.Request) (*http.Response, error) {
	if r.origin == r.u.origin {
		return r.u.roundTrip(r.u.transport, req)
	}
	return r.u.roundTrip(r.u.tokens, req)
}

// noToken words why there is no access token, without anything that the
// endpoint wrote.
func noToken(ctx context.Context, err error) *tool.Error {
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok && ctx.Err() == nil && !isTransportError(err) {
		return tool.Errorf(tool.UpstreamError, "%s did not answer with a token", theEndpoint).WithHint(notYours)
	}
	if !ok {
		e := unreached(ctx, err)
		if e.Code == tool.UpstreamUnavailable && ctx.Err() == nil {
			e.Message = theEndpoint + " could not be reached"
		}
		return e
	}
	status := refused.Response.StatusCode
	why := fmt.Sprint(status)
	if slices.Contains(grantErrors, refused.ErrorCode) {
		why += ", " + refused.ErrorCode
	}
	e := tool.Errorf(tool.UpstreamError, "%s refused the gateway's credentials (%s)", theEndpoint, why).
		WithHint("Nothing is wrong with the arguments; tell the user.")
	if isTransient(status) || status >= http.StatusInternalServerError {
		e = tool.Errorf(tool.UpstreamUnavailable, "%s failed (%s)", theEndpoint, why).WithHint("Try again later.")
		e.Retryable, e.RetryAfter = true, retryAfter(refused.Response.Header.Get("Retry-After"))
	}
	return e
}

// isTransportError tells an endpoint that was not reached from one whose answer
// is of no use.
func isTransportError(err error) bool {
	_, ok := errors.AsType[*url.Error](err)
	return ok
}
