package tool

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
)

// Func makes a tool of a Go function. What a model may send is taken from the type In
// and what it reads from the value that run returns; both types are looked at once,
// here. In is a struct, or a pointer to one, whose fields are the arguments, struct{} for none; the package
// documentation has its struct tags and what becomes of each type, and of Out.
//
// Run is called by many calls at once, with the context of its call, which ends when
// the tool's time is up and when the caller gives up: run has to end with it, for
// nothing else can end a Go function. What it panics with fails its own call only. Of
// the errors it returns a model reads those that are a *[Error], such as [Failf] makes;
// of any other it learns only that something failed, and the log has the text.
//
// A type or a tag that cannot be used is in the tool's Err, as is a run that is nil and a
// description that is empty: each with what to do about it. Whether the name is one that
// a tool may have is checked when the tool is registered.
func Func[In, Out any](name, description string, run func(context.Context, In) (Out, error), opts ...Option) *Tool {
	m := newMaking(name, description, opts)
	m.takes(reflect.TypeFor[In]())
	m.gives(reflect.TypeFor[Out]())
	if run == nil {
		m.fault(errors.New("the function is nil (give the one that runs the tool)"))
	}
	return m.finish(runner(func(ctx context.Context, in Input) (any, error) {
		var args In
		if err := decodeArgs(in.Args, &args); err != nil {
			return nil, err
		}
		return run(ctx, args)
	}))
}

// Raw makes a tool of a function that takes its arguments as they are: for programs that
// have a schema already, or whose arguments no Go type describes. Parameters is an object
// schema of JSON Schema 2020-12, nil for no arguments; the gateway checks arguments
// against it and fills in its defaults before run has them. The value that run returns
// becomes the answer as that of [Func] does, by the type it has each time; an error in it
// counts as returned. Run is called like that of Func, and must not change its input.
func Raw(name, description string, parameters json.RawMessage, run func(ctx context.Context, in Input) (any, error), opts ...Option) *Tool {
	m := newMaking(name, description, opts)
	m.tool.Spec.Parameters = parameters
	if parameters == nil {
		m.tool.Spec.Parameters = json.RawMessage(noParameters)
	} else if !json.Valid(parameters) {
		m.fault(errors.New("the parameters are not JSON (write an object schema, such as {\"type\": \"object\", \"properties\": {}})"))
	}
	if run == nil {
		m.fault(errors.New("the function is nil (give the one that runs the tool)"))
	}
	return m.finish(runner(run))
}

// noParameters is the schema of a tool that takes no arguments.
const noParameters = `{"type":"object","properties":{},"additionalProperties":false}`

// runner runs a function that answers with a Go value.
type runner func(ctx context.Context, in Input) (any, error)

// Run calls the function with a context that knows the call.
func (run runner) Run(ctx context.Context, in Input) (Output, error) {
	if ctx.Err() != nil {
		return Output{}, Ended(ctx)
	}
	value, err := run(context.WithValue(ctx, callKey{}, in.Call), in)
	if err != nil {
		return Output{}, failed(ctx, in.Spec, err)
	}
	out, err := answer(value)
	if err != nil {
		return Output{}, failed(ctx, in.Spec, err)
	}
	if err := fits(&out, in.Spec); err != nil {
		return Output{}, err
	}
	return out, nil
}

// failed is what a call ends with whose function returned an error. One that only says
// that the context is over says it in the words of all tools. One that was not worded for
// a model may name hosts and statements: the log has it, and the model learns that the
// tool failed, which is not the gateway's fault.
func failed(ctx context.Context, spec *Spec, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		if e != nil {
			return err
		}
		err = errors.New("the tool's function returned a nil *tool.Error as its error (return nil)")
	}
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return Ended(ctx)
	}
	name := "the tool"
	if spec != nil {
		name = spec.Name
	}
	return Errorf(UpstreamError, "%s failed", name).Because(err).
		WithHint("Nothing is known to be wrong with the arguments; tell the user that the tool failed.")
}

// callKey is the context key of the call that a tool's function runs for.
type callKey struct{}

// CallFrom is the call that a function of [Func], [Methods] or [Raw] runs for: who
// called, in which chat, under which identifier. It reports false for a context of
// another origin. The call must not be changed.
func CallFrom(ctx context.Context) (*Call, bool) {
	call, _ := ctx.Value(callKey{}).(*Call)
	return call, call != nil
}

// Failf makes the error of a tool that could not do what it was asked, such as an order
// that does not exist: the model reads the text, as in Error: no order has the number 7.
// It is [Errorf] with the code [UpstreamError]. An error wrapped with %w is text for the
// model too; [Error.Because] takes what only the log may have, [Error.WithHint] what the
// model is to do next.
func Failf(format string, args ...any) *Error { return Errorf(UpstreamError, format, args...) }
