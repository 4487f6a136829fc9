package find

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Inner is the call that one of call_tool or call_read_tool stands for.
type Inner struct {
	Name      string
	Arguments json.RawMessage            // as sent; empty where there are none
	Beside    map[string]json.RawMessage // further members
}

// Unwrap reads the arguments of call_tool or call_read_tool. A JSON text of an object
// counts as that object, and so does an object in "arguments" that has a "name" where
// none stands beside it. What is not clear is an [*tool.Error] that shows the right
// form; wrapper is the tool that was called.
func Unwrap(wrapper string, raw json.RawMessage) (Inner, error) {
	members, ok := object(raw)
	if !ok {
		return Inner{}, malformed(wrapper, "its arguments are not a JSON object")
	}
	if _, named := members["name"]; !named {
		if within, ok := object(members["arguments"]); ok && within["name"] != nil {
			delete(members, "arguments")
			maps.Copy(members, within) // what stood beside them still does
		}
	}
	in := Inner{Arguments: members["arguments"]}
	switch err := json.Unmarshal(members["name"], &in.Name); {
	case members["name"] == nil:
		return Inner{}, malformed(wrapper, `"name" is missing`)
	case err != nil || in.Name == "":
		return Inner{}, malformed(wrapper, `"name" is not the name of a tool`)
	case in.Name == ToolName || Calls(in.Name):
		return Inner{}, nested(wrapper, in.Name)
	}
	delete(members, "name")
	delete(members, "arguments")
	in.Beside = members
	return in, nil
}

// With are the inner arguments with one more member, unless they have it or are no
// object, which is said where they are read.
func (in *Inner) With(name string, value json.RawMessage) json.RawMessage {
	members, ok := object(in.Arguments)
	if !ok && string(bytes.TrimSpace(in.Arguments)) == "null" {
		members, ok = map[string]json.RawMessage{}, true
	}
	if !ok || members[name] != nil {
		return in.Arguments
	}
	members[name] = value
	data, err := json.Marshal(members)
	if err != nil {
		return in.Arguments
	}
	return data
}

// object reads a JSON object, also one that was written as a text. Such a text is read
// as strictly as arguments are: nobody else has looked into it.
func object(raw json.RawMessage) (members map[string]json.RawMessage, ok bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return nil, false
		}
		raw = bytes.TrimSpace([]byte(text))
		if _, err := schema.Decode(raw); len(raw) > 0 && err != nil {
			return nil, false
		}
	}
	if len(raw) == 0 {
		return map[string]json.RawMessage{}, true
	}
	if raw[0] != '{' || json.Unmarshal(raw, &members) != nil {
		return nil, false
	}
	return members, true
}

// nested words that one of the tools of this package is called with another. Which of
// them the caller has in its list is not known here.
func nested(wrapper, name string) error {
	e := tool.Errorf(tool.InvalidArgs, "%s cannot be called with %s", name, wrapper)
	if Calls(name) {
		return e.WithHint("Send the name and the arguments of the tool that is to run.")
	}
	return e.WithHint("Call %s itself, not with %s.", name, wrapper)
}

// malformed words what is wrong with a call of a call, and shows how it is written.
func malformed(wrapper, what string) error {
	e := tool.Errorf(tool.InvalidArgs, "invalid arguments for %s: %s", wrapper, what)
	e.InputSchema = json.RawMessage(callArgs)
	return e.WithHint(`Send {"name": "the_tool", "arguments": {…}}: the exact name of one tool, and the arguments that its own schema describes.`)
}

// Strays reports what stands beside the name and the arguments, but for the members
// that are known there: it may be an argument in the wrong place, and is not guessed.
func (in *Inner) Strays(wrapper string, known ...string) error {
	for _, name := range slices.Sorted(maps.Keys(in.Beside)) {
		if !slices.Contains(known, name) {
			return malformed(wrapper, `"`+cut(name, maxHint)+`" stands beside "name" and "arguments"; what the tool is given goes into "arguments"`)
		}
	}
	return nil
}
