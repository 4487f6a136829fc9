package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/find"
	"github.com/toolgate/toolgate/gateway/handle"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

// leave is the end of every call: the answer is made, masked and recorded. An
// answer that cannot be recorded is not given, because what is not in the log
// did not happen for whoever has to account for it.
func (p *passage) leave(out tool.Output, err error) tool.Result {
	result := p.result(out, err)
	rec := p.record()
	rec.Finish(&result)
	if _, ok := errors.AsType[*unreadable](p.misfit); ok && rec.Code == tool.InvalidArgs {
		rec.Error = "invalid arguments for " + p.shownName() + ": they cannot be read, and nothing of them is recorded"
	}
	logErr := p.gateway.log.End(rec)
	p.gateway.noteLog(logErr)
	if logErr != nil {
		result = p.result(tool.Output{}, p.unrecorded(logErr))
	}
	p.logLine(&result)
	p.notify(&result)
	return result
}

// unrecorded is the failure of a call because of its record.
func (p *passage) unrecorded(err error) error {
	if !p.ran && p.gateway.closed.Load() { // its log is closed, too, and does not fail
		return handle.Stopped()
	}
	e := tool.Errorf(tool.Internal, "the call's record could not be written, so its result is withheld")
	hint := "It may have had an effect. Do not repeat it; tell"
	if p.ran && p.entry.Spec.ReadOnly() {
		hint = "Tell"
	}
	if !p.ran {
		e = tool.Errorf(tool.Internal, "the tool was not run, because the call's record could not be written")
		hint = "Tell"
	}
	return e.Because(fmt.Errorf("run log: %w", err)).WithHint("%s the user that the gateway's log is failing.", hint)
}

// result makes the answer from what the path gave.
func (p *passage) result(out tool.Output, err error) tool.Result {
	r := tool.Result{
		CallID: p.call.ID, Tool: p.shownName(), Status: tool.StatusOK,
		Output: p.mask(out), Duration: time.Since(p.began),
		MayHaveActed: p.ran && !p.entry.Spec.ReadOnly(),
	}
	if out.Noop {
		r.Status = tool.StatusNoop
	}
	if err != nil {
		r.Status, r.Error = tool.StatusError, p.maskError(tool.AsError(err))
		r.Output, r.Error.Output = r.Error.Answer(), nil
	}
	return r
}

// mask takes known secrets out of an answer, also where one is split between
// blocks. The runner may share its output, so a copy is changed. Structured
// content that masking breaks, because a secret stood there as a number, is
// left out.
func (p *passage) mask(out tool.Output) tool.Output {
	m := p.generation.Masker
	if !m.Knows() {
		return out
	}
	out.Content = slices.Clone(out.Content)
	texts := make([]string, len(out.Content))
	for i := range out.Content {
		c := &out.Content[i]
		texts[i] = c.Text
		c.Data, c.MIMEType = m.Bytes(c.Data), m.Text(c.MIMEType)
		c.URI, c.Name = m.Text(c.URI), m.Text(c.Name)
		c.Title, c.Description = m.Text(c.Title), m.Text(c.Description)
	}
	for i, text := range m.Texts(texts) {
		out.Content[i].Text = text
	}
	if masked := m.Bytes(out.Structured); !same(masked, out.Structured) {
		if out.Structured = masked; !json.Valid(masked) {
			out.Structured = nil
		}
	}
	return out
}

