// Package find is the builtin tools by which models find tools that are not in their
// list, and call them.
package find

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Names of the builtin tools.
const (
	ToolName     = "discover_tools"
	CallName     = "call_tool"
	CallReadName = "call_read_tool"
)

// DefaultBudget is the most characters of an answer unless the configuration says
// otherwise.
const DefaultBudget = 12_000

// Is reports whether the name is that of one of the tools of this package.
func Is(name string) bool { return name == ToolName || Calls(name) }

// Calls reports whether the name is that of a tool by which others are called.
func Calls(name string) bool { return name == CallName || name == CallReadName }

// MeansCalls reports whether the name is that of a tool by which others are called when
// case and punctuation are ignored.
func MeansCalls(name string) bool {
	folded := tool.FoldName(name)
	return folded == tool.FoldName(CallName) || folded == tool.FoldName(CallReadName)
}

const (
	// shown are the properties that models are shown; further ones follow in accepted.
	shown = `{"type":"object","properties":{` +
		`"query":{"type":"string","description":"One capability, with the system it is of; or the exact name of a tool."},` +
		`"limit":{"type":"integer","minimum":1,"maximum":50,"description":"The most tools to answer with. Leave it out unless you need more."},` +
		`"detail":{"type":"string","enum":["names","summary","schema"],"description":"How much to say of each tool. Leave it out to get the schemas of tools that are not in your list."}`
	hidden = `,"namespace":{"type":"string","description":"Only tools of this source."},` +
		`"tags":{"type":"array","items":{"type":"string"},"description":"Only tools that have all of these tags."},` +
		`"explain":{"type":"boolean","description":"Say how each score came about."}`
	end = `},"required":["query"],"additionalProperties":false}`
)

// Accepted is the schema of all arguments that discover_tools takes: beside those
// that models are shown (its Spec's Parameters) the ones for programs and people.
func Accepted() json.RawMessage { return json.RawMessage(shown + hidden + end) }

// NewSpec describes discover_tools to a model that may find these deferred tools, in
// the order of lists. The same tools give the same bytes.
func NewSpec(deferred []*tool.Spec) *tool.Spec {
	return &tool.Spec{
		Name:            ToolName,
		Title:           "Find tools",
		Description:     describe(deferred),
		Parameters:      json.RawMessage(shown + end),
		Tags:            []string{tool.TagReadOnly},
		Method:          ToolName,
		Source:          tool.SourceBuiltin,
		Timeout:         tool.DefaultTimeout,
		MaxOutput:       tool.DefaultMaxOutput,
		ConcurrencySafe: true,
	}
}

const (
	aboutCall = `Call a tool that is not in your tool list, such as one that discover_tools found. Its own schema says which arguments it takes. The call is checked and run like any other.`
	byRisk    = ` A tool that only reads is called with call_read_tool.`
	aboutRead = `Call a tool that only reads (read_only) and is not in your tool list, such as one that discover_tools found. Its own schema says which arguments it takes. The call is checked and run like any other.`
	writes    = ` Other tools are called with call_tool.`
	callArgs  = `{"type":"object","properties":{` +
		`"name":{"type":"string","description":"The exact name of the tool."},` +
		`"arguments":{"type":"object","description":"The arguments of the tool, as its own schema describes them."}` +
		`},"required":["name","arguments"],"additionalProperties":false}`
)

// CallSpec describes call_tool to a model; there may be call_read_tool beside it. No
// rule judges a call of either: the tool that is called is judged.
func CallSpec(besideRead bool) *tool.Spec {
	description := aboutCall
	if besideRead {
		description += byRisk
	}
	return caller(CallName, "Call a tool", description, tool.TagDestructive, tool.TagNetwork)
}

// CallReadSpec describes call_read_tool, which calls tools that change nothing; there
// may be call_tool beside it.
func CallReadSpec(besideCall bool) *tool.Spec {
	description := aboutRead
	if besideCall {
		description += writes
	}
	return caller(CallReadName, "Call a tool that reads", description, tool.TagReadOnly, tool.TagNetwork)
}

func caller(name, title, description string, tags ...string) *tool.Spec {
	return &tool.Spec{
		Name: name, Title: title, Description: description, Parameters: json.RawMessage(callArgs), Tags: tags, Method: name,
		Source: tool.SourceBuiltin, Timeout: tool.DefaultTimeout, MaxOutput: tool.DefaultMaxOutput,
	}
}

// Unplaced stands for the runner of the tools of this package: the gateway runs
// searches, and a call is that of its inner tool.
type Unplaced struct{}

// Run fails.
func (Unplaced) Run(_ context.Context, in tool.Input) (tool.Output, error) {
	return tool.Output{}, tool.AsError(errors.New(in.Spec.Name + " was run as a tool of its own"))
}
