package httptool

import (
	"cmp"
	"errors"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

// edge stands before every value while an address is put together, so that
// what a value made of a segment can be told from what was written so. No
// percent-encoded text holds it.
const edge = "\x00"

// target is the address of a request. Rules: scheme, host and port are the
// literal text of the configuration; what a ${…} gives is percent-encoded
// whole, so that it stays within its segment or its query value.
type target struct {
	origin string  // scheme://host[:port]
	base   []piece // what follows it in url
	path   []piece
	query  []field
}

// upstream finds whom the tool calls: the one it names, or whoever is at its own
// address. It is nil where that is wrong.
func (c *compiler) upstream(at diag.Cursor, cfg Config, deps Deps) *Upstream {
	u, known := deps.Upstreams[cfg.Upstream]
	switch {
	case cfg.Upstream == "" && deps.Client != nil:
		deps.Client.mask(deps.Masker)
		return deps.Client.Plain()
	case cfg.Upstream == "":
		return nil
	case cfg.URL != "":
		c.wrong(at.Key("url"), "leave out url, and write what follows the upstream's address under path", "the request has an upstream already, which has an address of its own")
	case !known:
		c.wrong(at.Key("upstream"), upstreamHint(cfg.Upstream, slices.Sorted(maps.Keys(deps.Upstreams))), "unknown upstream %q", cfg.Upstream)
	case u == nil:
		c.failed = true // what is wrong with it is told where it stands
	}
	return u
}

// upstreamHint says what may stand in place of a name that no upstream has.
func upstreamHint(name string, known []string) string {
	const most = 10 // names that are listed
	switch {
	case len(known) == 0:
		return "declare it: upstreams: {" + name + ": {url: https://host}}"
	case strings.Contains(name, "${"):
		return "write a fixed name of an entry under upstreams"
	case len(known) > most:
		return cmp.Or(diag.DidYouMean(name, known), "name one of those under upstreams")
	}
	return cmp.Or(diag.DidYouMean(name, known), "declared under upstreams: "+strings.Join(known, ", "))
}

func (c *compiler) target(at diag.Cursor, cfg Config, u *Upstream, client *Client) target {
	t := target{}
	switch {
	case cfg.Upstream == "":
		if t.origin = c.origin(at.Key("url"), cfg.URL, client); t.origin != "" {
			t.base = c.pieces(at.Key("url"), cfg.URL, len(t.origin))
		}
	case u != nil:
		t.origin, t.base = u.origin, u.base
	}
	if cfg.Path != "" {
		t.path = c.path(at.Key("path"), cfg.Path)
	}
	t.query = c.fields(at.Key("query"), cfg.Query)
	return t
}

// path compiles the path and holds it to its start. A path that is a variable
// without its ${} lacks that too, and is told so in one sentence.
func (c *compiler) path(at diag.Cursor, text string) []piece {
	const what = "the path must start with /"
	aside := diag.NewCursor(&diag.Report{}, nowhere)
	switch {
	case text[0] == '/':
	case strings.Contains(text, "://"):
		c.wrong(at, "write what follows the host; an address as a whole belongs under url, without upstream", what)
		return nil
	case !strings.Contains(text, "${") && expression.ParseTemplate(aside, text, c.env) == nil:
		c.wrong(at, "write /${"+strings.TrimSpace(text)+"}", what)
		return nil
	default:
		c.wrong(at, "write /"+firstWord(text), what)
	}
	return c.pieces(at, text, 0)
}

// nowhere is the places of what is compiled to learn whether it can be.
func nowhere([]string) (diag.Spot, bool) { return diag.Spot{}, true }

// firstWord is the start of a path for a hint, without its templates.
func firstWord(path string) string {
	word, _, templated := strings.Cut(path, "$")
	if templated {
		word += "…"
	}
	return word
}

// origin takes scheme, host and port from an address and checks them.
func (c *compiler) origin(at diag.Cursor, text string, client *Client) string {
	const hint = "write it as https://host or https://host/path"
	scheme, rest, found := strings.Cut(text, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host := rest[:end]
	switch {
	case text == "":
		c.wrong(at, hint+", or name an upstream", "the request has no address")
	case strings.Contains(scheme, "${"), strings.Contains(host, "$"):
		c.wrong(at, "only what follows the host may hold ${…}", "scheme and host must be literal text, so that no caller can choose them")
	case !found, scheme != "http" && scheme != "https":
		c.wrong(at, hint, "the address does not start with http:// or https://")
	case strings.Contains(host, "@"):
		c.wrong(at, `write auth: {basic: {username: name, password: "${secret.name}"}}`, "the address holds a user name or a password")
	case host == "":
		c.wrong(at, hint, "the address has no host")
	case !isHost(scheme + "://" + host):
		c.wrongHost(at, scheme, host)
	default:
		warnOfRefusal(at, scheme+"://"+host, client)
		return scheme + "://" + host
	}
	return ""
}

// wrongHost tells a wrong port from a wrong host. What stands in place of a port
// is not repeated: it may be a password.
func (c *compiler) wrongHost(at diag.Cursor, scheme, host string) {
	if i := strings.LastIndexByte(host, ':'); i > 0 && isHost(scheme+"://"+host[:i]) {
		c.wrong(at, "write a number from 1 to 65535, or leave it out with its colon", "the port behind %q is none", host[:i])
		return
	}
	c.wrong(at, "write it as https://host or https://host/path", "%q is not a host, with or without a port", host)
}

func isHost(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme+"://"+u.Host != text {
		return false
	}
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && port > 0
}

// warnOfRefusal tells of an address that no call could reach. Names are not
// looked up, as what they stand for is judged at each call, but for localhost,
// which stands for loopback everywhere (RFC 6761 section 6.3).
func warnOfRefusal(at diag.Cursor, text string, client *Client) {
	if client == nil {
		return
	}
	if why := client.Refusal(text); why != "" {
		at.As(diag.RefusedAddress).Warnf("", "every call will be refused: %s", why)
	}
}

// Refusal says why no request could reach an origin, a scheme with a host, and what
// to do; it is empty where one might, as names are not looked up.
func (c *Client) Refusal(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return ""
	}
	addr, err := netip.ParseAddr(u.Hostname())
	if name := strings.ToLower(u.Hostname()); name == "localhost" || strings.HasSuffix(name, ".localhost") {
		addr, err = netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil
	}
	if err != nil {
		return ""
	}
	if why := c.guard.refusal(addr); why != "" {
		return addr.String() + " is " + why
	}
	return ""
}

// url gives the address for one call.
func (t *target) url(vars *expression.Vars) (*url.URL, error) {
	base, err := address(t.base, vars)
	if err != nil {
		return nil, err
	}
	more, err := address(t.path, vars)
	if err != nil {
		return nil, err
	}
	path, query, _ := strings.Cut(base, "?")
	if more != "" {
		rest, restQuery, _ := strings.Cut(more, "?")
		path, query = strings.TrimSuffix(path, "/")+rest, join(query, restQuery)
	}
	if segment, ok := misleading(path); ok {
		return nil, tool.Errorf(tool.InvalidArgs, "%s cannot be used in the address of this tool", segment).
			WithHint("Send the identifier of what you want; it cannot be empty, . or .. there.")
	}
	named, err := pairs(t.query, vars)
	if err != nil {
		return nil, err
	}
	return t.parse(strings.ReplaceAll(path, edge, ""), join(strings.ReplaceAll(query, edge, ""), named))
}

// parse makes the address and makes sure that it is what it was meant to be.
func (t *target) parse(path, query string) (*url.URL, error) {
	text := t.origin + path
	if query != "" {
		text += "?" + query
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, tool.Errorf(tool.Internal, "the address of this tool is not valid").Because(withoutQuery(err))
	}
	if u.Scheme+"://"+u.Host != t.origin || u.User != nil || u.Opaque != "" || strings.Contains(text, "#") {
		return nil, tool.Errorf(tool.Internal, "the address of this tool is not valid").
			Because(errors.New("an address left its origin or has a fragment"))
	}
	return u, nil
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "&" + b
}

// pairs writes fields as a query or a form has them.
func pairs(fields []field, vars *expression.Vars) (string, error) {
	var b strings.Builder
	for _, f := range fields {
		values, err := f.values(vars)
		if err != nil {
			return "", err
		}
		for _, value := range values {
			if b.Len() > 0 {
				b.WriteByte('&')
			}
			b.WriteString(encode(f.name) + "=" + encode(value))
		}
	}
	return b.String(), nil
}
