// Package activation is the builtin tool with which a model asks for tools that are
// not active in its chat. It grants nothing: the user does, elsewhere.
package activation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// ToolName is the name of the builtin tool.
const ToolName = "request_tool_activation"

const (
	// maxReason is the most characters of a reason.
	maxReason = 500
	// maxListed is the most characters of the lines about groups in the description;
	// further groups are in the schema only.
	maxListed = 4000
	// maxLine is the most characters of one group's description in its line.
	maxLine = 200
)

// formTimeout is how long the user of a client with a form has to answer it.
const formTimeout = 5 * time.Minute

// Group is a group of tools that the user may activate.
type Group struct {
	Name        string
	Description string // may be empty
	Tools       int    // how many tools it would add
}

const about = `Ask the user to activate a group of tools in this chat, when you need one of its tools for what the user wants. This only asks: nothing is active before the user agrees, so go on without the tools, or tell the user what you wait for. Do not repeat a request.`

// Tools makes the tool for the groups that a caller is offered in a chat, and the
// same one for the same groups: whoever keeps lists can tell that nothing changed.
// It is safe for concurrent use; the zero value works.
type Tools struct {
	mu   sync.Mutex // guards kept
	kept []made     // the one used last stands last
}

// maxKept is how many tools are kept: few sets of groups are offered at a time.
const maxKept = 64

type made struct {
	groups []Group
	spec   *tool.Spec
}

// For gives the tool that offers the groups. It is shared: do not change it.
func (t *Tools) For(groups []Group) *tool.Spec {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := slices.IndexFunc(t.kept, func(m made) bool { return slices.Equal(m.groups, groups) })
	if at >= 0 {
		found := t.kept[at]
		t.kept = append(slices.Delete(t.kept, at, at+1), found)
		return found.spec
	}
	spec := NewSpec(groups)
	if len(t.kept) == maxKept {
		t.kept = slices.Delete(t.kept, 0, 1)
	}
	t.kept = append(t.kept, made{slices.Clone(groups), spec})
	return spec
}

// NewSpec describes the tool to a model that is offered the groups; without any, to
// whoever looks at the configuration.
func NewSpec(groups []Group) *tool.Spec {
	return &tool.Spec{
		Name:            ToolName,
		Title:           "Ask for tools",
		Description:     describe(groups),
		Parameters:      parameters(groups),
		Method:          ToolName,
		Source:          tool.SourceBuiltin,
		Timeout:         formTimeout,
		MaxOutput:       tool.DefaultMaxOutput,
		ConcurrencySafe: true,
	}
}

func describe(groups []Group) string {
	if len(groups) == 0 {
		return about
	}
	var b strings.Builder
	b.WriteString(about + "\nInactive groups:")
	room := maxListed
	for i, g := range groups {
		line := "\n- " + g.line()
		if room -= len([]rune(line)); room < 0 {
			fmt.Fprintf(&b, "\n- and %s more, named in the schema", counted(len(groups)-i, "group"))
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// line is what the description says of a group.
func (g *Group) line() string {
	text := g.Name
	if words := strings.Join(strings.Fields(g.Description), " "); words != "" {
		if r := []rune(words); len(r) > maxLine {
			words = string(r[:maxLine]) + "…"
		}
		text += ": " + words
	}
	return text + " (" + counted(g.Tools, "tool") + ")"
}

func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// schema is the schema of the arguments, its keys in this order.
type schema struct {
	Type       string   `json:"type"`
	Properties props    `json:"properties"`
	Required   []string `json:"required"`
	Closed     bool     `json:"additionalProperties"`
}

type props struct {
	Group  prop `json:"group"`
	Reason prop `json:"reason"`
}

type prop struct {
	Type        string   `json:"type"`
	Description string   `json:"description"`
	Enum        []string `json:"enum,omitempty"`
	Most        int      `json:"maxLength,omitempty"`
	Least       int      `json:"minLength,omitempty"`
}

func parameters(groups []Group) json.RawMessage {
	s := schema{Type: "object", Required: []string{"group", "reason"}}
	s.Properties.Group = prop{Type: "string", Description: "The group to ask for.", Enum: names(groups)}
	s.Properties.Reason = prop{
		Type: "string", Description: "For the user: what you need the tools for, in a sentence.", Least: 1, Most: maxReason,
	}
	data, err := json.Marshal(s)
	if err != nil {
		panic(err) // texts and numbers
	}
	return data
}

func names(groups []Group) []string {
	var out []string
	for i := range groups {
		out = append(out, groups[i].Name)
	}
	return out
}
