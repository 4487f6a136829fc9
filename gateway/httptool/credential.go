package httptool

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Credential is one way to be let in, compiled. It is put on a request only
// when that is sent, so that nothing which is shown of a request holds it. An
// access token is kept with it: tools that show the same Credential share the
// token. It is safe for concurrent use.
type Credential struct {
	header string                 // the name of a header, or
	query  string                 // of a query parameter, or
	cookie string                 // of a cookie
	value  func() (string, error) // what it carries; nil where tokens give it
	tokens *tokens
	masker *secret.Masker // nil for none
}

// NewCredential compiles a block of credentials for [Requests]. It reports every
// mistake and then returns nil. A key of the block that is not in the
// configuration, because the file says the same in another form, is reported at
// the nearest one around it that is. It opens no connection.
func (c *Client) NewCredential(at diag.Cursor, cfg Auth, deps UpstreamDeps) *Credential {
	c.mask(deps.Masker)
	k := compiler{loose: true}
	return k.credential(at, &cfg, deps)
}

// shownToken is an access token that a request was sent with.
type shownToken struct {
	of   *tokens
	text string
}

// show puts credentials on a copy of the request, in order: of two for one
// header, parameter or cookie the last stands. used are the access tokens among
// them.
func show(ctx context.Context, u *Upstream, req *http.Request, all []*Credential) (shown *http.Request, used []shownToken, err error) {
	shown = req.WithContext(ctx)
	if len(all) == 0 {
		return shown, nil, nil
	}
	place := *req.URL
	shown.URL, shown.Header = &place, req.Header.Clone()
	if shown.Header == nil {
		shown.Header = http.Header{}
	}
	for _, a := range all {
		text, err := a.text(ctx, u)
		if err != nil {
			return nil, nil, err
		}
		if a.tokens != nil {
			used = append(used, shownToken{a.tokens, text})
			text = "Bearer " + text
		}
		a.put(shown, text)
	}
	return shown, used, nil
}

// text is what the credential carries: an access token, or its value.
func (a *Credential) text(ctx context.Context, u *Upstream) (string, error) {
	if a.tokens != nil {
		return a.tokens.get(ctx, u)
	}
	text, err := a.value()
	if err != nil {
		return "", tool.Errorf(tool.Internal, "the gateway's credentials for this tool cannot be used").Because(err).
			WithHint("Nothing is wrong with the arguments; tell the user.")
	}
	return text, nil
}

// put writes the text where the credential has its place.
func (a *Credential) put(req *http.Request, text string) {
	switch {
	case a.query != "":
		req.URL.RawQuery = withPair(req.URL.RawQuery, a.query, text)
	case a.cookie != "":
		req.Header["Cookie"] = []string{withCookie(req.Header["Cookie"], a.cookie, text)}
	default:
		req.Header[http.CanonicalHeaderKey(a.header)] = []string{text}
	}
}

// withCookie sets a cookie behind the others, which are left as they are. They
// are one header field (RFC 6265 section 5.4).
func withCookie(fields []string, name, value string) string {
	var kept []string
	for _, field := range fields {
		for pair := range strings.SplitSeq(field, ";") {
			pair = strings.TrimSpace(pair)
			if key, _, _ := strings.Cut(pair, "="); pair != "" && strings.TrimSpace(key) != name {
				kept = append(kept, pair)
			}
		}
	}
	return strings.Join(append(kept, name+"="+value), "; ")
}

// withPair sets a parameter of a query and leaves the others as they are.
func withPair(query, name, value string) string {
	return join(withoutPair(query, name), encode(name)+"="+encode(value))
}

func withoutPair(query, name string) string {
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		key, _, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(key); pair != "" && (err != nil || plain != name) {
			kept = append(kept, pair)
		}
	}
	return strings.Join(kept, "&")
}
