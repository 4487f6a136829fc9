package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/find"
	"github.com/toolgate/toolgate/gateway/handle"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/retry"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// MaxDepth is how many calls may lie between a caller and a call: those of tools that
// call tools wait for no place of their own, so nothing else ends one that calls itself.
const MaxDepth = 32

// errSlow is why a context ends when its tool used up its time.
var errSlow = errors.New("the tool used up its time")

// passage is one call on its way through the gateway: what each step found
// out, for the steps after it and for the record.
type passage struct {
	gateway    *Gateway
	generation *Generation // the one it entered
	release    func()      // lets go of the generation
	tenancy    *tenancy    // of the generation
	sent       tool.Call   // as it came in, without what its chat holds
	call       tool.Call   // as it came in; the inner one where one was sent inside of another
	wrapper    string      // the tool that was called to call this one; empty for a call that came by itself
	misfit     error       // why there is no inner call; nil where there is one, or none is looked for
	requestID  string      // of the request it came in with; empty when it has none
	began      time.Time
	entry      *registry.Entry // the tool; nil while it is not known
	plan       *hook.Plan      // what is configured around the calls of it
	args       map[string]any  // as the steps up to now have made them; nil before they could be read
	reason     string          // why the model says it makes the call
	notes      []string        // what the record tells of the way
	decision   policy.Decision // empty while policy was not asked
	warned     bool            // a note is a warning of the tool
	ran        bool            // the tool was started
	repeated   bool            // it was answered without being tried, like the same call before it
	// What follows is of a call about which a person is asked.
	binding  approval.Binding   // what an approval of it is bound to
	shown    map[string]any     // the arguments that a person agreed to; nil without that
	approval *approval.Approval // the one that stands for it; nil without one
	waited   *approval.Approval // the one that the call waited for before it entered again; nil without one
	answered *runlog.Approval   // what was said, for the record; nil while nobody said anything
	unbound  error              // why it is not known whether there is an approval; nil where it is
}

// Call runs one call and records how it ended. It always answers, whatever the
// tool does: a failure is a Result too, worded for the model.
func (g *Gateway) Call(ctx context.Context, call tool.Call) tool.Result {
	g.underWay.Add(1)
	defer g.underWay.Add(-1)
	sent := call
	if g.chats != nil && call.Chat.Context == nil {
		call.Chat = g.chats.Enter(call.Caller.ID, named(call.Chat))
	}
	p := g.enter(ctx, call)
	defer func() { p.release() }()
	p.sent = sent
	out, err := p.handle(ctx)
	for errors.Is(err, errAgain) {
		p = p.enterAgain(ctx)
		out, err = p.handle(ctx)
	}
	p.noteEnd(err)
	p.noteUse(err)
	return p.leave(out, err)
}

// enter pins the current generation: whatever is decided and run belongs to it.
func (g *Gateway) enter(ctx context.Context, call tool.Call) *passage {
	if call.ID == "" {
		call.ID = tool.NewCallID()
	}
	if call.Via == "" {
		call.Via = tool.ViaDirect
	}
	t := g.holdTenancy()
	call.Chat = t.generation.Groups.inEffect(named(call.Chat))
	call, wrapper, misfit := t.generation.inner(call)
	return &passage{
		gateway: g, generation: t.generation, release: t.release, tenancy: t, call: call, wrapper: wrapper, misfit: misfit, began: time.Now(),
		requestID: t.generation.Masker.Text(tool.RequestOf(ctx)), // a client may choose it
	}
}

// named is the chat of a call whose client may have named none.
func named(in tool.Chat) tool.Chat {
	in.ID = cmp.Or(in.ID, tool.DefaultChat)
	return in
}

// handle is the path. A step that fails ends it.
func (p *passage) handle(ctx context.Context) (out tool.Output, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	if p.gateway.closed.Load() {
		return tool.Output{}, handle.Stopped()
	}
	if err := p.stopRepeating(ctx); err != nil {
		return tool.Output{}, err
	}
	if err := p.arrive(ctx); err != nil {
		return tool.Output{}, err
	}
	if err := p.decide(ctx); err != nil {
		return tool.Output{}, err
	}
	within, leave, err := p.gateway.gate.Enter(ctx, p.entry.Spec.Exclusive, p.call.Depth > 0)
	if err != nil {
		return tool.Output{}, p.notStarted(ctx, err)
	}
	defer leave()
	if err := p.recordStart(); err != nil {
		return tool.Output{}, p.notStarted(ctx, err)
	}
	p.notify(nil)
	out, err = p.run(within)
	leave() // hooks and what follows need no place
	if out, err = p.hooksAfter(ctx, out, err); err != nil {
		return tool.Output{}, p.finishFailed(ctx, err)
	}
	return p.finish(ctx, out), nil
}

