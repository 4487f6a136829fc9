package httptool

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Deps is what a request needs to know beside its block.
type Deps struct {
	Client *Client // whose connections are used; not closed by the runner
	// Upstreams are those of the configuration by name. One that is nil is
	// broken, which was told already: what needs it is compiled and not run.
	Upstreams map[string]*Upstream
	Output    tool.OutputMode // how the answer is shown
	Args      []string        // the top-level properties of the tool's schema
	// Closed says that no other property can be sent. Without it, and without
	// names, any property may stand in a template.
	Closed      bool
	SecretNames []string                // the secrets that templates may name
	Secrets     map[string]secret.Value // their values; nil where nothing is run
	Masker      *secret.Masker          // takes secrets out of what is cut; nil for none
	Timeout     time.Duration           // for how long the tool may run; 0 when unknown
}

// New compiles the block at a key. It reports every mistake there and then
// returns nil. It opens no connection: that happens at each call.
func New(at diag.Cursor, cfg Config, deps Deps) tool.Runner {
	request, answer := environments(deps)
	c := compiler{env: request}
	u := c.upstream(at, cfg, deps)
	w := &written{
		surroundings: around(request, u, deps),
		method:       c.method(at.Key("method"), cfg.Method),
		headers:      c.toolHeaders(at.Key("headers"), cfg),
		body:         c.body(at.Key("body"), cfg),
		target:       c.target(at, cfg, u, deps.Client),
	}
	r := &runner{maker: w, output: deps.Output, masker: deps.Masker, answerEnv: answer, upstream: u}
	if cfg.Auth != nil {
		own := UpstreamDeps{SecretNames: deps.SecretNames, Secrets: deps.Secrets, Masker: deps.Masker}
		r.auth = []*Credential{c.credential(at.Key("auth"), cfg.Auth, own)}
	}
	c.env = answer
	c.answer(at, cfg.answers(), w.target, deps.Timeout, r)
	if cfg.Pages != nil && cfg.Method == http.MethodHead {
		c.wrong(at.Key("pages"), "leave out pages, or the method", "the answer to HEAD has no body, and so no pages")
	}
	if c.failed {
		return nil
	}
	return r
}

// around is what requests to the upstream, which may be nil where nothing is
// run, are made with.
func around(env *expression.Env, u *Upstream, deps Deps) surroundings {
	s := surroundings{env: env, secrets: sync.OnceValue(func() map[string]any { return secret.RevealAll(deps.Secrets) })}
	if u != nil {
		s.headers = u.headers
	}
	return s
}

// answers is what the block asks of an answer.
func (c *Config) answers() Answers {
	return Answers{OK: c.OK, Error: c.Error, Result: c.Result, Pages: c.Pages, Poll: c.Poll}
}

// answer compiles what is asked about the answers to requests to a target.
func (c *compiler) answer(at diag.Cursor, cfg Answers, t target, timeout time.Duration, r *runner) {
	r.ok = c.program(at.Key("ok"), cfg.OK, expression.WantBool)
	r.sentence = c.sentence(at.Key("error"), cfg.Error)
	r.result = c.program(at.Key("result"), cfg.Result, expression.WantAny)
	r.pages = c.pagesOf(at.Key("pages"), cfg.Pages)
	r.poll = c.pollOf(at.Key("poll"), cfg.Poll, t, timeout)
	if cfg.Pages != nil && cfg.Poll != nil {
		c.wrong(at.Key("poll"), "leave one of them out, or make two tools of this one", "pages and poll cannot both be set")
	}
	for _, p := range r.programs() {
		r.asks = true
		r.readsHeaders = r.readsHeaders || p.Reads("headers")
		r.readsBody = r.readsBody || p.Reads("body")
	}
}

// plainSentence is a text that is a sentence and no expression.
var plainSentence = regexp.MustCompile(`^[A-Z][\w']*( [\w',;-]+)+[.!?]?$|^[A-Z]\w*\.$`)

// sentence compiles the expression that gives the sentence for the model, and
// tells who wrote the sentence itself how to.
func (c *compiler) sentence(at diag.Cursor, source string) *expression.Program {
	if plainSentence.MatchString(source) {
		c.wrong(at, `write '"`+strings.ReplaceAll(source, "'", "''")+`"'`, "this key is an expression, and in one a sentence stands in quotes")
		return nil
	}
	return c.program(at, source, expression.WantAny)
}

// environments declares what templates of the request and expressions over the
// answer may see. No expression sees a secret.
func environments(deps Deps) (request, answer *expression.Env) {
	args := expression.Args(deps.Args, deps.Closed)
	request = expression.NewEnv(args, expression.Secrets(deps.SecretNames))
	answer = expression.NewEnv(
		args,
		expression.Var{Name: "status", Type: expression.Int},
		expression.Var{Name: "headers", Type: expression.JSON},
		expression.Var{Name: "body", Type: expression.JSON},
	)
	return request, answer
}

// runner runs one request, or the few that one call stands for. It is
// immutable.
type runner struct {
	maker
	upstream  *Upstream
	auth      []*Credential // nil for those of the upstream
	output    tool.OutputMode
	masker    *secret.Masker
	answerEnv *expression.Env
	lenient   bool                     // an answer that is not the JSON it claims to be is text
	check     func(body []byte) string // says what of a JSON answer is not as it should be; nil for none
	ok        *expression.Program      // nil for the default, as are the next two
	sentence  *expression.Program
	result    *expression.Program
	pages     *pages // nil for none
	poll      *poll  // nil for none
	// What the expressions read of an answer; the rest is not made for them.
	asks, readsHeaders, readsBody bool
}

