package hook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

const (
	useAnother = "Do not repeat the call unchanged; use other arguments or another tool, or tell the user."
	askUser    = "Nothing is wrong with the arguments; tell the user that the gateway's check is failing."
)

// before is one step before a call.
type before struct {
	step
	env     *expression.Env
	set     []assignment // nil unless this is what it does
	refuse  *string      // likewise
	webhook *webhook     // likewise
	print   string       // of its configuration
}

// before compiles a hook; nil after a mistake.
func (c *compiler) before(at diag.Cursor, cfg *BeforeConfig) *before {
	h := &before{step: step{at: at, name: cfg.Name, skip: cfg.OnError == skip}, refuse: cfg.Refuse, print: printOf(cfg)}
	ok := says(at, cfg.Set != nil || cfg.Refuse != nil || cfg.HTTP != nil, "set", "refuse", "http")
	var fits [3]bool
	h.step.about, fits[0] = policy.CompileMatcher(at, cfg.Tools, cfg.Tags, nil)
	c = c.about(&h.step.about)
	h.env = c.call
	fits[1] = h.condition(cfg.When, c.call)
	h.set, fits[2] = c.assignments(at.Key("set"), cfg.Set)
	if cfg.HTTP != nil {
		h.webhook = c.webhook(at.Key("http"), cfg.HTTP)
		ok = ok && h.webhook != nil
	}
	if !ok || fits != [3]bool{true, true, true} {
		return nil
	}
	return h
}

// printOf tells configurations of a hook apart.
func printOf(cfg *BeforeConfig) string {
	text, err := json.Marshal(cfg)
	if err != nil {
		return "" // it is of texts alone
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// BeforePrint tells apart what is configured before calls of the tool: it is equal
// for plans of the same hooks, and empty without any.
func (p *Plan) BeforePrint() string {
	if p == nil {
		return ""
	}
	var all strings.Builder
	for _, h := range p.before {
		all.WriteString(h.print)
	}
	return all.String()
}

// RunsBefore reports whether Before does anything.
func (p *Plan) RunsBefore() bool { return p != nil && len(p.before) > 0 }

// Before runs the hooks before a call in their order. They may replace its
// arguments; an error refuses it.
func (p *Plan) Before(ctx context.Context, c *Call) error {
	if p == nil {
		return nil
	}
	for _, h := range p.before {
		err := contained(func() error { return p.runBefore(ctx, h, c) })
		if err == nil {
			continue
		}
		if refused, ok := errors.AsType[*refused](err); ok {
			return refused.with
		}
		if ctx.Err() != nil {
			return tool.Ended(ctx)
		}
		if !h.skipped(c, err) {
			return h.unavailable(err)
		}
	}
	return nil
}

// refused carries a decision past the handling of failures.
type refused struct{ with *tool.Error }

func (r *refused) Error() string { return r.with.Error() }

// misfit is a rewriting of arguments into ones that the tool does not take.
type misfit struct{ cause error }

func (m *misfit) Error() string { return "the rewritten arguments are not valid: " + m.cause.Error() }

func (h *before) unavailable(err error) error {
	if bad, ok := errors.AsType[*misfit](err); ok {
		return tool.Errorf(tool.Internal, "the gateway rewrote the arguments of this call into ones that the tool does not take").
			Because(h.because(bad)).WithHint("%s", askUser)
	}
	e := tool.Errorf(tool.Denied, "a check of this call is not available").Because(h.because(err)).WithHint("%s", askUser)
	e.Retryable = h.webhook != nil
	return e
}

func (p *Plan) runBefore(ctx context.Context, h *before, c *Call) error {
	vars := h.env.Vars(c.Request.Values())
	switch ok, err := h.holds(vars); {
	case err != nil:
		return fmt.Errorf("when: %w", err)
	case !ok:
		return nil
	case h.webhook != nil:
		return p.ask(ctx, h, c)
	case h.refuse != nil:
		return &refused{h.refusal(*h.refuse, useAnother)}
	}
	args, err := assign(c.Request.Args, h.set, vars)
	if err != nil {
		return err
	}
	return p.rewrite(c, args)
}

// ask puts the call to a webhook and does what it answers.
func (p *Plan) ask(ctx context.Context, h *before, c *Call) error {
	a, err := h.webhook.ask(ctx, h.name, c, nil)
	if err != nil {
		return err
	}
	switch a.Action {
	case "allow":
		return nil
	case "deny":
		return &refused{h.refusal(a.sentence(), useAnother)}
	case "set":
		if a.Args == nil {
			return errors.New(`the webhook answered "set" without "args", an object`)
		}
		return p.rewrite(c, a.Args)
	}
	return unknownAction(a.Action, "allow, deny and set")
}

// rewrite replaces the arguments by ones that the tool takes.
func (p *Plan) rewrite(c *Call, args map[string]any) error {
	args = p.tool.Schema.Cast(args)
	if err := p.tool.Schema.Validate(args); err != nil {
		return &misfit{err}
	}
	c.Request.Args = args
	return nil
}
