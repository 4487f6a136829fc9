package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// settle makes of an approval what becomes of the call. It reports true where the
// same has to be asked again, because another call was let through by it.
func (p *passage) settle(ctx context.Context, a *approval.Approval) (again bool, err error) {
	p.approval = a
	name := p.entry.Spec.Name
	switch a.At(time.Now()) {
	case approval.Pending:
		switch {
		case ctx.Err() != nil && p.gateway.approvals.Leaving().Err() == nil:
			return false, p.gaveUp(ctx)
		case p.outdated():
			return false, errAgain
		}
		return false, p.later() // also where the gateway stops: it says how to go on afterwards
	case approval.Approved:
		return false, errAgain
	case approval.Used:
		return true, nil
	case approval.Denied:
		p.noteAnswer(a, "denied")
		said := ""
		if a.Answer != nil && a.Answer.Note != "" {
			said = ": " + strings.TrimSuffix(a.Answer.Note, ".")
		}
		return false, tool.Errorf(tool.ApprovalDenied, "a person refused this call of %s%s", name, said).
			WithHint("Do not repeat the call; use other arguments or another tool, or tell the user.")
	case approval.Ended:
		p.noteAnswer(a, "ended")
		if p.replaced() {
			return false, errAgain // the rules that ended it say why, or ask anew
		}
		return false, tool.Errorf(tool.Denied, "this call of %s cannot be approved any more, because the gateway's configuration changed", name).
			Because(errors.New("the approval was ended: " + a.Ending)).
			WithHint("Call again only if it is still wanted: it is judged anew. Or use another tool, or tell the user.")
	}
	p.noteAnswer(a, "expired")
	e := tool.Errorf(tool.ApprovalDenied, "nobody approved this call of %s in time", name).
		WithHint("Tell the user. Call again only if it is still wanted: a person is asked anew then.")
	e.Retryable = true // nobody refused it
	return false, e
}

// errAgain is why a call that waited enters once more: a person agreed, or another
// configuration is served. Policy and the chat may have changed while it waited, and
// nothing of it has run.
var errAgain = errors.New("the call enters again")

// enterAgain is the same call on the generation that is served now, as if it had
// come now, but for the time that it has waited.
func (p *passage) enterAgain(ctx context.Context) *passage {
	g, call := p.gateway, p.sent
	if call.ID = p.call.ID; g.chats != nil && call.Chat.Context == nil {
		call.Chat = g.chats.Look(call.Caller.ID, named(call.Chat))
	}
	p.release()
	next := g.enter(ctx, call)
	next.sent, next.began, next.notes, next.waited, next.answered = p.sent, p.began, p.notes, p.approval, p.answered
	return next
}

// spare ends the approval that the call waited for and does not need any more.
func (p *passage) spare(ctx context.Context) {
	waited := cmp.Or(p.approval, p.waited)
	if waited == nil || waited.At(time.Now()) != approval.Pending {
		return
	}
	if err := p.gateway.approvals.End(ctx, waited, "the policy lets the call through without asking now"); err != nil {
		p.notes = append(p.notes, "its approval could not be ended: "+tool.AsError(err).Message)
	}
}

// replaced reports whether another configuration is served than the one that the
// call entered.
func (p *passage) replaced() bool { return p.gateway.current.Load() != p.tenancy }

// outdated reports whether that configuration has judged the calls that wait.
func (p *passage) outdated() bool {
	select {
	case <-p.tenancy.judged:
		return true
	default:
		return false
	}
}

// use lets the call through, once. It reports false where another call of its kind
// was.
func (p *passage) use(ctx context.Context) (bool, error) {
	used, ok, err := p.gateway.approvals.Use(ctx, p.approval.ID, p.call.ID)
	if err != nil || !ok {
		p.approval = nil
		return false, err
	}
	p.approval = used
	p.noteAnswer(used, "approved")
	return true, nil
}

// notStarted gives an approval back that was used for a call which could not be
// started, for the next one like it.
func (p *passage) notStarted(ctx context.Context, err error) error {
	if p.approval == nil || p.approval.State != approval.Used {
		return err
	}
	if failure := p.gateway.approvals.GiveBack(context.WithoutCancel(ctx), p.approval.ID); failure != nil {
		p.notes = append(p.notes, "its approval could not be given back: "+tool.AsError(failure).Message)
	}
	return err
}

// later is the answer to a call that nobody has answered yet.
func (p *passage) later() error {
	hint := "A person has been asked. Tell the user; once it is approved, make the same call again with the same arguments and it runs."
	if !p.decision.Ask.Desk() {
		hint = "The user was asked in this client, and only the user can answer. Tell the user; the same call with the same arguments asks again."
	}
	e := tool.Errorf(tool.NeedsApproval, "calling %s needs the approval of a person%s, and nobody has answered yet (approval %s)",
		p.entry.Spec.Name, because(p.approval.Reason), p.approval.ID).
		WithHint("%s", hint)
	e.Approval = p.approval.ID
	return e
}

// gaveUp is the answer to a call whose caller left while it waited.
func (p *passage) gaveUp(ctx context.Context) error {
	if e, ok := errors.AsType[*tool.Error](context.Cause(ctx)); ok {
		own := *e
		return &own
	}
	return tool.Errorf(tool.Cancelled, "the call was cancelled while it waited for a person; it did not run").Because(context.Cause(ctx))
}

// noteAnswer tells the record what was said, by whom and from where.
func (p *passage) noteAnswer(a *approval.Approval, what string) {
	p.answered = &runlog.Approval{ID: a.ID, Answer: what}
	if s := a.Answer; s != nil {
		p.answered.By, p.answered.From, p.answered.Note = s.By, s.From, s.Note
		p.answered.Remembered = string(s.Remember)
	}
}

// endApproval ends the approval of a call that policy denies now.
func (p *passage) endApproval(ctx context.Context, d policy.Decision) {
	if p.approval == nil {
		return
	}
	if err := p.gateway.approvals.End(ctx, p.approval, deniedNow(d)); err != nil {
		p.notes = append(p.notes, "its approval could not be ended: "+tool.AsError(err).Message)
	}
}

// deniedNow says why an approval is of no use any more.
func deniedNow(d policy.Decision) string {
	if d.Rule == "" {
		return "the policy denies the call now: no rule allows it"
	}
	return fmt.Sprintf("the policy denies the call now: rule %q", d.Rule)
}
