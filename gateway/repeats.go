package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/repeat"
	"github.com/toolgate/toolgate/gateway/tool"
)

// stopRepeating answers a call that was refused or failed as often as it may be made:
// the model reads why, and that it has to change course.
func (p *passage) stopRepeating(context.Context) error {
	if !p.toldApart() || !p.gateway.repeats.Knows(p.place()) {
		return nil
	}
	last := p.gateway.repeats.Why(p.name())
	if last == nil {
		return nil
	}
	p.repeated = true
	p.notes = append(p.notes, "not run, because the same call was refused or failed twice shortly before")
	e := tool.Errorf(last.Code, "calling %s with these arguments %s twice, the last time less than %s ago, and was not tried a third time: %s",
		p.shownName(), becameOf(last.Code), tool.Span(repeat.Window), last.Message)
	e.InputSchema, e.Fatal = last.InputSchema, last.Fatal
	return e.WithHint("Change course: use other arguments or another tool, or tell the user.")
}

// becameOf says whether a call was not let through or did not succeed.
func becameOf(code tool.Code) string {
	refusals := []tool.Code{tool.NotFound, tool.Inactive, tool.InvalidArgs, tool.Denied, tool.ApprovalDenied, tool.BlockedTarget, tool.Boundary}
	if slices.Contains(refusals, code) {
		return "was refused"
	}
	return "failed"
}

// noteEnd remembers how the call ended, for those that repeat it. What belongs to a
// generation that is not served any more says nothing of the calls to come.
func (p *passage) noteEnd(err error) {
	if p.repeated || !p.toldApart() {
		return
	}
	book := p.gateway.repeats
	switch {
	case err == nil && !p.entry.Spec.ReadOnly(): // it may have mended what others failed for
		book.Changed(p.call.Caller.ID, p.call.Chat.ID)
		return
	case err == nil:
		if book.Knows(p.place()) {
			book.Succeeded(p.name())
		}
		return
	}
	e := tool.AsError(err)
	if repeat.Counts(e) && p.gateway.current.Load().generation == p.generation {
		book.Failed(p.name(), p.maskError(e))
	}
}

// toldApart reports whether it is one conversation that the call belongs to: agents
// that say neither who they are nor which chat it is must not block each other.
func (p *passage) toldApart() bool {
	return p.call.Chat.ID != tool.DefaultChat || p.call.Caller.ID != tool.Anonymous
}

func (p *passage) place() repeat.Place {
	return repeat.Place{Caller: p.call.Caller.ID, Chat: p.call.Chat.ID, Tool: p.call.Tool}
}

// name names the call for the book. What its chat holds is part of it, since that may
// decide about the call, and so is the way it came, with the tool that it was sent to:
// rules judge by the way, and call_read_tool refuses what call_tool is then to be used
// for. A model may therefore make a call as often in each way. Why it makes the call is
// no part of it.
func (p *passage) name() repeat.Call {
	fields, err := json.Marshal(p.call.Chat.Context)
	if err != nil {
		fields = nil // JSON values can always be written
	}
	return p.gateway.repeats.Name(p.place(), p.asked(), fields,
		[]byte(strings.Join(p.call.Chat.Groups, "\x00")), []byte(p.call.Via), []byte(p.wrapper), []byte(p.call.Profile))
}

// asked are the arguments that were sent, however they were written; as they are
// where they cannot be read.
func (p *passage) asked() []byte {
	entry, ok := p.generation.Tools.Lookup(p.call.Tool)
	if !ok {
		return p.call.Arguments
	}
	plan := p.generation.Hooks.Plan(entry.Spec.Name)
	args, err := cmp.Or(plan.Shown(), entry.Schema).Normalise(p.call.Arguments, plan.Beside()...)
	if err != nil {
		return p.call.Arguments
	}
	args, _ = plan.Reason(args)
	data, err := json.Marshal(args)
	if err != nil {
		return p.call.Arguments
	}
	return data
}
