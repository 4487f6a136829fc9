package policy

import (
	"fmt"
	"strings"

	"github.com/toolgate/toolgate/gateway/expression"
)

// Explanation is a decision and how it came about.
type Explanation struct {
	Decision
	Tried []Try // the rules up to the one that decided, in their order
	// Approvers is the expression that says who may answer where a rule asks that has
	// one; else empty.
	Approvers string
}

// Try is one rule that was tried.
type Try struct {
	Rule    string
	Index   int    // in the rules of the section, counted from 0
	Decided bool   // the rule decided
	Why     string // why it did not, or what made it decide
	When    string // its condition; empty when it has none
	Err     error  // why its condition or reason could not be evaluated
}

// Explain decides as [Engine.Decide] does and says of every rule that was
// tried why it did not decide.
func (e *Engine) Explain(req *Request) Explanation {
	if e == nil {
		return Explanation{Decision: Decision{Effect: Allow}}
	}
	vars := e.env.Vars(req.Values())
	var out Explanation
	for _, r := range e.rules {
		try, decision := r.try(req, vars)
		out.Tried = append(out.Tried, try)
		if try.Decided {
			out.Decision = decision
			if decision.Effect == Ask && r.asking.approvers != nil {
				out.Approvers = r.asking.approvers.Source()
			}
			return out
		}
	}
	out.Decision = e.otherwise(req.Tool)
	return out
}

func (r *rule) try(req *Request, vars *expression.Vars) (Try, Decision) {
	t := Try{Rule: r.name, Index: r.index}
	if r.when != nil {
		t.When = r.when.Source()
	}
	if t.Why = r.mismatch(req); t.Why != "" {
		return t, Decision{}
	}
	ok, err := r.holds(vars)
	switch {
	case err != nil:
		t.Decided, t.Err, t.Why = true, err, "when cannot be evaluated, and that denies"
		return t, Decision{Effect: Deny, Rule: r.name, Err: err}
	case !ok:
		t.Why = "when is false"
		return t, Decision{}
	}
	d := r.decision(vars)
	t.Decided, t.Err, t.Why = true, d.Err, "it matches"
	switch {
	case d.Err != nil:
		t.Why = "it matches, but its reason cannot be evaluated, and that denies"
	case r.when != nil:
		t.Why = "when is true"
	}
	return t, d
}

// mismatch says which matcher does not hold, or "".
func (r *rule) mismatch(req *Request) string {
	if why := r.about.mismatch(req.Tool); why != "" {
		return why
	}
	switch {
	case !r.calledBy(&req.Caller):
		return fmt.Sprintf("the caller %q fits none of its callers: %s", req.Caller.Name, globText(r.callers))
	case !r.calledVia(req.Via):
		return fmt.Sprintf("the call is made via %s, and its via is %s", req.Via, strings.Join(r.via, ", "))
	}
	return ""
}
