package hook

import (
	"encoding/json"

	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

// resultVar declares what a hook sees of a result.
func resultVar() expression.Var {
	return expression.Var{Name: "result", Late: true, Type: expression.Object(map[string]expression.Type{
		"value": expression.JSON, "text": expression.String, "content": expression.JSON, "is_error": expression.Bool,
	})}
}

// value is the result as hooks see it: value is the answer as JSON where it
// has that form and its text otherwise, content its blocks. Of a failed call
// it is what the model reads.
func (o *outcome) value(withContent bool) (map[string]any, error) {
	out := o.output
	if o.err != nil {
		out = o.err.Answer()
	}
	text := out.Text()
	v := map[string]any{"value": text, "text": text, "is_error": o.err != nil, "content": []any{}}
	if o.err != nil {
		v["value"] = o.err.Message
	}
	if out.Structured != nil {
		value, err := decode(out.Structured)
		if err != nil {
			return nil, err
		}
		v["value"] = value
	}
	if withContent && len(out.Content) > 0 {
		data, err := json.Marshal(out.Content)
		if err != nil {
			return nil, err
		}
		if v["content"], err = decode(data); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// The keys by which a hint is chosen.
const (
	byAction = "action"
	byMode   = "mode"
	always   = "*"
)

// Hint adds the tool's hint for a result to it, as one more block: the one for
// the result's "action", else for its "mode", else for any result.
func (p *Plan) Hint(out tool.Output) tool.Output {
	if p == nil || len(p.tool.Hints) == 0 {
		return out
	}
	text := p.hintFor(out.Structured)
	if text == "" {
		return out
	}
	n := len(out.Content)
	out.Content = append(out.Content[:n:n], tool.Content{Type: tool.ContentText, Text: "Hint: " + text})
	return out
}

func (p *Plan) hintFor(structured json.RawMessage) string {
	var members map[string]any
	if structured != nil {
		_ = decodeInto(structured, &members) // what is no object has no members
	}
	for _, key := range []string{byAction, byMode} {
		word, _ := members[key].(string)
		if text := p.tool.Hints[word]; text != "" && word != "" {
			return text
		}
	}
	return p.tool.Hints[always]
}
