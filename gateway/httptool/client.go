package httptool

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	dialTimeout      = 10 * time.Second // to connect; the tool's own timeout may be shorter
	handshakeTimeout = 10 * time.Second // of TLS
	idleTimeout      = 90 * time.Second // an unused connection is kept this long
	idlePerHost      = 64               // unused connections kept for one host
	idleConnections  = 512              // unused connections kept in one pool
	maxHeaderBytes   = 256 << 10        // of an answer's header
	maxRedirects     = 5                // followed in one call
)

// Client owns the connections of all HTTP tools of one configuration and
// keeps them out of networks that tools may not reach. It is safe for
// concurrent use.
type Client struct {
	http      *http.Client    // for the gateway's own requests
	transport *http.Transport // what tools and upstreams share that ask for nothing special
	outside   *http.Transport // reaches the public internet only, for redirects to elsewhere
	guard     guard
	resolver  *net.Resolver // nil for the system's
	outer     Outside       // nil for the network itself
	masker    atomic.Pointer[secret.Masker]

	mu    sync.Mutex        // guards pools
	pools []*http.Transport // of upstreams with connections of their own
}

// NewClient returns a client that may reach the public internet and, beside
// it, the given networks. Nothing is opened before the first request.
func NewClient(networks []netip.Prefix) *Client { return newClientWith(networks, nil) }

// Outside is what stands in the place of the network for a client: another way for
// requests to be answered, and for the time between them to pass.
type Outside interface {
	// RoundTrip is that of an [http.RoundTripper]. It may be used by several
	// requests at a time.
	http.RoundTripper
	// Wait lets a time pass that lies between two requests of one call. Its error,
	// a *tool.Error, ends the call.
	Wait(ctx context.Context, d time.Duration) error
}

// NewClientOver returns a client whose requests all go to what stands in the place
// of the network. It opens no connection, whatever it is asked for; which networks
// tools may reach counts for what is told of a configuration only.
func NewClientOver(networks []netip.Prefix, outer Outside) *Client {
	return furnished(&Client{guard: guard{allowed: networks}, outer: outer})
}

func newClientWith(networks []netip.Prefix, resolver *net.Resolver) *Client {
	return furnished(&Client{guard: guard{allowed: networks}, resolver: resolver})
}

// furnished gives a client its connections.
func furnished(c *Client) *Client {
	c.transport = c.newTransport(link{guard: c.guard})
	c.outside = c.newTransport(link{})
	c.http = &http.Client{Transport: c.transport, CheckRedirect: sameOrigin}
	return c
}

// newTransport makes a pool of connections. Without a proxy in the link none is
// used, whatever the environment says: behind one the dialled address is not
// the target's.
func (c *Client) newTransport(l link) *http.Transport {
	g := l.guard
	if l.proxy != nil {
		g = anywhere()
	}
	dialer := &net.Dialer{Timeout: dialTimeout, ControlContext: g.control, Resolver: c.resolver}
	t := &http.Transport{
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSClientConfig:        l.tls,
		TLSHandshakeTimeout:    handshakeTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConns:           idleConnections,
		MaxIdleConnsPerHost:    idlePerHost,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
	if l.proxy != nil {
		t.Proxy = l.proxy.forRequest
		t.DialTLSContext = l.proxy.dialTLS(dialer)
	}
	if c.outer != nil {
		t.ForceAttemptHTTP2 = false // it would be another way to answer https
		t.RegisterProtocol("http", c.outer)
		t.RegisterProtocol("https", c.outer)
	}
	return t
}

// pool is a pool of connections that the client closes.
func (c *Client) pool(l link) *http.Transport {
	if l.plain(c) {
		return c.transport
	}
	t := c.newTransport(l)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pools = append(c.pools, t)
	return t
}

// wait lets time pass between two requests of one call.
func (c *Client) wait(ctx context.Context, d time.Duration) error {
	if c.outer != nil {
		return c.outer.Wait(ctx, d)
	}
	return sleep(ctx, d)
}

// mask tells the client what knows the secrets of its configuration, so that no
// redirect carries one elsewhere. nil is ignored.
func (c *Client) mask(m *secret.Masker) {
	if m != nil {
		c.masker.Store(m)
	}
}

// Do sends a request of the gateway's own, such as a webhook's, under the rules
// that hold for those of tools: which networks may be reached, and no redirect
// to elsewhere. The error holds no query of an address.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, withoutQuery(err)
	}
	return resp, nil
}

// Send is Do for a request that is meant for one address alone: no redirect is
// followed, and what answers with one is given as it is.
func (c *Client) Send(req *http.Request) (*http.Response, error) {
	once := &http.Client{Transport: c.transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := once.Do(req)
	if err != nil {
		return nil, withoutQuery(err)
	}
	return resp, nil
}

// Advise warns at a place of the configuration of an origin, a scheme with a
// host, that no request could reach.
func (c *Client) Advise(at diag.Cursor, origin string) { warnOfRefusal(at, origin, c) }

// Close closes the connections that are not in use; those in use close when
// their call ends. It never fails.
func (c *Client) Close() error {
	c.transport.CloseIdleConnections()
	c.outside.CloseIdleConnections()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.pools {
		t.CloseIdleConnections()
	}
	return nil
}

// sameOrigin lets a redirect of a request of the gateway's own stay where it is.
func sameOrigin(next *http.Request, before []*http.Request) error {
	if origin(before[0].URL) != origin(next.URL) {
		return refusedRedirect("the upstream redirected to %s, and a redirect to another scheme, host or port is not followed", place(next.URL))
	}
	if len(before) > maxRedirects {
		return refusedRedirect("the upstream redirected more than %d times", maxRedirects)
	}
	return nil
}

// origin is an address's scheme, host and port (RFC 6454 section 4).
func origin(u *url.URL) [3]string {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return [3]string{u.Scheme, strings.ToLower(u.Hostname()), port}
}

// maxPlace is how many bytes of a host a message shows.
const maxPlace = 200

// place is an origin for a message: no path and no query.
func place(u *url.URL) string {
	return u.Scheme + "://" + tool.Excerpt([]byte(u.Host), maxPlace)
}

// withoutQuery is the error without the parts of an address that may hold
// what nobody should read: the query, the fragment and user info.
func withoutQuery(err error) error {
	failed, ok := errors.AsType[*url.Error](err)
	if !ok {
		return err
	}
	place := "?"
	if u, err := url.Parse(failed.URL); err == nil {
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		place = u.String()
	}
	return &url.Error{Op: failed.Op, URL: place, Err: failed.Err}
}
