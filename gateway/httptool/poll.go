package httptool

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	maxPollWait    = time.Minute // between two requests, whatever an upstream asks for
	maxPollStumble = 5           // failures in a row that are waited out
)

// poll is how the end of a job is waited for.
type poll struct {
	until   *expression.Program
	exact   *expression.Template // the address as a whole, which the upstream gave; or nil
	address []piece              // else; empty for the request's own
	every   time.Duration
	limit   time.Duration // 0 for none but the tool's own
}

// pollOf compiles the block; nil stands for none.
func (c *compiler) pollOf(at diag.Cursor, cfg *Poll, t target, timeout time.Duration) *poll {
	if cfg == nil {
		return nil
	}
	p := &poll{every: cfg.Every, limit: cfg.For}
	p.until = c.needed(at.Key("until"), cfg.Until, expression.WantBool, `such as body.state == "done"`)
	c.pollAddress(at.Key("url"), cfg.URL, t, p)
	switch {
	case cfg.Every == 0:
		p.every = DefaultPollEvery
	case cfg.Every < MinPollEvery:
		c.wrong(at.Key("every"), "", "there must be at least %s between two requests", MinPollEvery)
	}
	switch {
	case cfg.For < 0:
		c.wrong(at.Key("for"), "leave it out to wait as long as the tool may run", "a time cannot be negative")
	case cfg.For > 0 && cfg.For < p.every:
		c.wrong(at.Key("for"), "", "nothing would be asked: it is shorter than the %s between two requests", p.every)
	case timeout > 0 && p.every >= timeout:
		at.Key("every").As(diag.PollSettings).Warnf("write a shorter time, or a longer timeout of the tool", "the tool is stopped after %s, before it asks again", timeout)
	case timeout > 0 && cfg.For > timeout:
		at.Key("for").As(diag.PollSettings).Warnf("write the time under timeout too", "the tool is stopped after %s, before this is over", timeout)
	}
	return p
}

// pollAddress compiles what is asked. What is exactly one ${…} is taken as the
// address it holds; in any other text each value stays within its segment.
func (c *compiler) pollAddress(at diag.Cursor, text string, t target, p *poll) {
	if text == "" {
		return
	}
	c.elsewhere = &requestsOnly
	defer func() { c.elsewhere = nil }()
	whole := c.template(at, text)
	if whole == nil {
		return
	}
	if whole.Exact() {
		p.exact = whole
		return
	}
	p.address = c.pieces(at, text, 0)
	start, _, _ := strings.Cut(text, "${")
	if named := originIn(start); named != "" && t.origin != "" && named != t.origin {
		c.wrong(at, "write what follows "+t.origin, "only the host that the request goes to is asked")
	}
	if base := t.literalBase(); base != "" && strings.HasPrefix(start, "/") && !strings.HasPrefix(start, base+"/") {
		at.As(diag.PollSettings).Warnf("write "+base+start+"… if that is meant", "this starts at the host, not behind the address of the upstream")
	}
}

// originIn is the scheme, host and port at the start of an address; empty where
// it has none, or no end of them.
func originIn(start string) string {
	scheme, rest, found := strings.Cut(start, "://")
	end := strings.IndexAny(rest, "/?")
	if !found || end < 0 || strings.ContainsAny(scheme, "/?") {
		return ""
	}
	return scheme + "://" + rest[:end]
}

// literalBase is the path of the base address, without a slash behind it, where
// it holds no value; empty otherwise.
func (t *target) literalBase() string {
	if len(t.base) != 1 || t.base[0].value != nil {
		return ""
	}
	path, _, _ := strings.Cut(t.base[0].literal, "?")
	return strings.TrimSuffix(path, "/")
}

func (p *poll) programs() []reader {
	if p == nil || p.until == nil {
		return nil
	}
	all := []reader{p.until}
	if p.exact != nil {
		all = append(all, p.exact)
	}
	for _, piece := range p.address {
		if piece.value != nil {
			all = append(all, piece.value)
		}
	}
	return all
}

// await asks until the job is over, and gives the answer that says so.
func (r *runner) await(ctx context.Context, req *http.Request, in tool.Input, a *answer) (*answer, error) {
	done, err := r.isOver(a)
	if done || err != nil {
		return a, err
	}
	address, err := r.poll.where(req, a)
	if err != nil {
		return nil, err
	}
	header := req.Header.Clone()
	header.Del(contentType)
	if r.poll.limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, r.poll.limit, r.poll.tooLong())
		defer stop()
	}
	wait, stumbled := pause(a, nil), 0
	for asked := 1; ; asked++ {
		if err := r.upstream.client.wait(ctx, max(wait, r.poll.every)); err != nil {
			return nil, err
		}
		a, done, err := r.askAgain(ctx, address, header, in)
		if done {
			return a, nil
		}
		if stumbled++; err == nil {
			stumbled = 0
		} else if !tool.AsError(err).Retryable || stumbled > maxPollStumble || ctx.Err() != nil {
			return nil, err
		}
		wait = pause(a, err)
		tool.Progress(ctx, tool.Step{Done: float64(asked), Message: "waiting, asked " + plural(asked, "time")})
	}
}

// askAgain asks once how the job is doing.
func (r *runner) askAgain(ctx context.Context, address *url.URL, header http.Header, in tool.Input) (a *answer, done bool, err error) {
	req, err := newRequest(ctx, http.MethodGet, address, header, nil)
	if err != nil {
		return nil, false, err
	}
	if a, err = r.ask(ctx, req, in, in.Spec.MaxOutput, false); err != nil {
		return nil, false, err
	}
	done, err = r.isOver(a)
	return a, done, err
}

func (r *runner) isOver(a *answer) (bool, error) {
	if err := a.broken(); err != nil {
		return false, err
	}
	done, err := r.poll.until.Bool(a.vars)
	if err != nil {
		return false, unexpected("poll.until", err)
	}
	return done, nil
}

// where is the address that is asked: the first answer's word for it.
func (p *poll) where(req *http.Request, a *answer) (*url.URL, error) {
	switch {
	case p.exact != nil:
		text, present, err := p.exact.Text(a.vars)
		if err != nil {
			return nil, unexpected("poll.url", err)
		}
		if !present || text == "" {
			return nil, unexpected("poll.url", nil)
		}
		return nextAddress(a.address, req.URL, text)
	case len(p.address) > 0:
		text, err := address(p.address, a.vars)
		if err != nil {
			return nil, unexpected("poll.url", err)
		}
		path, _, _ := strings.Cut(text, "?")
		if _, bad := misleading(path); bad {
			return nil, unexpected("poll.url", nil)
		}
		return nextAddress(a.address, req.URL, strings.ReplaceAll(text, edge, ""))
	}
	return req.URL, nil
}

// pause is how long an answer or a failure asks to wait.
func pause(a *answer, err error) time.Duration {
	wait := time.Duration(0)
	switch {
	case err != nil:
		wait = tool.AsError(err).RetryAfter
	case a != nil:
		wait = retryAfter(a.header.Get("Retry-After"))
	}
	return min(wait, maxPollWait)
}

// sleep waits, or ends with its context.
func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return tool.Ended(ctx)
	}
}

func (p *poll) tooLong() *tool.Error {
	return tool.Errorf(tool.Timeout, "the job that was started did not end within %s", p.limit).
		WithHint("%s", jobRuns)
}
