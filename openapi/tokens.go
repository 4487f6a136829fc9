package openapi

import (
	"fmt"
	"net/url"

	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/openapi/spec"
)

// clientOf is a client that gets access tokens by itself.
func (s *Service) clientOf(name string, scheme spec.Scheme, cfg Auth) (auth httptool.Auth, problem string) {
	token, problem := s.tokenAddress(cfg.TokenURL, scheme.TokenURL)
	if problem != "" {
		return auth, problem
	}
	scopes := cfg.Scopes
	if scopes == nil {
		scopes = s.scopes(name)
	}
	return httptool.Auth{OAuth2: &httptool.OAuth2{TokenURL: token, ClientID: cfg.ClientID, ClientSecret: cfg.ClientSecret, Scopes: scopes}}, ""
}

// tokenAddress is where tokens are asked for, which is shown the client's secret:
// what is configured, else what the document says, which may be relative to its
// server. A document that is a file is as much the configuration's own word as
// token_url is. One at an address may change at any time, so that it names an
// endpoint at the origin of the API alone.
func (s *Service) tokenAddress(configured, declared string) (address, problem string) {
	switch {
	case configured != "":
		return configured, ""
	case declared == "":
		return "", "the document names no token endpoint for client credentials: add token_url: https://…"
	}
	u, err := url.Parse(declared)
	switch {
	case err != nil:
		return "", fmt.Sprintf("the token endpoint of the document, %q, cannot be read: add token_url: https://…", declared)
	case u.Host == "" && s.base == nil:
		return "", fmt.Sprintf("the token endpoint of the document, %q, is relative, and its server is not used: add token_url: https://…", declared)
	case s.base != nil:
		u = s.base.ResolveReference(u)
	case u.Scheme == "":
		u.Scheme = "https"
	}
	if s.doc.Base != "" && origin(u) != s.ownOrigin() {
		return "", fmt.Sprintf("the document names the token endpoint %s, which is another host: write token_url: %s if that is right", u, u)
	}
	return u.String(), ""
}

// ownOrigin is that of the API's own address, as [origin] has it; empty where no
// address is known.
func (s *Service) ownOrigin() string {
	base := s.base
	if s.upstream != nil {
		base, _ = url.Parse(s.upstream.Origin()) // it was compiled
	}
	if base == nil {
		return ""
	}
	return origin(base)
}

// TokenAddress is the whole address of the token endpoint that the document names for
// a scheme, which may be relative to the address of its operations; empty where it
// names none, or one that cannot be read, and where it is relative to what is not
// known.
func (d *Document) TokenAddress(scheme, operations string) string {
	declared := d.Schemes[scheme].TokenURL
	u, err := url.Parse(declared)
	if declared == "" || err != nil {
		return ""
	}
	if base, err := url.Parse(operations); err == nil {
		u = base.ResolveReference(u)
	}
	if u.Host == "" || u.Scheme == "" {
		return ""
	}
	return u.String()
}

// scopes are all that operations ask for of a scheme, in the order of the document.
func (s *Service) scopes(name string) []string {
	var all []string
	seen := map[string]bool{}
	for _, op := range s.doc.Operations {
		for _, alternative := range op.Security {
			for _, u := range alternative {
				for _, scope := range u.Scopes {
					if u.Scheme == name && !seen[scope] {
						seen[scope] = true
						all = append(all, scope)
					}
				}
			}
		}
	}
	return all
}
