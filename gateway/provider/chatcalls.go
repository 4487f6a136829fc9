package provider

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// MaxCalls is the most calls of one message: what a gateway runs as one batch.
	MaxCalls = 128
	// maxCallID is the most bytes of a call's id. Ids are short as a rule, but
	// some proxies pack what a model has to be shown again into them.
	maxCallID = 16 << 10
	// quotedName is the most bytes of somebody's text that an error repeats.
	quotedName = 64
)

// ToolCall is one call that a model asked for.
type ToolCall struct {
	ID   string // the provider's name for the call, unique in its message; up to 16 KiB
	Name string // the tool, as the model wrote it; never empty
	// Arguments is what the model wrote, unchecked: the gateway reads it and
	// words what is wrong with it. It need not be JSON. {} when there was nothing.
	Arguments json.RawMessage
}

// OpenAIChatCalls reads the calls that have to run out of what an OpenAI chat
// completion gave or is to be sent next (platform.openai.com, API reference,
// chat). The body is one of
//
//	{"role": "assistant", "tool_calls": […]}   a message; the role may be left out
//	{"choices": [{"message": {…}}]}            a whole response, of one choice
//	[{"id": …, "function": {…}}]               the calls alone
//	{"messages": […]} or […]                   a conversation
//
// Of a conversation the calls of the last message with any are meant, less those
// that a message of the role "tool" after it answers. Members that have no part
// in this are not looked at. A call's arguments are a text, as providers send
// them, or an object; every digit stays.
//
// Nothing is guessed: a body that is no JSON or holds a name twice, that has
// more than 4 MiB, 64 levels or [MaxCalls] calls, or in which a call lacks
// something, has an id twice or is of a type other than "function", is an
// *[tool.Error] of the code [tool.InvalidArgs] that says where.
func OpenAIChatCalls(body []byte) ([]ToolCall, error) {
	if _, err := schema.Decode(body); err != nil {
		return nil, tool.Errorf(tool.InvalidArgs, "the calls cannot be read: %v", err).WithHint(hintBody)
	}
	switch raw := json.RawMessage(bytes.TrimSpace(body)); kindOf(raw) {
	case '{':
		return callsOfObject(raw)
	case '[':
		return callsOfList(raw)
	}
	return nil, misshapen("", "is neither an object nor a list", hintBody)
}

func callsOfObject(raw json.RawMessage) ([]ToolCall, error) {
	whole, err := readMembers("", raw, hintBody)
	if err != nil {
		return nil, err
	}
	switch given := whole.given("choices", "messages", "tool_calls"); {
	case len(given) > 1:
		return nil, misshapen("", fmt.Sprintf("has both %q and %q", given[0], given[1]), "Send one of them alone.")
	case whole.has("choices"):
		return callsOfChoices(whole["choices"])
	case whole.has("messages"):
		return callsOfConversation("messages", whole["messages"])
	}
	_, named := whole["tool_calls"]
	if !named && !whole.has("role") && !whole.has("function_call") {
		return nil, misshapen("", `has none of "tool_calls", "messages" and "choices"`, hintBody)
	}
	return callsOfMessage("", whole)
}

// callsOfChoices reads a response. Of several choices only the client knows
// which one the conversation goes on with.
func callsOfChoices(raw json.RawMessage) ([]ToolCall, error) {
	choices, err := readItems("choices", raw)
	if err != nil {
		return nil, err
	}
	if len(choices) != 1 {
		return nil, misshapen("choices", fmt.Sprintf("has %d entries", len(choices)),
			"Send the message of the one choice that the conversation goes on with.")
	}
	choice, err := readMembers("choices[0]", choices[0], hintBody)
	if err != nil {
		return nil, err
	}
	message, err := readMembers("choices[0].message", choice["message"], hintBody)
	if err != nil {
		return nil, err
	}
	return callsOfMessage("choices[0].message", message)
}

