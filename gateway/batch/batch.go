// Package batch runs the calls that a model made in one step: side by side
// where that is safe, else one after the other, and all of them answered in the
// order they were made.
package batch

import (
	"context"
	"slices"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Limits of a batch.
const (
	MaxCalls        = 128 // most calls of one batch
	DefaultParallel = 16  // most calls that run at a time where Options name no other number
)

// House is what a batch needs of the gateway.
type House interface {
	// Call runs a call. It answers whatever happens, and soon when the context
	// is over.
	Call(ctx context.Context, call tool.Call) tool.Result
	// Safe reports whether the call may run beside other calls of its batch. One of
	// a name that no tool has may be answered either way.
	Safe(call tool.Call) bool
	// Refuse records a call that is not run and gives the answer to it. The
	// context may be over.
	Refuse(ctx context.Context, call tool.Call, err *tool.Error) tool.Result
}

// StopOn says after which failures of a call the calls that were not started
// yet are not started any more.
type StopOn string

// The values of StopOn.
const (
	StopNever StopOn = "never" // every call is run; what an empty StopOn means
	StopFatal StopOn = "fatal" // a failure with Error.Fatal ends the batch
	StopError StopOn = "error" // any failure ends the batch
)

// Options say how a batch is run.
type Options struct {
	StopOn   StopOn
	Parallel int // most calls that run at a time; DefaultParallel when not above zero
	// Finished is told of each call once, with its place in the batch, as soon
	// as its answer is there: in the order in which calls end, never two at a
	// time, and all before Run returns. It is called by the goroutine that ran
	// the call, which starts no other one until Finished returns. It may be nil.
	Finished func(i int, r tool.Result)
}

// Run runs the calls and returns an answer to each, in their order. Each longest
// stretch of consecutive safe calls runs in parallel, and every other call
// alone, when all before it have ended. One that fails takes nothing from the
// others: they run, unless StopOn says otherwise, and keep their answers.
//
// When a call fails in the sense of StopOn, or the context is over, nothing is
// started any more; what runs is waited for, and the rest is refused with the
// code Cancelled. A call without a Via gets ViaBatch, also where it is the only
// one, so that a rule for batches does not depend on how many calls a model
// made.
//
// The error is that of [Check], and then nothing is run or refused.
func Run(ctx context.Context, house House, calls []tool.Call, o Options) ([]tool.Result, error) {
	if err := Check(calls, o); err != nil {
		return nil, err
	}
	if o.Parallel <= 0 {
		o.Parallel = DefaultParallel
	}
	b := &batch{house: house, options: o, calls: slices.Clone(calls), results: make([]tool.Result, len(calls))}
	for i := range b.calls {
		if b.calls[i].Via == "" {
			b.calls[i].Via = tool.ViaBatch
		}
	}
	for b.next < len(b.calls) {
		b.stage(ctx, b.stretch())
	}
	return b.results, nil
}

// Check says why [Run] would run nothing: more than MaxCalls calls, or an unknown
// StopOn. The error is a *tool.Error with the code InvalidArgs.
func Check(calls []tool.Call, o Options) error {
	if len(calls) > MaxCalls {
		return tool.Errorf(tool.InvalidArgs, "a batch has at most %d calls, and this one has %d", MaxCalls, len(calls)).
			WithHint("None of them was run. Send fewer calls at a time.")
	}
	switch o.StopOn {
	case "", StopNever, StopFatal, StopError:
		return nil
	}
	return tool.Errorf(tool.InvalidArgs, "%q is not a way to stop a batch", string(o.StopOn)).
		WithHint("None of the calls was run. stop_on is one of %s, %s and %s.", StopNever, StopFatal, StopError)
}
