package gateway

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/toolgate/toolgate/gateway/limit"
	"github.com/toolgate/toolgate/gateway/tool"
)

// limited is a limit that a call has to keep, and whose it is.
type limited struct {
	of    limit.Of
	name  string // of the tool or the rule
	limit *tool.RateLimit
}

// takeLimits counts the call against the limits of its tool and of the rule that
// decided about it, each of which may be nil: against both, or against none when one
// of them lets no more through. A call is counted when policy has decided, before it
// runs. Where a person is asked the rule counts the questions, so that nobody is
// flooded with them, and the tool counts what is let through. What fails after that
// has been counted.
func (p *passage) takeLimits(ctx context.Context, own, rule *tool.RateLimit) error {
	if own == nil && rule == nil {
		return nil
	}
	var all []limited
	if own != nil {
		all = append(all, limited{limit.OfTool, p.entry.Spec.Name, own})
	}
	if rule != nil {
		all = append(all, limited{limit.OfRule, p.decision.Rule, rule})
	}
	limits := make([]limit.Limit, len(all))
	for i, l := range all {
		limits[i] = limit.Limit{Key: limit.KeyOf(l.of, l.name, l.limit.Counted(), &p.call), Calls: l.limit.Calls, Per: l.limit.Per}
	}
	full, wait, err := p.gateway.limits.Take(ctx, time.Now, limits)
	switch {
	case err != nil:
		return p.uncounted(ctx, err)
	case full != limit.None:
		return all[full].full(p.entry.Spec.Name, wait)
	}
	return nil
}

// uncounted is why a call is not run whose limits cannot be looked up.
func (p *passage) uncounted(ctx context.Context, cause error) error {
	if ctx.Err() != nil {
		return why(ctx, p.entry.Spec)
	}
	e := tool.Errorf(tool.Internal, "%s has a limit of calls that could not be checked, so it was not run", p.entry.Spec.Name).
		Because(fmt.Errorf("rate limit: %w", cause)).
		WithHint("Try again a little later; if it fails again, tell the user.")
	e.Retryable = true
	return e
}

// full is why a call is not run for which a limit has no room, and when it will have.
func (l *limited) full(name string, wait time.Duration) error {
	whose := "it is limited to"
	if l.of == limit.OfRule {
		whose = "a rule limits calls like this one to"
	}
	after := time.Duration(math.Ceil(wait.Seconds())) * time.Second
	e := tool.Errorf(tool.RateLimited, "%s was not run: %s %s", name, whose, l.limit.Words()).
		WithHint("Try again in %s, or do something else meanwhile.", tool.Span(after))
	e.Retryable, e.RetryAfter = true, after
	return e
}
