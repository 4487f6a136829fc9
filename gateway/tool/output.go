package tool

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// OutputMode says how a runner's value becomes content blocks; it is the
// "output" key of a declared tool.
type OutputMode string

// The output modes.
const (
	// OutputAuto shows text as it is, any other value as JSON, and an object
	// as structured content too.
	OutputAuto OutputMode = "auto"
	// OutputText shows text as it is and any other value as JSON text, never
	// structured.
	OutputText OutputMode = "text"
	// OutputJSON reads text as JSON and fails when it is not.
	OutputJSON OutputMode = "json"
	// OutputContent reads a list of content blocks in the form of the Model
	// Context Protocol, or an object with such a list under "content".
	OutputContent OutputMode = "content"
)

// TextOutput is an answer of one text block; no block at all for empty text.
func TextOutput(text string) Output {
	if text == "" {
		return Output{}
	}
	return Output{Content: []Content{{Type: ContentText, Text: text}}}
}

// RenderValue turns a value that an expression gave into an answer. The value
// is nil, a bool, a string, a number, or lists and maps of these; numbers
// encode themselves. A nil value is an empty answer, except under OutputJSON.
func RenderValue(v any, mode OutputMode) (Output, error) {
	if s, ok := v.(string); ok && mode != OutputJSON {
		return RenderText([]byte(s), mode)
	}
	if v == nil && mode != OutputJSON {
		return Output{}, nil
	}
	data, err := marshal(v)
	if err != nil {
		return Output{}, Errorf(UpstreamError, "the tool's result has no JSON form").Because(err)
	}
	return RenderJSON(data, mode)
}

// RenderText turns the text that a process or a server wrote into an answer:
// parsed under OutputJSON and OutputContent, shown as it is otherwise.
func RenderText(text []byte, mode OutputMode) (Output, error) {
	switch mode {
	case OutputJSON, OutputContent:
		data := bytes.TrimSpace(text)
		if !json.Valid(data) {
			return Output{}, Errorf(UpstreamError, "the tool answered with text that is not JSON").
				WithHint("Nothing is wrong with the arguments; the tool itself is at fault.")
		}
		return RenderJSON(data, mode)
	}
	if !utf8.Valid(text) {
		return Output{}, Errorf(UpstreamError, "the tool answered with %d bytes that are not text", len(text)).
			WithHint("Nothing is wrong with the arguments; this tool's answer cannot be shown.")
	}
	return TextOutput(string(text)), nil
}

// RenderJSON turns valid JSON into an answer and keeps its bytes: every digit
// and the order of keys.
func RenderJSON(data []byte, mode OutputMode) (Output, error) {
	if mode == OutputContent {
		return renderContent(data)
	}
	out := TextOutput(string(data))
	if mode != OutputText && len(data) > 0 && data[0] == '{' {
		out.Structured = data
	}
	return out, nil
}

func renderContent(data []byte) (Output, error) {
	var blocks []Content
	list := data
	var whole struct {
		Content json.RawMessage `json:"content"`
	}
	if len(data) > 0 && data[0] == '{' {
		if err := json.Unmarshal(data, &whole); err != nil || whole.Content == nil {
			return Output{}, Errorf(UpstreamError, `the tool answered with an object that has no "content" list`).Because(err)
		}
		list = whole.Content
	}
	if err := json.Unmarshal(list, &blocks); err != nil {
		return Output{}, Errorf(UpstreamError, "the tool answered with something that is not a list of content blocks").Because(err)
	}
	return Output{Content: blocks}, nil
}