// callsOfList tells messages from calls by the first entry: every message has a
// role, and no call has one.
func callsOfList(raw json.RawMessage) ([]ToolCall, error) {
	items, err := readItems("", raw)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	first, err := readMembers("[0]", items[0], hintBody)
	if err != nil {
		return nil, err
	}
	if first.has("role") {
		return callsOfConversation("", raw)
	}
	return readCalls("", raw)
}

// callsOfMessage reads the calls of one message, which the model must have
// written.
func callsOfMessage(at string, message members) ([]ToolCall, error) {
	if message.has("role") {
		role, err := readText(at, message, "role")
		if err != nil {
			return nil, err
		}
		if role != roleAssistant {
			return nil, misshapen(below(at, "role"), fmt.Sprintf("is %q", tool.Excerpt([]byte(role), quotedName)),
				`Send the message with the role "assistant" that holds the calls.`)
		}
	}
	if message.has("function_call") {
		return nil, misshapen(below(at, "function_call"), "is the old form of a call, which has no id",
			`Give the model its functions as "tools", so that it answers with "tool_calls".`)
	}
	if !message.has("tool_calls") {
		return nil, nil
	}
	return readCalls(below(at, "tool_calls"), message["tool_calls"])
}

func readCalls(at string, raw json.RawMessage) ([]ToolCall, error) {
	items, err := readItems(at, raw)
	if err != nil {
		return nil, err
	}
	if len(items) > MaxCalls {
		return nil, misshapen(at, fmt.Sprintf("has %d calls; at most %d are accepted", len(items), MaxCalls), "Send fewer calls at once.")
	}
	calls, seen := make([]ToolCall, 0, len(items)), make(map[string]int, len(items))
	for i, item := range items {
		here := entry(at, i)
		call, err := readCall(here, item)
		if err != nil {
			return nil, err
		}
		if first, twice := seen[call.ID]; twice {
			return nil, misshapen(below(here, "id"), "is the id of "+entry(at, first)+" too", "Give every call of a message an id of its own.")
		}
		seen[call.ID] = i
		calls = append(calls, call)
	}
	return calls, nil
}

func readCall(at string, raw json.RawMessage) (ToolCall, error) {
	call, err := readMembers(at, raw, hintCall)
	if err != nil {
		return ToolCall{}, err
	}
	if err := checkType(at, call); err != nil {
		return ToolCall{}, err
	}
	id, err := readText(at, call, "id")
	if err != nil {
		return ToolCall{}, err
	}
	if len(id) > maxCallID {
		return ToolCall{}, misshapen(below(at, "id"), fmt.Sprintf("has %d bytes; at most %d are accepted", len(id), maxCallID), hintCall)
	}
	at = below(at, "function")
	function, err := readMembers(at, call["function"], hintCall)
	if err != nil {
		return ToolCall{}, err
	}
	name, err := readText(at, function, "name")
	if err != nil {
		return ToolCall{}, err
	}
	arguments, err := readArguments(below(at, "arguments"), function["arguments"])
	return ToolCall{ID: id, Name: name, Arguments: arguments}, err
}

// checkType refuses calls that are no function calls, such as those of custom
// tools, whose input is free text.
func checkType(at string, call members) error {
	if !call.has("type") {
		return nil
	}
	kind, err := readText(at, call, "type")
	if err != nil || kind == typeFunction {
		return err
	}
	return misshapen(below(at, "type"), fmt.Sprintf("is %q, and only function calls are run here", tool.Excerpt([]byte(kind), quotedName)),
		`Send calls of the type "function" only, and answer the others yourself.`)
}

func readArguments(at string, raw json.RawMessage) (json.RawMessage, error) {
	switch kindOf(raw) {
	case 0, 'n':
		return json.RawMessage("{}"), nil
	case '{':
		return raw, nil
	case '"':
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, misshapen(at, "is no text", hintCall)
		}
		if text == "" {
			text = "{}"
		}
		return json.RawMessage(text), nil
	}
	return nil, misshapen(at, "is neither a text nor an object", hintCall)
}
