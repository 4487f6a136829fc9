package gateway

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

// bind finds the approval that stands for the call.
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
	switch {
	case err != nil:
		return err
	case p.entry.Schema.Validate(final) != nil:
		return desk.End(ctx, standing, otherSchema)
	case standing.Print != p.entry.Spec.Print:
		return desk.End(ctx, standing, otherTool)
	case standing.Hooks != p.hooksPrint():
		return desk.End(ctx, standing, otherHooks)
	}
	if p.approval = standing; standing.At(time.Now()) == approval.Approved {
		p.shown = final
	}
	return nil
}

// takeShown gives a call that a person agreed to the arguments that were shown, and
// not what hooks make of them today. That they refuse it holds all the same.
func (p *passage) takeShown(context.Context) error {
	if p.shown != nil {
		p.args = p.shown
	}
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
		if err := p.takeLimits(ctx, nil, p.decision.Limit); err != nil {
			return err
		}
		return tool.Errorf(tool.NeedsApproval, "calling %s needs the approval of a person%s, and no approver is set up", p.entry.Spec.Name, because(p.decision.Reason)).
			WithHint("Tell the user what you wanted to do and why; do not repeat the call.")
	}
	if p.unbound != nil {
		return p.unbound
	}
	form := p.form(ctx)
	if form == nil && !terms.Desk() {
		approval.Missed(ctx)
		return tool.Errorf(tool.NeedsApproval, "calling %s needs the approval of the user%s, and this client has no way to ask", p.entry.Spec.Name, because(p.decision.Reason)).
			WithHint("Tell the user what you wanted to do and why; do not repeat the call.")
	}
	return p.askAbout(ctx, form)
}

// form is how the user of the calling program is asked; nil where nobody asks there.
func (p *passage) form(ctx context.Context) approval.Form {
	if terms := p.decision.Ask; terms == nil || !terms.Client() {
		return nil
	}
	return approval.FormOf(ctx)
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

// agreed lets the call through where a person agreed to it, or to calls like it.
func (p *passage) agreed(ctx context.Context) (bool, error) {
	if p.gateway.approvals == nil || p.unbound != nil {
		return false, nil
	}
	if !p.hasAgreement() {
		return p.granted(ctx)
	}
	a, err := p.unlessRefused(ctx, p.form(ctx))
	if p.approval = a; err != nil || a.At(time.Now()) != approval.Approved {
		return false, err
	}
	if terms := p.decision.Ask; terms != nil && terms.Print != a.Terms { // others may answer now
		p.approval = nil
		return false, p.gateway.approvals.End(ctx, a, "other people may answer by now")
	}
	if err := p.takeLimits(ctx, p.entry.Spec.RateLimit, nil); err != nil {
		return false, err
	}
	return p.use(ctx)
}

// hasAgreement reports whether a person has agreed to the call, and it was not used.
func (p *passage) hasAgreement() bool {
	return p.shown != nil && p.approval != nil && p.approval.At(time.Now()) == approval.Approved
}

// granted lets the call through where an earlier answer is remembered that covers
// it. What somebody said of this very call comes first.
func (p *passage) granted(ctx context.Context) (bool, error) {
	g, err := p.remembers(ctx)
	if g == nil || err != nil {
		return false, err
	}
	if err := p.takeLimits(ctx, p.entry.Spec.RateLimit, p.decision.Limit); err != nil {
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
	return p.gateway.approvals.Granted(ctx, p.binding, approval.RuleKey(p.decision.Rule, p.decision.Ask.Print, p.entry.Spec.Print), scopes(p.decision.Ask.Remember))
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
	if err := p.takeLimits(ctx, nil, p.decision.Limit); err != nil { // nobody is to be flooded with questions
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
		Binding: p.binding, Caller: p.call.Caller, Groups: p.ownGroups(), Profile: p.call.Profile, Via: p.call.Via, Depth: p.call.Depth, CallID: p.call.ID, Hooks: p.hooksPrint(),
		Print: p.entry.Spec.Print, Origin: p.entry.Spec.Origin,
		Arguments: args, CallReason: m.Text(p.reason), Rule: d.Rule, Reason: m.Text(d.Reason), Summary: p.summary(args),
		Where: approval.Where(terms.By), Limited: terms.Limited, Terms: terms.Print, Remember: scopes(terms.Remember),
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
