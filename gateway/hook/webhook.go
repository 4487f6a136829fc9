package hook

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
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// DefaultWebhookTimeout is how long a webhook may take to answer unless it
	// says otherwise.
	DefaultWebhookTimeout = 5 * time.Second
	// MaxWebhookAnswer is the most bytes read of a webhook's answer.
	MaxWebhookAnswer = 1 << 20

	userAgent = "toolgate"
)

var errSlow = errors.New("the webhook did not answer in time")

// webhook asks an HTTP service about a call.
type webhook struct {
	client  Client
	env     *expression.Env
	secrets map[string]secret.Value
	origin  string
	url     *expression.Template
	headers []header
	timeout time.Duration
}

type header struct {
	name  string
	texts []*expression.Template
}

// question is what a webhook is sent. Its arguments are the ones the tool
// would be given; the result is masked like every answer.
type question struct {
	Hook   string         `json:"hook"`
	CallID string         `json:"call_id"`
	Tool   string         `json:"tool"`
	Args   map[string]any `json:"args"`
	Reason string         `json:"toolcall_reason,omitempty"`
	Caller asker          `json:"caller"`
	Chat   chat           `json:"chat"`
	Result map[string]any `json:"result,omitempty"`
}

// asker is who makes the call.
type asker struct {
	ID     string         `json:"id"`
	Name   string         `json:"name"`
	Kind   tool.Kind      `json:"kind"`
	Groups []string       `json:"groups"`
	Claims map[string]any `json:"claims"`
}

// chat is the conversation that the call belongs to.
type chat struct {
	ID      string         `json:"id"`
	Groups  []string       `json:"groups"`
	Context map[string]any `json:"context"`
}

// about is the question about a call. What is a list or an object is one in
// every question, also where it is empty: a service need not expect null.
func about(name string, c *Call, result map[string]any) *question {
	r := &c.Request
	return &question{
		Hook: name, CallID: c.ID, Tool: r.Tool.Name, Args: object(r.Args), Reason: r.Reason,
		Caller: asker{r.Caller.ID, r.Caller.Name, r.Caller.Kind, list(r.Caller.Groups), object(r.Caller.Claims)},
		Chat:   chat{r.Chat.ID, list(r.Chat.Groups), object(r.Chat.Context)},
		Result: result,
	}
}

func list(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

func object(members map[string]any) map[string]any {
	if members == nil {
		return map[string]any{}
	}
	return members
}

// ask sends the call, and its result where there is one, and reads the answer.
func (w *webhook) ask(ctx context.Context, name string, c *Call, result map[string]any) (*answer, error) {
	ctx, stop := context.WithTimeoutCause(ctx, w.timeout, errSlow)
	defer stop()
	req, err := w.request(ctx, name, c, result)
	if err != nil {
		return nil, err
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, w.unreached(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode < http.StatusOK || resp.StatusCode >= http.StatusMultipleChoices {
		return nil, fmt.Errorf("the webhook answered %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, MaxWebhookAnswer+1)) // one more tells cut from whole
	switch {
	case err != nil:
		return nil, w.unreached(ctx, err)
	case len(data) > MaxWebhookAnswer:
		return nil, fmt.Errorf("the webhook's answer has more than %d bytes", MaxWebhookAnswer)
	}
	return readAnswer(data)
}

func (w *webhook) unreached(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errSlow) {
		return fmt.Errorf("%w (%v)", errSlow, w.timeout)
	}
	return fmt.Errorf("the webhook could not be reached: %w", err)
}

func (w *webhook) request(ctx context.Context, name string, c *Call, result map[string]any) (*http.Request, error) {
	body, err := json.Marshal(about(name, c, result))
	if err != nil {
		return nil, err
	}
	values := c.Request.Values()
	values["secret"] = secret.RevealAll(w.secrets)
	vars := w.env.Vars(values)
	address, err := w.address(vars)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the webhook's address is not valid with these values")
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Content-Type", "application/json")
	return req, w.fill(req.Header, vars)
}

func (w *webhook) fill(h http.Header, vars *expression.Vars) error {
	for _, field := range w.headers {
		h.Del(field.name)
		for _, t := range field.texts {
			values, err := t.List(vars)
			if err != nil {
				return fmt.Errorf("header %s: %w", field.name, err)
			}
			for _, v := range values {
				h.Add(field.name, v)
			}
		}
	}
	return nil
}

// address is the URL with every value percent-encoded, so that it cannot leave
// its segment or its part of the query.
func (w *webhook) address(vars *expression.Vars) (string, error) {
	text, _, err := w.url.Escaped(vars, func(v string) (string, error) {
		return strings.ReplaceAll(url.QueryEscape(v), "+", "%20"), nil
	})
	if err != nil {
		return "", fmt.Errorf("url: %w", err)
	}
	text = strings.ReplaceAll(text, " ", "%20") // of what is written around the values
	path, _, _ := strings.Cut(strings.TrimPrefix(text, w.origin), "?")
	u, err := url.Parse(text)
	if err != nil || u.Scheme+"://"+u.Host != w.origin || u.EscapedPath() != path || u.Fragment != "" {
		return "", errors.New("the webhook's address is not valid with these values")
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment, err := url.PathUnescape(segment); err != nil || segment == "." || segment == ".." {
			return "", errors.New("a segment of the webhook's address stands for another place")
		}
	}
	return text, nil
}

// webhook compiles an "http" block; nil after a mistake.
func (c *compiler) webhook(at diag.Cursor, cfg *WebhookConfig) *webhook {
	w := &webhook{
		client: c.deps.Client, env: c.template, secrets: c.deps.Secrets,
		timeout: cmp.Or(cfg.Timeout, DefaultWebhookTimeout),
	}
	var ok bool
	w.origin, ok = originOf(at.Key("url"), cfg.URL)
	if ok && c.deps.Client != nil {
		c.deps.Client.Advise(at.Key("url"), w.origin)
	}
	if w.url = expression.ParseTemplate(at.Key("url"), cfg.URL, c.template); w.url == nil {
		ok = false
	}
	if w.timeout < 0 {
		at.Key("timeout").Errorf("must be more than zero")
		ok = false
	}
	headers, fine := c.headers(at.Key("headers"), cfg.Headers)
	if !ok || !fine {
		return nil
	}
	w.headers = headers
	return w
}
