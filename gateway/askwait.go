package gateway

import (
	"context"
	"fmt"
	"time"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/handle"
	"github.com/toolgate/toolgate/gateway/tool"
)

// progressEvery is how often a caller that wants to know is told that its call
// still waits for a person: often enough that nothing on the way gives up on it.
const progressEvery = 10 * time.Second

// await waits for an answer.
func (p *passage) await(ctx context.Context, form approval.Form) (*approval.Approval, error) {
	if p.approval.At(time.Now()) != approval.Pending {
		return p.approval, nil
	}
	until := p.waitsUntil(ctx)
	ctx, stop := context.WithDeadline(ctx, until)
	defer stop()
	defer context.AfterFunc(p.gateway.approvals.Leaving(), stop)()
	quiet := p.tellWaiting(ctx)
	defer quiet()
	if form != nil {
		asked, err := p.askClient(ctx, form)
		if asked != nil || err != nil {
			return asked, err
		}
	}
	tool.Progress(ctx, p.waiting())
	return p.gateway.approvals.WaitOr(ctx, p.approval.ID, until, p.tenancy.judged)
}

// patience is how long the caller is kept waiting.
func (p *passage) patience() time.Duration {
	if own := p.decision.Ask.Wait; own != nil {
		return *own
	}
	return approval.DefaultWait
}

// waitsUntil is when the caller is not kept waiting any more. The waiting begins
// with the call or, in a batch, with the batch, so that several calls that wait are
// not waited for one after the other. A call that was started keeps nobody waiting.
func (p *passage) waitsUntil(ctx context.Context) time.Time {
	if handle.Started(ctx) {
		return p.approval.Expires
	}
	began := p.began
	if b := batchOf(ctx); b != nil {
		began = b.began
	}
	return began.Add(p.patience())
}

// waiting is what is told of a call that waits.
func (p *passage) waiting() tool.Step {
	return tool.Step{Message: fmt.Sprintf("waiting for a person to approve %s (approval %s)", p.entry.Spec.Name, p.approval.ID)}
}

// tellWaiting tells a caller that wants to know, again and again, that its call
// waits.
func (p *passage) tellWaiting(ctx context.Context) (stop func()) {
	if !tool.WantsProgress(ctx) {
		return func() {}
	}
	step := p.waiting()
	tick, done, gone := time.NewTicker(progressEvery), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-tick.C:
				step.Done++
				tool.Progress(ctx, step)
			case <-done:
				return
			}
		}
	}()
	return func() {
		tick.Stop()
		close(done)
		<-gone
	}
}
