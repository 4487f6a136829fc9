package hook

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
)

// ownHeaders are set by the gateway alone: they say how a request is framed.
var ownHeaders = []string{"Connection", "Content-Length", "Content-Type", "Host", "Transfer-Encoding"}

// originOf checks the literal part of a webhook's address, its scheme, host
// and port, which no value of a call may choose.
func originOf(at diag.Cursor, text string) (origin string, ok bool) {
	const hint = "write it as https://host or https://host/path"
	scheme, rest, found := strings.Cut(text, "://")
	host := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		host = rest[:end]
	}
	origin = scheme + "://" + host
	u, err := url.Parse(origin)
	switch {
	case text == "":
		at.Hintf(hint, "the webhook has no address")
	case strings.Contains(scheme, "$"), strings.Contains(host, "$"):
		at.Hintf("only what follows the host may hold ${…}", "scheme and host must be literal text, so that no caller can choose them")
	case !found, scheme != "http" && scheme != "https":
		at.Hintf(hint, "the address does not start with http:// or https://")
	case strings.Contains(host, "@"):
		at.Hintf(`use a header: {Authorization: "Bearer ${secret.name}"}`, "the address holds a user name or a password")
	case err != nil, u.Hostname() == "", u.Scheme+"://"+u.Host != origin:
		at.Hintf(hint, "%q is not a host, with or without a port", host)
	default:
		return origin, true
	}
	return "", false
}

// headers compiles the headers of a webhook in the order of their names.
func (c *compiler) headers(at diag.Cursor, all map[string]expression.Texts) ([]header, bool) {
	var out []header
	ok := true
	for _, name := range slices.Sorted(maps.Keys(all)) {
		here, h := at.Key(name), header{name: http.CanonicalHeaderKey(name)}
		switch {
		case !isToken(name):
			here.Hintf("letters, digits and hyphens", "%q cannot be the name of a header", name)
			ok = false
		case slices.Contains(ownHeaders, h.name):
			here.Errorf("the header %s is set by the gateway alone", h.name)
			ok = false
		}
		for i, text := range all[name] {
			place := here
			if item := here.Index(i); item.Present() {
				place = item
			}
			t := expression.ParseTemplate(place, text, c.template)
			ok = ok && t != nil
			h.texts = append(h.texts, t)
		}
		out = append(out, h)
	}
	return out, ok
}

// isToken reports whether name can name a header (RFC 9110 section 5.6.2).
func isToken(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		alphanumeric := r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return !alphanumeric && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}) < 0
}
