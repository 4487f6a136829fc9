package provider

import (
	"encoding/json"

	"github.com/toolgate/toolgate/gateway/tool"
)

// ChatTool is one entry of the "tools" array of an OpenAI chat completion
// request (platform.openai.com, API reference, chat/create).
type ChatTool struct {
	Type     string       `json:"type"` // always "function"
	Function ChatFunction `json:"function"`
}

// ChatFunction describes the function of a [ChatTool].
type ChatFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of the arguments, as declared
}

// OpenAIChat writes the specs as the "tools" array of an OpenAI chat completion
// request, in the order given; never nil, so that it encodes as an array.
func OpenAIChat(specs []*tool.Spec) []ChatTool {
	tools := make([]ChatTool, 0, len(specs))
	for _, s := range specs {
		tools = append(tools, ChatTool{Type: typeFunction, Function: ChatFunction{
			Name: s.Name, Description: s.Description, Parameters: parameters(s),
		}})
	}
	return tools
}
