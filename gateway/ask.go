package gateway

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/handle"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// progressEvery is how often a caller that wants to know is told that its call
// still waits for a person: often enough that nothing on the way gives up on it.
const progressEvery = 10 * time.Second

// bind finds the approval that stands for the call. What a person was asked about
// is what runs then, and not what hooks would make of the arguments today.
func (p *passage) bind(ctx context.Context) error {
	desk := p.gateway.approvals
	if desk == nil || !p.generation.Policy.Asks(p.entry.Spec) {
		return nil
	}
	args, err := json.Marshal(p.args)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(args)
	p.binding = approval.Binding{Caller: p.call.Caller.ID, Chat: p.call.Chat.ID, Tool: p.entry.Spec.Name, Digest: hex.EncodeToString(digest[:])}
	standing, err := desk.Standing(ctx, p.binding)
	if standing == nil || err != nil {
		p.unbound = err // of no account where the policy lets the call through
		return nil
	}
	final, err := decodeArgs(standing.Arguments)
	if err != nil {
		return err
	}
	if p.entry.Schema.Validate(final) != nil { // the tool has another schema now
		return desk.End(ctx, standing, otherSchema)
	}
	p.approval, p.args = standing, final
	return nil
}

// decodeArgs reads arguments as they were kept.
func decodeArgs(data []byte) (args map[string]any, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	err = dec.Decode(&args)
	return args, err
}

// ask lets the call through when a person agrees. It waits for that, unless
// somebody has answered already, and gives up in the end: the same call, made
// again, goes on where this one stopped.
func (p *passage) ask(ctx context.Context) error {
	desk, terms := p.gateway.approvals, p.decision.Ask
	if desk == nil {
		if err := p.takeLimits(ctx); err != nil {
			return err
		}
		return tool.Errorf(tool.NeedsApproval, "calling %s needs the approval of a person%s, and no approver is set up", p.entry.Spec.Name, because(p.decision.Reason)).
			WithHint("Tell the user what you wanted to do and why; do not repeat the call.")
	}
	if p.unbound != nil {
		return p.unbound
	}
	form := approval.FormOf(ctx)
	if form != nil && !terms.Client() {
		form = nil
	}
	if form == nil && !terms.Desk() {
		approval.Missed(ctx)
		return tool.Errorf(tool.NeedsApproval, "calling %s needs the approval of the user%s, and this client has no way to ask", p.entry.Spec.Name, because(p.decision.Reason)).
			WithHint("Tell the user what you wanted to do and why; do not repeat the call.")
	}
	if granted, err := p.granted(ctx); granted || err != nil {
		return err
	}
	return p.askAbout(ctx, form)
}

// askAbout asks until the call may go on or is answered. It goes round where
// another call of its kind was let through by the answer.
func (p *passage) askAbout(ctx context.Context, form approval.Form) error {
	for {
		if err := p.raise(ctx); err != nil {
			return err
		}
		settled, err := p.await(ctx, form)
		if err != nil {
			return err
		}
		if again, err := p.settle(ctx, settled); !again {
			return err
		}
		p.approval = nil
	}
}

// granted lets the call through where an earlier answer is remembered that covers
// it. What somebody said of this very call comes first.
func (p *passage) granted(ctx context.Context) (bool, error) {
	g, err := p.remembers(ctx)
	if g == nil || err != nil {
		return false, err
	}
	if err := p.takeLimits(ctx); err != nil {
		return false, err
	}
	p.answered = &runlog.Approval{ID: g.Approval, Answer: "approved", By: g.By, Remembered: string(g.Scope)}
	return true, nil
}

// remembers gives the earlier answer that covers the call, or nil.
func (p *passage) remembers(ctx context.Context) (*approval.Grant, error) {
	if p.approval != nil && p.approval.Answer != nil {
		return nil, nil
	}
	return p.gateway.approvals.Granted(ctx, p.binding, p.decision.Rule, scopes(p.decision.Ask.Remember))
}

func scopes(names []string) []approval.Scope {
	out := make([]approval.Scope, len(names))
	for i, name := range names {
		out[i] = approval.Scope(name)
	}
	return out
}

