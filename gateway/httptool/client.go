package httptool

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	dialTimeout      = 10 * time.Second // to connect; the tool's own timeout may be shorter
	handshakeTimeout = 10 * time.Second // of TLS
	idleTimeout      = 90 * time.Second // an unused connection is kept this long
	idlePerHost      = 16               // unused connections kept for one host
	maxHeaderBytes   = 256 << 10        // of an answer's header
	maxRedirects     = 5                // followed in one call
)

// Client owns the connections of all HTTP tools of one configuration and
// keeps them out of networks that tools may not reach. It is safe for
// concurrent use.
type Client struct {
	http      *http.Client
	transport *http.Transport
	guard     guard
}

// NewClient returns a client that may reach the public internet and, beside
// it, the given networks. Nothing is opened before the first request.
func NewClient(networks []netip.Prefix) *Client {
	g := guard{allowed: networks}
	dialer := net.Dialer{Timeout: dialTimeout, ControlContext: g.control}
	transport := &http.Transport{
		// No Proxy: behind one the dialled address would not be the target's.
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    handshakeTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConnsPerHost:    idlePerHost,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
	return &Client{
		http:      &http.Client{Transport: transport, CheckRedirect: sameOrigin},
		transport: transport,
		guard:     g,
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

// Advise warns at a place of the configuration of an origin, a scheme with a
// host, that no request could reach.
func (c *Client) Advise(at diag.Cursor, origin string) { warnOfRefusal(at, origin, c) }

// Close closes the connections that are not in use; those in use close when
// their call ends. It never fails.
func (c *Client) Close() error {
	c.transport.CloseIdleConnections()
	return nil
}

// sameOrigin lets a redirect stay where it is: arguments and credentials of a
// tool go to the host its configuration names and to no other.
func sameOrigin(next *http.Request, before []*http.Request) error {
	from, to := before[0].URL, next.URL
	const hint = "Nothing is wrong with the arguments; tell the user where this tool's address was moved to."
	if origin(from) != origin(to) {
		return tool.Errorf(tool.UpstreamError, "the upstream redirected to %s://%s, and a redirect to another scheme, host or port is not followed", to.Scheme, to.Host).
			WithHint(hint)
	}
	if len(before) > maxRedirects {
		return tool.Errorf(tool.UpstreamError, "the upstream redirected more than %d times", maxRedirects).WithHint(hint)
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
