package access

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
)

// host is one entry of "server.hosts": a name or an address, where *. stands
// for any names below it, and perhaps a port.
type host struct {
	name  string // in lower case, without brackets and without "*"
	below bool   // the names below name, which starts with a dot
	port  string // empty for any
}

// origin is one entry of "server.origins".
type origin struct {
	scheme string // in lower case
	host   host   // whose empty port is that of the scheme
}

var (
	dnsName = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$`)
	scheme  = regexp.MustCompile(`^[a-z][a-z0-9+.-]*$`)
)

func compileHosts(at diag.Cursor, texts []string) []host {
	var out []host
	for i, text := range few(at, texts) {
		h, err := parseHost(text)
		if err != nil {
			at.Index(i).Hintf("write tools.example.com, tools.example.com:8443 or *.example.com for example", "%v", err)
			continue
		}
		out = append(out, h)
	}
	return out
}

func compileOrigins(at diag.Cursor, texts []string) []origin {
	var out []origin
	for i, text := range few(at, texts) {
		o, err := parseOrigin(text)
		if err != nil {
			at.Index(i).Hintf("write https://app.example.com or https://*.example.com for example", "%v", err)
			continue
		}
		out = append(out, o)
	}
	return out
}

// few holds a list to its limit.
func few(at diag.Cursor, texts []string) []string {
	if len(texts) > MaxNames {
		at.Hintf("remove some", "there are %d entries, and at most %d are looked at", len(texts), MaxNames)
		return nil
	}
	return texts
}

// parseHost reads a host with or without a port.
func parseHost(text string) (host, error) {
	switch {
	case strings.Contains(text, "://"):
		return host{}, errors.New("a host has no scheme")
	case strings.Contains(text, "/"):
		return host{}, errors.New("a host has no path")
	case text == "*":
		return host{}, errors.New("* alone would let in every host")
	}
	rest, below := strings.CutPrefix(strings.ToLower(text), "*.")
	name, port, ok := splitHost(rest)
	_, err := netip.ParseAddr(name)
	switch isAddress := err == nil; {
	case !ok, !isAddress && !dnsName.MatchString(name), isAddress && below:
		return host{}, fmt.Errorf("%q is not the name or the address of a host", text)
	case port != "":
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return host{}, fmt.Errorf("%q is not a port from 1 to 65535", port)
		}
	}
	if below {
		name = "." + name
	}
	return host{name: name, below: below, port: port}, nil
}

// splitHost takes apart what a Host header says, as a browser reads the host of
// a URL, so that the two cannot take it for different machines. The name comes
// in lower case, without brackets and without the dot that may end it, an address in
// its one form.
func splitHost(hostport string) (name, port string, ok bool) {
	u, err := url.Parse("//" + hostport)
	if err != nil || u.Host != hostport || u.Hostname() == "" || strings.HasSuffix(hostport, ":") {
		return "", "", false
	}
	name = strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if ip, err := netip.ParseAddr(name); err == nil {
		name = ip.Unmap().String() // an address has many spellings
	}
	return name, u.Port(), true
}

func (h host) matchesName(name string) bool {
	if h.below {
		return strings.HasSuffix(name, h.name)
	}
	return name == h.name
}

// matches reports whether a Host header fits. One that names no port means one
// of the usual ones, and which of them is known to the proxy in front only.
func (h host) matches(name, port string) bool {
	usual := port == "" && (h.port == "80" || h.port == "443")
	return h.matchesName(name) && (h.port == "" || h.port == port || usual)
}

// parseOrigin reads an origin as browsers write it (RFC 6454 section 6.2).
func parseOrigin(text string) (origin, error) {
	before, rest, ok := strings.Cut(text, "://")
	before = strings.ToLower(before)
	switch {
	case text == "*":
		return origin{}, errors.New("* would let in the pages of every site")
	case text == "null":
		return origin{}, errors.New("null is the origin of any page that hides its own")
	case !ok || !scheme.MatchString(before):
		return origin{}, fmt.Errorf("%q is not an origin: it needs a scheme and a host", text)
	}
	h, err := parseHost(rest)
	if err != nil {
		return origin{}, err
	}
	if h.port == usualPort(before) {
		h.port = ""
	}
	return origin{scheme: before, host: h}, nil
}

func usualPort(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}

// matches reports whether an Origin header fits.
func (o origin) matches(scheme, name, port string) bool {
	if port == usualPort(scheme) {
		port = ""
	}
	return scheme == o.scheme && o.host.matchesName(name) && port == o.host.port
}

// splitOrigin takes apart an Origin header; not ok for "null" and for what no
// browser sends.
func splitOrigin(text string) (before, name, port string, ok bool) {
	before, rest, found := strings.Cut(text, "://")
	name, port, ok = splitHost(rest)
	return strings.ToLower(before), name, port, ok && found && scheme.MatchString(strings.ToLower(before))
}
