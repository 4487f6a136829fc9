package provider

import (
	"encoding/json"
	"fmt"

	"github.com/toolgate/toolgate/gateway/tool"
)

// What a sender is told to do next, for mistakes of more than one place.
const (
	hintBody    = `Send the assistant's message as the provider gave it, {"role": "assistant", "tool_calls": […]}, or {"messages": […]}.`
	hintCall    = `A call is {"id": "…", "type": "function", "function": {"name": "…", "arguments": "{…}"}}, as the provider gave it.`
	hintMessage = `Send messages as the provider takes them: each has a "role", and one of the role "tool" has the "tool_call_id" of its call.`
)

// members are the members of a JSON object that is known to be valid and to
// hold no name twice. Unlike the fields of a struct their names match exactly.
type members map[string]json.RawMessage

// has reports whether the member is there and not null.
func (m members) has(name string) bool { return kindOf(m[name]) != 0 && kindOf(m[name]) != 'n' }

// given lists those of the names that are there and not null.
func (m members) given(names ...string) []string {
	var out []string
	for _, name := range names {
		if m.has(name) {
			out = append(out, name)
		}
	}
	return out
}

// kindOf tells what a valid JSON value is by its first byte, 0 for no value.
func kindOf(raw json.RawMessage) byte {
	if len(raw) == 0 {
		return 0
	}
	return raw[0]
}

func readMembers(at string, raw json.RawMessage, hint string) (members, error) {
	switch kindOf(raw) {
	case 0:
		return nil, misshapen(at, "is missing", hint)
	case '{':
		var m members
		if json.Unmarshal(raw, &m) == nil {
			return m, nil
		}
	}
	return nil, misshapen(at, "is no object", hint)
}

func readItems(at string, raw json.RawMessage) ([]json.RawMessage, error) {
	var items []json.RawMessage
	if kindOf(raw) != '[' || json.Unmarshal(raw, &items) != nil {
		return nil, misshapen(at, "is no list", hintBody)
	}
	return items, nil
}

// readText reads a member that has to be a text which is not empty.
func readText(at string, m members, name string) (string, error) {
	hint := hintCall
	if name == "role" || name == "tool_call_id" {
		hint = hintMessage
	}
	var text string
	switch {
	case !m.has(name):
		return "", misshapen(below(at, name), "is missing", hint)
	case kindOf(m[name]) != '"' || json.Unmarshal(m[name], &text) != nil:
		return "", misshapen(below(at, name), "is no text", hint)
	case text == "":
		return "", misshapen(below(at, name), "is empty", hint)
	}
	return text, nil
}

// below is the place of a member of the object at a place.
func below(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

// entry is the place of an entry of the list at a place.
func entry(at string, i int) string { return fmt.Sprintf("%s[%d]", at, i) }

// misshapen is the error for a body that is valid JSON and still holds no calls
// that could be run.
func misshapen(at, what, hint string) error {
	if at == "" {
		at = "the body"
	}
	return tool.Errorf(tool.InvalidArgs, "%s %s", at, what).WithHint("%s", hint)
}