// arrive takes the call up to where its arguments are the ones that policy judges.
func (p *passage) arrive(ctx context.Context) error {
	steps := [...]func(*passage, context.Context) error{
		(*passage).lookUp, (*passage).normalise, (*passage).takeReason, (*passage).inject, (*passage).fillIn,
		(*passage).castAndValidate, (*passage).bind, (*passage).hooksBefore, (*passage).takeShown,
	}
	for _, step := range steps {
		if err := step(p, ctx); err != nil {
			return err
		}
	}
	return nil
}

// lookUp finds the tool. A tool that the caller may certainly not call is
// answered like one that does not exist, unless the rule that denies it says
// that it may be told. One that is not active in the chat is not called, whoever
// knows its name.
func (p *passage) lookUp(context.Context) error {
	if p.misfit != nil {
		return p.misfit
	}
	if p.call.Depth > MaxDepth {
		return tool.Errorf(tool.UpstreamError, "more than %d calls lie inside of each other, so this one was not run", MaxDepth).
			WithHint("A tool calls itself again and again; tell the user that it is at fault.")
	}
	entry, ok := p.generation.Tools.Lookup(p.call.Tool)
	if !ok || !p.generation.has(p.call.Profile, entry.Spec) {
		return p.notFound()
	}
	entry, err := p.visible(entry)
	if err != nil {
		return err
	}
	p.entry, p.plan = entry, p.generation.Hooks.Plan(entry.Spec.Name)
	return nil
}

// notFound names the tool that was meant only where the caller may call it.
func (p *passage) notFound() *tool.Error {
	err := tool.Errorf(tool.NotFound, "no tool is named %q", p.shownName())
	if meant, ok := p.generation.Tools.Meant(p.call.Tool); ok && p.shows(meant.Spec) {
		return err.WithHint("Did you mean %q? Tool names must match exactly.", meant.Spec.Name)
	}
	if p.generation.searches(p.view()) {
		return err.WithHint("Search for the tool with %s, or call one of the tools in your tool list by its exact name.", find.ToolName)
	}
	return err.WithHint("Call one of the tools in your tool list by its exact name.")
}

// hidden tells the operator why a tool that is there is answered like one that is
// not.
func (p *passage) hidden(s *tool.Spec) error {
	out := p.generation.Policy.Outlook(s, p.call.Caller)
	if len(out.Rules) == 0 {
		return errors.New("no rule of the policy allows this caller to call it, and its default is deny")
	}
	return fmt.Errorf("the policy denies this caller every call of it: %s", strings.Join(out.Rules, ", "))
}

// decide asks the policy about the final arguments. What it lets through, or puts to
// a person, has to keep its limits.
func (p *passage) decide(ctx context.Context) error {
	through, err := p.judge(ctx)
	switch d := p.decision; {
	case err != nil:
		return err
	case through && p.answered != nil && p.approval != nil && p.approval.State == approval.Used:
		return nil
	case d.Effect == policy.Allow:
		p.spare(ctx)
		return p.takeLimits(ctx, p.entry.Spec.RateLimit, d.Limit)
	case through:
		return nil
	case d.Effect == policy.Ask:
		return p.ask(ctx)
	default:
		p.endApproval(ctx, d)
		return p.denied(d)
	}
}

// judge decides and counts what is let through. Where a rule asks how many calls
// there were, calls of the tool take turns: else those that come at the same time
// would all find room for one more.
func (p *passage) judge(ctx context.Context) (through bool, err error) {
	req := p.request()
	if p.generation.Policy.Counts(req.Tool) {
		p.gateway.counter.InTurn(&req, func() bool {
			through, err = p.passes(ctx, &req)
			return through
		})
		return through, err
	}
	if through, err = p.passes(ctx, &req); through {
		p.gateway.counter.Count(&req)
	}
	return through, err
}

// passes reports whether the call is let through: policy allows it, or asks and a
// person has agreed.
func (p *passage) passes(ctx context.Context, req *policy.Request) (bool, error) {
	switch p.decision = p.generation.Policy.Decide(req); p.decision.Effect {
	case policy.Allow:
		if p.hasAgreement() { // it is used up all the same
			if used, err := p.agreed(ctx); used || err != nil {
				return used, err
			}
		}
		return true, nil
	case policy.Ask:
		return p.agreed(ctx)
	default:
		return false, nil
	}
}

