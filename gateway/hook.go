package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/toolgate/toolgate/gateway/tool"
)

// HookCall is a call as hooks of the program see it. But for Args it is shared: what
// its fields lead to is not to be changed.
type HookCall struct {
	ID   string
	Spec *tool.Spec // of the tool
	// Args are the arguments, a copy of the hooks' own: JSON values as encoding/json
	// decodes them with UseNumber. A [Before] may change them, or put others in their
	// place; what it sets may be of any type that encoding/json can write.
	Args   map[string]any
	Caller tool.Caller // the outermost
	Chat   tool.Chat
	Via    tool.Via
	Reason string // why the model says it makes the call; may be empty
	Depth  int    // calls that lie between the caller and this one
}

// Before is a hook of the program before a call, after the hooks of the configuration
// and before policy decides. The arguments that it changes are cast and validated
// again. An error refuses the call: a [tool.Error] as it is, any other one as
// [tool.Internal], with its text for the operator alone. A panic does the same. About
// a call that a person agreed to it may refuse; its arguments then stay those that the
// person saw.
//
// It runs for every tool but those of the gateway itself, many at a time, and is to end
// with its context.
type Before func(ctx context.Context, c *HookCall) error

// Outcome is how a tool ended, after the hooks of the configuration: with Output or,
// where Err is not nil, with that.
type Outcome struct {
	Output tool.Output
	Err    *tool.Error
}

// After is a hook of the program after a call that has run, after the hooks of the
// configuration. It may put another Outcome in the place of the one it is given, a copy
// of its own that holds no secret of the configuration. An error withholds the result,
// as that of [Before] refuses the call. Changes of the arguments change nothing.
//
// It runs for the tools for which Before does, for failed calls too, and its context may
// be over then.
type After func(ctx context.Context, c *HookCall, o *Outcome) error

// hookCall is the call as it stands now.
func (p *passage) hookCall() *HookCall {
	return &HookCall{
		ID: p.call.ID, Spec: p.entry.Spec, Args: copied(p.args), Caller: p.call.Caller, Chat: p.call.Chat,
		Via: p.call.Via, Reason: p.reason, Depth: p.call.Depth,
	}
}

// copied is an object that shares nothing that can be changed.
func copied(object map[string]any) map[string]any {
	out := make(map[string]any, len(object))
	for name, v := range object {
		out[name] = copiedValue(v)
	}
	return out
}

func copiedValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return copied(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = copiedValue(v[i])
		}
		return out
	}
	return v
}

// ownBefore are the hooks of the program before calls of the tool.
func (p *passage) ownBefore() []Before {
	if p.entry.Spec.Source == tool.SourceBuiltin {
		return nil
	}
	return p.gateway.before
}

func (p *passage) ownAfter() []After {
	if p.entry.Spec.Source == tool.SourceBuiltin {
		return nil
	}
	return p.gateway.after
}

// runOwnBefore runs the hooks of the program before the call.
func (p *passage) runOwnBefore(ctx context.Context) error {
	all := p.ownBefore()
	if len(all) == 0 {
		return nil
	}
	c := p.hookCall()
	for i, h := range all {
		if err := contained(func() error { return h(ctx, c) }); err != nil {
			return hookFailed(ctx, err, "before", i)
		}
		if reflect.DeepEqual(c.Args, p.args) || len(c.Args)+len(p.args) == 0 {
			continue
		}
		if err := p.rewrite(c.Args); err != nil {
			return tool.Errorf(tool.Internal, "the gateway rewrote the arguments of this call into ones that the tool does not take").
				Because(hookError("before", i, err)).WithHint("Nothing is wrong with the arguments; tell the user that the gateway's check is failing.")
		}
		c.Args = copied(p.args)
	}
	return nil
}

// rewrite replaces the arguments by ones that the tool takes.
func (p *passage) rewrite(args map[string]any) error {
	if args == nil {
		args = map[string]any{}
	}
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	plain, err := decodeArgs(text)
	if err != nil {
		return err
	}
	plain = p.entry.Schema.Cast(plain)
	if err := p.entry.Schema.Validate(plain); err != nil {
		return err
	}
	p.args = plain
	return nil
}

// runOwnAfter runs the hooks of the program on how the tool ended.
func (p *passage) runOwnAfter(ctx context.Context, out tool.Output, err error) (tool.Output, error) {
	all := p.ownAfter()
	if len(all) == 0 {
		return out, err
	}
	o := &Outcome{Output: out}
	o.Output.Content, o.Output.Structured = slices.Clone(out.Content), slices.Clone(out.Structured)
	if err != nil {
		o.Err = p.maskError(tool.AsError(err))
	}
	c := p.hookCall()
	for i, h := range all {
		err := contained(func() error {
			if err := h(ctx, c, o); err != nil {
				return err
			}
			return o.fault()
		})
		if err != nil {
			return tool.Output{}, p.withheld(hookFailed(ctx, err, "after", i))
		}
	}
	if o.Err != nil {
		return tool.Output{}, o.Err
	}
	o.Output.Search = out.Search // it is none of a hook's business
	return o.Output, nil
}

// fault is what is wrong with an outcome that a hook has made.
func (o *Outcome) fault() error {
	if o.Err != nil && o.Err.Code == "" {
		return uncoded(o.Err)
	}
	if o.Err == nil && o.Output.Structured != nil && !json.Valid(o.Output.Structured) {
		return errors.New("the structured output is not JSON")
	}
	return nil
}

// withheld adds to the failure of a hook that its tool has run.
func (p *passage) withheld(err *tool.Error) *tool.Error {
	if err.Code == tool.Internal && !p.entry.Spec.ReadOnly() {
		err.Hint = "The tool has run and may have had an effect; only its result is withheld. Do not repeat the call; tell the user."
	}
	return err
}

// hookFailed is the failure of a call whose hook did not let it through.
func hookFailed(ctx context.Context, err error, when string, i int) *tool.Error {
	e, ok := errors.AsType[*tool.Error](err)
	switch {
	case !ok:
	case e == nil:
		err = errors.New("it returned a nil *tool.Error as its error (return nil)")
	case e.Code == "":
		err = uncoded(e)
	default:
		own := *e // the program may give the same one again
		return &own
	}
	if ctx.Err() != nil {
		return tool.Ended(ctx)
	}
	return tool.AsError(hookError(when, i, err))
}

// uncoded is what is wrong with an error that has no code, which nobody could act upon.
func uncoded(e *tool.Error) error { return errors.New("a *tool.Error without a code: " + e.Message) }

// hookError names a hook by its place, as it has no name.
func hookError(when string, i int, err error) error {
	return fmt.Errorf("hook %d of the program %s calls: %w", i+1, when, err)
}

// contained runs f and turns a panic into an error.
func contained(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return f()
}

// hooksPrint tells apart what may rewrite the calls of a tool. Of functions no more is
// known than how many there are.
func (p *passage) hooksPrint() string { return p.gateway.hooksPrint(p.plan.BeforePrint()) }

func (g *Gateway) hooksPrint(file string) string {
	if len(g.before) == 0 {
		return file
	}
	return file + "+" + strconv.Itoa(len(g.before))
}
