package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// askingJSON is how a person is asked about a call, as policy explain --json prints
// it.
type askingJSON struct {
	ApproveBy approval.Where `json:"approve_by"`
	Approvers string         `json:"approvers,omitempty"` // the rule's expression; empty where everybody may answer who may approve
	Expires   string         `json:"expires"`             // a duration: how long the call waits
	Wait      string         `json:"wait"`                // a duration: how long of that the caller is kept waiting
	Remember  []string       `json:"remember"`            // how far an answer may be made to reach; often none
}

// askingOf is nil where nobody is asked. The call waits as long as expires, or as
// long as is usual where that is 0, unless its rule says otherwise.
func askingOf(x *policy.Explanation, expires time.Duration) *askingJSON {
	terms := x.Ask
	if x.Effect != policy.Ask || terms == nil {
		return nil
	}
	wait := approval.DefaultWait
	if terms.Wait != nil {
		wait = *terms.Wait
	}
	return &askingJSON{
		approval.Where(terms.By), x.Approvers, tool.Span(cmp.Or(terms.Expires, expires, approval.DefaultExpires)), tool.Span(wait),
		append([]string{}, terms.Remember...),
	}
}

// String says it in lines.
func (a *askingJSON) String() string {
	who := answeredBy(a.ApproveBy)
	if a.Approvers != "" {
		who += " and for whom this is true: " + plain(a.Approvers)
	}
	return fmt.Sprintf("answered by %s\nasked for %s, of which the caller is kept waiting %s\nmay be remembered: %s",
		who, a.Expires, a.Wait, cmp.Or(strings.Join(a.Remember, ", "), "no"))
}
