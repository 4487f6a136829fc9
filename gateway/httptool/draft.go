package httptool

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Draft is a request that was made without templates. It is sent with the
// headers of its upstream, which stand in place of its own of the same names, but
// for Content-Type, which tells what its body is. Of Cookie it keeps the cookies
// that the upstream has not. Credentials are not in it, but in Credentials of
// [Requests].
type Draft struct {
	Method string
	URL    *url.URL    // http or https, with a host and without user and fragment; taken over
	Header http.Header // canonical names; those that the gateway alone sets are left out; not changed
	Body   []byte      // nil for none; at most 32 MiB; not changed
}

// Answers is what is asked of an answer, as in [Config]. All but Poll.URL are
// expressions.
type Answers struct {
	OK     string `koanf:"ok"`
	Error  string `koanf:"error"`
	Result string `koanf:"result"`
	Pages  *Pages `koanf:"pages"`
	Poll   *Poll  `koanf:"poll"`
}

// Requests is a tool whose requests are made by code. Pages and polls of it stay
// with the origin of the Draft.
type Requests struct {
	// Draft makes the request of one call. Its error is a *tool.Error.
	Draft func(args map[string]any) (*Draft, error)
	// Upstream is whose connections, headers, breaker, timeout and credentials
	// are used; a Draft for another origin than its own is not sent. nil stands
	// for [Client.Plain].
	Upstream *Upstream
	// Credentials are shown, all of them and in this order, to the origin of the
	// Draft and nobody else. nil stands for those of the upstream, and an empty
	// list for none at all.
	Credentials []*Credential
	// Lenient takes a text that claims to be JSON and is not as a text. Otherwise
	// it is a failure.
	Lenient bool
	// Check looks at a successful JSON answer to a Draft, before the expressions
	// make anything of it, and says what is wrong with it, empty for nothing. That
	// is recorded and logged, and not shown to the model. nil checks nothing.
	Check func(body []byte) string
}

// NewRequests compiles what is asked of the answers, at a key as [New] does, to
// a runner. It reports every mistake there and then returns nil. Of deps it uses
// all but Upstreams. It opens no connection.
func NewRequests(at diag.Cursor, r Requests, cfg Answers, deps Deps) tool.Runner {
	request, answer := environments(deps)
	u, t := r.Upstream, target{}
	switch {
	case u != nil:
		t.origin, t.base = u.origin, u.base
	case deps.Client != nil:
		deps.Client.mask(deps.Masker)
		u = deps.Client.Plain()
	}
	made := &runner{
		maker:    &drafted{surroundings: around(request, u, deps), draft: r.Draft, origin: t.origin},
		upstream: u, auth: r.Credentials, lenient: r.Lenient, check: r.Check,
		output: deps.Output, masker: deps.Masker, answerEnv: answer,
	}
	c := compiler{env: answer}
	c.answer(at, cfg, t, deps.Timeout, made)
	if c.failed {
		return nil
	}
	return made
}

// drafted is a request that code makes.
type drafted struct {
	surroundings
	draft  func(args map[string]any) (*Draft, error)
	origin string // the only one that may be asked; empty for any
}

func (d *drafted) request(ctx context.Context, args map[string]any) (*http.Request, error) {
	draft, err := d.draft(args)
	if err != nil {
		return nil, err
	}
	if err := d.checkAddress(draft.URL); err != nil {
		return nil, tool.Errorf(tool.Internal, "the address of this tool is not valid").Because(err)
	}
	if err := checkSize(len(draft.Body)); err != nil {
		return nil, err
	}
	header, err := d.header(draft)
	if err != nil {
		return nil, err
	}
	return newRequest(ctx, draft.Method, draft.URL, header, draft.Body)
}

// checkAddress holds an address to what a Draft may ask.
func (d *drafted) checkAddress(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return errors.New("an address is not of http or https, or has no host")
	case u.User != nil, u.Opaque != "", u.Fragment != "":
		return errors.New("an address has a user, a fragment or no slashes")
	case d.origin == "":
		return nil
	}
	home, err := url.Parse(d.origin)
	if err == nil && origin(home) != origin(u) {
		err = errors.New("an address is not of the origin of its upstream")
	}
	return err
}

// header is that of the draft with that of the upstream in place of the same
// names: what the operator fixed is not for arguments to change.
func (d *drafted) header(draft *Draft) (http.Header, error) {
	header := http.Header{}
	if len(d.headers) > 0 {
		if err := add(header, d.headers, d.vars(nil)); err != nil {
			return nil, err
		}
	}
	if draft.Body == nil {
		delete(header, contentType) // the upstream's is about bodies
	}
	for _, name := range slices.Sorted(maps.Keys(draft.Header)) {
		if slices.Contains(ownHeaders, name) {
			continue
		}
		for _, value := range draft.Header[name] {
			if err := checkValue(name, value); err != nil {
				return nil, err
			}
		}
		switch {
		case name == "Cookie":
			header[name] = withCookies(header[name], draft.Header[name])
		case header[name] == nil || name == contentType:
			header[name] = draft.Header[name]
		}
	}
	if header["User-Agent"] == nil {
		header["User-Agent"] = []string{userAgent}
	}
	return header, nil
}

// withCookies adds cookies to those that are fixed, but for those of the same
// names.
func withCookies(fixed, more []string) []string {
	if len(fixed) == 0 {
		return more
	}
	names, all := map[string]bool{}, []string{}
	for i, field := range append(slices.Clone(fixed), more...) {
		for cookie := range strings.SplitSeq(field, ";") {
			cookie = strings.TrimSpace(cookie)
			name, _, _ := strings.Cut(cookie, "=")
			if i < len(fixed) {
				names[name] = true
			} else if names[name] {
				continue
			}
			if cookie != "" {
				all = append(all, cookie)
			}
		}
	}
	return []string{strings.Join(all, "; ")}
}
