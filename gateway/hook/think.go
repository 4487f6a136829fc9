package hook

import (
	"encoding/json"
	"maps"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/schema"
)

// ReasonArgument is the argument in which a model may say why it calls a tool.
// The tool never sees it.
const ReasonArgument = "toolcall_reason"

// reasonProperty describes it to the model.
const reasonProperty = `{"type":"string","description":"Why you chose this tool and what you expect from it."}`

// show works out what models are shown of the tool's arguments, and how the
// plan reads what they send.
func (p *Plan) show() json.RawMessage {
	raw := p.tool.Spec.Parameters
	if len(p.injected) > 0 {
		raw = p.hide(raw)
	}
	if !p.tool.Think {
		return raw
	}
	with, added, err := schema.With(raw, ReasonArgument, json.RawMessage(reasonProperty))
	if err != nil || !added || p.hasReason() {
		return raw
	}
	p.think = true
	return with
}

// hide takes the injected arguments out of what models are shown, and warns of
// those that are still named there.
func (p *Plan) hide(raw json.RawMessage) json.RawMessage {
	without, err := schema.Without(raw, p.names())
	if err == nil {
		if p.shown = p.tool.Schema.Hiding(p.names()); p.shown == nil {
			p.shown, err = schema.Compile(without)
		}
	}
	if err != nil { // perhaps something refers to what was taken out
		without, p.shown = raw, p.tool.Schema
	}
	for _, arg := range p.injected {
		if p.shown.Names(arg.name) {
			arg.at.As(diag.UselessSetting).Warnf("declare the argument under properties and nowhere else, and refer to it nowhere",
				"models are still shown that the tool %s has the argument %s; what they send for it is dropped", p.tool.Spec.Name, arg.name)
		}
	}
	return without
}

// hasReason reports whether the tool has an argument of its own of this name.
func (p *Plan) hasReason() bool { return p.tool.Schema.Names(ReasonArgument) }

// TakesReason reports whether models may say why they call the tool. Where its
// own arguments have that name, or its schema has no properties to show the
// argument among, they may not, whatever is configured.
func (p *Plan) TakesReason() bool { return p != nil && p.think }

// Beside are the members of what models send that are none of the tool's
// arguments, and so may stand next to a wrapper around these.
func (p *Plan) Beside() []string {
	if !p.TakesReason() {
		return nil
	}
	return []string{ReasonArgument}
}

// Reason takes the model's reason out of what it sent; it is empty where the
// tool has none. args is not changed.
func (p *Plan) Reason(args map[string]any) (rest map[string]any, reason string) {
	if !p.TakesReason() {
		return args, ""
	}
	value, sent := args[ReasonArgument]
	if !sent {
		return args, ""
	}
	rest = maps.Clone(args)
	delete(rest, ReasonArgument)
	if text, ok := value.(string); ok || value == nil {
		return rest, text
	}
	data, err := json.Marshal(value)
	if err != nil { // no JSON value fails to encode
		return rest, ""
	}
	return rest, string(data)
}
