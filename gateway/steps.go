package gateway

import (
	"cmp"
	"context"
	"errors"

	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// normalise reads the arguments. What it tells a model of them is about what
// models are shown.
func (p *passage) normalise(context.Context) (err error) {
	p.args, err = cmp.Or(p.plan.Shown(), p.entry.Schema).Normalise(p.call.Arguments, p.plan.Beside()...)
	return p.invalid(err)
}

// takeReason takes out why the model makes the call: the tool never sees it,
// and rules and the record do.
func (p *passage) takeReason(context.Context) error {
	p.args, p.reason = p.plan.Reason(p.args)
	return nil
}

// inject sets the arguments that the server owns.
func (p *passage) inject(context.Context) error { return p.through(p.plan.Inject) }

// fillIn adds the defaults that the declared schema names.
func (p *passage) fillIn(context.Context) error {
	p.args = p.entry.Schema.Defaults(p.args)
	return nil
}

func (p *passage) castAndValidate(context.Context) error {
	p.args = p.entry.Schema.Cast(p.args)
	err := p.entry.Schema.Validate(p.args)
	if err != nil {
		err = p.plan.Blame(p.args, err)
	}
	return p.invalid(err)
}

// hooksBefore may rewrite the arguments, which stay valid, or refuse the call.
func (p *passage) hooksBefore(ctx context.Context) error {
	return p.through(func(c *hook.Call) error { return p.plan.Before(ctx, c) })
}

// through lets a step see and change the call, and keeps what it made of it
// even when it fails: the record tells how far the call came.
func (p *passage) through(step func(*hook.Call) error) error {
	c := hook.Call{ID: p.call.ID, Request: p.request(), Notes: p.notes}
	err := step(&c)
	p.args, p.notes = c.Request.Args, c.Notes
	return err
}

// request is the call as it stands now, for whatever judges it.
func (p *passage) request() policy.Request {
	return policy.Request{
		Tool: p.entry.Spec, Args: p.args, Caller: p.call.Caller, Chat: p.call.Chat,
		Via: p.call.Via, Reason: p.reason, Depth: p.call.Depth, Counter: p.gateway.counter,
	}
}

// hooksAfter runs the tool and lets hooks see and change what it answered, or
// how it failed. Secrets are masked before: what no hook sees it cannot show
// in another form.
func (p *passage) hooksAfter(ctx context.Context, run func(context.Context) (tool.Output, error)) (out tool.Output, err error) {
	var failed *tool.Error
	if out, err = run(ctx); err != nil {
		failed = p.maskError(tool.AsError(err))
	} else {
		out = p.mask(out)
	}
	err = p.through(func(c *hook.Call) (err error) {
		out, err = p.plan.After(ctx, c, out, failed)
		return err
	})
	return out, err
}

// finish makes sure that the model reads something, and adds what it is to
// know of this tool's results.
func (p *passage) finish(out tool.Output, err error) (tool.Output, error) {
	if err != nil {
		return tool.Output{}, err
	}
	if len(out.Content) == 0 {
		out.Content = tool.TextOutput("(" + p.entry.Spec.Name + " completed with no output)").Content
	}
	return p.plan.Hint(out), nil
}

// invalid words everything that is wrong with the arguments in one message and
// shows the schema, so that one more attempt is enough.
func (p *passage) invalid(err error) error {
	if err == nil {
		return nil
	}
	problems, ok := errors.AsType[*schema.Error](err)
	if !ok {
		return err
	}
	e := tool.Errorf(tool.InvalidArgs, "invalid arguments for %s: %s", p.entry.Spec.Name, problems.Error())
	e.InputSchema = p.entry.Spec.Parameters
	return e.WithHint("Correct the arguments to match the tool's input schema and call it again.")
}
