package provider

import (
	"encoding/json"

	"github.com/toolgate/toolgate/gateway/tool"
)

// MCPTool is one tool as the Model Context Protocol lists it (2026-07-28,
// schema Tool).
type MCPTool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema"` // as models are shown it
	Annotations *MCPAnnotations `json:"annotations,omitempty"`
	Meta        map[string]any  `json:"_meta,omitempty"`
}

// MCPAnnotations are hints about a tool's behaviour (2026-07-28, schema
// ToolAnnotations). A hint is given only where a tag says so: a missing tag is
// no promise, and the protocol's defaults are the cautious ones (not read-only,
// destructive, open world).
type MCPAnnotations struct {
	Title           string `json:"title,omitempty"` // for clients older than 2025-06-18, which know no other title
	ReadOnlyHint    bool   `json:"readOnlyHint,omitempty"`
	DestructiveHint bool   `json:"destructiveHint,omitempty"`
	OpenWorldHint   bool   `json:"openWorldHint,omitempty"`
}

// MCP writes the specs as the Model Context Protocol lists tools, in the order
// given; never nil, so that it encodes as an array.
func MCP(specs []*tool.Spec) []MCPTool {
	tools := make([]MCPTool, 0, len(specs))
	for _, s := range specs {
		tools = append(tools, MCPTool{
			Name: s.Name, Title: s.Title, Description: s.Description,
			InputSchema: parameters(s), Annotations: annotations(s),
		})
	}
	return tools
}

// annotations reads the hints off the tags; nil when there is nothing to say.
func annotations(s *tool.Spec) *MCPAnnotations {
	a := MCPAnnotations{
		Title:           s.Title,
		ReadOnlyHint:    s.ReadOnly(),
		DestructiveHint: s.HasTag(tool.TagDestructive),
		OpenWorldHint:   s.HasTag(tool.TagNetwork),
	}
	if a == (MCPAnnotations{}) {
		return nil
	}
	return &a
}
