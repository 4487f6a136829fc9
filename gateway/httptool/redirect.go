package httptool

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Rules of redirects (RFC 9110 section 15.4), at most maxRedirects of them:
//
//   - Within the origin a request keeps its headers and is shown the
//     credentials again. 301, 302 and 303 make it a GET without a body, unless
//     it is a HEAD; 307 and 308 repeat it as it was.
//   - To another origin only a GET or HEAD goes, with nothing of the
//     configuration but its Accept header, never from https to http, and only
//     to public addresses: what an upstream answers must not steer requests
//     into networks that were opened for something else. Nothing that holds a
//     known secret goes there. What has left its origin never gets credentials
//     again, also when it is led back.
//   - Behind a proxy no request leaves its origin: it is the proxy that resolves
//     names, so nobody could tell whether the place is public.

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

func refusedRedirect(format string, args ...any) *tool.Error {
	return tool.Errorf(tool.UpstreamError, format, args...).
		WithHint("Nothing is wrong with the arguments; tell the user where this tool's address was moved to.")
}

// turn makes the request that a redirect asks for the next one.
func (j *journey) turn(ctx context.Context, resp *http.Response) error {
	location := resp.Header.Get("Location")
	if location == "" {
		return refusedRedirect("the upstream redirected without saying where to")
	}
	to, err := j.req.URL.Parse(location)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Hostname() == "" || to.User != nil || to.Opaque != "" {
		return refusedRedirect("the upstream redirected to what is not an http or https address without a user name")
	}
	to.Fragment, to.RawFragment = "", ""
	method, sameBody := j.req.Method, true
	if resp.StatusCode < http.StatusTemporaryRedirect && method != http.MethodHead && method != http.MethodGet {
		method, sameBody = http.MethodGet, false
	}
	if j.away || origin(j.req.URL) != origin(to) {
		return j.leave(ctx, method, to, location)
	}
	return j.stay(ctx, method, to, sameBody)
}

// stay follows a redirect within the origin.
func (j *journey) stay(ctx context.Context, method string, to *url.URL, sameBody bool) error {
	body, err := j.body(sameBody)
	if err != nil {
		return err
	}
	for _, a := range j.auth {
		if a.query != "" { // put there again when it is sent
			to.RawQuery = withoutPair(to.RawQuery, a.query)
		}
	}
	next, err := http.NewRequestWithContext(ctx, method, to.String(), body)
	if err != nil {
		return refusedRedirect("the upstream redirected to an address that is not valid")
	}
	next.Header = j.req.Header.Clone()
	if sameBody {
		next.ContentLength, next.GetBody = j.req.ContentLength, j.req.GetBody
	} else {
		for _, name := range []string{"Content-Type", "Content-Encoding", "Content-Language", "Content-Location"} {
			next.Header.Del(name)
		}
	}
	j.req = next
	return nil
}

func (j *journey) body(wanted bool) (io.Reader, error) {
	if !wanted || j.req.Body == nil || j.req.Body == http.NoBody {
		return http.NoBody, nil
	}
	if j.req.GetBody == nil {
		return nil, refusedRedirect("the upstream redirected a request whose body cannot be sent twice")
	}
	return j.req.GetBody()
}

// leave follows a redirect to another origin.
func (j *journey) leave(ctx context.Context, method string, to *url.URL, location string) error {
	switch {
	case j.secretsIn(location), j.secretsIn(to.String()):
		return refusedRedirect("the upstream redirected to another place with a credential in the address, and that is not followed")
	case method != http.MethodGet && method != http.MethodHead:
		return refusedRedirect("the upstream redirected to %s, and a redirect of a %s to another scheme, host or port is not followed", place(to), method)
	case j.req.URL.Scheme == "https" && to.Scheme == "http":
		return refusedRedirect("the upstream redirected to %s, and a redirect from https to http is not followed", place(to))
	case j.u.proxied:
		return refusedRedirect("the upstream redirected to %s, and behind a proxy no redirect to another scheme, host or port is followed", place(to))
	}
	next, err := http.NewRequestWithContext(ctx, method, to.String(), http.NoBody)
	if err != nil {
		return refusedRedirect("the upstream redirected to an address that is not valid")
	}
	next.Header.Set("User-Agent", userAgent)
	if accept := j.req.Header.Values("Accept"); !slices.ContainsFunc(accept, j.secretsIn) && len(accept) > 0 {
		next.Header["Accept"] = slices.Clone(accept)
	}
	j.req, j.away = next, true
	return nil
}
