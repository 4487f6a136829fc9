package httptool

import (
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// UpstreamDeps is what an upstream needs to know beside its block.
type UpstreamDeps struct {
	SecretNames []string // the secrets that templates may name
	// Secrets are their values; nil where nothing is run, and files are not
	// read then. The map may be filled until the first request.
	Secrets map[string]secret.Value
	Masker  *secret.Masker // is told of access tokens; nil for none
}

// Upstream is a service that tools call: its address, what it is shown to let
// a request in, and its connections. It is safe for concurrent use.
type Upstream struct {
	client    *Client
	origin    string                   // scheme://host[:port]; empty for what serves any address
	base      []piece                  // what follows it in url
	address   func() (*url.URL, error) // the base address; nil for what serves any
	headers   []field                  // for every request, where the tool has none of the name
	auth      []*Credential            // all are shown
	timeout   time.Duration            // of one request with its answer; only the tool's when zero
	transport *http.Transport          // to the upstream
	tokens    *http.Transport          // to a token endpoint of another origin
	guard     guard                    // which addresses it may reach
	proxied   bool                     // the guard is asked before sending, not when dialling
	masker    *secret.Masker           // nil for the client's
	breaker   *breaker                 // nil for none
	certified bool                     // it shows a certificate of its own
}

// link is what is special about the connections of an upstream.
type link struct {
	guard guard
	tls   *tls.Config // nil for the defaults
	proxy *proxy      // nil for none
}

// plain reports whether the link is one that all tools share.
func (l link) plain(c *Client) bool {
	return l.tls == nil && l.proxy == nil && len(l.guard.allowed) == len(c.guard.allowed)
}

// Plain is what tools with an address of their own send through: it serves any
// address, with no credentials, no headers and no breaker, in the networks that
// all tools may reach.
func (c *Client) Plain() *Upstream {
	return &Upstream{client: c, transport: c.transport, tokens: c.transport, guard: c.guard}
}

// NewUpstream compiles the entry of "upstreams" at a key. It reports every
// mistake there and then returns nil. It opens no connection, and reads the
// files of "tls" only where secrets are resolved.
func (c *Client) NewUpstream(at diag.Cursor, name string, cfg UpstreamConfig, deps UpstreamDeps) *Upstream {
	c.mask(deps.Masker)
	k := compiler{env: expression.NewEnv(expression.Secrets(deps.SecretNames)), elsewhere: &callsOnly}
	u := &Upstream{client: c, timeout: cfg.Timeout, guard: c.guard.with(cfg.Networks), masker: deps.Masker}
	u.origin = k.origin(at.Key("url"), cfg.URL, &Client{guard: u.guard})
	u.base = k.base(at.Key("url"), cfg.URL, len(u.origin))
	u.address = sync.OnceValues(func() (*url.URL, error) { return u.render(k.env, deps.Secrets) })
	u.headers = k.headers(at.Key("headers"), cfg.Headers)
	if cfg.Auth != nil {
		u.auth = []*Credential{k.credential(at.Key("auth"), cfg.Auth, deps)}
	}
	u.breaker = k.breaker(at.Key("breaker"), name, cfg.Breaker)
	if cfg.Timeout < 0 {
		k.wrong(at.Key("timeout"), "", "a timeout cannot be negative")
	}
	l := link{guard: u.guard, tls: k.tls(at.Key("tls"), cfg, deps), proxy: k.proxy(at.Key("proxy"), cfg.Proxy, deps)}
	if k.failed {
		return nil
	}
	u.transport, u.proxied = c.pool(l), l.proxy != nil
	u.certified = cfg.TLS != nil && cfg.TLS.Cert != ""
	// Certificates of one host say nothing about another.
	u.tokens = u.transport
	if l.tls != nil {
		u.tokens = c.pool(link{guard: l.guard, proxy: l.proxy})
	}
	return u
}

// URL is the base address of the tools' paths, without a query, for the caller to
// change. Its templates are rendered when it is first asked for, as secrets have
// to be known then; the error, a *tool.Error, is the same from then on. What
// [Client.Plain] gives has no address, which is an error too. Nobody who may not
// see a secret may see the address.
func (u *Upstream) URL() (*url.URL, error) {
	if u.address == nil {
		return nil, tool.Errorf(tool.Internal, "the address of this tool is not known").Because(errors.New("its upstream serves any address"))
	}
	base, err := u.address()
	if err != nil {
		return nil, err
	}
	own := *base
	return &own, nil
}

// Origin is the scheme, host and port that the upstream is at, as its address is
// configured; empty for what [Client.Plain] gives.
func (u *Upstream) Origin() string { return u.origin }

// HasAuth reports whether the upstream shows anything to be let in: the credential
// that its block has, a certificate, or headers, whose meaning nobody knows.
func (u *Upstream) HasAuth() bool { return len(u.auth) > 0 || len(u.headers) > 0 || u.certified }

// render gives the base address as the secrets make it.
func (u *Upstream) render(env *expression.Env, secrets map[string]secret.Value) (*url.URL, error) {
	t := target{origin: u.origin, base: u.base}
	base, err := t.url(env.Vars(map[string]any{"secret": secret.RevealAll(secrets)}))
	if err != nil { // no argument is in it
		return nil, tool.Errorf(tool.Internal, "the address of this tool is not valid").Because(withoutQuery(err)).
			WithHint("Nothing is wrong with the arguments; tell the user.")
	}
	return base, nil
}

// base compiles what follows the origin in the address of an upstream.
func (c *compiler) base(at diag.Cursor, text string, origin int) []piece {
	if origin == 0 {
		return nil // reported already
	}
	pieces := c.pieces(at, text, origin)
	for _, p := range pieces {
		for _, r := range p.literal {
			if r == '?' {
				c.wrong(at, "put it under query of the tools, or into auth", "the address of an upstream has no query")
				return nil
			}
		}
	}
	return pieces
}

// lazily renders a template over secrets when it is first needed: their values
// are known only then. escape is applied to what a ${…} gives.
func lazily(t *expression.Template, env *expression.Env, secrets map[string]secret.Value, escape func(string) string) (string, error) {
	vars := env.Vars(map[string]any{"secret": secret.RevealAll(secrets)})
	text, _, err := t.Escaped(vars, func(value string) (string, error) { return escape(value), nil })
	return text, err
}

func asIs(text string) string { return text }
