package httptool

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// proxy is an HTTP proxy that all requests of an upstream go through (RFC 9110
// section 9.3.6 for https targets). Its own address is the operator's choice and
// may lie in any network but for metadata services. It is the proxy that
// resolves the names of targets, so the guard refuses only what it can see:
// addresses and localhost. What else the proxy may reach is the proxy's to say.
type proxy struct {
	address func() (*url.URL, error)
}

func (c *compiler) proxy(at diag.Cursor, text string, deps UpstreamDeps) *proxy {
	if text == "" {
		return nil
	}
	t := c.template(at, text)
	if t == nil {
		return nil
	}
	escape := encode
	if t.Exact() {
		escape = asIs // the whole address is a secret
	} else if problem := c.wrongProxy(text); problem != "" {
		c.wrong(at, "write it as http://host:port or http://user:${secret.name}@host:port", "%s", problem)
		return nil
	}
	if user, _, found := strings.Cut(text, "@"); found && !strings.Contains(user, "${") {
		at.As(diag.LiteralSecret).Warnf("declare the password under secrets and write http://user:${secret.name}@host:port",
			"the credential stands in the file itself, and it is not masked where it shows up")
	}
	env := c.env
	return &proxy{address: sync.OnceValues(func() (*url.URL, error) {
		text, err := lazily(t, env, deps.Secrets, escape)
		if err != nil {
			return nil, err
		}
		return proxyAddress(text)
	})}
}

// wrongProxy says what is wrong with an address that is no secret as a whole.
func (c *compiler) wrongProxy(text string) string {
	if strings.Contains(text[strings.LastIndexByte(text, '@')+1:], "${") {
		return "scheme, host and port of a proxy are literal text"
	}
	if _, err := proxyAddress(c.sample(text)); err != nil {
		return err.Error()
	}
	return ""
}

// sample is a template with a value in place of each ${…} that stands for
// anything in user info and for nothing in a host.
func (c *compiler) sample(text string) string {
	var b strings.Builder
	for _, p := range c.split(text) {
		if p.value != nil {
			b.WriteString("%00")
		}
		b.WriteString(p.literal)
	}
	return b.String()
}

// proxyAddress reads the address of a proxy. The error does not show it.
func proxyAddress(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("the address of the proxy is not valid")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the address of the proxy does not start with http:// or https://")
	case !isHost(u.Scheme + "://" + u.Host):
		return nil, errors.New("the address of the proxy has no valid host")
	case strings.Trim(u.Path, "/") != "", u.RawQuery != "", u.Fragment != "":
		return nil, errors.New("the address of a proxy has no path, no query and no fragment")
	}
	return u, nil
}

// forRequest is the Proxy of a transport.
func (p *proxy) forRequest(*http.Request) (*url.URL, error) {
	u, err := p.address()
	if err != nil {
		return nil, tool.Errorf(tool.Internal, "the proxy of this tool cannot be used").Because(err).
			WithHint("Nothing is wrong with the arguments; tell the user.")
	}
	return u, nil
}

// dialTLS connects to an https proxy, which is another host than the one that
// the upstream's tls block is about.
func (p *proxy) dialTLS(dialer *net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	secure := &tls.Dialer{NetDialer: dialer, Config: &tls.Config{MinVersion: tls.VersionTLS12}}
	return secure.DialContext
}
