package host

import (
	"cmp"
	"context"
	"time"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/limit"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// Explanation says what policy decides about one call and why, in the form that the
// HTTP API answers and the command line prints.
type Explanation struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Caller    string         `json:"caller"`
	Effect    string         `json:"effect"`
	Rule      string         `json:"rule,omitempty"`
	Reason    string         `json:"reason,omitempty"`
	Error     string         `json:"error,omitempty"`
	Ask       *Asking        `json:"ask,omitempty"`    // how a person is asked, where one is
	Limits    []Limit        `json:"limits,omitempty"` // that the call has to keep, too
	Tried     []Try          `json:"tried"`
	Inactive  []string       `json:"inactive,omitempty"` // groups: where none of them is active, the call is refused before
}

// Try is a rule that was tried.
type Try struct {
	Rule    string `json:"rule"`
	Decided bool   `json:"decided"`
	Why     string `json:"why"`
	When    string `json:"when,omitempty"`
}

// Asking is how a person is asked about a call.
type Asking struct {
	ApproveBy approval.Where `json:"approve_by"`
	Approvers string         `json:"approvers,omitempty"` // the rule's expression; empty where everybody may answer who may approve
	Expires   string         `json:"expires"`             // a duration: how long the call waits
	Wait      string         `json:"wait"`                // a duration: how long of that the caller is kept waiting
	Remember  []string       `json:"remember"`            // how far an answer may be made to reach; often none
}

// Limit is a limit of calls.
type Limit struct {
	Of    limit.Of     `json:"of,omitempty"` // tool or rule; empty where that is plain
	Calls int          `json:"calls"`
	Per   string       `json:"per"`
	By    tool.LimitBy `json:"by"`
	text  string
}

// NewExplanation puts what policy explained of a request into that form. Expires is
// how long calls wait for a person where their rule does not say, or 0 for
// approval.DefaultExpires.
func NewExplanation(req *policy.Request, x *policy.Explanation, expires time.Duration) Explanation {
	out := Explanation{
		Tool: req.Tool.Name, Arguments: req.Args, Caller: req.Caller.Name,
		Effect: string(x.Effect), Rule: x.Rule, Reason: x.Reason, Tried: make([]Try, 0, len(x.Tried)),
	}
	if x.Err != nil {
		out.Error = x.Err.Error()
	}
	out.Ask, out.Limits = AskingOf(x, expires), LimitsOf(req, x)
	for _, t := range x.Tried {
		out.Tried = append(out.Tried, Try{t.Rule, t.Decided, t.Why, t.When})
	}
	return out
}

// AskingOf is how a person is asked, or nil where nobody is. The call waits as long
// as expires, or as long as is usual where that is 0, unless its rule says otherwise.
func AskingOf(x *policy.Explanation, expires time.Duration) *Asking {
	terms := x.Ask
	if x.Effect != policy.Ask || terms == nil {
		return nil
	}
	wait := approval.DefaultWait
	if terms.Wait != nil {
		wait = *terms.Wait
	}
	return &Asking{
		approval.Where(terms.By), x.Approvers, tool.Span(cmp.Or(terms.Expires, expires, approval.DefaultExpires)), tool.Span(wait),
		append([]string{}, terms.Remember...),
	}
}

// NewLimit is a limit in that form, or nil where there is none.
func NewLimit(of limit.Of, l *tool.RateLimit) *Limit {
	if l == nil {
		return nil
	}
	return &Limit{of, l.Calls, tool.Span(l.Per), l.Counted(), l.String()}
}

// String says whose limit it is and what it is.
func (l *Limit) String() string { return "limit of the " + string(l.Of) + ": " + l.text }

// LimitsOf are those that a call has to keep of which this was decided.
func LimitsOf(req *policy.Request, x *policy.Explanation) (out []Limit) {
	if x.Effect == policy.Deny {
		return nil
	}
	for _, l := range []*Limit{NewLimit(limit.OfTool, req.Tool.RateLimit), NewLimit(limit.OfRule, x.Limit)} {
		if l != nil {
			out = append(out, *l)
		}
	}
	return out
}

// explainer says what policy would decide, for the HTTP API.
type explainer struct{ gateway *gateway.Gateway }

// Explain explains the decision about one call.
func (e explainer) Explain(ctx context.Context, call tool.Call) (any, error) {
	x, err := e.gateway.Explain(ctx, call)
	if err != nil {
		return nil, err
	}
	out := NewExplanation(&x.Request, &x.Explanation, x.ApprovalExpires)
	out.Inactive = x.Inactive
	return out, nil
}
