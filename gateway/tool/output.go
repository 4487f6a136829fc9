package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// OutputMode says how a runner's value becomes content blocks; it is the
// "output" key of a declared tool.
type OutputMode string

// The output modes.
const (
	// OutputAuto shows text as it is, and any other value as JSON and as the
	// structured form of the answer too.
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
	if s, ok := v.(string); ok {
		return RenderText([]byte(s), mode)
	}
	if v == nil && mode != OutputJSON {
		return Output{}, nil
	}
	data, err := EncodeJSON(v)
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
	if !IsText(text) {
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
	if mode != OutputText {
		out.Structured = data
	}
	return out, nil
}

// IsText reports whether data can be shown to a model: valid UTF-8 without
// zero bytes, which is how UTF-16 and most binary formats give themselves away.
func IsText(data []byte) bool {
	return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0
}

// Excerpt is the start of a backend's text for an error message: at most the
// given number of bytes, cut between characters, with a mark where it was cut.
func Excerpt(text []byte, most int) string {
	if len(text) <= most {
		return strings.ToValidUTF8(string(bytes.TrimSpace(text)), "\uFFFD")
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return strings.ToValidUTF8(string(bytes.TrimSpace(text[:most])), "\uFFFD") + " […]"
}

// Ended is the failure of a run whose context is over: the *Error that stands
// in the context's cause when there is one, else Timeout past a deadline and
// Cancelled otherwise.
func Ended(ctx context.Context) *Error {
	cause := context.Cause(ctx)
	if e, ok := errors.AsType[*Error](cause); ok {
		own := *e // the cause may be shared by many calls
		return &own
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return Errorf(Timeout, "the tool did not finish in time and was stopped").Because(cause).
			WithHint("It may have had an effect: check before you call it again.")
	}
	return Errorf(Cancelled, "the call was given up before the tool had finished").Because(cause)
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