// raise asks, unless that was done.
func (p *passage) raise(ctx context.Context) error {
	if p.approval != nil {
		return nil
	}
	if ctx.Err() != nil {
		return p.gaveUp(ctx)
	}
	if err := p.takeLimits(ctx); err != nil { // nobody is to be flooded with questions
		return err
	}
	fresh, err := p.question()
	if err != nil {
		return err
	}
	raised, err := p.gateway.approvals.Raise(ctx, fresh)
	if err != nil {
		return err
	}
	p.approval = raised
	if final, err := decodeArgs(raised.Arguments); err == nil { // a call that came at the same time may have been first
		p.args = final
	}
	return nil
}

// question is the approval that the call needs.
func (p *passage) question() (*approval.Approval, error) {
	args, err := readable(p.args)
	if err != nil {
		return nil, err
	}
	m, d, terms := p.generation.Masker, &p.decision, p.decision.Ask
	now := time.Now()
	expires := cmp.Or(terms.Expires, p.generation.ApprovalExpires, approval.DefaultExpires)
	return &approval.Approval{
		Binding: p.binding, Caller: p.call.Caller, Groups: p.ownGroups(), Profile: p.call.Profile, Via: p.call.Via, Depth: p.call.Depth, CallID: p.call.ID,
		Arguments: args, CallReason: m.Text(p.reason), Rule: d.Rule, Reason: m.Text(d.Reason), Summary: p.summary(args),
		Where: approval.Where(terms.By), Limited: terms.Limited, Remember: scopes(terms.Remember),
		Created: now, Expires: now.Add(expires), State: approval.Pending,
	}, nil
}

// readable is JSON as people read it: "<" stands as it is.
func readable(args map[string]any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(args)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// ownGroups are the groups that the call named itself, as it does where nothing is
// kept of chats.
func (p *passage) ownGroups() []string {
	if p.gateway.chats != nil {
		return nil
	}
	return p.call.Chat.Groups
}

// summary is the line that says what is asked.
func (p *passage) summary(args []byte) string {
	text := p.decision.Ask.Summary
	if text == "" {
		text = p.entry.Spec.Name + " " + string(args)
	}
	text = legible(p.generation.Masker.Text(text))
	if utf8.RuneCountInString(text) > approval.MaxSummary {
		text = string([]rune(text)[:approval.MaxSummary]) + "…"
	}
	return text
}

// await waits for an answer.
func (p *passage) await(ctx context.Context, form approval.Form) (*approval.Approval, error) {
	if p.approval.At(time.Now()) != approval.Pending {
		return p.unlessRefused(ctx, form)
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
	return p.gateway.approvals.Wait(ctx, p.approval.ID, until)
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

// settle makes of an approval what becomes of the call. It reports true where the
// same has to be asked again, because another call was let through by it.
func (p *passage) settle(ctx context.Context, a *approval.Approval) (again bool, err error) {
	p.approval = a
	name := p.entry.Spec.Name
	switch a.At(time.Now()) {
	case approval.Pending:
		if ctx.Err() != nil && p.gateway.approvals.Leaving().Err() == nil {
			return false, p.gaveUp(ctx)
		}
		return false, p.later() // also where the gateway stops: it says how to go on afterwards
	case approval.Approved:
		return p.use(ctx, a)
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
		return false, tool.Errorf(tool.Denied, "calling %s with these arguments is not allowed any more", name).
			Because(errors.New("the approval was ended: " + a.Ending)).
			WithHint("Do not repeat the call unchanged; use other arguments or another tool, or tell the user.")
	}
	p.noteAnswer(a, "expired")
	return false, tool.Errorf(tool.ApprovalDenied, "nobody approved this call of %s in time", name).
		WithHint("Tell the user. Call again only if it is still wanted: a person is asked anew then.")
}

// use lets the call through, once.
func (p *passage) use(ctx context.Context, a *approval.Approval) (again bool, err error) {
	used, ok, err := p.gateway.approvals.Use(ctx, a.ID, p.call.ID)
	if err != nil {
		return false, err
	}
	if !ok {
		return true, nil
	}
	p.approval = used
	p.noteAnswer(used, "approved")
	return false, nil
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
		p.entry.Spec.Name, because(p.decision.Reason), p.approval.ID).
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

// counted counts a call that a person let through.
func (p *passage) counted() {
	req := p.request()
	p.gateway.counter.Count(&req)
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
