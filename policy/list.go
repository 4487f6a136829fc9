package policy

import (
	"iter"
	"slices"

	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

// ahead goes through the rules that may decide about calls of a tool, before
// there is one: those that certainly do not hold are left out, and one that
// certainly holds is the last.
//
// Without a via nothing is known of the way of the calls.
func (e *Engine) ahead(s *tool.Spec, caller tool.Caller, via tool.Via) iter.Seq2[*rule, expression.Truth] {
	return func(yield func(*rule, expression.Truth) bool) {
		var vars *expression.Vars
		for _, r := range e.about(s).rules {
			if !r.calledBy(&caller) || via != "" && !r.calledVia(via) {
				continue
			}
			if vars == nil && r.when != nil {
				vars = e.listVars(s, caller)
			}
			truth := r.early(vars, via)
			if truth != expression.No && !yield(r, truth) || truth == expression.Yes {
				return
			}
		}
	}
}

// listVars are the variables as far as they are known without a call.
func (e *Engine) listVars(s *tool.Spec, caller tool.Caller) *expression.Vars {
	return e.env.Vars(map[string]any{"tool": toolValue(s), "caller": callerValue(caller)})
}

// Lists reports whether a caller may be shown a tool: unless every call of it
// is certainly denied, whatever its arguments and its chat.
func (e *Engine) Lists(s *tool.Spec, caller tool.Caller) bool {
	if e == nil || e.about(s).shown() {
		return true
	}
	for r, truth := range e.ahead(s, caller, "") {
		if r.effect != Deny {
			return true
		}
		if truth == expression.Yes {
			return false
		}
	}
	return e.otherwise(s).Effect != Deny
}

// ListsToSome reports whether there may be a caller to whom [Engine.Lists] shows a
// tool. Nothing is known of who calls: what a rule asks of the caller may hold and may
// not.
func (e *Engine) ListsToSome(s *tool.Spec) bool {
	if e == nil || e.about(s).shown() {
		return true
	}
	vars := e.listVars(s, tool.Caller{})
	for _, r := range e.about(s).rules {
		truth := r.early(vars, "")
		switch {
		case r.when != nil && r.when.Reads("caller"):
			truth = expression.Unknown
		case truth == expression.Yes && len(r.callers) > 0:
			truth = expression.Unknown
		}
		if truth != expression.No && r.effect != Deny {
			return true
		}
		if truth == expression.Yes {
			return false
		}
	}
	return e.otherwise(s).Effect != Deny
}

// Visibility is what a caller may know of a tool.
type Visibility int

// The kinds of Visibility.
const (
	Hidden Visibility = iota // nothing: it reads like a tool that does not exist
	Told                     // in no list, but that it exists and why it may not be called
	Shown                    // everything
)

// Visibility says what a caller may know of a tool. A tool is Told where every
// call of it is certainly denied and each rule that may do so has show; the
// decision is then what to tell, without a reason where that hangs on the call.
func (e *Engine) Visibility(s *tool.Spec, caller tool.Caller) (Visibility, Decision) {
	if e.Lists(s, caller) {
		return Shown, Decision{}
	}
	for r, truth := range e.ahead(s, caller, "") {
		if !r.show {
			break
		}
		if truth == expression.Yes {
			return Told, r.told(e.listVars(s, caller))
		}
	}
	return Hidden, Decision{Effect: Deny}
}

// told is the rule's decision before there is a call.
func (r *rule) told(known *expression.Vars) Decision {
	d := Decision{Effect: Deny, Rule: r.name}
	if r.reason == nil || slices.ContainsFunc(lateNames, r.reason.Reads) {
		return d
	}
	if text, _, err := r.reason.Text(known); err == nil {
		d.Reason = text
	}
	return d
}

// Depends is the effect of an [Outlook] that hangs on the call.
const Depends Effect = "depends"

// Outlook is what becomes of the calls of a tool, as far as that is certain
// before there is one.
type Outlook struct {
	Effect Effect   // that of every call that can be judged, or Depends
	Rules  []string // the rules that may decide, in their order
	Else   bool     // perhaps none of them decides
	// Builtin says that a call about which no rule decides is allowed whatever the
	// default is, for the tool is built in.
	Builtin bool
}

// Outlook looks ahead at the calls of a tool by a caller, whichever way they come.
func (e *Engine) Outlook(s *tool.Spec, caller tool.Caller) Outlook {
	return e.OutlookVia(s, caller, "")
}

// OutlookVia looks ahead at those of the calls that come that way; at all of them where
// via is empty. What a condition reads of the way is not known before there is a call.
func (e *Engine) OutlookVia(s *tool.Spec, caller tool.Caller, via tool.Via) Outlook {
	if e == nil {
		return Outlook{Effect: Allow, Else: true}
	}
	var effects []Effect
	otherwise := e.otherwise(s)
	out := Outlook{Else: true, Builtin: otherwise.Builtin}
	for r, truth := range e.ahead(s, caller, via) {
		effects = append(effects, r.effect)
		out.Rules = append(out.Rules, r.name)
		out.Else = truth != expression.Yes
	}
	if out.Else {
		effects = append(effects, otherwise.Effect)
	}
	out.Effect = effects[0]
	for _, effect := range effects {
		if effect != out.Effect {
			out.Effect = Depends
			break
		}
	}
	return out
}
