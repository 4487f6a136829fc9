package httptool

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// maxDrained is how much of an answer that nobody wants is read, so that its
// connection can serve the next request.
const maxDrained = 4 << 10

// verdict is what a request says about the health of its upstream.
type verdict int

const (
	unknown verdict = iota // it ended for another reason
	healthy
	failing // no answer, or one that says that there is none
)

// send sends one request and gives the head of its answer. All of the credentials
// are shown; nil stands for those of the upstream.
// Redirects are followed as redirect.go says; Request of the answer is the last
// request, without credentials. What is to be sent once, because it may change
// something, is not sent again where net/http would do so on its own: only a
// redirect or a refused access token, which are answers, makes another request.
// The caller closes the body, which ends all that the request holds. The error
// is an *Error of package tool.
func (u *Upstream) send(ctx context.Context, req *http.Request, auth []*Credential, once bool) (*http.Response, error) {
	settle, err := u.breaker.admit()
	if err != nil {
		return nil, err
	}
	if auth == nil {
		auth = u.auth
	}
	inner, stop := u.limit(ctx)
	j := &journey{u: u, auth: auth, req: req, once: once}
	resp, err := j.run(inner)
	if err != nil {
		stop()
		settle(j.verdict(ctx, err))
		failed := unreached(inner, err)
		if once && (j.turned || !neverSent(err)) {
			failed = unsure(failed)
		}
		return nil, failed
	}
	resp.Body = &sentBody{ReadCloser: resp.Body, call: ctx, request: inner, end: func(read error) {
		stop()
		settle(j.health(ctx, resp.StatusCode, read))
	}}
	return resp, nil
}

// limit holds a request and the reading of its answer to the upstream's
// timeout.
func (u *Upstream) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if u.timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, u.timeout, tooSlow("the upstream", u.timeout))
}

func tooSlow(who string, limit time.Duration) *tool.Error {
	e := tool.Errorf(tool.UpstreamUnavailable, "%s did not answer within %s", who, limit).
		WithHint("Nothing is wrong with the arguments; try again later.")
	e.Retryable = true
	return e
}

// journey is one request on its way through redirects.
type journey struct {
	u      *Upstream
	auth   []*Credential // all are shown
	req    *http.Request // the next one, without credentials
	once   bool          // it may change something
	away   bool          // it goes to another origin than the first
	turned bool          // a redirect was followed, so a request was answered
	spoke  bool          // the upstream itself answered last, or redirected elsewhere
}

func (j *journey) run(ctx context.Context) (*http.Response, error) {
	for redirects := 0; ; redirects++ {
		resp, err := j.ask(ctx)
		if err != nil {
			return nil, err
		}
		j.spoke, resp.Request = true, j.req
		if !isRedirect(resp.StatusCode) {
			return resp, nil
		}
		discard(resp)
		if redirects == maxRedirects {
			return nil, refusedRedirect("the upstream redirected more than %d times", maxRedirects)
		}
		if err := j.turn(ctx, resp); err != nil {
			return nil, err
		}
		j.turned = true
	}
}

// ask sends the next request, with the credentials where they belong. An access
// token that is not taken any more is replaced once.
func (j *journey) ask(ctx context.Context) (*http.Response, error) {
	if j.away {
		resp, err := stillHTTP(j.u.client.outside.RoundTrip(j.req.WithContext(ctx)))
		return resp, redirected(err)
	}
	shown, used, err := show(ctx, j.u, j.req, j.auth)
	if err != nil {
		j.spoke = true // nothing was asked, so nothing was found out
		return nil, &unsent{err}
	}
	j.spoke = false
	resp, err := j.u.roundTrip(j.u.transport, j.unrepeated(shown))
	if err != nil || len(used) == 0 || resp.StatusCode != http.StatusUnauthorized || !replayable(j.req) {
		return resp, err
	}
	discard(resp)
	for _, token := range used {
		token.of.drop(token.text)
	}
	again, err := repeated(j.req)
	if err != nil {
		return nil, err
	}
	if shown, _, err = show(ctx, j.u, again, j.auth); err != nil {
		return nil, &unsent{err}
	}
	return j.u.roundTrip(j.u.transport, j.unrepeated(shown))
}

// repeats are the methods that net/http sends again when a connection that was
// used before breaks, and the headers that make it do so with any other one.
var (
	repeats       = []string{http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace}
	repeatHeaders = []string{"Idempotency-Key", "X-Idempotency-Key"}
)

// unrepeated keeps net/http from sending a request twice that may change
// something: the server may have done what the first one asked for. It repeats
// none whose body it cannot get again.
func (j *journey) unrepeated(req *http.Request) *http.Request {
	marked := slices.ContainsFunc(repeatHeaders, func(name string) bool { return len(req.Header[name]) > 0 })
	bodiless := slices.Contains(repeats, req.Method)
	if !j.once || !marked && !bodiless {
		return req
	}
	own := *req
	own.GetBody = nil
	if bodiless && (own.Body == nil || own.Body == http.NoBody) {
		own.Body = io.NopCloser(strings.NewReader("")) // which is found to be none when it is sent
	}
	return &own
}

