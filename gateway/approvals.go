package gateway

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// Reply is what somebody says of a call that waits for a person.
type Reply struct {
	Approve  bool
	Note     string         // in the record; a caller that is refused is told it; at most approval.MaxNote characters
	Remember approval.Scope // how far an approval is to reach; empty for this call only
	By       tool.Caller    // who says it; has the right to approve
	From     string         // http or cli
}

// errNoDesk is the refusal of everything where calls cannot wait.
func errNoDesk() error {
	return approval.Refuse(approval.Unknown, "", "no approvals are kept here")
}

// Approvals gives approvals, the newest first, without secrets.
func (g *Gateway) Approvals(ctx context.Context, q approval.Query) ([]approval.Approval, error) {
	if g.approvals == nil {
		return nil, nil
	}
	found, err := g.approvals.Find(ctx, q)
	for i := range found {
		found[i] = g.shown(&found[i])
	}
	return found, err
}

// Approval gives one approval, without secrets. The error is an
// [*approval.Refusal] where there is none.
func (g *Gateway) Approval(ctx context.Context, id string) (approval.Approval, error) {
	a, err := g.approval(ctx, id)
	if err != nil {
		return approval.Approval{}, err
	}
	return g.shown(a), nil
}

func (g *Gateway) approval(ctx context.Context, id string) (*approval.Approval, error) {
	if g.approvals == nil {
		return nil, errNoDesk()
	}
	a, err := g.approvals.Get(ctx, id)
	if err == nil && a == nil {
		err = approval.Refuse(approval.Unknown, "List those that wait: GET /v1/approvals, or gateway approvals.", "there is no approval %q", tool.ShownName(id))
	}
	return a, err
}

// shown is an approval as people see it.
func (g *Gateway) shown(a *approval.Approval) approval.Approval {
	gen, release := g.hold()
	defer release()
	m, own := gen.Masker, *a
	own.Arguments = m.Bytes(own.Arguments)
	for _, text := range []*string{&own.Summary, &own.Reason, &own.CallReason, &own.Origin} {
		*text = legible(m.Text(*text)) // it may know more secrets by now
	}
	for _, text := range []*string{&own.Chat, &own.Caller.ID, &own.Caller.Name} {
		*text = m.Text(*text)
	}
	if own.Answer != nil {
		answer := *own.Answer
		answer.Note = m.Text(answer.Note)
		own.Answer = &answer
	}
	own.State = own.At(time.Now())
	return own
}

// legible puts a text that a model may have written into one line of what can be
// seen: nothing in it moves a cursor or turns the order of letters before the eyes of
// whoever decides.
func legible(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) }), " ")
}

// WatchApprovals tells f of every approval that is raised, answered or ends, also
// by other processes on the same store, until stop is called. It must not wait.
func (g *Gateway) WatchApprovals(ctx context.Context, f func(approval.Approval)) (stop func()) {
	if g.approvals == nil {
		return func() {}
	}
	return g.approvals.Watch(ctx, func(a approval.Approval) { f(g.shown(&a)) })
}

// AnswerApproval takes what somebody says of a call that waits. Policy decides
// about the call again: where it is denied now, the approval ends. The error is an
// [*approval.Refusal] when the reply is not taken.
func (g *Gateway) AnswerApproval(ctx context.Context, id string, r Reply) (approval.Approval, error) {
	a, err := g.approval(ctx, id)
	if err != nil {
		return approval.Approval{}, err
	}
	if err := fits(a, &r); err != nil {
		return approval.Approval{}, err
	}
	terms, err := g.mayAnswer(ctx, a, &r)
	if err != nil {
		return approval.Approval{}, err
	}
	answer := approval.Answer{By: r.By.Name, ID: r.By.ID, From: r.From, Note: legible(r.Note), Remember: r.Remember, Terms: terms}
	now, settled, err := g.take(ctx, id, r.Approve, answer)
	if err != nil {
		return approval.Approval{}, err
	}
	if !settled {
		return approval.Approval{}, over(now)
	}
	return g.shown(now), nil
}

