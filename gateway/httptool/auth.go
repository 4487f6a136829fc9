package httptool

import (
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
)

// credential compiles an "auth" block; nil stands for one that is not there or
// is wrong.
func (c *compiler) credential(at diag.Cursor, cfg *Auth, deps UpstreamDeps) *Credential {
	if cfg == nil {
		return nil
	}
	given := 0
	for _, there := range []bool{cfg.Bearer != "", cfg.Basic != nil, cfg.Header != nil, cfg.Query != nil, cfg.Cookie != nil, cfg.OAuth2 != nil} {
		if there {
			given++
		}
	}
	if given != 1 {
		c.wrong(at, "write one of bearer, basic, header, query, cookie and oauth2", "exactly one kind of credentials can be shown, and there are %d", given)
		return nil
	}
	k := authCompiler{compiler: compiler{env: expression.NewEnv(expression.Secrets(deps.SecretNames)), elsewhere: &callsOnly, loose: c.loose}, deps: deps}
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

func (c *authCompiler) member(at diag.Cursor, cfg *Auth) *Credential {
	switch {
	case cfg.Basic != nil:
		return c.basic(c.key(at, "basic"), cfg.Basic)
	case cfg.Header != nil:
		at = c.key(at, "header")
		c.headerName(c.key(at, "name"), cfg.Header.Name)
		return &Credential{header: cfg.Header.Name, value: c.shown(c.key(at, "value"), cfg.Header.Value)}
	case cfg.Query != nil:
		at = c.key(at, "query")
		c.queryName(c.key(at, "name"), cfg.Query.Name)
		return &Credential{query: cfg.Query.Name, value: c.secret(c.key(at, "value"), cfg.Query.Value)}
	case cfg.Cookie != nil:
		return c.cookie(c.key(at, "cookie"), cfg.Cookie)
	case cfg.OAuth2 != nil:
		return &Credential{header: "Authorization", tokens: c.tokens(c.key(at, "oauth2"), cfg.OAuth2)}
	}
	at = c.key(at, "bearer")
	if scheme, rest, found := strings.Cut(cfg.Bearer, " "); found && strings.EqualFold(scheme, "Bearer") {
		c.wrong(at, bearerHint(rest), "the word Bearer is sent before this already")
	}
	bearer := c.secret(at, cfg.Bearer)
	return &Credential{header: "Authorization", value: headerValue(func() (string, error) {
		text, err := bearer()
		return "Bearer " + text, err
	})}
}

// key is the place of a key of the block.
func (c *authCompiler) key(at diag.Cursor, name string) diag.Cursor {
	if inside := at.Key(name); inside.Present() || !c.loose {
		return inside
	}
	return at
}

// cookie compiles a cookie. Its value cannot hold what ends it, or the header
// (RFC 6265 section 4.1.1); what else that section leaves out, such as commas,
// is in use.
func (c *authCompiler) cookie(at diag.Cursor, cfg *Named) *Credential {
	if !isToken(cfg.Name) {
		c.wrong(c.key(at, "name"), "write letters, digits and hyphens only", "%q cannot be the name of a cookie", cfg.Name)
	}
	const not = "the value of a cookie cannot hold semicolons, line breaks or control characters"
	fits := func(text string) bool { return isHeaderValue(text) && !strings.Contains(text, ";") }
	if !strings.Contains(cfg.Value, "${") && !fits(cfg.Value) {
		c.wrong(c.key(at, "value"), "", not)
	}
	value := c.secret(c.key(at, "value"), cfg.Value)
	return &Credential{cookie: cfg.Name, value: sync.OnceValues(func() (string, error) {
		text, err := value()
		if err == nil && !fits(text) {
			err = errors.New(not)
		}
		return text, err
	})}
}

// basic joins a user name and a password (RFC 7617 section 2). What comes of it
// has to be masked too.
func (c *authCompiler) basic(at diag.Cursor, cfg *Basic) *Credential {
	if strings.Contains(cfg.Username, ":") && !strings.Contains(cfg.Username, "${") {
		c.wrong(c.key(at, "username"), "", "a user name cannot hold a colon")
	}
	username := c.text(c.key(at, "username"), cfg.Username)
	password := func() (string, error) { return "", nil }
	if cfg.Password != "" {
		password = c.secret(c.key(at, "password"), cfg.Password)
	}
	return &Credential{header: "Authorization", value: sync.OnceValues(func() (string, error) {
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
		at.As(diag.LiteralSecret).Warnf("declare it under secrets, such as {crm: {env: CRM_TOKEN}}, and write ${secret.crm}",
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

// tell makes a text known that must never be seen.
func tell(m *secret.Masker, text string) {
	if m != nil {
		m.Know(secret.NewValue(text))
	}
}