// denied words a denial: another attempt with other arguments is worth it only where
// the arguments have to do with it.
func (p *passage) denied(d policy.Decision) error {
	name, req := p.entry.Spec.Name, p.request()
	switch {
	case d.Err != nil:
		return tool.Errorf(tool.Denied, "calling %s with these arguments is not allowed: the policy could not judge them", name).
			Because(fmt.Errorf("rule %q: %w", d.Rule, d.Err)).
			WithHint("Do not repeat the call unchanged; use other arguments or another tool, or tell the user.")
	case p.generation.Policy.OfArguments(&req, &d):
		return tool.Errorf(tool.Denied, "calling %s with these arguments is not allowed%s", name, because(d.Reason)).
			WithHint("Do not repeat the call unchanged; use other arguments or another tool, or tell the user.")
	case p.wrapper != "" && p.allowedByName(req):
		return tool.Errorf(tool.Denied, "calling %s with %s is not allowed%s", name, p.wrapper, because(d.Reason)).
			WithHint("Call it by its name if you can; else use another tool, or tell the user.")
	}
	return tool.Errorf(tool.Denied, "calling %s this way is not allowed%s", name, because(d.Reason)).
		WithHint("Do not repeat the call; use another tool, or tell the user.")
}

// allowedByName reports whether the call would not be denied if it came without
// call_tool around it.
func (p *passage) allowedByName(req policy.Request) bool {
	req.Via = tool.ViaDirect
	return p.generation.Policy.Decide(&req).Effect != policy.Deny
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + strings.TrimSuffix(reason, ".")
}

// recordStart leaves a trace of a call that changes something before it does:
// if the process dies now, the record says that it may have happened.
func (p *passage) recordStart() error {
	if p.entry.Spec.ReadOnly() {
		return nil
	}
	err := p.gateway.log.Start(p.record())
	p.gateway.noteLog(err)
	if err != nil {
		return p.unrecorded(err)
	}
	return nil
}

// run gives the tool its arguments and its time.
func (p *passage) run(ctx context.Context) (tool.Output, error) {
	spec := p.entry.Spec
	ctx, stop := context.WithTimeoutCause(p.masksProgress(ctx), spec.Timeout, errSlow)
	defer stop()
	p.ran = true
	out, again, err := retry.Do(ctx, spec.Retries, p.attempt)
	if again > 0 {
		p.notes = append(p.notes, "tried again "+times(again))
	}
	if len(out.Notes) > 0 {
		p.notes, p.warned = append(p.notes, out.Notes...), true
		out.Notes = nil
	}
	if err != nil && ctx.Err() != nil {
		return tool.Output{}, ended(ctx, spec, err)
	}
	return out, err
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// masksProgress takes secrets out of what the tool says of its progress, where
// somebody listens.
func (p *passage) masksProgress(ctx context.Context) context.Context {
	if !tool.WantsProgress(ctx) {
		return ctx
	}
	return tool.WithProgress(ctx, func(step tool.Step) {
		step.Message = p.generation.Masker.Text(step.Message)
		tool.Progress(ctx, step)
	})
}

// attempt runs the tool once. A runner that panics fails its own call only.
func (p *passage) attempt(ctx context.Context) (out tool.Output, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic in the tool: %v\n%s", r, debug.Stack())
		}
	}()
	return p.entry.Runner.Run(ctx, tool.Input{Args: p.args, Call: &p.call, Spec: p.entry.Spec})
}

// ended says why a context is over. The runner's own error is of no interest,
// because it failed when it was stopped, but for its hint and its output: they know
// how far the tool had come.
func ended(ctx context.Context, spec *tool.Spec, runner error) error {
	err := why(ctx, spec)
	own, ok := errors.AsType[*tool.Error](runner)
	if ok {
		err.Output = own.Output
	}
	if err.Hint != "" || spec.ReadOnly() {
		return err
	}
	if ok && own.Hint != "" {
		return err.WithHint("%s", own.Hint)
	}
	return err.WithHint("It may have had an effect: check before you call it again.")
}

// why is the failure of a call whose context is over.
func why(ctx context.Context, spec *tool.Spec) *tool.Error {
	cause := context.Cause(ctx)
	if errors.Is(cause, errSlow) {
		err := tool.Errorf(tool.Timeout, "%s did not finish within %v and was stopped", spec.Name, spec.Timeout)
		if err.Retryable = spec.ReadOnly(); err.Retryable {
			err.Hint = "Ask for less at once, or try again later."
		}
		return err
	}
	if _, ok := errors.AsType[*tool.Error](cause); ok { // whoever ended it says why
		return tool.Ended(ctx)
	}
	return tool.Errorf(tool.Cancelled, "the call was cancelled before %s finished", spec.Name).Because(cause)
}
