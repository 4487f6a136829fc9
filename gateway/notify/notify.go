// Package notify tells services of people of something that happened: one signed
// HTTP request for each thing, as the Standard Webhooks specification says
// (https://github.com/standard-webhooks/standard-webhooks).
package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
)

const (
	// TryTimeout is how long a service may take to answer one request.
	TryTimeout = 10 * time.Second
	// MinKey is the fewest bytes of a key that requests are signed with: a shorter
	// one could be guessed.
	MinKey = 16
	// maxDrained is the most bytes read of an answer, which says nothing but its
	// status.
	maxDrained = 64 << 10
	// keyPrefix begins a key that is written in base64.
	keyPrefix = "whsec_"

	userAgent = "toolgate"
)

// ErrGone is why a service is not to be told any more: it said so (410).
var ErrGone = errors.New("the webhook answered 410 Gone")

// errSlow is why a request was given up.
var errSlow = fmt.Errorf("the webhook did not answer within %v", TryTimeout)

// Client sends requests of the gateway's own.
type Client interface {
	// Send sends a request under the rules for networks, and follows no redirect.
	Send(req *http.Request) (*http.Response, error)
	// Advise warns of an origin that no request could reach.
	Advise(at diag.Cursor, origin string)
}

// Plan is a webhook as it is configured; its secrets are not read yet.
type Plan struct {
	at     diag.Cursor
	client Client
	env    *expression.Env
	url    *expression.Template
	key    *expression.Template // nil where requests are not signed
}

// Compile checks a webhook whose keys url and secret, templates both, stand at the
// cursor, and reports every mistake; then it gives nil. The names are those of the
// declared secrets. No value is read.
func Compile(at diag.Cursor, address, key string, secrets []string, client Client) *Plan {
	p := &Plan{at: at, client: client, env: expression.NewEnv(expression.Secrets(secrets))}
	if address == "" {
		return nil // a required key: its absence is reported already
	}
	p.url = expression.ParseTemplate(at.Key("url"), address, p.env)
	ok := p.url != nil && p.checkLiteral(address)
	if key == "" {
		at.As(diag.UnsignedWebhook).Warnf(`add secret: "${secret.name}"`, "requests to the webhook are not signed, so the service cannot tell who sends them")
		return p.unless(!ok)
	}
	p.key = expression.ParseTemplate(at.Key("secret"), key, p.env)
	if p.key != nil && (!p.key.Exact() || !p.key.Reads("secret")) {
		at.Key("secret").Hintf("declare it under secrets, such as {webhook: {env: WEBHOOK_SECRET}}, and write ${secret.webhook}",
			"the key that requests are signed with is exactly one ${secret.name}, never text of the file")
		ok = false
	}
	return p.unless(!ok || p.key == nil)
}

func (p *Plan) unless(wrong bool) *Plan {
	if wrong {
		return nil
	}
	return p
}

// checkLiteral checks an address as far as it stands in the file.
func (p *Plan) checkLiteral(address string) bool {
	at := p.at.Key("url")
	literal, whole := p.url.Literal()
	if !whole {
		literal, _, _ = strings.Cut(address, "${")
		if authority := afterScheme(literal); !strings.ContainsAny(authority, "/?") {
			return true // the host is in a secret, and is looked at when that is read
		}
	}
	u, err := checkAddress(literal)
	if err != nil {
		at.Hintf("write it as https://host/path, or as ${secret.name} where the address itself is a secret", "%v", err)
		return false
	}
	p.client.Advise(at, u.Scheme+"://"+u.Host)
	return true
}

func afterScheme(text string) string {
	_, rest, found := strings.Cut(text, "://")
	if !found {
		return ""
	}
	return rest
}

// checkAddress says what is wrong with an address, and nothing of what it is.
func checkAddress(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("this is no address")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the address does not start with http:// or https://")
	case u.User != nil:
		return nil, errors.New("the address holds a user name or a password")
	case u.Hostname() == "":
		return nil, errors.New("the address names no host")
	case u.Fragment != "":
		return nil, errors.New("the address has a part behind #, which is never sent")
	}
	return u, nil
}

// Resolve reads the secrets of the webhook. It reports what cannot be used and then
// gives nil.
func (p *Plan) Resolve(values map[string]secret.Value) *Target {
	vars := p.env.Vars(map[string]any{"secret": secret.RevealAll(values)})
	t := &Target{client: p.client}
	address, _, err := p.url.Text(vars)
	if err == nil {
		_, err = checkAddress(address)
	}
	if err != nil {
		p.at.Key("url").Errorf("%v", err)
		return nil
	}
	t.address = address
	if p.key == nil {
		return t
	}
	text, _, err := p.key.Text(vars)
	if err == nil {
		t.key, err = keyOf(text)
	}
	if err != nil {
		p.at.Key("secret").Errorf("%v", err)
		return nil
	}
	return t
}

// keyOf is the key that a secret stands for. The error says nothing of the secret.
func keyOf(text string) ([]byte, error) {
	key := []byte(text)
	if encoded, ok := strings.CutPrefix(text, keyPrefix); ok {
		var err error
		if key, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return nil, errors.New("what follows whsec_ is no base64")
		}
	}
	if len(key) < MinKey {
		return nil, fmt.Errorf("the key has fewer than %d bytes and could be guessed", MinKey)
	}
	return key, nil
}

// Target is a service that is told.
type Target struct {
	client  Client
	address string
	key     []byte // nil where requests are not signed
}

// Post tells the service once. The id is that of the message, the same for each try,
// so that the service can tell what it has already; body is JSON. The error says
// nothing of the address.
func (t *Target) Post(ctx context.Context, id string, at time.Time, body []byte) error {
	ctx, stop := context.WithTimeoutCause(ctx, TryTimeout, errSlow)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.address, bytes.NewReader(body))
	if err != nil {
		return errors.New("the webhook's address is not valid")
	}
	seconds := strconv.FormatInt(at.Unix(), 10)
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Content-Type", "application/json")
	req.Header["webhook-id"], req.Header["webhook-timestamp"] = []string{id}, []string{seconds}
	if t.key != nil {
		req.Header["webhook-signature"] = []string{sign(t.key, id, seconds, body)}
	}
	res, err := t.client.Send(req)
	if err != nil {
		return unreached(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxDrained)) // so that the connection serves again
	return judge(res.StatusCode)
}

// sign is the signature of a message.
func sign(key []byte, id, seconds string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	for _, part := range [][]byte{[]byte(id), []byte("."), []byte(seconds), []byte("."), body} {
		_, _ = mac.Write(part) // it never fails
	}
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func judge(status int) error {
	switch {
	case status >= http.StatusOK && status < http.StatusMultipleChoices:
		return nil
	case status == http.StatusGone:
		return ErrGone
	case status >= http.StatusMultipleChoices && status < http.StatusBadRequest:
		return fmt.Errorf("the webhook answered %d %s, and redirects are not followed", status, http.StatusText(status))
	}
	return fmt.Errorf("the webhook answered %d %s", status, http.StatusText(status))
}

func unreached(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errSlow) {
		return errSlow
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // the address may be a secret
	}
	return fmt.Errorf("the webhook could not be reached: %w", err)
}

// Book says who is told of what. The nil Book tells nobody.
type Book struct {
	Other *Target            // of everything that has no entry in Rules; nil for nobody
	Rules map[string]*Target // by the name of the rule that asks
}

// For is who is told of what a rule asks; nil for nobody.
func (b *Book) For(rule string) *Target {
	if b == nil {
		return nil
	}
	if t := b.Rules[rule]; t != nil {
		return t
	}
	return b.Other
}