// take takes an answer. A refusal also takes back what was agreed to and has not run
// yet. It reports false, and how the approval stands, where the answer comes too
// late; the approval is nil where it is gone.
func (g *Gateway) take(ctx context.Context, id string, approve bool, answer approval.Answer) (*approval.Approval, bool, error) {
	now, settled, err := g.approvals.Settle(ctx, id, approve, answer)
	if err == nil && !settled && !approve && now != nil && now.State == approval.Approved {
		now, settled, err = g.approvals.Withdraw(ctx, id, answer)
	}
	if err == nil && !settled && !approve && now != nil && now.State == approval.Used && now.Remembered() {
		now, settled, err = g.approvals.Forget(ctx, id, answer)
	}
	if err == nil && settled {
		g.logAnswer(now)
	}
	return now, settled, err
}

// fits says what is wrong with a reply in itself.
func fits(a *approval.Approval, r *Reply) error {
	if n := utf8.RuneCountInString(r.Note); n > approval.MaxNote {
		return approval.Refuse(approval.Invalid, "", "the note has %d characters, and at most %d are taken", n, approval.MaxNote)
	}
	switch {
	case r.Remember == "":
		return nil
	case !r.Approve:
		return approval.Refuse(approval.Invalid, "Leave out remember.", "a refusal is not remembered")
	case !a.Offers(r.Remember):
		return approval.Refuse(approval.Invalid, offered(a), "this answer cannot be remembered for %q", r.Remember)
	}
	return nil
}

func offered(a *approval.Approval) string {
	if len(a.Remember) == 0 {
		return "The rule that asks has no remember: leave it out."
	}
	var names []string
	for _, s := range a.Remember {
		names = append(names, string(s))
	}
	return "It can be for: " + strings.Join(names, ", ") + "."
}

// over says why an approval takes no answer.
func over(a *approval.Approval) error {
	if a == nil {
		return approval.Refuse(approval.Unknown, "", "the approval is gone")
	}
	switch state := a.At(time.Now()); {
	case state == approval.Expired:
		return approval.Refuse(approval.Over, "The caller has to make the call again.", "the approval expired at %s", a.Expires.UTC().Format(time.RFC3339))
	case state == approval.Ended:
		return approval.Refuse(approval.Over, "", "the approval was ended: %s", a.Ending)
	case state == approval.Used && a.Answer != nil:
		return approval.Refuse(approval.Over, "", "%s has approved it already, and the call was let through", a.Answer.By)
	case a.Answer != nil:
		return approval.Refuse(approval.Over, "", "%s has answered already: %s", a.Answer.By, state)
	default:
		return approval.Refuse(approval.Over, "", "the approval does not wait any more: it is %s", state)
	}
}

// otherSchema is why an approval ends whose tool takes other arguments by now.
const otherSchema = "the arguments do not fit the tool any more"

// otherHooks is why an approval ends of a call that would go through other hooks by
// now.
const otherHooks = "the hooks before calls of the tool are others now"

// otherTool is why an approval ends whose tool does something else by now.
const otherTool = "what the tool does is something else now: it was changed after this was asked"

// mayAnswer says why somebody may not answer, or nil. Where the call can never run
// any more, its approval is ended.
func (g *Gateway) mayAnswer(ctx context.Context, a *approval.Approval, r *Reply) (terms *string, err error) {
	if r.By.ID == a.Binding.Caller {
		return nil, approval.Refuse(approval.Forbidden, "Somebody else has to answer.", "nobody approves their own call, and this one is of the caller %s", a.Caller.Name)
	}
	takesBack := !r.Approve && (a.At(time.Now()) == approval.Approved || a.State == approval.Used && a.Remembered())
	if a.At(time.Now()) != approval.Pending && !takesBack {
		return nil, over(a)
	}
	gen, release := g.hold()
	defer release()
	v := g.judgeAgain(gen, a, r.By)
	switch d := &v.decision; {
	case a.State == approval.Used && (v.gone || v.over != ""):
		return nil, nil // what is remembered can always be taken back
	case v.gone: // it may be served elsewhere: the program that answers need not be the one that asked
		return nil, approval.Refuse(approval.Over, "Answer where the tool is served.", "the configuration has no tool %s now", a.Tool)
	case v.over != "":
		if err := g.approvals.End(ctx, a, v.over); err != nil {
			return nil, err
		}
		return nil, approval.Refuse(approval.Over, "", "the approval was ended: %s", v.over)
	case v.err != nil:
		return nil, approval.Refuse(approval.Forbidden, "Tell whoever keeps the rules.", "the rule %q cannot tell who may answer: %v", d.Rule, v.err)
	case d.Effect == policy.Ask && !d.Ask.Desk() && r.Approve: // anybody may end the waiting
		return nil, approval.Refuse(approval.Forbidden, "", "only the user of the calling program may answer this one (approve_by: client)")
	case !v.may:
		return nil, approval.Refuse(approval.Forbidden, "Somebody has to answer for whom the rule's approvers are true.", "%s is none of the approvers of the rule %q", r.By.Name, d.Rule)
	}
	if v.decision.Ask != nil {
		terms = &v.decision.Ask.Print
	}
	return terms, nil
}

