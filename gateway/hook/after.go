package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

const itRan = "The tool has run and may have had an effect; only its result is withheld. Do not repeat the call; tell the user."

// after is one step after a call.
type after struct {
	step
	env      *expression.Env
	result   *expression.Program // nil unless this is what it does
	text     *expression.Program // likewise
	refuse   *string             // likewise
	webhook  *webhook            // likewise
	failures bool                // it sees calls that failed too
	content  bool                // it may read result.content
}

// after compiles a hook; nil after a mistake.
func (c *compiler) after(at diag.Cursor, cfg *AfterConfig) *after {
	h := &after{step: step{at: at, name: cfg.Name, skip: cfg.OnError == skip}, refuse: cfg.Refuse}
	given := cfg.Result != nil || cfg.Append != nil || cfg.Refuse != nil || cfg.HTTP != nil
	ok := says(at, given, "result", "append", "refuse", "http")
	var fits bool
	h.step.about, fits = policy.CompileMatcher(at, cfg.Tools, cfg.Tags, nil)
	c = c.about(&h.step.about)
	h.env = c.answered
	ok = h.condition(cfg.When, c.answered) && fits && ok
	program := func(key string, source *string) *expression.Program {
		if source == nil {
			return nil
		}
		p := expression.Compile(at.Key(key), *source, c.answered, expression.WantAny)
		ok = ok && p != nil
		return p
	}
	h.result, h.text = program("result", cfg.Result), program("append", cfg.Append)
	if cfg.HTTP != nil {
		h.webhook = c.webhook(at.Key("http"), cfg.HTTP)
		ok = ok && h.webhook != nil
	}
	h.reads(cfg)
	if !ok {
		return nil
	}
	return h
}

// reads looks at what the hook's expressions read. A hook that guards results guards
// errors too; one that makes results better would make a success of a failure,
// and so it is left out there unless it asks result.is_error.
func (h *after) reads(cfg *AfterConfig) {
	asks := func(field string) bool {
		return h.when.ReadsPath("result", field) || h.result.ReadsPath("result", field) || h.text.ReadsPath("result", field)
	}
	h.failures = cfg.Refuse != nil || cfg.HTTP != nil || asks("is_error")
	h.content = cfg.HTTP != nil || asks("content")
}

// outcome is how a tool ended: with an answer or, where err is not nil, with
// that.
type outcome struct {
	output tool.Output
	err    *tool.Error
}

// RunsAfter reports whether a hook may change what the tool answered.
func (p *Plan) RunsAfter() bool { return p != nil && len(p.after) > 0 }

// After runs the hooks after a call in their order on what its tool answered,
// or on how it failed. A hook that fails withholds the answer: it may be the
// one that keeps it from being seen.
func (p *Plan) After(ctx context.Context, c *Call, out tool.Output, failed *tool.Error) (tool.Output, error) {
	o := &outcome{out, failed}
	if p == nil {
		return o.end()
	}
	for _, h := range p.after {
		if o.err != nil && (!h.failures || ctx.Err() != nil) {
			continue
		}
		err := contained(func() error { return h.run(ctx, c, o) })
		if err == nil {
			continue
		}
		if refused, ok := errors.AsType[*refused](err); ok {
			return tool.Output{}, refused.with
		}
		if ctx.Err() != nil {
			return tool.Output{}, tool.Ended(ctx)
		}
		if !h.skipped(c, err) {
			return tool.Output{}, tool.Errorf(tool.Denied, "a check of this call's result is not available").
				Because(h.because(err)).WithHint("%s", itRan)
		}
	}
	return o.end()
}

func (o *outcome) end() (tool.Output, error) {
	if o.err != nil {
		return tool.Output{}, o.err
	}
	return o.output, nil
}

func (h *after) run(ctx context.Context, c *Call, o *outcome) error {
	result, err := o.value(h.content)
	if err != nil {
		return err
	}
	values := c.Request.Values()
	values["result"] = result
	vars := h.env.Vars(values)
	switch ok, err := h.holds(vars); {
	case err != nil:
		return fmt.Errorf("when: %w", err)
	case !ok:
		return nil
	case h.webhook != nil:
		return h.ask(ctx, c, o, result)
	case h.result != nil:
		return h.replace(vars, o)
	case h.text != nil:
		return h.add(vars, o)
	}
	return &refused{h.refusal(*h.refuse, itRan)}
}

// replace puts the value of the expression in place of the result. A failed
// call stays one unless there is a value.
func (h *after) replace(vars *expression.Vars, o *outcome) error {
	value, err := h.result.Eval(vars)
	switch {
	case err != nil:
		return fmt.Errorf("result: %w", err)
	case value == nil && o.err != nil:
		return nil
	}
	out, err := tool.RenderValue(value, tool.OutputAuto)
	if err != nil {
		return fmt.Errorf("result: %w", err)
	}
	*o = outcome{output: out}
	return nil
}

// add puts a text behind the result or, for a failed call, behind what the
// model is told to do.
func (h *after) add(vars *expression.Vars, o *outcome) error {
	value, err := h.text.Eval(vars)
	if err != nil {
		return fmt.Errorf("append: %w", err)
	}
	more, err := tool.RenderValue(value, tool.OutputText)
	if err != nil {
		return fmt.Errorf("append: %w", err)
	}
	if o.err == nil {
		o.output.Content = append(o.output.Content[:len(o.output.Content):len(o.output.Content)], more.Content...)
		return nil
	}
	if text := more.Text(); text != "" {
		e := *o.err
		e.Hint = strings.TrimPrefix(e.Hint+"\n"+text, "\n")
		o.err = &e
	}
	return nil
}

// ask puts the result to a webhook and does what it answers.
func (h *after) ask(ctx context.Context, c *Call, o *outcome, result map[string]any) error {
	a, err := h.webhook.ask(ctx, h.name, c, result)
	if err != nil {
		return err
	}
	switch a.Action {
	case "allow":
		return nil
	case "deny":
		return &refused{h.refusal(a.sentence(), itRan)}
	case "replace":
		if a.Result == nil {
			return errors.New(`the webhook answered "replace" without "result"`)
		}
		out, err := rendered(a.Result)
		if err != nil {
			return err
		}
		*o = outcome{output: out}
		return nil
	}
	return unknownAction(a.Action, "allow, deny and replace")
}

// rendered is JSON of a webhook as a result: a text as it is, null as nothing.
func rendered(raw json.RawMessage) (tool.Output, error) {
	var text *string
	if err := json.Unmarshal(raw, &text); err != nil {
		return tool.RenderJSON(raw, tool.OutputAuto)
	}
	if text == nil {
		return tool.Output{}, nil
	}
	return tool.RenderText([]byte(*text), tool.OutputAuto)
}
