package gateway

import (
	"encoding/json"

	"github.com/toolgate/toolgate/gateway/find"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/tool"
)

// inner gives the call that one of call_tool stands for, and the tool that it was
// sent to: from here on there is no other call. One that is none of call_tool stands
// for itself. Where it cannot be told what is to be called, misfit says why.
func (g *Generation) inner(call tool.Call) (_ tool.Call, wrapper string, misfit error) {
	if !find.Calls(call.Tool) {
		return call, "", nil
	}
	entry, ok := g.Tools.Lookup(call.Tool)
	if !ok || entry.Spec.Source != tool.SourceBuiltin {
		return call, "", nil
	}
	if _, err := entry.Schema.Normalise(call.Arguments); err != nil { // duplicate keys and the like, anywhere in it
		e := tool.Errorf(tool.InvalidArgs, "invalid arguments for %s: %s", call.Tool, err.Error())
		e.InputSchema = entry.Spec.Parameters
		return call, "", &unreadable{e.WithHint("Correct the arguments to match the tool's input schema and call it again.")}
	}
	in, err := find.Unwrap(call.Tool, call.Arguments)
	if err != nil {
		return call, "", err
	}
	if err := in.Strays(call.Tool, hook.ReasonArgument); err != nil {
		return call, "", err
	}
	wrapper = call.Tool
	call.Tool, call.Arguments, call.Via = in.Name, g.withReason(&in), tool.ViaCallTool
	return call, wrapper, nil
}

// unreadable is why the arguments of a call that should hold another are not JSON that
// can be read. It may quote them, so it is for whoever sent them.
type unreadable struct{ why *tool.Error }

func (e *unreadable) Error() string { return e.why.Error() }
func (e *unreadable) Unwrap() error { return e.why }

// withReason are the inner arguments. Why the model makes the call may stand beside
// them; it is put where calls of the tool have it.
func (g *Generation) withReason(in *find.Inner) json.RawMessage {
	reason := in.Beside[hook.ReasonArgument]
	if reason == nil || !g.Hooks.Plan(in.Name).TakesReason() {
		return in.Arguments
	}
	return in.With(hook.ReasonArgument, reason)
}

// Inner gives the call that one of call_tool or call_read_tool stands for, as it goes
// through the gateway; another one stands for itself. The error is a [*tool.Error],
// where it cannot be told what is to be called, or that is not called so.
func (g *Generation) Inner(call tool.Call) (tool.Call, error) {
	call, wrapper, err := g.inner(call)
	if err != nil {
		return call, tool.AsError(err)
	}
	if entry, ok := g.Tools.Lookup(call.Tool); ok {
		return call, unfit(wrapper, entry.Spec)
	}
	return call, nil
}

// unfit is why the wrapper does not call such a tool; nil where it does.
func unfit(wrapper string, spec *tool.Spec) error {
	if wrapper != find.CallReadName || spec.ReadOnly() {
		return nil
	}
	return tool.Errorf(tool.InvalidArgs, "%s does more than read, and %s calls only tools that are read_only", spec.Name, wrapper).
		WithHint("Make the same call with %s.", find.CallName)
}

// inner gives the call that one stands for; see [Generation.inner].
func (g *Gateway) inner(call tool.Call) tool.Call {
	if !find.Calls(call.Tool) { // as most do
		return call
	}
	gen, release := g.hold()
	defer release()
	call, _, _ = gen.inner(call)
	return call
}

// Target names what a call runs, for whoever keeps what has run: the tool, however it is
// called. One that call_read_tool calls has a name of its own, since that refuses what
// would be run otherwise.
func (g *Gateway) Target(call tool.Call) string {
	inner := g.inner(call)
	if call.Tool == find.CallReadName && inner.Tool != call.Tool {
		return call.Tool + " " + inner.Tool
	}
	return inner.Tool
}