// reader is an expression or a template.
type reader interface{ Reads(name string) bool }

// programs are all that reads an answer.
func (r *runner) programs() []reader {
	var all []reader
	for _, p := range []*expression.Program{r.ok, r.sentence, r.result} {
		if p != nil {
			all = append(all, p)
		}
	}
	return append(append(all, r.pages.programs()...), r.poll.programs()...)
}

// Run sends the request and reads the answer.
func (r *runner) Run(ctx context.Context, in tool.Input) (tool.Output, error) {
	req, err := r.request(ctx, in.Args)
	if err != nil {
		return tool.Output{}, unfit(err)
	}
	a, err := r.ask(ctx, req, in, in.Spec.MaxOutput, !in.Spec.ReadOnly())
	if err != nil {
		return tool.Output{}, err
	}
	notes := r.checked(a)
	out, err := r.make(ctx, req, in, a)
	if err == nil {
		out.Notes = append(out.Notes, notes...)
	}
	return out, err
}

// checked is what the record tells of the answer to the tool's own request.
func (r *runner) checked(a *answer) []string {
	if r.check == nil || !a.json || a.status < http.StatusOK || a.status >= http.StatusMultipleChoices {
		return nil
	}
	if wrong := r.check(a.body); wrong != "" {
		return []string{tool.Excerpt([]byte(wrong), maxExcerpt)}
	}
	return nil
}

// make makes the answer of the tool of the first answer to its request.
func (r *runner) make(ctx context.Context, req *http.Request, in tool.Input, a *answer) (out tool.Output, err error) {
	switch {
	case r.pages != nil:
		return r.turn(ctx, req, in, a)
	case r.poll != nil:
		if a, err = r.await(ctx, req, in, a); err != nil {
			return tool.Output{}, started(in, err)
		}
	}
	out, err = r.show(a)
	if e, ok := errors.AsType[*tool.Error](err); ok && !in.Spec.ReadOnly() {
		return tool.Output{}, unsure(e)
	}
	return out, err
}

// started words a failure that comes after a job was started, which is not to
// be started again because of it.
func started(in tool.Input, err error) error {
	e, ok := errors.AsType[*tool.Error](err)
	if !ok || in.Spec.ReadOnly() || e.Fatal || e.Code == tool.Internal || e.Hint == jobRuns {
		return err
	}
	own := *e
	own.Retryable, own.RetryAfter, own.Hint = false, 0, jobStarted
	return &own
}

// ask sends one request and reads its answer, of which it takes at most left
// bytes. An answer that is no success is an error. Once says that the request
// may change something.
func (r *runner) ask(ctx context.Context, req *http.Request, in tool.Input, left int64, once bool) (*answer, error) {
	resp, err := r.upstream.send(ctx, req, r.auth, once)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	a, err := r.read(ctx, resp, in.Spec.MaxOutput, left)
	if e, ok := errors.AsType[*tool.Error](err); ok && once {
		return nil, unsure(e)
	}
	if err != nil {
		return nil, err
	}
	a.address, a.lenient = req.URL, r.lenient
	if resp.Request != nil && resp.Request.URL != nil {
		a.address = resp.Request.URL // where redirects led
	}
	a.vars = r.vars(a, in.Args)
	return a, r.judge(a, once)
}

// read reads as much of the answer as may be used: all of it up to the cap, or
// the start of one that is a failure already by its status.
func (r *runner) read(ctx context.Context, resp *http.Response, most, left int64) (*answer, error) {
	switch {
	case r.ok != nil || resp.StatusCode < http.StatusBadRequest:
		return readAnswer(ctx, resp, most, left)
	case r.sentence != nil:
		return readFailure(ctx, resp, maxExplained, r.masker)
	}
	return readFailure(ctx, resp, maxFailure, r.masker)
}

// vars are what expressions see of an answer.
func (r *runner) vars(a *answer, args map[string]any) *expression.Vars {
	if !r.asks {
		return nil
	}
	values := map[string]any{"args": args, "status": a.status}
	if r.readsHeaders {
		values["headers"] = a.headers()
	}
	if r.readsBody {
		values["body"] = a.value()
	}
	return r.answerEnv.Vars(values)
}

// judge tells success from failure.
func (r *runner) judge(a *answer, once bool) error {
	failed := a.status >= http.StatusBadRequest
	if r.ok != nil {
		ok, err := r.ok.Bool(a.vars)
		if err != nil && !failed { // an answer that is no success anyway need not have its form
			return unexpected("ok", err)
		}
		failed = err != nil || !ok
	}
	if failed {
		return r.failure(a, once)
	}
	return nil
}

// show gives the value of a success.
func (r *runner) show(a *answer) (tool.Output, error) {
	if r.result == nil {
		return a.render(r.output)
	}
	if err := a.broken(); err != nil {
		return tool.Output{}, err
	}
	return r.value(a.vars)
}

// value is what the result expression makes of an answer.
func (r *runner) value(vars *expression.Vars) (tool.Output, error) {
	value, err := r.result.Eval(vars)
	if err != nil {
		return tool.Output{}, unexpected("result", err)
	}
	return tool.RenderValue(value, r.output)
}