// same reports whether two texts are one in memory: what masking gives back
// where there is nothing to mask.
func same(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// shownName is the name that was called, as an answer or a log line shows it.
func (p *passage) shownName() string { return tool.ShownName(p.generation.Masker.Text(p.call.Tool)) }

func (p *passage) maskError(err *tool.Error) *tool.Error {
	m, e := p.generation.Masker, *err
	e.Tool = p.shownName()
	e.Message, e.Hint = m.Text(e.Message), m.Text(e.Hint)
	if e.Cause != nil {
		e.Cause = errors.New(m.Text(e.Cause.Error()))
	}
	if e.Output != nil {
		masked := p.mask(*e.Output)
		e.Output = &masked
	}
	return &e
}

// record is what is known of the call now, masked.
func (p *passage) record() runlog.Record {
	m, caller := p.generation.Masker, p.call.Caller
	return runlog.Record{
		CallID: p.call.ID, Parent: p.call.Parent, Time: p.began, Tool: m.Text(p.call.Tool),
		Request: p.requestID,
		Caller:  runlog.Caller{ID: m.Text(caller.ID), Name: m.Text(caller.Name), Kind: caller.Kind}, Chat: m.Text(p.call.Chat.ID), Via: p.call.Via,
		ReadOnly:  p.entry != nil && p.entry.Spec.ReadOnly(),
		Arguments: m.Bytes(p.arguments()),
		Decision:  string(p.decision.Effect), Rule: p.decision.Rule, Reason: m.Text(p.decision.Reason),
		CallReason: m.Text(p.reason), Notes: m.Texts(p.notes), Logged: p.logged(),
		Approval: p.answer(),
	}
}

// answer is what the record tells of the approval; nil where nobody was asked.
func (p *passage) answer() *runlog.Approval {
	switch {
	case p.answered != nil:
		own := *p.answered
		own.Note = p.generation.Masker.Text(own.Note)
		return &own
	case p.approval != nil:
		return &runlog.Approval{ID: p.approval.ID}
	}
	return nil
}

// logged is how much of the call is recorded: what its tool says, also where the
// caller may not know it, since only the operator reads arguments; of a name that
// no tool has, what the tool says that was meant, or else as much as of any tool that
// does not say. Of a call that should hold another and cannot be read, no arguments
// are: nobody knows whose they are.
func (p *passage) logged() tool.Logged {
	name, tools := p.call.Tool, p.generation.Tools
	entry, ok := tools.Lookup(name)
	switch {
	case ok && (entry.Spec.Source != tool.SourceBuiltin || !find.Calls(name)):
		return entry.Spec.Logged
	case find.MeansCalls(name):
		return tool.Logged{Arguments: tool.LogArgumentsNone, Results: p.generation.Logged.Results}
	}
	if entry, ok = tools.Meant(name); ok {
		return entry.Spec.Logged
	}
	return p.generation.Logged
}

// arguments are what the tool is given or, where it never came to that, what
// was sent.
func (p *passage) arguments() json.RawMessage {
	if p.args == nil {
		return p.call.Arguments
	}
	data, err := json.Marshal(p.args)
	if err != nil { // no JSON value fails to encode; keep what was sent
		return p.call.Arguments
	}
	return data
}

// logLine writes the operator's one line for the call; what is empty is left
// out.
func (p *passage) logLine(r *tool.Result) {
	level, code, cause := slog.LevelInfo, "ok", ""
	if p.warned {
		level = slog.LevelWarn
	}
	if r.Error != nil && r.Error.Code == tool.Internal {
		level = slog.LevelError
	}
	if !p.gateway.logger.Enabled(context.Background(), level) {
		return
	}
	if r.Error != nil {
		code = string(r.Error.Code)
		if r.Error.Cause != nil {
			cause = r.Error.Cause.Error()
		}
	}
	m := p.generation.Masker
	attrs := [...]slog.Attr{
		slog.String("tool", p.shownName()), slog.String("call", r.CallID),
		slog.String("caller", m.Text(p.call.Caller.Name)), slog.String("code", code), slog.Duration("took", r.Duration),
		slog.String("request", p.requestID), slog.String("rule", p.decision.Rule), slog.String("cause", cause),
		slog.String("notes", strings.Join(m.Texts(p.notes), "; ")),
	}
	const always = 5 // of them, whether or not they are empty
	n := always
	for _, a := range attrs[always:] {
		if a.Value.String() != "" {
			attrs[n] = a
			n++
		}
	}
	// The line says nothing of its place in the program, which would have to be
	// looked for.
	line := slog.NewRecord(p.began.Add(r.Duration), level, "call", 0)
	line.AddAttrs(attrs[:n]...)
	_ = p.gateway.logger.Handler().Handle(context.Background(), line) // who logs has nobody to tell
}
