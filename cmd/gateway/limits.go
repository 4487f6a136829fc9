package main

import (
	"github.com/toolgate/toolgate/gateway/limit"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// limitJSON is a limit of calls as commands print it.
type limitJSON struct {
	Of    limit.Of     `json:"of,omitempty"` // tool or rule; empty where that is plain
	Calls int          `json:"calls"`
	Per   string       `json:"per"`
	By    tool.LimitBy `json:"by"`
	text  string
}

// newLimit is nil where there is none.
func newLimit(of limit.Of, l *tool.RateLimit) *limitJSON {
	if l == nil {
		return nil
	}
	return &limitJSON{of, l.Calls, tool.Span(l.Per), l.Counted(), l.String()}
}

// String says whose limit it is and what it is.
func (l *limitJSON) String() string { return "limit of the " + string(l.Of) + ": " + l.text }

// limitsOf are those that a call has to keep of which this was decided.
func limitsOf(req *policy.Request, x *policy.Explanation) (out []limitJSON) {
	if x.Effect == policy.Deny {
		return nil
	}
	for _, l := range []*limitJSON{newLimit(limit.OfTool, req.Tool.RateLimit), newLimit(limit.OfRule, x.Limit)} {
		if l != nil {
			out = append(out, *l)
		}
	}
	return out
}
