package provider

import (
	"encoding/json"

	"github.com/toolgate/toolgate/gateway/tool"
)

// ResponsesTool is one entry of the "tools" array of an OpenAI response request
// (platform.openai.com, API reference, responses/create).
type ResponsesTool struct {
	Type        string          `json:"type"` // always "function"
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of the arguments, as declared
	// Strict is false: the API takes true where it is absent, and then refuses
	// schemas with properties that are not required.
	Strict bool `json:"strict"`
	// DeferLoading keeps the tool from the model until a search loads it. A request
	// with such tools needs one of the type "tool_search" too.
	DeferLoading bool `json:"defer_loading,omitempty"`
}

// OpenAIResponses writes the specs as the "tools" array of an OpenAI response
// request, in the order given; never nil, so that it encodes as an array.
func OpenAIResponses(specs []*tool.Spec) []ResponsesTool {
	tools := make([]ResponsesTool, 0, len(specs))
	for _, s := range specs {
		tools = append(tools, ResponsesTool{Type: typeFunction, Name: s.Name, Description: s.Description, Parameters: parameters(s)})
	}
	return tools
}

// AnthropicTool is one entry of the "tools" array of an Anthropic message request
// (platform.claude.com, API reference, messages).
type AnthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"` // as declared
	// DeferLoading keeps the tool from the model until a result refers to it, as with
	// a [ToolReference].
	DeferLoading bool `json:"defer_loading,omitempty"`
}

// Anthropic writes the specs as the "tools" array of an Anthropic message request,
// in the order given; never nil, so that it encodes as an array.
func Anthropic(specs []*tool.Spec) []AnthropicTool {
	tools := make([]AnthropicTool, 0, len(specs))
	for _, s := range specs {
		tools = append(tools, AnthropicTool{Name: s.Name, Description: s.Description, InputSchema: parameters(s)})
	}
	return tools
}

// GeminiTool is one entry of the "tools" array of a Gemini request: it holds all
// functions (ai.google.dev, API reference, Tool).
type GeminiTool struct {
	FunctionDeclarations []GeminiFunction `json:"functionDeclarations"`
}

// GeminiFunction declares one function (ai.google.dev, API reference,
// FunctionDeclaration).
type GeminiFunction struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Parameters are JSON Schema, as declared. The member "parameters" beside it
	// would take a subset of OpenAPI's only, and refuse the request for any other
	// keyword.
	Parameters json.RawMessage `json:"parametersJsonSchema"`
}

// Gemini writes the specs as the "tools" array of a Gemini request, in the order
// given: one entry with all functions, or none where there are none.
func Gemini(specs []*tool.Spec) []GeminiTool {
	if len(specs) == 0 {
		return []GeminiTool{}
	}
	return []GeminiTool{{FunctionDeclarations: GeminiFunctions(specs)}}
}

// GeminiFunctions declares a function for each spec, in the order given; never
// nil, so that it encodes as an array.
func GeminiFunctions(specs []*tool.Spec) []GeminiFunction {
	functions := make([]GeminiFunction, 0, len(specs))
	for _, s := range specs {
		functions = append(functions, GeminiFunction{Name: s.Name, Description: s.Description, Parameters: parameters(s)})
	}
	return functions
}
