// Package find is the builtin tools by which models find tools that are not in their
// list, and call them.
package find

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Names of the builtin tools.
const (
	ToolName     = "discover_tools"
	CallName     = "call_tool"
	CallReadName = "call_read_tool"
)

const (
	// DefaultBudget is the most characters of an answer unless the configuration says
	// otherwise.
	DefaultBudget = 12_000
	// maxListed is the most characters of the lines about tools in the description;
	// of further ones only their sources are named.
	maxListed = 2000
	// maxHint is the most characters of what such a line says of its tool.
	maxHint = 120
	// maxNamespaces is how many sources the last line names.
	maxNamespaces = 20
)

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
	about = `Find tools that are not in your tool list, when none that you have does what you need. Search for one capability at a time and name the system, for example "github: list open issues"; search again for the next one. The exact name of a tool gives the tool with its schema. The answer has the tools that fit, the best first, and says how to call them.`
	// shown are the properties that models are shown; further ones follow in accepted.
	shown = `{"type":"object","properties":{` +
		`"query":{"type":"string","description":"One capability, with the system it is of, such as \"github: list open issues\"; or the exact name of a tool."},` +
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

// describe lists the tools as far as there is room, and counts the rest.
func describe(deferred []*tool.Spec) string {
	if len(deferred) == 0 {
		return about
	}
	var b strings.Builder
	b.WriteString(about + "\nTools to find:")
	room := maxListed
	for i, s := range deferred {
		line := "\n- " + s.Name
		if hint := hintOf(s); hint != "" {
			line += ": " + hint
		}
		if room -= len([]rune(line)); room < 0 {
			fmt.Fprintf(&b, "\nand %d more: %s", len(deferred)-i, counts(deferred[i:]))
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// hintOf is what a line says of its tool: the hint that the configuration gives, else
// the first sentence of the description.
func hintOf(s *tool.Spec) string {
	words := strings.Join(strings.Fields(s.SearchHint), " ")
	if words == "" {
		words = strings.Join(strings.Fields(s.Description), " ")
		if first, _, more := strings.Cut(words, ". "); more {
			words = first + "."
		}
	}
	return cut(words, maxHint)
}

// cut keeps at most that many characters of a text.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	if r := []rune(text); len(r) > most {
		return strings.TrimRight(string(r[:most-1]), " ") + "…"
	}
	return text
}

// ownTools stands for the source of declared tools.
const ownTools = "others"

// counts says how many tools each source has, those with the most first.
func counts(specs []*tool.Spec) string {
	n := map[string]int{}
	var names []string
	for _, s := range specs {
		name := s.Namespace
		if name == "" {
			name = ownTools
		}
		if n[name] == 0 {
			names = append(names, name)
		}
		n[name]++
	}
	slices.SortFunc(names, func(a, b string) int {
		if n[a] != n[b] {
			return n[b] - n[a]
		}
		return strings.Compare(a, b)
	})
	parts, rest := []string{}, 0
	for i, name := range names {
		if i < maxNamespaces {
			parts = append(parts, fmt.Sprintf("%s %d", name, n[name]))
		} else {
			rest += n[name]
		}
	}
	if rest > 0 {
		parts = append(parts, fmt.Sprintf("further sources %d", rest))
	}
	return strings.Join(parts, ", ")
}

const (
	aboutCall = `Call a tool that is not in your tool list, such as one that discover_tools found. Its own schema says which arguments it takes. The call is checked and run like any other.`
	byRisk    = ` A tool that only reads is called with call_read_tool.`
	aboutRead = `Call a tool that only reads (read_only) and is not in your tool list, such as one that discover_tools found. Its own schema says which arguments it takes. Other tools are called with call_tool.`
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

// CallReadSpec describes call_read_tool, which calls tools that change nothing.
func CallReadSpec() *tool.Spec {
	return caller(CallReadName, "Call a tool that reads", aboutRead, tool.TagReadOnly, tool.TagNetwork)
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
