package httptool

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// credential is what a request shows to be let in. It is put on a request only
// when that is sent, so that nothing which is shown of a request holds it. The
// nil credential shows nothing. It is safe for concurrent use.
type credential struct {
	header string                 // the name of a header, or
	query  string                 // of a query parameter
	value  func() (string, error) // what it carries; nil where tokens give it
	tokens *tokens
	masker *secret.Masker // nil for none
}

// credential compiles an "auth" block; nil stands for one that is not there or
// is wrong.
func (c *compiler) credential(at diag.Cursor, cfg *Auth, deps UpstreamDeps) *credential {
	if cfg == nil {
		return nil
	}
	given := 0
	for _, there := range []bool{cfg.Bearer != "", cfg.Basic != nil, cfg.Header != nil, cfg.Query != nil, cfg.OAuth2 != nil} {
		if there {
			given++
		}
	}
	if given != 1 {
		c.wrong(at, "write one of bearer, basic, header, query and oauth2", "exactly one kind of credentials can be shown, and there are %d", given)
		return nil
	}
	k := authCompiler{compiler: compiler{env: expression.NewEnv(expression.Secrets(deps.SecretNames)), elsewhere: &callsOnly}, deps: deps}
	made := k.member(at, cfg)
	if k.failed {
		c.failed = true
		return nil
	}
	made.masker = deps.Masker
	return made
}

// authCompiler compiles a block whose templates see secrets only.
type authCompiler struct {
	compiler
	deps UpstreamDeps
}

func (c *authCompiler) member(at diag.Cursor, cfg *Auth) *credential {
	switch {
	case cfg.Basic != nil:
		return c.basic(at.Key("basic"), cfg.Basic)
	case cfg.Header != nil:
		c.headerName(at.Key("header").Key("name"), cfg.Header.Name)
		return &credential{header: cfg.Header.Name, value: c.shown(at.Key("header").Key("value"), cfg.Header.Value)}
	case cfg.Query != nil:
		c.queryName(at.Key("query").Key("name"), cfg.Query.Name)
		return &credential{query: cfg.Query.Name, value: c.secret(at.Key("query").Key("value"), cfg.Query.Value)}
	case cfg.OAuth2 != nil:
		return &credential{header: "Authorization", tokens: c.tokens(at.Key("oauth2"), cfg.OAuth2)}
	}
	at = at.Key("bearer")
	if scheme, rest, found := strings.Cut(cfg.Bearer, " "); found && strings.EqualFold(scheme, "Bearer") {
		c.wrong(at, bearerHint(rest), "the word Bearer is sent before this already")
	}
	bearer := c.secret(at, cfg.Bearer)
	return &credential{header: "Authorization", value: headerValue(func() (string, error) {
		text, err := bearer()
		return "Bearer " + text, err
	})}
}

// basic joins a user name and a password (RFC 7617 section 2). What comes of it
// has to be masked too.
func (c *authCompiler) basic(at diag.Cursor, cfg *Basic) *credential {
	if strings.Contains(cfg.Username, ":") && !strings.Contains(cfg.Username, "${") {
		c.wrong(at.Key("username"), "", "a user name cannot hold a colon")
	}
	username := c.text(at.Key("username"), cfg.Username)
	password := func() (string, error) { return "", nil }
	if cfg.Password != "" {
		password = c.secret(at.Key("password"), cfg.Password)
	}
	return &credential{header: "Authorization", value: sync.OnceValues(func() (string, error) {
		name, err := username()
		if err == nil && strings.Contains(name, ":") {
			err = errors.New("the user name holds a colon")
		}
		pass, passErr := password()
		pair := base64.StdEncoding.EncodeToString([]byte(name + ":" + pass))
		tell(c.deps.Masker, pair)
		return "Basic " + pair, errors.Join(err, passErr)
	})}
}

// bearerHint is what to write in place of Bearer and a token; one that is no
// template may be a credential and is not repeated.
func bearerHint(token string) string {
	if strings.HasPrefix(token, "${") {
		return "write " + token
	}
	return "write ${secret.name}"
}

// secret compiles a text that should be no part of the file.
func (c *authCompiler) secret(at diag.Cursor, text string) func() (string, error) {
	if text != "" && !strings.Contains(text, "${") && expression.ParseTemplate(diag.NewCursor(&diag.Report{}, nowhere), text, c.env) != nil {
		at.Warnf("declare it under secrets, such as {crm: {env: CRM_TOKEN}}, and write ${secret.crm}",
			"the credential stands in the file itself, and it is not masked where it shows up")
	}
	return c.text(at, text)
}

// text compiles a template that has to be there.
func (c *authCompiler) text(at diag.Cursor, text string) func() (string, error) {
	if text == "" {
		c.wrong(at, "write it as ${secret.name}", "it has no value")
		return nil
	}
	t := c.template(at, text)
	return sync.OnceValues(func() (string, error) { return lazily(t, c.env, c.deps.Secrets, asIs) })
}

// shown compiles the value of a header.
func (c *authCompiler) shown(at diag.Cursor, text string) func() (string, error) {
	if !strings.Contains(text, "${") && !isHeaderValue(text) {
		c.wrong(at, "", "the value of a header cannot hold line breaks or control characters")
	}
	return headerValue(c.secret(at, text))
}

func headerValue(value func() (string, error)) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		text, err := value()
		if err == nil && !isHeaderValue(text) {
			err = errors.New("the value of a header holds line breaks or control characters")
		}
		return text, err
	})
}

func (c *authCompiler) headerName(at diag.Cursor, name string) {
	own := http.CanonicalHeaderKey(name)
	switch {
	case !isToken(name):
		c.wrong(at, "write letters, digits and hyphens only", "%q cannot be the name of a header", name)
	case slices.Contains(ownHeaders, own):
		c.wrong(at, "name another header", "the header %s is set by the gateway alone", own)
	}
}

func (c *authCompiler) queryName(at diag.Cursor, name string) {
	if name == "" || strings.Contains(name, "${") {
		c.wrong(at, "write a fixed name; only the value is a template", "a name must be literal text and not empty")
	}
}

// show puts the credentials on a copy of the request. token is the access token
// among them, if there is one.
func (a *credential) show(ctx context.Context, u *Upstream, req *http.Request) (shown *http.Request, token string, err error) {
	shown = req.WithContext(ctx)
	if a == nil {
		return shown, "", nil
	}
	var text string
	if a.tokens != nil {
		token, err = a.tokens.get(ctx, u)
		text = "Bearer " + token
	} else if text, err = a.value(); err != nil {
		err = tool.Errorf(tool.Internal, "the gateway's credentials for this tool cannot be used").Because(err).
			WithHint("Nothing is wrong with the arguments; tell the user.")
	}
	if err != nil {
		return nil, "", err
	}
	if a.query != "" {
		place := *req.URL
		place.RawQuery = withPair(place.RawQuery, a.query, text)
		shown.URL = &place
		return shown, "", nil
	}
	shown.Header = req.Header.Clone()
	shown.Header[http.CanonicalHeaderKey(a.header)] = []string{text}
	return shown, token, nil
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

// tell makes a text known that must never be seen.
func tell(m *secret.Masker, text string) {
	if m != nil {
		m.Know(secret.NewValue(text))
	}
}
