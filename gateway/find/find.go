// Package find is the builtin tools by which models find tools that are not in their
// list, and call them.
package find

// Names of the builtin tools.
const (
	ToolName     = "discover_tools"
	CallName     = "call_tool"
	CallReadName = "call_read_tool"
)

// DefaultBudget is the most characters of an answer unless the configuration says
// otherwise.
const DefaultBudget = 12_000