// redirected words a refused address for what it is where a redirect led to it:
// the tool's own address may well be one that it may reach.
func redirected(err error) error {
	refused, ok := errors.AsType[*tool.Error](err)
	if !ok || refused.Code != tool.BlockedTarget {
		return err
	}
	own := *refused
	own.Message = "the upstream redirected to a network that tools may not reach by a redirect"
	return &own
}

// roundTrip sends a request over one of the upstream's pools. Behind a proxy
// the guard sees no address of the target when it dials, so it is asked about
// the host before.
func (u *Upstream) roundTrip(over *http.Transport, req *http.Request) (*http.Response, error) {
	if u.proxied {
		if err := u.guard.host(req.URL.Hostname()); err != nil {
			return nil, err
		}
	}
	return stillHTTP(over.RoundTrip(req))
}

// stillHTTP refuses an answer that ends HTTP on its connection (RFC 9110 section
// 15.2.2). Nobody asked for that, and net/http would hand over the connection,
// which then no context ends.
func stillHTTP(resp *http.Response, err error) (*http.Response, error) {
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		return resp, err
	}
	_ = resp.Body.Close()
	return nil, tool.Errorf(tool.UpstreamError, "the upstream answered with a change to another protocol, which was not asked for").WithHint(notYours)
}

// unsent is an error of what has to be done before a request can be sent.
type unsent struct{ err error }

func (e *unsent) Error() string { return e.err.Error() }
func (e *unsent) Unwrap() error { return e.err }

// neverSent reports whether a request failed before any of it was sent.
func neverSent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	_, early := errors.AsType[*unsent](err)
	return early || ok && op.Op == "dial"
}

// unsure takes back that the same call may succeed later, or another like it,
// where the request may have been carried out although nobody answered, or nobody
// read the answer.
func unsure(e *tool.Error) *tool.Error {
	switch {
	case e.Code == tool.UpstreamUnavailable && e.Retryable:
		e.Retryable, e.RetryAfter, e.Hint = false, 0, mayHaveActed
	case e.Code == tool.TooLarge, e.Code == tool.UpstreamError:
		e.Hint += " " + mayHaveActed
	}
	return e
}

// verdict judges a request that has no answer. A tool whose time was up while
// it waited speaks against the upstream: one that hangs would else hold a place
// of the gateway for each call of its tools. A caller that left says nothing.
func (j *journey) verdict(call context.Context, err error) verdict {
	own, worded := errors.AsType[*tool.Error](err)
	_, early := errors.AsType[*unsent](err)
	switch {
	case errors.Is(call.Err(), context.Canceled), early, worded && own.Code == tool.BlockedTarget:
		return unknown
	case j.spoke: // a redirect that is not followed, or that led nowhere
		return healthy
	}
	return failing
}

// health judges a request whose answer began. read is why reading it ended
// early, or nil.
func (j *journey) health(call context.Context, status int, read error) verdict {
	switch {
	case j.away:
		return healthy
	case status == http.StatusBadGateway, status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout:
		return failing
	case read == nil, isGarbled(read):
		return healthy
	case call.Err() != nil:
		return unknown
	}
	return failing
}

// secretsIn reports whether a text that is going elsewhere holds a known secret.
func (j *journey) secretsIn(text string) bool {
	known := []*secret.Masker{j.u.masker, j.u.client.masker.Load()}
	for _, a := range j.auth {
		known = append(known, a.masker)
	}
	for _, m := range known {
		if m.Text(text) != text {
			return true
		}
	}
	return false
}

// sentBody is the body of an answer, and with it all that its request holds.
type sentBody struct {
	io.ReadCloser
	call, request context.Context // of the caller, and with the upstream's timeout
	failed        error           // why reading ended early
	once          sync.Once
	end           func(read error)
}

func (h *sentBody) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		if h.failed == nil {
			h.failed = err
		}
		if h.request.Err() != nil && h.call.Err() == nil {
			err = tool.Ended(h.request)
		}
	}
	return n, err
}

func (h *sentBody) Close() error {
	err := h.ReadCloser.Close()
	h.once.Do(func() { h.end(h.failed) })
	return err
}

func discard(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, maxDrained)
	_ = resp.Body.Close()
}

// replayable reports whether the request can be sent once more.
func replayable(req *http.Request) bool {
	return req.Body == nil || req.Body == http.NoBody || req.GetBody != nil
}

// repeated is the request with its body from the start again.
func repeated(req *http.Request) (*http.Request, error) {
	again := *req
	if req.GetBody == nil {
		return &again, nil
	}
	body, err := req.GetBody()
	again.Body = body
	return &again, err
}
