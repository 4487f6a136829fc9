package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/toolgate/toolgate/gateway/approval"
)

// AsksClient reports whether the user of the program that calls may be asked about
// calls of the tool of that name. A door uses it to choose how it answers, never to
// decide what runs.
func (g *Gateway) AsksClient(_ context.Context, name string) bool {
	if g.approvals == nil {
		return false
	}
	gen, release := g.hold()
	defer release()
	entry, ok := gen.Tools.Lookup(name)
	return ok && gen.Policy.AsksClient(entry.Spec)
}

// unlessRefused is the approval that was answered already, unless the user refuses
// now what somebody else agreed to meanwhile.
func (p *passage) unlessRefused(ctx context.Context, form approval.Form) (*approval.Approval, error) {
	said, ok := form.(approval.Answered)
	if !ok || p.approval.At(time.Now()) != approval.Approved {
		return p.approval, nil
	}
	if approve, ok := said.Answer(p.shownQuestion()); approve || !ok {
		return p.approval, nil
	}
	a, withdrawn, err := p.gateway.approvals.Withdraw(context.WithoutCancel(ctx), p.approval.ID, p.userAnswer())
	if withdrawn {
		p.gateway.logAnswer(a)
	}
	return a, err
}

// userAnswer is an answer of the user of the calling program.
func (p *passage) userAnswer() approval.Answer {
	return approval.Answer{By: p.call.Caller.Name, ID: p.call.Caller.ID, From: "client"}
}

// askClient lets the calling program ask its user. It gives nil where the program
// has no answer and others may still give one.
func (p *passage) askClient(ctx context.Context, form approval.Form) (*approval.Approval, error) {
	asking, stop := context.WithCancel(ctx)
	defer stop()
	desk := p.decision.Ask.Desk()
	if desk { // whoever answers first counts
		defer p.heed(asking, stop)()
	}
	approve, err := form.Ask(asking, p.shownQuestion())
	switch {
	case errors.Is(err, approval.ErrLater):
		return p.approval, nil
	case err == nil:
		return p.takeForm(context.WithoutCancel(ctx), approve)
	case asking.Err() == nil:
		p.notes = append(p.notes, "the client could not ask its user: "+err.Error())
	}
	if !desk {
		return p.approval, nil
	}
	return nil, nil
}

// heed calls stop when the approval is answered by somebody, until it is told to
// end.
func (p *passage) heed(ctx context.Context, stop func()) (end func()) {
	id, expires, done := p.approval.ID, p.approval.Expires, make(chan struct{})
	go func() {
		defer close(done)
		a, err := p.gateway.approvals.Wait(ctx, id, expires)
		if err == nil && a.At(time.Now()) != approval.Pending {
			stop()
		}
	}()
	return func() {
		stop()
		<-done
	}
}

// takeForm takes what the user of the calling program said.
func (p *passage) takeForm(ctx context.Context, approve bool) (*approval.Approval, error) {
	a, _, err := p.gateway.take(ctx, p.approval.ID, approve, p.userAnswer())
	if a == nil && err == nil {
		return p.approval, nil // it is gone: the next call asks anew
	}
	return a, err
}

// shownQuestion is what the user of the calling program is shown.
func (p *passage) shownQuestion() *approval.Question {
	a, m := p.approval, p.generation.Masker
	return &approval.Question{
		ID: a.ID, Tool: a.Tool, Summary: legible(m.Text(a.Summary)), Reason: legible(m.Text(a.Reason)), Said: legible(m.Text(p.reason)),
		Arguments: m.Bytes(a.Arguments), Binding: a.Binding,
	}
}
