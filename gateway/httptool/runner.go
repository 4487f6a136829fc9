package httptool

import (
	"context"
	"errors"
	"net/http"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Deps is what a request needs to know beside its block.
type Deps struct {
	Client *Client         // whose connections are used; not closed by the runner
	Output tool.OutputMode // how the answer is shown
	Args   []string        // the top-level properties of the tool's schema
	// Closed says that no other property can be sent. Without it, and without
	// names, any property may stand in a template.
	Closed      bool
	SecretNames []string                // the secrets that templates may name
	Secrets     map[string]secret.Value // their values; nil where nothing is run
	Masker      *secret.Masker          // takes secrets out of what is cut; nil for none
}

// New compiles the block at a key. It reports every mistake there and then
// returns nil. It opens no connection: that happens at each call.
func New(at diag.Cursor, cfg Config, deps Deps) tool.Runner {
	request, answer := environments(deps)
	c := compiler{env: request}
	r := &runner{
		client: deps.Client, output: deps.Output, secrets: deps.Secrets, masker: deps.Masker,
		requestEnv: request, answerEnv: answer,
		method:  c.method(at.Key("method"), cfg.Method),
		target:  c.target(at, cfg, deps.Client),
		headers: c.headers(at.Key("headers"), cfg.Headers),
		body:    c.body(at.Key("body"), cfg.Body),
	}
	c.env = answer
	r.ok = c.program(at.Key("ok"), cfg.OK, expression.WantBool)
	r.result = c.program(at.Key("result"), cfg.Result, expression.WantAny)
	if c.failed {
		return nil
	}
	return r
}

// environments declares what templates of the request and expressions over the
// answer may see. No expression sees a secret.
func environments(deps Deps) (request, answer *expression.Env) {
	args := expression.Var{Name: "args", Type: expression.JSON}
	if deps.Closed || len(deps.Args) > 0 {
		args.Type = expression.Closed(deps.Args)
	}
	secrets := make(map[string]expression.Type, len(deps.SecretNames))
	for _, name := range deps.SecretNames {
		secrets[name] = expression.String
	}
	request = expression.NewEnv(args, expression.Var{Name: "secret", Type: expression.Object(secrets)})
	answer = expression.NewEnv(
		args,
		expression.Var{Name: "status", Type: expression.Int},
		expression.Var{Name: "headers", Type: expression.JSON},
		expression.Var{Name: "body", Type: expression.JSON},
	)
	return request, answer
}

// runner runs one request.
type runner struct {
	client     *Client
	output     tool.OutputMode
	secrets    map[string]secret.Value
	masker     *secret.Masker
	requestEnv *expression.Env
	answerEnv  *expression.Env
	method     string
	target     target
	headers    []field
	body       *expression.Document // nil for none
	ok, result *expression.Program  // nil for the default
}

// Run sends the request and reads the answer.
func (r *runner) Run(ctx context.Context, in tool.Input) (tool.Output, error) {
	req, err := r.request(ctx, in.Args)
	if err != nil {
		return tool.Output{}, unfit(err)
	}
	resp, err := r.client.http.Do(req)
	if err != nil {
		return tool.Output{}, unreached(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	a, err := r.read(ctx, resp, in.Spec.MaxOutput)
	if err != nil {
		return tool.Output{}, err
	}
	return r.judge(a, in.Args)
}

// read reads as much of the answer as may be used: all of it up to the cap, or
// the start of one that is a failure already by its status.
func (r *runner) read(ctx context.Context, resp *http.Response, most int64) (*answer, error) {
	if r.ok == nil && resp.StatusCode >= http.StatusBadRequest {
		return readFailure(ctx, resp)
	}
	return readAnswer(ctx, resp, most)
}

// judge tells success from failure and gives the value of a success.
func (r *runner) judge(a *answer, args map[string]any) (tool.Output, error) {
	if r.ok == nil && a.status >= http.StatusBadRequest {
		return tool.Output{}, a.failure(r.masker)
	}
	if r.ok == nil && r.result == nil {
		return a.render(r.output)
	}
	vars := r.answerEnv.Vars(map[string]any{
		"args": args, "status": a.status, "headers": a.headers(), "body": a.value(),
	})
	if r.ok != nil {
		switch ok, err := r.ok.Bool(vars); {
		case err != nil:
			return tool.Output{}, unexpected("ok", err)
		case !ok:
			return tool.Output{}, a.failure(r.masker)
		}
	}
	if r.result == nil {
		return a.render(r.output)
	}
	if err := a.broken(); err != nil {
		return tool.Output{}, err
	}
	value, err := r.result.Eval(vars)
	if err != nil {
		return tool.Output{}, unexpected("result", err)
	}
	return tool.RenderValue(value, r.output)
}

// unfit words an error of a template: it was checked when it was compiled, so
// what is left is that it does not fit the arguments.
func unfit(err error) error {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e
	}
	return tool.Errorf(tool.InvalidArgs, "the request cannot be built from these arguments: %s", err).Because(err).
		WithHint("Change the arguments and call again.")
}

// unexpected words an error of an expression over the answer.
func unexpected(key string, err error) error {
	return tool.Errorf(tool.UpstreamError, "the upstream's answer does not have the form this tool expects (its %s expression could not be applied)", key).
		Because(err).
		WithHint("Nothing is wrong with the arguments; tell the user that the tool and its upstream do not fit together.")
}