// verdict is what becomes of the call of an approval by the rules of a generation.
type verdict struct {
	decision policy.Decision
	gone     bool   // there is no such tool
	over     string // why the call can never run; empty where it may
	may      bool   // whoever was asked about may answer
	err      error  // why that is not known
}

// judgeAgain decides about the call of an approval with the rules of a generation.
func (g *Gateway) judgeAgain(gen *Generation, a *approval.Approval, by tool.Caller) (v verdict) {
	entry, ok := gen.Tools.Lookup(a.Tool)
	if !ok || !gen.has(a.Profile, entry.Spec) {
		return verdict{gone: true, over: "there is no such tool any more"}
	}
	args, err := decodeArgs(a.Arguments)
	if err != nil || entry.Schema.Validate(args) != nil {
		return verdict{over: otherSchema}
	}
	if a.Print != entry.Spec.Print {
		return verdict{over: otherTool}
	}
	if a.Hooks != g.hooksPrint(gen.Hooks.Plan(a.Tool).BeforePrint()) {
		return verdict{over: otherHooks}
	}
	chat := tool.Chat{ID: a.Chat}
	if g.chats != nil {
		chat = g.chats.Look(a.Binding.Caller, chat)
	}
	chat.Groups = slices.Concat(chat.Groups, a.Groups)
	if chat = gen.Groups.inEffect(chat); !entry.Spec.ActiveIn(chat.Groups) {
		return verdict{over: "the tool is not active in its chat any more"}
	}
	v.decision, v.may, v.err = gen.Policy.MayAnswer(&policy.Request{
		Tool: entry.Spec, Args: args, Caller: a.Caller, Chat: chat, Via: a.Via, Reason: a.CallReason, Depth: a.Depth, Counter: g.counter,
	}, by)
	if v.decision.Effect == policy.Deny {
		v.over = deniedNow(v.decision)
	}
	return v
}

// rejudge ends the approvals of calls that can never run with the current
// generation.
func (g *Gateway) rejudge(ctx context.Context) {
	for _, state := range []approval.State{approval.Pending, approval.Approved} {
		for q := (approval.Query{State: state, Limit: approval.MaxLimit}); ; {
			open, err := g.approvals.Find(ctx, q)
			if err != nil {
				g.logger.ErrorContext(ctx, "the calls that wait for a person could not be judged again", "problem", err.Error())
				return
			}
			g.endOver(ctx, open)
			if len(open) < approval.MaxLimit {
				break
			}
			q.After = open[len(open)-1].ID
		}
	}
}

func (g *Gateway) endOver(ctx context.Context, open []approval.Approval) {
	gen, release := g.hold()
	defer release()
	for i := range open {
		v := g.judgeAgain(gen, &open[i], tool.Caller{})
		why := v.over
		if why == "" || v.gone { // a tool that is not there may be served elsewhere, or again in a moment
			continue
		}
		if err := g.approvals.End(ctx, &open[i], why); err != nil {
			g.logger.ErrorContext(ctx, "an approval could not be ended", "approval", open[i].ID, "problem", err.Error())
		}
	}
}

// logAnswer writes the operator's line about an answer.
func (g *Gateway) logAnswer(a *approval.Approval) {
	if a == nil || a.Answer == nil {
		return
	}
	g.logger.LogAttrs(context.Background(), slog.LevelInfo, "approval",
		slog.String("approval", a.ID), slog.String("answer", string(a.State)), slog.String("by", a.Answer.By), slog.String("from", a.Answer.From),
		slog.String("tool", a.Tool), slog.String("caller", a.Caller.Name), slog.String("rule", a.Rule), slog.String("asked_by", a.CallID))
}
