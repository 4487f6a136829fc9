package provider

import (
	"encoding/json"
	"fmt"

	"github.com/toolgate/toolgate/gateway/tool"
)

// callsOfConversation finds the last message with calls, and which of them no
// message after it answers. Calls before that are over, whatever became of them.
func callsOfConversation(at string, raw json.RawMessage) ([]ToolCall, error) {
	items, err := readItems(at, raw)
	if err != nil {
		return nil, err
	}
	var asked message
	var answers []answer
	for i, item := range items {
		m, err := readMessage(entry(at, i), item)
		if err != nil {
			return nil, err
		}
		switch {
		case m.asks():
			asked, answers = m, nil
		case m.role == roleTool:
			id, err := readText(m.at, m.members, "tool_call_id")
			if err != nil {
				return nil, err
			}
			answers = append(answers, answer{at: m.at, id: id})
		}
	}
	if asked.members == nil {
		return nil, nil
	}
	calls, err := callsOfMessage(asked.at, asked.members)
	if err != nil {
		return nil, err
	}
	return unanswered(calls, answers)
}

// message is one message of a conversation and where it stands.
type message struct {
	members
	at, role string
}

func readMessage(at string, raw json.RawMessage) (message, error) {
	m, err := readMembers(at, raw, hintMessage)
	if err != nil {
		return message{}, err
	}
	role, err := readText(at, m, "role")
	return message{members: m, at: at, role: role}, err
}

// asks reports whether the message has calls, or something in their place.
func (m message) asks() bool {
	var calls []json.RawMessage
	none := json.Unmarshal(m.members["tool_calls"], &calls) == nil && len(calls) == 0
	return m.has("tool_calls") && !none || m.has("function_call")
}

// answer is where a conversation answers a call.
type answer struct{ at, id string }

// unanswered leaves out the calls that have an answer. An answer to no call is
// an error: with a wrong id, a call that had run would run again.
func unanswered(calls []ToolCall, answers []answer) ([]ToolCall, error) {
	open := make(map[string]bool, len(calls))
	for i := range calls {
		open[calls[i].ID] = true
	}
	for _, a := range answers {
		if _, known := open[a.id]; !known {
			return nil, misshapen(below(a.at, "tool_call_id"),
				fmt.Sprintf("is %q, which is the id of no call of the last message with calls", tool.Excerpt([]byte(a.id), quotedName)),
				"Answer a call with the id that it has there.")
		}
		open[a.id] = false
	}
	left := make([]ToolCall, 0, len(calls))
	for i := range calls {
		if open[calls[i].ID] {
			left = append(left, calls[i])
		}
	}
	return left, nil
}
