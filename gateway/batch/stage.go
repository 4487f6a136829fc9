package batch

import (
	"context"
	"sync"

	"github.com/toolgate/toolgate/gateway/tool"
)

// batch is one run. What belongs to a call is written by the goroutine that
// runs it.
type batch struct {
	house   House
	options Options
	calls   []tool.Call
	results []tool.Result

	mu     sync.Mutex // guards the next two
	next   int        // the first call that was neither started nor refused
	failed bool       // a call failed that ends the batch

	telling sync.Mutex // held while Finished is told
}

// stretch is the end of the calls that run side by side from the next one on.
func (b *batch) stretch() (end int) {
	end = b.next
	for end < len(b.calls) && b.house.Safe(b.calls[end]) {
		end++
	}
	return max(end, b.next+1)
}

// stage runs the calls up to end, waits for them, and refuses those that were
// not started.
func (b *batch) stage(ctx context.Context, end int) {
	var workers sync.WaitGroup
	for range min(b.options.Parallel, end-b.next) - 1 {
		workers.Go(func() { b.work(ctx, end) })
	}
	b.work(ctx, end)
	workers.Wait()
	for ; b.next < end; b.next++ {
		b.answer(b.next, b.house.Refuse(ctx, b.calls[b.next], b.stopped(ctx)))
	}
}

// work runs one call after the other for as long as there is one to start.
func (b *batch) work(ctx context.Context, end int) {
	for i, ok := b.start(ctx, end); ok; i, ok = b.start(ctx, end) {
		r := b.house.Call(ctx, b.calls[i])
		b.judge(&r)
		b.answer(i, r)
	}
}

// start gives the next call to run, if one is to run.
func (b *batch) start(ctx context.Context, end int) (i int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next >= end || b.stopped(ctx) != nil {
		return 0, false
	}
	b.next++
	return b.next - 1, true
}

// judge notes whether a call's failure ends the batch.
func (b *batch) judge(r *tool.Result) {
	if r.Error == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failed = b.failed || b.options.StopOn == StopError || b.options.StopOn == StopFatal && r.Error.Fatal
}

// stopped is why no call is started any more, or nil. The failures of calls
// that were cancelled with the batch are not the reason.
func (b *batch) stopped(ctx context.Context) *tool.Error {
	switch {
	case ctx.Err() != nil:
		return tool.Errorf(tool.Cancelled, "the call was not started, because its batch was given up").Because(context.Cause(ctx))
	case b.failed:
		return tool.Errorf(tool.Cancelled, "the call was not started, because an earlier call of the batch failed").
			WithHint("See to the call that failed first; then make this one again if it is still wanted.")
	}
	return nil
}

// answer keeps the answer to a call and tells of it.
func (b *batch) answer(i int, r tool.Result) {
	b.results[i] = r
	if b.options.Finished == nil {
		return
	}
	b.telling.Lock()
	defer b.telling.Unlock()
	b.options.Finished(i, r)
}
