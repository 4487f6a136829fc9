package provider

import (
	"encoding/base64"
	"fmt"
	"html"
	"mime"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

// The roles and types of the chat completion API that stand in more than one
// place here.
const (
	roleAssistant = "assistant"
	roleTool      = "tool"
	roleUser      = "user"
	typeFunction  = "function"
	typeText      = "text"
)

// Answer is how one call of a model ended.
type Answer struct {
	ID     string // the call's, as the provider named it
	Result tool.Result
}

// ChatMessage is one message to append to an OpenAI chat conversation.
type ChatMessage struct {
	Role       string `json:"role"` // "tool" or "user"
	ToolCallID string `json:"tool_call_id,omitempty"`
	Content    any    `json:"content"` // a string, or []ChatPart for a user's message
}

// ChatPart is a piece of a user's message: exactly one of its fields beside Type
// is set, the one that Type names.
type ChatPart struct {
	Type  string     `json:"type"` // "text", "image_url" or "input_audio"
	Text  string     `json:"text,omitempty"`
	Image *ChatImage `json:"image_url,omitempty"`
	Audio *ChatAudio `json:"input_audio,omitempty"`
}

// ChatImage is the picture of a [ChatPart].
type ChatImage struct {
	URL string `json:"url"` // a data URI (RFC 2397)
}

// ChatAudio is the sound of a [ChatPart].
type ChatAudio struct {
	Data   string `json:"data"`   // base64
	Format string `json:"format"` // "wav" or "mp3"
}

// OpenAIChatMessages writes the answers as the messages that a chat completion
// request takes after the assistant's: one of the role "tool" for each, in the
// order given, with the answer's text as it is, a failure's too; never nil.
//
// Such a message carries text only. PNG, JPEG, GIF and WebP images, told by
// their bytes, and WAV and MP3 sounds follow in one message of the role "user"
// after all the others, between tags that name their call; the call's own
// message says so in its last line. All other blocks become lines of the call's
// own text. So nothing that a tool wrote ever reads as if the user had written
// it.
func OpenAIChatMessages(answers []Answer) []ChatMessage {
	messages := make([]ChatMessage, 0, len(answers)+1)
	var shown []ChatPart
	for i := range answers {
		text, parts := chatAnswer(&answers[i])
		messages = append(messages, ChatMessage{Role: roleTool, ToolCallID: answers[i].ID, Content: text})
		shown = append(shown, parts...)
	}
	if len(shown) > 0 {
		messages = append(messages, ChatMessage{Role: roleUser, Content: shown})
	}
	return messages
}

// chatAnswer parts an answer into its text and what only a user's message can
// carry.
func chatAnswer(a *Answer) (string, []ChatPart) {
	content := a.Result.Output.Content
	if len(content) == 0 && a.Result.Error != nil {
		return a.Result.Error.Text(), nil
	}
	var lines []string
	var parts []ChatPart
	for i := range content {
		if part, ok := chatPart(&content[i]); ok {
			parts = append(parts, part)
			continue
		}
		lines = append(lines, textOf(&content[i]))
	}
	if len(parts) == 0 {
		return strings.Join(lines, "\n"), nil
	}
	tag := `<tool-content call-id="` + html.EscapeString(a.ID) + `">`
	lines = append(lines, "See "+tag+" below.")
	parts = append([]ChatPart{{Type: typeText, Text: tag}}, parts...)
	return strings.Join(lines, "\n"), append(parts, ChatPart{Type: typeText, Text: "</tool-content>"})
}

// chatPart writes a block of bytes that models can see or hear; ok is false for
// all others. A request with an image that is none is refused whole by the
// provider, so the tool's word for what it is does not do.
func chatPart(c *tool.Content) (part ChatPart, ok bool) {
	if len(c.Data) == 0 {
		return ChatPart{}, false
	}
	if media := imageType(c.Data); media != "" {
		url := "data:" + media + ";base64," + base64.StdEncoding.EncodeToString(c.Data)
		return ChatPart{Type: "image_url", Image: &ChatImage{URL: url}}, true
	}
	if format := audioFormat(c.MIMEType); format != "" {
		return ChatPart{Type: "input_audio", Audio: &ChatAudio{Data: base64.StdEncoding.EncodeToString(c.Data), Format: format}}, true
	}
	return ChatPart{}, false
}

// imageType is the media type of an image by its bytes, "" when they are none.
func imageType(data []byte) string {
	out, err := tool.RenderBytes(data, "", tool.OutputAuto)
	if err != nil || len(out.Content) != 1 || out.Content[0].Type != tool.ContentImage {
		return ""
	}
	return out.Content[0].MIMEType
}

// audioFormat is the provider's word for a media type of sounds, "" when it
// takes none such. MP3 cannot be told by its first bytes.
func audioFormat(mediaType string) string {
	media, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return ""
	}
	switch media {
	case "audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave":
		return "wav"
	case "audio/mpeg", "audio/mp3":
		return "mp3"
	}
	return ""
}

// textOf writes a block as text: what it says, or a line that names it.
func textOf(c *tool.Content) string {
	switch {
	case c.Type == tool.ContentText, c.Type == tool.ContentResource && c.Data == nil:
		return c.Text
	case c.Type == tool.ContentResourceLink:
		return naming("resource link", c.URI, c.Name, c.Title, c.MIMEType, c.Description)
	}
	return naming(string(c.Type), c.URI, c.MIMEType, fmt.Sprintf("%d bytes that cannot be shown here", len(c.Data)))
}

// naming is "[kind: fact, fact]" of the facts that are known.
func naming(kind string, facts ...string) string {
	known := facts[:0]
	for _, fact := range facts {
		if fact != "" {
			known = append(known, fact)
		}
	}
	return "[" + kind + ": " + strings.Join(known, ", ") + "]"
}
