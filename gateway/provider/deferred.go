package provider

import "github.com/toolgate/toolgate/gateway/tool"

// MetaDeferred is the key under which "_meta" of a tool says that the tool is
// deferred. The Model Context Protocol has no word for that.
const MetaDeferred = "toolgate/deferred"

// OpenAIResponsesDeferred is [OpenAIResponses] with the deferred tools marked, for a
// request that searches tools (developers.openai.com, guides/tools-tool-search).
func OpenAIResponsesDeferred(specs []*tool.Spec) []ResponsesTool {
	tools := OpenAIResponses(specs)
	for i, s := range specs {
		tools[i].DeferLoading = s.Deferred
	}
	return tools
}

// AnthropicDeferred is [Anthropic] with the deferred tools marked, for a request that
// searches tools (platform.claude.com, agents-and-tools/tool-use/tool-search-tool).
func AnthropicDeferred(specs []*tool.Spec) []AnthropicTool {
	tools := Anthropic(specs)
	for i, s := range specs {
		tools[i].DeferLoading = s.Deferred
	}
	return tools
}

// MCPDeferred is [MCP] with the deferred tools marked by [MetaDeferred].
func MCPDeferred(specs []*tool.Spec) []MCPTool {
	tools := MCP(specs)
	for i, s := range specs {
		if s.Deferred {
			tools[i].Meta = map[string]any{MetaDeferred: true}
		}
	}
	return tools
}

// ToolReference is a block of the content of an Anthropic tool result: the model is
// given the definition of the tool, which has to be in the request with
// "defer_loading" (API reference, messages, ToolReferenceBlockParam).
type ToolReference struct {
	Type     string `json:"type"` // always "tool_reference"
	ToolName string `json:"tool_name"`
}

// ToolReferences refers to the tools, in the order given; never nil, so that it
// encodes as an array.
func ToolReferences(specs []*tool.Spec) []ToolReference {
	blocks := make([]ToolReference, 0, len(specs))
	for _, s := range specs {
		blocks = append(blocks, ToolReference{Type: "tool_reference", ToolName: s.Name})
	}
	return blocks
}

// ToolSearchOutput is the item of an OpenAI response request that answers a
// "tool_search_call" which the client carries out. The tools in it need not be among
// those of the request (API reference, responses, ResponseToolSearchOutputItemParam).
type ToolSearchOutput struct {
	Type      string          `json:"type"`              // always "tool_search_output"
	CallID    string          `json:"call_id,omitempty"` // that of the call; whoever sends it fills it in where it is empty
	Execution string          `json:"execution"`         // always "client"
	Status    string          `json:"status"`            // always "completed"
	Tools     []ResponsesTool `json:"tools"`
}

// OpenAIToolSearch answers the search of this call_id, which may be empty, with the
// tools, in the order given.
func OpenAIToolSearch(callID string, specs []*tool.Spec) ToolSearchOutput {
	return ToolSearchOutput{
		Type: "tool_search_output", CallID: callID, Execution: "client", Status: "completed", Tools: OpenAIResponsesDeferred(specs),
	}
}
