package gateway

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/result"
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
func (p *passage) inject(context.Context) error {
	if !p.plan.Injects() {
		return nil
	}
	return p.through(p.plan.Inject)
}

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
	if !p.plan.RunsBefore() && len(p.ownBefore()) == 0 {
		return nil
	}
	batch := batchOf(ctx)
	if done, ok := batch.find(p); ok {
		p.args, p.notes = done.args, slices.Clone(done.notes)
		return done.err
	}
	err := p.through(func(c *hook.Call) error { return p.plan.Before(ctx, c) })
	if err == nil {
		err = p.runOwnBefore(ctx)
	}
	batch.keep(p, err)
	return err
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

// hooksAfter lets hooks see and change what the tool answered, or how it failed: first
// those of the configuration, then those of the program.
func (p *passage) hooksAfter(ctx context.Context, out tool.Output, err error) (tool.Output, error) {
	out, err = p.configuredAfter(ctx, out, err)
	return p.runOwnAfter(ctx, out, err)
}

// configuredAfter runs the hooks of the configuration. Secrets are masked before: what
// no hook sees it cannot show in another form.
func (p *passage) configuredAfter(ctx context.Context, out tool.Output, err error) (tool.Output, error) {
	var failed *tool.Error
	if err != nil {
		out, failed = tool.Output{}, p.maskError(tool.AsError(err))
	} else {
		out = p.mask(out)
	}
	if !p.plan.RunsAfter() {
		if failed != nil { // a nil one would be an error too
			err = failed
		}
		return out, err
	}
	search := out.Search // it is none of a hook's business
	err = p.through(func(c *hook.Call) (err error) {
		out, err = p.plan.After(ctx, c, out, failed)
		return err
	})
	out.Search = search
	return out, err
}

// finish makes sure that the model reads something, and not too much at once,
// and adds what it is to know of this tool's results. What is kept for later
// holds no secret, whatever a hook added.
func (p *passage) finish(ctx context.Context, out tool.Output) tool.Output {
	if p.plan.RunsAfter() || len(p.ownAfter()) > 0 {
		out = p.mask(out)
	}
	if saysNothing(out) {
		out.Content = tool.TextOutput("(" + p.entry.Spec.Name + " completed with no output)").Content
	}
	hints := p.plan.Hint(out).Content[len(out.Content):]
	out = p.fit(ctx, out)
	out.Content = append(slices.Clip(out.Content), hints...)
	return out
}

// finishFailed is finish for what a tool had answered when it failed.
func (p *passage) finishFailed(ctx context.Context, err error) error {
	e, ok := errors.AsType[*tool.Error](err)
	if !ok || e.Output == nil {
		return err
	}
	own, out := *e, p.fit(ctx, *e.Output)
	own.Output = &out
	return &own
}

// saysNothing reports whether an answer shows a model nothing: some providers
// refuse a blank text.
func saysNothing(out tool.Output) bool {
	return !slices.ContainsFunc(out.Content, func(c tool.Content) bool {
		return c.Type != tool.ContentText || strings.TrimSpace(c.Text) != ""
	})
}

// fit cuts what is too large to show and keeps the whole for read_result, whose
// own answers are pages already.
func (p *passage) fit(ctx context.Context, out tool.Output) tool.Output {
	spec := p.entry.Spec
	if spec.Source == tool.SourceBuiltin {
		return out
	}
	most := cmp.Or(spec.MaxResultSize, tool.DefaultMaxResultSize)
	if result.Fits(out, most) {
		return out
	}
	about := result.About{Owner: p.call.Caller.ID, CallID: p.call.ID, Tool: spec.Name, Readable: p.mayRead()}
	// The tool has run: what it answered is not lost because its caller left.
	out, note := result.Fit(context.WithoutCancel(ctx), p.gateway.results, out, about, most)
	if note != "" {
		p.notes = append(p.notes, note)
	}
	return out
}

// mayRead reports whether the caller can read on in what is kept.
func (p *passage) mayRead() bool {
	reader, ok := p.generation.Tools.Lookup(result.ToolName)
	return ok && p.generation.Policy.Lists(reader.Spec, p.call.Caller)
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
